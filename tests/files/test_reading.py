"""The way in: every kind of source, what is said of it, and sources without rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from tests.files.relations import declared, kinds, lists, mentioned, rejected, saved

from tidelog.errors import TidelogError
from tidelog.files.reading import read
from tidelog.values import Kind

INT, STRING = Kind.INT, Kind.STRING
TABLE = pa.table({"src": ["a", "b"], "n": [1, 2]})


def test_every_source_gives_the_same_facts(tmp_path: Path) -> None:
    parquet.write_table(TABLE, tmp_path / "e.parquet")
    feather.write_feather(TABLE, tmp_path / "e.arrow")
    sources: list[object] = [
        TABLE,
        tmp_path / "e.parquet",
        str(tmp_path / "e.arrow"),
        saved(tmp_path, "e.csv", "src,n\na,1\nb,2\n"),
        saved(tmp_path, "e.facts.gz", "a\t1\nb\t2\n"),
        saved(tmp_path, "e.jsonl", '{"src": "a", "n": 1}\n{"n": 2, "src": "b"}\n'),
    ]
    for source in sources:
        loaded = read(source, "edge", declared(src=STRING, n=INT))
        assert (loaded.relation, loaded.rows, lists(loaded)) == ("edge", 2, [["a", "b"], [1, 2]])


@pytest.mark.parametrize(
    ("relation", "said"),
    [
        (None, "edge: 2 rows from an Arrow table (arrow; columns: string, int, inferred)"),
        (mentioned(2), "edge: 2 rows from an Arrow table (arrow; columns: string, int, inferred)"),
        (
            declared(src=STRING, n=Kind.FLOAT),
            "edge: 2 rows from an Arrow table (arrow, by name; columns: string, float, declared)",
        ),
        (declared(x=STRING, y=None), "edge: 2 rows from an Arrow table (arrow; columns: string, int (inferred))"),
        (declared(n=None), "edge: 2 rows from an Arrow table (arrow, by name; columns: int, inferred; left out: src)"),
    ],
    ids=["unknown", "mentioned", "declared", "half declared", "left out"],
)
def test_what_was_decided_is_said(relation: object, said: str) -> None:
    assert read(TABLE, "edge", relation).description == said  # type: ignore[arg-type]


def test_a_header_is_one_of_three() -> None:
    strange: list[Any] = ["yes", 1, None, [], np.array([True, False])]
    for odd in strange:
        with pytest.raises(TidelogError, match=r"TL074: there is no header=[^$]*fix: choose one of True, False, 'auto'"):
            read(TABLE, "edge", header=odd)


def test_no_rows(tmp_path: Path) -> None:
    for text in ("", "\n\n", "\ufeff"):
        path = saved(tmp_path, "e.csv", text)
        loaded = read(path, "edge", declared(src=INT, dst=None))
        assert (kinds(loaded), lists(loaded), loaded.rows) == ([INT, STRING], [[], []], 0)
        assert loaded.description == f"edge: no rows from {path} (csv, empty)"
        code, _, message = rejected(path)
        assert code == "TL081"
        assert "is empty" in message
    assert lists(read(saved(tmp_path, "e.csv.gz", b""), "edge", mentioned(1))) == [[]]
