"""The columns of a loaded source, each in the Arrow type of its kind, restricted to the values that a fact can hold.

These are days from year 1 to 9999, microseconds, 64-bit integers, one zero and one NaN.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

from tidelog.values import Kind, Value

ARROW_TYPES: dict[Kind, pa.DataType] = {
    Kind.STRING: pa.large_string(),
    Kind.INT: pa.int64(),
    Kind.FLOAT: pa.float64(),
    Kind.BOOL: pa.bool_(),
    Kind.DATE: pa.date32(),
    Kind.TIMESTAMP: pa.timestamp("us", "UTC"),
    Kind.IRI: pa.large_string(),
}
"""The Arrow type of a column of each kind; literals have none."""


@dataclass(frozen=True, slots=True)
class TypedColumn:
    """A column whose values are all of one kind.

    `values` has the type `ARROW_TYPES[kind]`, no nulls and no chunks; no -0.0, and one NaN.
    """

    kind: Kind
    values: pa.Array


@dataclass(frozen=True, slots=True)
class MixedColumn:
    """A column with values of several kinds, or with RDF literals."""

    values: list[Value]


@dataclass(frozen=True, slots=True)
class Loaded:
    """The rows of one source, ready for a relation."""

    relation: str
    columns: tuple[TypedColumn | MixedColumn, ...]
    rows: int
    description: str
    """One sentence for the user on what was read and which types were chosen."""
    names: tuple[str, ...] | None = None
    """The names of the columns in the source, if it has good ones and nothing declares others."""


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
_LAST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
_DAYS = (date.min - _EPOCH.date()).days, (date.max - _EPOCH.date()).days
_MILLISECONDS_A_DAY = 24 * 60 * 60 * 1000
_DIGITS_OF_FLOAT = 15
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def within_calendar(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values, with null for dates and timestamps (in microseconds) outside Python's calendar."""
    if pa.types.is_date32(values.type):
        numbers, bounds = values.cast(pa.int32()), _DAYS
    elif pa.types.is_timestamp(values.type):
        numbers, bounds = values.cast(pa.int64()), (_FIRST, _LAST)
    else:
        return values
    return null_unless(_between(numbers, *bounds), values)


def timestamps(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Timestamps of any unit in microseconds, null where that would lose precision or leave the calendar.

    A timestamp without a zone is taken to be in UTC.
    """
    numbers = values.cast(pa.int64())
    per_second = _PER_SECOND[values.type.unit]
    if per_second > 10**6:
        microseconds = pc.divide(numbers, per_second // 10**6)
        exact = pc.equal(pc.multiply(microseconds, per_second // 10**6), numbers)
        microseconds = null_unless(exact, microseconds)
    else:
        factor = 10**6 // per_second
        microseconds = pc.multiply(null_unless(_between(numbers, -(-_FIRST // factor), _LAST // factor), numbers), factor)
    return within_calendar(microseconds.cast(ARROW_TYPES[Kind.TIMESTAMP]))


def days(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Dates of either unit, null where they are no whole day or outside the calendar."""
    if pa.types.is_date64(values.type):
        milliseconds = values.cast(pa.int64())
        counted = pc.divide(milliseconds, _MILLISECONDS_A_DAY)
        fits = pc.and_(pc.equal(pc.multiply(counted, _MILLISECONDS_A_DAY), milliseconds), _between(counted, *_DAYS))
        values = null_unless(fits, counted).cast(pa.int32()).cast(pa.date32())
    return within_calendar(values)


def decimals(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Decimals as the floats that are written with the same digits, null where there is none: 19.99, but not 20 digits.

    Any decimal of up to 15 digits has such a float.
    """
    texts = values.cast(pa.string())
    floats = texts.cast(pa.float64())  # by way of a text, since Arrow's own conversion may be off by one unit
    if values.type.precision <= _DIGITS_OF_FLOAT:
        return floats
    short = pc.less_equal(pc.utf8_length(pc.utf8_rtrim(texts, "0")), _DIGITS_OF_FLOAT)
    if pc.all(short).as_py() is not False:
        return floats
    fits = [
        is_short is not False or Decimal(repr(number)) == Decimal(text)
        for is_short, text, number in zip(short.to_pylist(), texts.to_pylist(), floats.to_pylist(), strict=True)
    ]
    return null_unless(pa.chunked_array([pa.array(fits, pa.bool_())]), floats)


def whole_numbers(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Integers of any type as 64-bit integers, null where they do not fit."""
    if pa.types.is_uint64(values.type):
        values = null_unless(pc.less_equal(values, pa.scalar(2**63 - 1, pa.uint64())), values)
    elif pa.types.is_decimal(values.type):
        wide = pa.decimal256(76, 0)
        values = values.cast(wide)
        bounds = (pa.scalar(bound, pa.decimal128(38, 0)).cast(wide) for bound in (-(2**63), 2**63 - 1))
        values = null_unless(_between(values, *bounds), values)
    return values.cast(pa.int64())


def one_zero_one_nan(values: pa.Array) -> pa.Array:
    """Floats without -0.0 and with one bit pattern for NaN, so that equal values are equal bytes."""
    values = pc.add(values, 0.0)
    nan = pc.is_nan(values)
    return pc.if_else(nan, pa.scalar(math.nan), values) if pc.any(nan).as_py() else values


def _between(numbers: pa.ChunkedArray, first: object, last: object) -> pa.ChunkedArray:
    return pc.and_(pc.greater_equal(numbers, first), pc.less_equal(numbers, last))


def null_unless(fits: pa.ChunkedArray, values: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values, with null where they do not fit."""
    if pc.all(fits).as_py() is not False:
        return values
    return pc.if_else(fits, values, pa.nulls(len(values), values.type))  # pyarrow 15 garbles slices if this is a scalar
