"""JSON Lines: one object a line, its keys the names of the columns.

Arrow reads the usual case.  Where it cannot, or would lose precision (a large integer among floats),
Python's json module reads line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as arrow_json

from tidelog.files.formats import FileFormat
from tidelog.files.raw import USUAL_SIZES, Cells, RawTable, Sizes, not_utf8, read_bytes
from tidelog.files.rejects import MOST_SHOWN, reject_error, shown
from tidelog.files.text.dialect import USUAL_DIALECT, Dialect
from tidelog.files.text.json_values import LossyJSONError, decode
from tidelog.text_limits import TOO_DEEP, is_shallow

BLOCK = 1 << 22
"""Bytes that Arrow reads at once."""
_LARGEST_BLOCK = 2**31 - 1
_EXACT_IN_FLOAT = 2.0**53
_NULL_LINE = re.compile(rb"(?:^|\n)\s*null")


def read_json_lines(
    path: Path, file_format: FileFormat, name: str, sizes: Sizes = USUAL_SIZES, dialect: Dialect = USUAL_DIALECT
) -> RawTable:
    """The columns in the order of their first occurrence; a row without a key has a null there."""
    data = dialect.decoded(read_bytes(path, sizes, is_compressed=file_format.is_compressed), path).removeprefix(b"\xef\xbb\xbf")
    source = str(path)
    columns: dict[str, Cells]
    if not data.strip():
        columns, rows = {}, 0
    elif (table := by_arrow(data, BLOCK)) is not None:
        columns, rows = dict(zip(table.column_names, table.columns, strict=True)), table.num_rows
    else:
        columns, rows = _by_python(data, source, name)

    def places(wanted: Sequence[int]) -> list[str]:
        lines = {at: line for at, (line, _) in enumerate(_lines(data)) if at in wanted}
        return [f"{source}:{lines[row]}" if row in lines else f"{source}, row {row + 1}" for row in wanted]

    described = f"{file_format}, empty" if not rows else str(file_format)
    return RawTable(source, described, tuple(columns), tuple(columns.values()), rows, places)


def by_arrow(data: bytes, block: int) -> pa.Table | None:
    """The table that Arrow reads; None if it fails, would not preserve all values, or would recurse too deeply.

    pyarrow 26 ends the process if a block begins with a line `null`.
    """
    return _by_arrow(data, None, block) if is_shallow(data) and not _NULL_LINE.search(data) else None


def _by_arrow(data: bytes, schema: pa.Schema | None, block: int) -> pa.Table | None:
    try:
        table = arrow_json.read_json(
            pa.BufferReader(data),
            arrow_json.ReadOptions(block_size=block),
            arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="infer"),
        )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        # Perhaps for a line that is longer than a block: Arrow says so in words only.
        whole = min(len(data) + 1, _LARGEST_BLOCK)
        return _by_arrow(data, schema, whole) if block < whole else None
    try:
        as_written = pa.schema([pa.field(field.name, _as_text(field.type)) for field in table.schema])
    except UnicodeDecodeError:  # a name, which Arrow does not check
        return None
    if as_written != table.schema.remove_metadata():
        return _by_arrow(data, as_written, block) if schema is None else None
    for column in table.columns:
        if pa.types.is_floating(column.type) and pc.any(_may_be_rounded(column)).as_py():
            return None
    return table


def _as_text(kind: pa.DataType) -> pa.DataType:
    """The type, with strings in the place of the timestamps that Arrow sees in texts."""
    if pa.types.is_timestamp(kind):
        return pa.string()
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(field.name, _as_text(field.type)) for field in kind])
    return kind


def _may_be_rounded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Where a float may be the rounded value of an integer in the file, or of a number that is too large."""
    return pc.greater_equal(pc.abs(column), _EXACT_IN_FLOAT)


def _by_python(data: bytes, source: str, name: str) -> tuple[dict[str, Cells], int]:
    """The columns as Python objects; a line that is no object is an error."""
    columns: dict[str, list[object]] = {}
    notes: list[str] = []
    rows = rejected = 0
    for number, line in _lines(data):
        try:
            row = decode(line.decode())
            problem = problem_of(row, line)
        except UnicodeDecodeError as error:
            raise not_utf8(source, data) from error
        except LossyJSONError as error:
            problem = str(error)
        except (ValueError, RecursionError) as error:
            problem = f"not JSON: {error}" if isinstance(error, ValueError) else TOO_DEEP
        if problem is not None:
            rejected += 1
            notes += [f"{source}:{number}: {problem}"] if rejected <= MOST_SHOWN else []
        else:
            for key, cell in row.items():
                column = columns.setdefault(key, [])
                column.extend([None] * (rows - len(column)))
                column.append(cell)
        rows += 1
    if rejected:
        raise reject_error(source, name, rejected, rows, notes, 'write one object a line: `{"src": "a", "dst": "b"}`')
    for column in columns.values():
        column.extend([None] * (rows - len(column)))
    return dict(columns), rows


def problem_of(row: object, line: bytes) -> str | None:
    """What is wrong with the content of a line, if anything is."""
    if not is_shallow(line):
        return TOO_DEEP
    return None if isinstance(row, dict) else f'{shown(row)} is not an object such as {{"src": 1}}'


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers counted from 1."""
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            yield number, line
