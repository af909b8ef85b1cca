"""Columns as Arrow IPC files: rows of ids, arrays of numbers, and the columns of a bulk load."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tidelog.core.keys import columns_of_keys, keys_of_column
from tidelog.durable.file_operations import ChecksummedFile, FileOperations, WrittenFile, damaged, read_checked
from tidelog.files.columns import ARROW_TYPES, MixedColumn, TypedColumn
from tidelog.values import Kind


def write_table(files: FileOperations, folder: Path, path: str, table: pa.Table) -> WrittenFile:
    """Write a new Arrow IPC file below the folder, and wait until it is on disk."""
    target = folder / path
    with files.open(target) as file:
        sink = ChecksummedFile(file)
        with pa.PythonFile(sink, "w") as stream, pa.ipc.new_file(stream, table.schema) as writer:
            writer.write_table(table)
        files.sync_file(file, target)
    return WrittenFile(path, sink.size, tuple(sink.checksums))


def read_table(folder: Path, written: WrittenFile) -> pa.Table:
    """The table of a file whose checksums are right."""
    data = read_checked(folder, written)
    try:
        return pa.ipc.open_file(pa.BufferReader(data)).read_all()
    except pa.ArrowInvalid as error:
        raise damaged(folder / written.path, 0, f"it is no Arrow file ({error})") from error


def array_of(table: pa.Table, name: str) -> NDArray[Any]:
    """A column of numbers; read-only."""
    column = table.column(name).combine_chunks() if table.column(name).num_chunks != 1 else table.column(name).chunk(0)
    array: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return array


def table_of_rows(rows: NDArray[np.int32], counters: NDArray[np.int32] | None) -> pa.Table:
    """Rows of ids, one list of fixed length for each, with their derivation counters if they have any."""
    flat = pa.array(np.ascontiguousarray(rows).reshape(-1))
    lists = pa.FixedSizeListArray.from_arrays(flat, max(1, rows.shape[1])) if rows.shape[1] else pa.nulls(len(rows), pa.int8())
    columns = {"row": lists}
    if counters is not None:
        columns |= {f"counter {at}": pa.array(np.ascontiguousarray(counter)) for at, counter in enumerate(counters)}
    return pa.table(columns)


def rows_of(table: pa.Table, arity: int) -> tuple[NDArray[np.int32], NDArray[np.int32] | None]:
    """The rows of ids and their counters."""
    rows = np.empty((table.num_rows, 0), np.int32)
    if arity:
        column = table.column("row")
        lists = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        rows = lists.flatten().to_numpy(zero_copy_only=False).reshape(-1, arity)
    names = [name for name in table.column_names if name.startswith("counter ")]
    return rows, np.stack([array_of(table, name) for name in names]) if names else None


def table_of_load(columns: Sequence[TypedColumn | MixedColumn], rows: int) -> pa.Table:
    """The columns of a bulk load; those of several kinds as keys."""
    fields, arrays = [], []
    for at, column in enumerate(columns):
        kind = column.kind.value if isinstance(column, TypedColumn) else "keys"
        arrays.append(column.values if isinstance(column, TypedColumn) else keys_of_column(column))
        fields.append(pa.field(f"c{at + 1}", arrays[-1].type, metadata={"kind": kind}))
    if not columns:
        fields, arrays = [pa.field("none", pa.null())], [pa.nulls(rows)]
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def columns_of_load(table: pa.Table) -> list[TypedColumn | MixedColumn]:
    """The columns of a bulk load, as they were."""
    columns: list[TypedColumn | MixedColumn] = []
    for at, field in enumerate(table.schema):
        if field.name == "none":
            continue
        column = table.column(at)
        kind, values = field.metadata[b"kind"].decode(), column.combine_chunks()
        values = pa.concat_arrays(values.chunks) if isinstance(values, pa.ChunkedArray) else values
        if kind == "keys":
            found = columns_of_keys(values) if len(values) else MixedColumn([])
            columns.append(found)
        else:
            columns.append(TypedColumn(Kind(kind), values.cast(ARROW_TYPES[Kind(kind)])))
    return columns
