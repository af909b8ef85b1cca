"""Typed sources: Parquet, Arrow files and tables, data frames of pandas and polars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import pyarrow as pa

from tidelog.errors import fail
from tidelog.files.formats import FileFormat, Format
from tidelog.files.raw import USUAL_SIZES, Cells, RawTable, Sizes, check_size, damaged, row_places, unreadable

_ROWS = 1 << 20
"""Rows of Parquet that are read at once."""
_Batches: TypeAlias = tuple[pa.Schema, Iterable[pa.RecordBatch]]


def read_table_file(path: Path, file_format: FileFormat, sizes: Sizes = USUAL_SIZES) -> RawTable:
    """A file of Parquet or Arrow, batch by batch: a small file may unpack to a large table."""
    batches: list[pa.RecordBatch] = []
    size = 0
    try:
        with path.open("rb") as file:
            schema, parts = _parquet(file) if file_format.format is Format.PARQUET else _arrow_file(file)
            for batch in parts:
                batches.append(batch)
                check_size(path, size := size + batch.nbytes, sizes)
        table = pa.Table.from_batches(batches, schema)
    except pa.ArrowException as error:
        raise damaged(path, f"not a whole file of {file_format} ({_first_line(error)})") from error
    except OSError as error:
        if error.errno is None:  # pyarrow could open the file and not read it
            raise damaged(path, f"not a whole file of {file_format} ({_first_line(error)})") from error
        raise unreadable(path, error) from error
    return _from_arrow(table, str(path), str(file_format), is_file=True)


def read_object(source: object) -> RawTable:
    """A table or data frame; its type tells the library, so that no library is imported for the test."""
    libraries = {(base.__module__.partition(".")[0], base.__name__) for base in type(source).__mro__}
    thing: Any = source
    try:
        if libraries & {("pandas", "Series"), ("polars", "Series")}:
            fix = "give a data frame: `series.to_frame()`, or with the index of pandas `series.reset_index()`"
            raise fail("TL082", "facts cannot be read from a Series, which is one column", fix=fix)
        if ("pandas", "DataFrame") in libraries:
            return _from_pandas(thing)
        if ("polars", "LazyFrame") in libraries:
            return _from_arrow(thing.collect().to_arrow(), "a polars LazyFrame", "polars")
        if ("polars", "DataFrame") in libraries:
            return _from_arrow(thing.to_arrow(), "a polars DataFrame", "polars")
        if isinstance(source, pa.Table):
            return _from_arrow(source, "an Arrow table", "arrow")
        if isinstance(source, pa.RecordBatch):
            return _from_arrow(pa.Table.from_batches([source]), "an Arrow record batch", "arrow")
        if isinstance(source, pa.RecordBatchReader):
            return _from_arrow(source.read_all(), "an Arrow reader", "arrow")
        if hasattr(source, "__arrow_c_stream__"):
            table = pa.RecordBatchReader.from_stream(source).read_all()
            return _from_arrow(table, f"a {type(source).__name__}", "arrow")
    except (pa.ArrowException, OSError) as error:
        raise damaged(f"a {type(source).__name__}", _first_line(error)) from error
    fix = "give a path, an Arrow table, or a data frame of pandas or polars"
    if isinstance(source, list | tuple | set | frozenset | dict | Iterator):
        fix += '; tuples are facts of an update: `kb.update(insert={"edge": [("a", "b")]})`'
    raise fail("TL082", f"facts cannot be read from a {type(source).__name__}", fix=fix)


def _parquet(file: BinaryIO) -> _Batches:
    from pyarrow import parquet

    opened = parquet.ParquetFile(file)
    return opened.schema_arrow, opened.iter_batches(_ROWS)


def _arrow_file(file: BinaryIO) -> _Batches:
    try:
        opened = pa.ipc.open_file(file)
    except pa.ArrowInvalid:
        file.seek(0)
        stream = pa.ipc.open_stream(file)
        return stream.schema, stream
    return opened.schema, map(opened.get_batch, range(opened.num_record_batches))


def _from_arrow(table: pa.Table, source: str, described: str, *, is_file: bool = False) -> RawTable:
    places = row_places(source, is_file=is_file)
    return RawTable(source, described, tuple(table.column_names), tuple(table.columns), table.num_rows, places)


def _from_pandas(frame: Any) -> RawTable:
    """A data frame of pandas without its index; pandas' missing values, including NaN, are null."""
    columns = tuple(_pandas_column(frame.iloc[:, at]) for at in range(frame.shape[1]))
    source = "a pandas DataFrame"
    places = row_places(source, is_file=False)
    return RawTable(source, "pandas", tuple(map(str, frame.columns)), columns, len(frame), places, has_floats_for_gaps=True)


def _pandas_column(series: Any) -> Cells:
    try:
        cells = pa.array(series, from_pandas=True)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return _objects(series)
    if series.dtype == object and pa.types.is_temporal(cells.type):  # Arrow would cut off nanoseconds, and the times of days
        return _objects(series)
    return cells if isinstance(cells, pa.ChunkedArray) else pa.chunked_array([cells])


def _objects(series: Any) -> list[object]:
    return [None if empty else cell for cell, empty in zip(series.tolist(), series.isna(), strict=True)]


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
