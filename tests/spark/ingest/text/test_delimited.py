"""Cells of lines: quotes, ragged rows, and what a task sees of a file."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tidelog.spark.ingest.text.delimited import Dialect, first_cells, split_cells
from tidelog.spark.ingest.text.lines import OPEN_QUOTE, Lines

CSV = Dialect(",", True)
TSV = Dialect("\t", False)


def lines_of(*texts: str) -> Lines:
    return Lines(pa.array(texts, pa.string()), np.zeros(len(texts), np.int64), np.zeros(len(texts), np.bool_))


def test_cells_of_lines() -> None:
    found = split_cells(lines_of("a,1", "b", '"c,""d""",2\r', "e,3,4", '"open,5', ",", '"f\ng",6', '5" h,7'), CSV, 2)
    assert [column.to_pylist() for column in found.columns] == [
        ["a", 'c,"d"', "", "f\ng", '5" h'],
        ["1", "2", "", "6", "7"],
    ]
    assert found.lines.texts.to_pylist() == ["a,1", '"c,""d""",2\r', ",", '"f\ng",6', '5" h,7']
    assert sorted(found.rejected) == [
        (1, "1 cell, and the first row has 2"),
        (3, "3 cells, and the first row has 2"),
        (4, OPEN_QUOTE),
    ]


def test_cells_without_quotes() -> None:
    found = split_cells(lines_of('"a\tb"', "c\td"), TSV, 2)
    assert [column.to_pylist() for column in found.columns] == [['"a', "c"], ['b"', "d"]]
    assert first_cells('"a\tb"\r', TSV) == ['"a', 'b"']
    assert first_cells('"a,b",c', CSV) == ["a,b", "c"]
    assert first_cells('"a\nb",c', CSV) == ["a\nb", "c"]
