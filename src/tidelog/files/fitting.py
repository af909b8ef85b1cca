"""Converts the cells of one column to the declared kind, or to the kind that they have in the source."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from tidelog.errors import fail
from tidelog.files.columns import (
    ARROW_TYPES,
    MixedColumn,
    TypedColumn,
    days,
    decimals,
    one_zero_one_nan,
    timestamps,
    whole_numbers,
)
from tidelog.files.matching import Matched
from tidelog.files.objects import typed_if_uniform, value_of
from tidelog.files.raw import Cells, RawTable, not_utf8
from tidelog.files.text.text_types import infer, is_blank, parse
from tidelog.functions.conform import conform
from tidelog.values import IRI, Kind, Value

_WHOLE_IN_FLOAT = 2.0**53
"""Below it a float that is whole is the integer that it was."""
_READ_FROM_TEXT = (Kind.DATE, Kind.TIMESTAMP, Kind.IRI)


@dataclass(frozen=True, slots=True)
class Fitted:
    """The values of a column, null or None where a cell does not fit."""

    kind: Kind | None
    """None if the values are of several kinds or literals."""
    values: pa.ChunkedArray | list[Value | None]
    missing: pa.ChunkedArray | None
    """Which cells are empty; None if no cell is."""

    def misfits(self) -> pa.ChunkedArray | None:
        """Which cells do not fit; None if all do."""
        if isinstance(self.values, list):
            misfits = [value is None for value in self.values]
            return pa.chunked_array([pa.array(misfits)]) if any(misfits) else None
        return pc.is_null(self.values) if self.values.null_count else None

    def with_default(self, default: Value) -> Fitted | None:
        """The column with a default in empty cells; None if the default is of another kind."""
        if self.missing is None:
            return self
        if isinstance(self.values, list):
            filled = [default if empty else value for value, empty in zip(self.values, self.missing.to_pylist(), strict=True)]
            return Fitted(None, filled, None)
        assert self.kind is not None
        if (fitting := conform(self.kind, default)) is None:
            return None
        content = fitting.content.text if isinstance(fitting.content, IRI) else fitting.content
        return Fitted(self.kind, pc.if_else(self.missing, pa.scalar(content, ARROW_TYPES[self.kind]), self.values), None)

    def column(self) -> TypedColumn | MixedColumn:
        """The finished column, once every cell fits."""
        if isinstance(self.values, list):
            return MixedColumn([value for value in self.values if value is not None])
        assert self.kind is not None
        values = self.values.combine_chunks()
        if isinstance(values, pa.ChunkedArray):  # older versions of pyarrow return this for no chunks
            values = values.chunk(0) if values.num_chunks else pa.array([], values.type)
        return TypedColumn(self.kind, one_zero_one_nan(values) if self.kind is Kind.FLOAT else values)


def fit_columns(table: RawTable, matched: Matched) -> list[Fitted]:
    """The columns of a table that a relation has, in its order, each with its declared kind or one that is found."""
    cells = (table.columns[position] for position in matched.positions)
    return [
        fit_text(some, kind)
        if table.is_text and _are_texts(some)
        else fit_cells(without_floats(table, some, kind), kind, table.source, label)
        for some, kind, label in zip(cells, matched.kinds, matched.labels, strict=True)
    ]


def without_floats(table: RawTable, cells: Cells, declared: Kind | None) -> Cells:
    """Floats for a column of integers as integers, if all are whole: a column with gaps has no other type in pandas."""
    if (
        not table.has_floats_for_gaps
        or declared is not Kind.INT
        or isinstance(cells, list)
        or not pa.types.is_floating(cells.type)
    ):
        return cells
    is_whole = pc.and_(pc.equal(pc.floor(cells), cells), pc.less(pc.abs(cells), _WHOLE_IN_FLOAT))
    return cells.cast(pa.int64()) if pc.all(is_whole).as_py() is not False else cells  # no value at all: all are gaps


def _are_texts(cells: Cells) -> bool:
    return not isinstance(cells, list) and not pa.types.is_integer(cells.type)


def fit_text(text: pa.ChunkedArray, declared: Kind | None) -> Fitted:
    """Fit cells that are texts, as in CSV; in a string column an empty cell fits, and still counts as missing."""
    if declared is Kind.LITERAL:
        return Fitted(None, [value_of(cell, declared) for cell in text.to_pylist()], _missing(is_blank(text)))
    kind, values = infer(text) if declared is None else (declared, parse(declared, text))
    if kind is Kind.STRING:
        return Fitted(kind, values, _missing(pc.fill_null(pc.equal(text, ""), True)))  # null: a text that means no value
    return Fitted(kind, values, _missing(is_blank(text)) if values.null_count else None)


def fit_cells(cells: Cells, declared: Kind | None, source: str, column: str) -> Fitted:
    """Fit cells that have types, as in Parquet, Arrow, data frames and JSON."""
    if isinstance(cells, list):
        return _fit_objects(cells, declared)
    plain = _decoded(cells)
    missing = _missing(pc.is_null(plain))
    if pa.types.is_struct(plain.type):
        if _is_iris(plain.type) and declared in (None, Kind.IRI):
            return Fitted(Kind.IRI, pc.struct_field(plain, "iri").cast(ARROW_TYPES[Kind.IRI]), missing)
        return _fit_objects(plain.to_pylist(), declared)
    if pa.types.is_null(plain.type):
        return _fit_objects(plain.to_pylist(), declared)
    if pa.types.is_large_string(plain.type):
        _check_utf8(plain, source, column)
        if declared is Kind.LITERAL:
            return _fit_objects(plain.to_pylist(), declared)
        if declared in _READ_FROM_TEXT:
            return Fitted(declared, parse(declared, plain), missing)
    own, values = _own_kind(plain, source, column)
    if declared is None or declared is own:
        return Fitted(own, values, missing)
    if declared is Kind.FLOAT and own is Kind.INT:
        return Fitted(declared, values.cast(ARROW_TYPES[declared], safe=False), missing)
    if declared is Kind.LITERAL:
        return Fitted(None, [None] * len(plain), missing)
    return Fitted(declared, pa.chunked_array([pa.nulls(len(plain), ARROW_TYPES[declared])]), missing)


def _missing(mask: pa.ChunkedArray) -> pa.ChunkedArray | None:
    return mask if pc.any(mask).as_py() else None


def _fit_objects(cells: list[object], declared: Kind | None) -> Fitted:
    kind, values = typed_if_uniform([value_of(cell, declared) for cell in cells])
    missing = _missing(pa.chunked_array([pa.array([cell is None for cell in cells], pa.bool_())]))
    if declared is not None and declared is not Kind.LITERAL and not isinstance(values, list):
        return Fitted(declared, values.cast(ARROW_TYPES[declared]), missing)
    if declared is Kind.LITERAL and not isinstance(values, list):  # not one of them fits
        return Fitted(None, [None] * len(cells), missing)
    return Fitted(kind, values, missing)


def _is_iris(struct: pa.StructType) -> bool:
    """Whether a column holds `{"iri": …}` and nothing else."""
    return [field.name for field in struct] == ["iri"] and bool(pa.types.is_string(struct[0].type))


def _decoded(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """The cells in plain encoding, texts as large strings."""
    if isinstance(cells.type, pa.BaseExtensionType):
        is_bool = cells.type.extension_name == "arrow.bool8"
        cells = pa.chunked_array([chunk.storage for chunk in cells.chunks], cells.type.storage_type)
        cells = cells.cast(pa.bool_()) if is_bool else cells
    if pa.types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    if pa.types.is_run_end_encoded(cells.type):
        cells = pc.run_end_decode(cells)
    if pa.types.is_string(cells.type) or str(cells.type) == "string_view":
        cells = cells.cast(pa.large_string())
    return cells


def _own_kind(cells: pa.ChunkedArray, source: str, column: str) -> tuple[Kind, pa.ChunkedArray]:
    """The kind of an Arrow type, and the cells in the canonical type of that kind, null where out of range."""
    kind, types = cells.type, pa.types
    if types.is_large_string(kind):
        return Kind.STRING, cells
    if types.is_integer(kind) or (types.is_decimal(kind) and kind.scale <= 0):
        return Kind.INT, whole_numbers(cells)
    if types.is_decimal(kind):
        return Kind.FLOAT, decimals(cells)
    if types.is_floating(kind):
        return Kind.FLOAT, cells.cast(ARROW_TYPES[Kind.FLOAT])
    if types.is_boolean(kind):
        return Kind.BOOL, cells
    if types.is_date(kind):
        return Kind.DATE, days(cells)
    if types.is_timestamp(kind):
        return Kind.TIMESTAMP, timestamps(cells)
    if types.is_time(kind):
        return Kind.STRING, cells.cast(ARROW_TYPES[Kind.STRING])
    message = f"the column {column} of {source} is of the type {kind}, for which the language has none"
    raise fail("TL081", message, fix="convert it to a string or a number first, or leave it out")


def _check_utf8(cells: pa.ChunkedArray, source: str, column: str) -> None:
    try:
        cells.validate(full=True)
    except pa.ArrowInvalid as error:
        raise not_utf8(f"the column {column} of {source}") from error
