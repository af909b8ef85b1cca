"""Writes a table to a file: `write` is the entry; CSV and JSON Lines are formatted a batch of rows at a time."""

from __future__ import annotations

import csv
import gzip
import io
import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa
import pyarrow.compute as pc

from tidelog.arguments import path_of
from tidelog.errors import fail
from tidelog.files.formats import Format, format_of

_ROWS_AT_ONCE = 1 << 18
_ROWS_OF_A_GROUP = 1 << 22
_GZIP_LEVEL = 3


def write(table: pa.Table, path: str | PathLike[str], format: str | None = None) -> None:  # noqa: A002
    """Write a table as CSV or TSV (with a header), JSON Lines, each also with `.gz`, Parquet or Arrow.

    The file is replaced atomically: after an error the old one, if any, is untouched.  Dictionary columns
    are decoded, except in Arrow files, which keep them.
    """
    path = path_of(path)
    file_format = format_of(path, format)
    writers: dict[Format, Callable[[pa.Table, BinaryIO], None]] = {
        Format.CSV: lambda table, file: _write_delimited(table, file, ","),
        Format.TSV: lambda table, file: _write_delimited(table, file, "\t"),
        Format.JSON_LINES: _write_json_lines,
        Format.PARQUET: _write_parquet,
        Format.ARROW: _write_arrow,
    }
    if file_format.format not in writers:
        fix = "write .tsv, or another of " + ", ".join(f".{known}" for known in writers)
        raise fail("TL082", f"cannot write {path}: `.{file_format.format}` is only read", fix=fix)
    try:
        with replaced(path, is_compressed=file_format.is_compressed) as file:
            writers[file_format.format](table, file)
    except pa.ArrowException as error:
        problem = str(error).splitlines()[0]
        raise fail("TL082", f"cannot write {path}: {problem}", fix="write Arrow or Parquet, which have more types") from error


@contextmanager
def replaced(path: Path, *, is_compressed: bool) -> Iterator[BinaryIO]:
    """A new file that takes the place of the old one when it is complete."""
    if path.exists() and not path.is_file():
        raise fail("TL060", f"cannot write {path}: it is there already, and it is no file", fix="choose another path")
    target = path.resolve()
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        try:
            with temporary.open("xb") as file:
                if is_compressed:
                    with gzip.GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0) as packed:
                        yield cast("BinaryIO", packed)
                else:
                    yield file
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        fix = "make the folder first" if isinstance(error, FileNotFoundError) else "check the path, the rights and the space"
        raise fail("TL060", f"cannot write {path}: {error.strerror or error}", fix=fix) from error


def _write_delimited(table: pa.Table, file: BinaryIO, delimiter: str) -> None:
    heading = io.StringIO()
    csv.writer(heading, delimiter=delimiter, lineterminator="\n").writerow(table.column_names)
    file.write(heading.getvalue().encode())
    for batch in table.to_batches(max_chunksize=_ROWS_AT_ONCE):
        file.write(delimited_lines(batch, delimiter))


def _write_json_lines(table: pa.Table, file: BinaryIO) -> None:
    for batch in table.to_batches(max_chunksize=_ROWS_AT_ONCE):
        file.write(json_lines(batch))


def _write_parquet(table: pa.Table, file: BinaryIO) -> None:
    """Write Parquet with delta-encoded integers: a third of the time of the default dictionaries, and smaller.

    Statistics of dictionary columns cost four times as much as all the rest (a comparison of texts for every row), so
    they are left out.  So is Arrow's own schema, by which readers would make categories of texts.
    """
    from pyarrow import parquet

    numbers = [field.name for field in table.schema if _is_number_inside(field.type)]
    others = [field.name for field in table.schema if not _is_number_inside(field.type)]
    parquet.write_table(
        table,
        file,
        compression="zstd",
        use_dictionary=others or False,
        column_encoding=dict.fromkeys(numbers, "DELTA_BINARY_PACKED") or None,
        write_statistics=[field.name for field in table.schema if not pa.types.is_dictionary(field.type)] or False,
        row_group_size=_ROWS_OF_A_GROUP,
        store_schema=False,
    )


def _is_number_inside(kind: pa.DataType) -> bool:
    """Whether Parquet keeps a type as integers."""
    return bool(pa.types.is_integer(kind) or pa.types.is_temporal(kind))


def _write_arrow(table: pa.Table, file: BinaryIO) -> None:
    table = table.unify_dictionaries()
    with pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


_TEXT = pa.large_string()
_CONTROL = [chr(code) for code in [*range(0x20), 0x7F]]


def delimited_lines(batch: pa.RecordBatch, delimiter: str) -> pa.Buffer:
    """One line per row with delimited cells, quoted where necessary; a null is an empty cell."""
    parts: list[pa.Array | pa.Scalar] = []
    for at, column in enumerate(batch.columns):
        text, kind = _plain(column), _kind(column)
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            text = _in_quotes_if_needed(text, delimiter, is_alone=batch.num_columns == 1)
        parts += [_scalar(delimiter)] if at else []
        parts.append(pc.fill_null(text, _scalar("")))
    return _joined(batch, parts, "\n")


def json_lines(batch: pa.RecordBatch) -> pa.Buffer:
    """One object per row; floats without a JSON form are NaN, Infinity and -Infinity, as Python writes them."""
    parts: list[pa.Array | pa.Scalar] = []
    for at, (name, column) in enumerate(zip(batch.schema.names, batch.columns, strict=True)):
        parts.append(_scalar(("{" if at == 0 else ", ") + json.dumps(name, ensure_ascii=False) + ": "))
        parts.append(pc.fill_null(_as_json(column), _scalar("null")))
    return _joined(batch, parts, "}\n")


def _joined(batch: pa.RecordBatch, parts: list[pa.Array | pa.Scalar], end: str) -> pa.Buffer:
    """The concatenated parts of each row, with its end."""
    if batch.num_rows == 0 or not parts:
        return pa.py_buffer(b"")
    lines = pc.binary_join_element_wise(*parts, _scalar(end), _scalar(""))
    return lines.buffers()[2].slice(0, pc.sum(pc.binary_length(lines)).as_py())  # texts of an array are contiguous


def _scalar(text: str) -> pa.Scalar:
    return pa.scalar(text, _TEXT)


def _kind(column: pa.Array) -> pa.DataType:
    """The type of the values, dictionary or not."""
    return column.type.value_type if pa.types.is_dictionary(column.type) else column.type


def _decoded(column: pa.Array) -> pa.Array:
    """The column without a dictionary."""
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _plain(column: pa.Array) -> pa.Array:
    """The values as texts: floats with a point or an exponent, timestamps with a T, all others as Arrow writes them."""
    column = _decoded(column)
    if pa.types.is_floating(column.type):
        text = column.cast(_TEXT)
        if not pc.any(pc.equal(pc.floor(column), column)).as_py():
            return text
        is_whole = pc.match_substring_regex(text, "^-?[0-9]+$")
        return pc.if_else(is_whole, pc.binary_join_element_wise(text, _scalar(".0"), _scalar("")), text)
    if pa.types.is_timestamp(column.type):
        utc = column.cast(pa.timestamp(column.type.unit))  # formatting without a zone is twenty times as fast
        text = pc.replace_substring(utc.cast(_TEXT), " ", "T")
        text = pc.replace_substring(text, ".000000", "") if column.type.unit == "us" else text
        return pc.binary_join_element_wise(text, _scalar("Z"), _scalar(""))
    return column.cast(_TEXT)


def _in_quotes_if_needed(text: pa.Array, delimiter: str, *, is_alone: bool) -> pa.Array:
    """Quote texts that hold a quote, a delimiter or a line break, and an empty text that is the only cell of its line."""
    needed = pc.match_substring_regex(text, f'["\\r\\n{delimiter}]')
    if is_alone:
        needed = pc.or_(needed, pc.equal(text, ""))
    if not pc.any(needed).as_py():
        return text
    quoted = pc.binary_join_element_wise(_scalar('"'), pc.replace_substring(text, '"', '""'), _scalar('"'), _scalar(""))
    return pc.if_else(needed, quoted, text)


def _as_json(column: pa.Array) -> pa.Array:
    kind, text = _kind(column), _plain(column)
    if pa.types.is_floating(kind):
        for ours, theirs in (("nan", "NaN"), ("inf", "Infinity"), ("-inf", "-Infinity")):
            text = pc.if_else(pc.equal(text, ours), _scalar(theirs), text)
    is_bare = pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind)
    return text if is_bare else _in_json_quotes(text)


def _in_json_quotes(text: pa.Array) -> pa.Array:
    for char in ("\\", '"'):
        text = pc.replace_substring(text, char, "\\" + char)
    if pc.any(pc.match_substring_regex(text, r"[\x00-\x1f\x7f]")).as_py():
        for char in _CONTROL:
            text = pc.replace_substring(text, char, json.dumps(char)[1:-1] if char != "\x7f" else "\\u007f")
    return pc.binary_join_element_wise(_scalar('"'), text, _scalar('"'), _scalar(""))
