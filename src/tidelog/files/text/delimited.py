"""CSV, TSV and Souffle's `.facts`: all cells as texts, and whether the first row is a header."""

from __future__ import annotations

import csv
import io
import logging
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from tidelog.errors import Diagnostic, TidelogError, TidelogWarning
from tidelog.files.formats import FileFormat, Format
from tidelog.files.matching import as_identifier, find_names, has_some, quoted
from tidelog.files.raw import USUAL_SIZES, RawTable, Sizes, damaged, is_utf8, not_utf8, read_bytes
from tidelog.files.rejects import MOST_SHOWN, reject_error, shown
from tidelog.files.text.dialect import USUAL_DIALECT, Dialect
from tidelog.files.text.integers import integer_columns
from tidelog.files.text.text_types import infer, is_word
from tidelog.program.relations import Relation
from tidelog.values import Kind

Header = bool | Literal["auto"]

_BLOCK = 1 << 22
_LARGEST_BLOCK = 2**31 - 1
_BOM = b"\xef\xbb\xbf"
_NAME = re.compile(r"[^\W\d][\w -]*")
_LOOKED_AT = 10_000
"""How many rows are searched for a word of the first one."""
_LOGGER = logging.getLogger("tidelog.load")
_QUOTED = rb'(?:\A(?:\xef\xbb\xbf)?|(?<=[%b\r\n]))"(?:[^"]++|"")*+(?P<end>"|\Z)'
"""A cell in quotes, from its first character; without an end if nothing closes it."""


@dataclass(frozen=True, slots=True)
class _Text:
    """The bytes of a file, its delimiter and quoting."""

    source: str
    data: bytes
    delimiter: str
    has_quotes: bool

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """The rows, each with the line on which it starts: for error messages only."""
        lines = io.TextIOWrapper(io.BytesIO(self.data), "utf-8-sig", errors="replace", newline="")
        quoting: Any = csv.QUOTE_MINIMAL if self.has_quotes else csv.QUOTE_NONE
        reader = csv.reader(lines, delimiter=self.delimiter, quoting=quoting)  # it counts lines
        line = 1
        try:
            for row in reader:
                if row:
                    yield line, row
                line = reader.line_num + 1
        except csv.Error:  # a cell too long for this reader: later lines are not found
            return

    def open_quote(self) -> int | None:
        """The line of an unclosed quote, if there is one: Arrow reads everything behind it as one cell."""
        if not self.has_quotes or self.data.count(b'"') % 2 == 0:
            return None
        cells = re.finditer(_QUOTED % re.escape(self.delimiter.encode()), self.data)
        opened = next((cell.start() for cell in cells if not cell["end"]), None)
        return None if opened is None else len(re.findall(rb"\r\n?|\n", self.data[:opened])) + 1

    def places(self, rows: Sequence[int], skipped: int) -> list[str]:
        """`file:line` of each row, not counting those skipped at the start."""
        wanted = {row + skipped for row in rows}
        found: dict[int, str] = {}
        for at, (line, _) in enumerate(self.rows()):
            if at in wanted:
                found[at] = f"{self.source}:{line}"
            if len(found) == len(wanted):
                break
        return [found.get(row + skipped, f"{self.source}, row {row + 1}") for row in rows]


def read_delimited(
    path: Path,
    file_format: FileFormat,
    name: str,
    relation: Relation | None,
    header: Header,
    sizes: Sizes = USUAL_SIZES,
    dialect: Dialect = USUAL_DIALECT,
) -> RawTable:
    """All cells of a file as texts.

    With `header="auto"`, the first row is a header if it holds the names of all declared columns, if it holds some of them and
    nothing but texts, or if it has a text in a column whose other cells are all of a type that is no string.  `.facts` have no
    header and no quotes unless asked.
    """
    data = dialect.decoded(read_bytes(path, sizes, is_compressed=file_format.is_compressed), path)
    if not is_utf8(data):  # Arrow would pass over a row of another length that is none
        raise not_utf8(str(path), data)
    is_facts = file_format.format is Format.FACTS
    has_quotes = not is_facts and b'"' in data
    usual = "," if file_format.format is Format.CSV else "\t"
    text = _Text(str(path), data, dialect.delimiter or usual, has_quotes)
    described = str(file_format)
    header = False if is_facts and header == "auto" else header
    if not dialect.nulls and (found := _of_integers(text, described, relation, header)) is not None:
        return found
    columns, rows = _columns(text, name)
    first = [column[0].as_py() for column in columns] if rows else []
    below = [dialect.without_nulls(column.slice(1)) for column in columns]
    is_header = header if header != "auto" else bool(first) and _is_header(first, below, relation)
    skipped = int(is_header and rows > 0)
    if header == "auto" and not is_header and (relation is None or not relation.columns):
        _warn_of_names(text.source, name, first, below)
    return RawTable(
        text.source,
        f"{described}, empty" if not columns else f"{described}, {'a' if is_header else 'no'} header",
        tuple(cell.strip() for cell in first) if is_header and columns else None,
        tuple(below) if skipped else tuple(map(dialect.without_nulls, columns)),
        rows - skipped,
        lambda wanted: text.places(wanted, skipped),
        is_text=True,
    )


def _of_integers(text: _Text, described: str, relation: Relation | None, header: Header) -> RawTable | None:
    """The table of a file of integers, with or without a header; None if it is none, or its relation wants something else."""
    declared = relation.columns or () if relation is not None else ()
    if any(isinstance(column.type, Kind) and column.type not in (Kind.INT, Kind.FLOAT) for column in declared):
        return None
    data, begin = text.data, len(_BOM) if text.data.startswith(_BOM) else 0
    line = data.find(b"\n", begin) + 1
    quoting: Any = csv.QUOTE_MINIMAL if text.has_quotes else csv.QUOTE_NONE
    try:
        first = next(csv.reader([data[begin:line].decode()], delimiter=text.delimiter, quoting=quoting), [])
    except csv.Error:  # a carriage return in the middle, or a cell too long for this reader
        return None
    is_named = any(map(is_word, first)) if header == "auto" else header
    if is_named and (not line or data.count(b'"', begin, line) % 2 or b"\r" in data[begin : line - 2]):
        return None
    table = integer_columns(data, line if is_named else begin, text.delimiter)
    if table is None or (is_named and table.num_columns != len(first)):
        return None
    return RawTable(
        text.source,
        f"{described}, {'a' if is_named else 'no'} header",
        tuple(cell.strip() for cell in first) if is_named else None,
        tuple(table.columns),
        table.num_rows,
        lambda wanted: text.places(wanted, int(is_named)),
        is_text=True,
    )


def _is_header(first: list[str], below: Sequence[pa.ChunkedArray], relation: Relation | None) -> bool:
    if relation is not None and relation.columns:
        declared = [column.name for column in relation.columns]
        if find_names(declared, first) is not None:
            return True
        if has_some(declared, first) and all(is_word(cell) or not cell.strip() for cell in first):
            return True
    return any(_is_headed(cell, cells) for cell, cells in zip(first, below, strict=True))


def _is_headed(first: str, below: pa.ChunkedArray) -> bool:
    """Whether a column starts with a text, and all its other cells are of a type that is no string."""
    return len(below) > 0 and is_word(first) and infer(below)[0] is not Kind.STRING


def _warn_of_names(source: str, name: str, first: list[str], below: Sequence[pa.ChunkedArray]) -> None:
    """Say so if the first row looks like names of columns, and is loaded as a fact because all columns are texts.

    Names are words of which none is there twice, or once more among the next rows.
    """
    if len(first) < 2 or len(below[0]) < 2 or len(set(first)) < len(first) or not all(map(_NAME.fullmatch, first)):
        return
    next_rows = [column.slice(0, _LOOKED_AT) for column in below]
    if any(pc.any(pc.is_in(column, pa.array(first))).as_py() for column in next_rows):
        return
    names = {cell: as_identifier(cell) for cell in first}
    columns = ", ".join(f"{identifier}: string" for identifier in names.values())
    others = ", ".join(f"{quoted(cell)}: {quoted(identifier)}" for cell, identifier in names.items() if cell != identifier)
    mapped = f" and say columns={{{others}}}" if others else ""
    message = (
        f"the first row of {source}, `{', '.join(first)}`, is loaded as a fact of `{name}`; it looks like the names of columns"
    )
    fix = f"say header=True, or declare `@relation {name}({columns}) .`{mapped}; if it is a fact, header=False"
    said = Diagnostic("TL106", message, fix=fix).render()
    _LOGGER.info("%s", said)
    warnings.warn_explicit(TidelogWarning(said), None, source, 1)


def _columns(text: _Text, name: str) -> tuple[tuple[pa.ChunkedArray, ...], int]:
    """The columns as strings, and the number of rows; lines with another number of cells are an error."""
    if not text.data.removeprefix(_BOM).strip(b"\r\n"):  # for Arrow, a file without a row is an error
        return (), 0
    try:
        table, ragged = _table(text, _BLOCK)
    except pa.ArrowInvalid as error:
        if (line := text.open_quote()) is not None:
            raise damaged(text.source, f"line {line} has a quote that nothing closes") from error
        raise damaged(text.source, str(error).splitlines()[0]) from error
    if (line := text.open_quote()) is not None:
        raise damaged(text.source, f"line {line} has a quote that nothing closes")
    if ragged:
        raise _ragged_error(text, name, table.num_columns, table.num_rows, ragged)
    return tuple(table.columns), table.num_rows


def _table(text: _Text, block: int) -> tuple[pa.Table, int]:
    """The table that Arrow reads, all columns as strings; and how many lines are left out for their number of cells."""
    ragged: list[int] = []

    def skip(row: arrow_csv.InvalidRow) -> str:
        ragged.append(row.actual_columns)
        return "skip"

    def parsing(handler: Callable[[arrow_csv.InvalidRow], str]) -> arrow_csv.ParseOptions:
        return arrow_csv.ParseOptions(
            delimiter=text.delimiter,
            quote_char='"' if text.has_quotes else False,
            newlines_in_values=text.has_quotes,
            invalid_row_handler=handler,
        )

    is_one_line = b"\n" not in text.data and b"\r" not in text.data
    buffer = pa.py_buffer(text.data + b"\n" if is_one_line else text.data)  # Arrow counts the columns of whole lines only
    try:
        first = arrow_csv.open_csv(
            pa.BufferReader(buffer),
            arrow_csv.ReadOptions(block_size=min(block, 1 << 20), autogenerate_column_names=True, use_threads=False),
            parsing(lambda _: "skip"),
        )
        names = first.schema.names
        table = arrow_csv.read_csv(
            pa.BufferReader(buffer),
            arrow_csv.ReadOptions(block_size=block, column_names=names),
            parsing(skip),
            arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False),
        )
    except pa.ArrowInvalid:  # perhaps for a row that is longer than a block: Arrow says so in words only
        if block < min(len(text.data), _LARGEST_BLOCK):
            return _table(text, min(len(text.data) + 1, _LARGEST_BLOCK))
        raise
    return table, len(ragged)


def _ragged_error(text: _Text, name: str, width: int, whole: int, ragged: int) -> TidelogError:
    notes: list[str] = []
    for line, row in text.rows():
        if len(row) != width and len(notes) < MOST_SHOWN:
            cells = "1 cell" if len(row) == 1 else f"{len(row)} cells"
            notes.append(f"{text.source}:{line}: {cells}, and the first row has {width}: {shown(text.delimiter.join(row))}")
    fix = "give every line the same number of cells; a cell that holds a delimiter or a line break stands in double quotes"
    return reject_error(text.source, name, ragged, whole + ragged, notes, fix)
