"""CSV, TSV and `.facts` inside Spark's tasks: a first pass tells headers and types, a second gives the rows as keys."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

from tidelog.files.raw import RawTable
from tidelog.spark.ingest.fitting import Plan, fit_rows, rejects_only
from tidelog.spark.ingest.text.inference import Seen, seen_in
from tidelog.spark.ingest.text.lines import OPEN_QUOTE, Lines, open_quotes

LOOK_SCHEMA = "file long, first array<string>, rows long, allowed array<int>, numbers array<boolean>, filled array<boolean>"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the cells of a line are told apart."""

    delimiter: str
    has_quotes: bool


@dataclass(slots=True)
class FileLook:
    """What was seen of one file: its first row, how many rows there are behind it, and what their cells allow."""

    first: list[str] | None
    rows: int
    columns: list[Seen]

    def add(self, other: FileLook) -> None:
        """What was seen of another part of the file."""
        self.first = self.first if self.first is not None else other.first
        self.rows += other.rows
        width = max(len(self.columns), len(other.columns))
        mine, theirs = (columns + [Seen()] * (width - len(columns)) for columns in (self.columns, other.columns))
        self.columns = [one | another for one, another in zip(mine, theirs, strict=True)]


@dataclass(frozen=True, slots=True)
class Cells:
    """Lines as columns of texts."""

    columns: list[pa.Array]
    lines: Lines
    """The lines that have as many cells as there are columns."""
    rejected: list[tuple[int, str]]
    """All others, by their places among the lines that were given."""


def look_at(parts: Iterator[Lines], dialect: Dialect, *, infers: bool) -> Iterator[pa.RecordBatch]:
    """For each file that a task sees: its first row, if it is in this part; and what the cells behind it allow."""
    looks: dict[int, FileLook] = {}
    for lines in parts:
        good = lines.without([at for at, _ in lines.rejected])
        for file in np.unique(good.files):
            of_file = good.at(good.files == file)
            look = looks.setdefault(int(file), FileLook(None, 0, []))
            if of_file.firsts.any():
                look.first = first_cells(of_file.texts.filter(pa.array(of_file.firsts))[0].as_py(), dialect)
                of_file = of_file.at(~of_file.firsts)
            if infers and len(of_file.texts):
                width = len(look.columns) or len(look.first or ()) or len(first_cells(of_file.texts[0].as_py(), dialect))
                cells = split_cells(of_file, dialect, width)
                look.columns = look.columns or [Seen()] * width
                look.columns = [seen_in(column, seen) for column, seen in zip(cells.columns, look.columns, strict=True)]
            look.rows += len(of_file.texts)
    yield pa.RecordBatch.from_pydict(
        {
            "file": pa.array(list(looks), pa.int64()),
            "first": pa.array([look.first for look in looks.values()], pa.list_(pa.string())),
            "rows": pa.array([look.rows for look in looks.values()], pa.int64()),
            "allowed": pa.array([[s.allowed for s in look.columns] for look in looks.values()], pa.list_(pa.int32())),
            "numbers": pa.array([[s.has_number for s in look.columns] for look in looks.values()], pa.list_(pa.bool_())),
            "filled": pa.array([[s.is_filled for s in look.columns] for look in looks.values()], pa.list_(pa.bool_())),
        }
    )


def looks_of(table: pa.Table) -> dict[int, FileLook]:
    """What all tasks have seen of each file."""
    looks: dict[int, FileLook] = {}
    for row in table.to_pylist():
        columns = [Seen(*seen) for seen in zip(row["allowed"], row["numbers"], row["filled"], strict=True)]
        part = FileLook(row["first"], row["rows"], columns)
        if row["file"] in looks:
            looks[row["file"]].add(part)
        else:
            looks[row["file"]] = part
    return looks


def rows_of(
    parts: Iterator[Lines], dialect: Dialect, width: int, headed: frozenset[int], plan: Plan, files: dict[int, str]
) -> Iterator[pa.RecordBatch]:
    """The rows as keys; `headed` are the files whose first row is a header, `files` the names of all by their ids."""
    for lines in parts:
        arity = len(plan.kinds)
        if lines.rejected:
            yield rejects_only(arity, [lines.record(files, at, None, reason) for at, reason in lines.rejected])
        good = lines.without([at for at, _ in lines.rejected])
        is_header = good.firsts & np.isin(good.files, np.fromiter(headed, np.int64, len(headed)))
        if is_header.any():
            good = good.at(~is_header)
        if len(good.texts) == 0:
            continue
        cells = split_cells(good, dialect, width)
        if cells.rejected:
            yield rejects_only(arity, [good.record(files, at, None, reason) for at, reason in cells.rejected])
        columns = tuple(pa.chunked_array([column]) for column in cells.columns)
        table = RawTable("", "", None, columns, len(cells.lines.texts), lambda _: [], is_text=True)
        yield fit_rows(table, plan, partial(cells.lines.record, files))


def split_cells(lines: Lines, dialect: Dialect, width: int) -> Cells:
    """The cells of lines, each a text; lines with another number of cells, or with an open quote, are rejected."""
    rejected: list[tuple[int, str]] = []
    kept = np.ones(len(lines.texts), np.bool_)
    if dialect.has_quotes and (is_open := open_quotes(lines.texts, dialect.delimiter)).any():
        rejected = [(int(at), OPEN_QUOTE) for at in np.flatnonzero(is_open)]
        kept = ~is_open
    places = np.flatnonzero(kept)
    texts = lines.texts.filter(pa.array(kept)) if rejected else lines.texts
    columns, ragged = _by_arrow(texts, dialect, width)
    if len(columns[0]) + len(ragged) != len(texts):
        columns, ragged = _by_python(texts, dialect, width)
    for at, cells in ragged:
        counted = "1 cell" if cells == 1 else f"{cells} cells"
        rejected.append((int(places[at]), f"{counted}, and the first row has {width}"))
        kept[places[at]] = False
    return Cells(columns, lines.at(kept) if rejected else lines, rejected)


def first_cells(text: str, dialect: Dialect) -> list[str]:
    """The cells of one line."""
    csv.field_size_limit(2**31 - 1)
    lines = io.StringIO(text.rstrip("\r\n"), newline="")
    if dialect.has_quotes:
        return next(csv.reader(lines, delimiter=dialect.delimiter), [""])
    return next(csv.reader(lines, delimiter=dialect.delimiter, quoting=csv.QUOTE_NONE), [""])


def _by_arrow(texts: pa.Array, dialect: Dialect, width: int) -> tuple[list[pa.Array], list[tuple[int, int]]]:
    """The columns of all lines with the right number of cells; the places of the others, with their numbers of cells."""
    ragged: list[tuple[int, int]] = []

    def note(row: arrow_csv.InvalidRow) -> str:
        ragged.append((row.number - 1, row.actual_columns))
        return "skip"

    if len(texts) == 0:
        return [pa.array([], pa.string())] * width, []
    joined = pa.compute.binary_join_element_wise(texts, "\n", "")
    offsets = np.frombuffer(joined.buffers()[1], np.int32)
    data = joined.buffers()[2].slice(0, int(offsets[len(joined)]))
    names = [str(at) for at in range(width)]
    table = arrow_csv.read_csv(
        pa.BufferReader(data),
        arrow_csv.ReadOptions(column_names=names, use_threads=False, block_size=data.size + 1),
        arrow_csv.ParseOptions(
            delimiter=dialect.delimiter,
            quote_char='"' if dialect.has_quotes else False,
            newlines_in_values=dialect.has_quotes,
            invalid_row_handler=note,
        ),
        arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False),
    )
    return [_one_chunk(column) for column in table.columns], ragged


def _by_python(texts: pa.Array, dialect: Dialect, width: int) -> tuple[list[pa.Array], list[tuple[int, int]]]:
    """The same line by line, where quotes in odd places make Arrow see other lines than there are."""
    rows, ragged = [], []
    for at, text in enumerate(texts.to_pylist()):
        cells = first_cells(text, dialect)
        if len(cells) == width:
            rows.append(cells)
        else:
            ragged.append((at, len(cells)))
    return [pa.array([row[at] for row in rows], pa.string()) for at in range(width)], ragged


def _one_chunk(column: pa.ChunkedArray) -> pa.Array:
    whole = column.combine_chunks()
    if isinstance(whole, pa.ChunkedArray):  # what older versions of pyarrow give for no chunks at all
        return whole.chunk(0) if whole.num_chunks else pa.array([], pa.string())
    return whole
