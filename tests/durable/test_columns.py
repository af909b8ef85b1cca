"""Columns of rows and loads, written and read again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tidelog import IRI, Literal, TidelogError
from tidelog.durable.columns import columns_of_load, read_table, rows_of, table_of_load, table_of_rows, write_table
from tidelog.durable.file_operations import FileOperations, WrittenFile
from tidelog.files.columns import ARROW_TYPES, MixedColumn, TypedColumn
from tidelog.values import Kind, from_python

FILES = FileOperations(syncs=False)


@pytest.mark.parametrize("arity", [0, 1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 1000])
@pytest.mark.parametrize("is_counted", [True, False])
def test_rows_come_back(tmp_path: Path, arity: int, count: int, is_counted: bool) -> None:
    rows = np.arange(arity * count, dtype=np.int32).reshape(count, arity)
    counters = np.arange(2 * count, dtype=np.int32).reshape(2, count) if is_counted else None
    file = write_table(FILES, tmp_path, "rows.arrow", table_of_rows(rows, counters))
    found, counted = rows_of(read_table(tmp_path, file), arity)
    assert found.shape == rows.shape
    assert (found == rows).all()
    assert (counted is None) == (counters is None)
    assert counters is None or np.array_equal(counted, counters)  # type: ignore[arg-type]


def test_columns_of_a_load_come_back(tmp_path: Path) -> None:
    things = ["a", 1, 2.5, True, IRI("http://e/a"), Literal("x", None, "en")]
    columns: list[TypedColumn | MixedColumn] = [MixedColumn([from_python(thing) for thing in things])]
    for kind, type_ in ARROW_TYPES.items():
        values = list(map(str, range(6))) if pa.types.is_large_string(type_) else [0, 1, 1, 0, 1, 0]
        columns.append(TypedColumn(kind, pa.array(values, pa.int32() if kind is Kind.DATE else None).cast(type_)))
    file = write_table(FILES, tmp_path, "load.arrow", table_of_load(columns, 6))
    table = read_table(tmp_path, file)
    assert columns_of_load(table) == columns
    assert table.num_rows == 6


def test_a_load_without_columns_has_rows(tmp_path: Path) -> None:
    table = read_table(tmp_path, write_table(FILES, tmp_path, "load.arrow", table_of_load([], 3)))
    assert (columns_of_load(table), table.num_rows) == ([], 3)
    assert columns_of_load(table_of_load([TypedColumn(Kind.INT, pa.array([], pa.int64()))], 0)) != []


def test_a_file_that_is_as_written_and_is_not_arrow(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(TidelogError, match=r"TL062.*it is no Arrow file"):
        read_table(tmp_path, WrittenFile("file", 0, ()))
