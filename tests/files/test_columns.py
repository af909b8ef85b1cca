"""Values kept to what a fact can hold; null where they are not."""

from __future__ import annotations

import math
import struct
from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pytest
from tests.files.relations import rejected

from tidelog.files.columns import days, decimals, null_unless, one_zero_one_nan, timestamps, whole_numbers, within_calendar

LAST = datetime.max.replace(tzinfo=UTC)


def chunked(values: object, kind: pa.DataType | None = None) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(values, kind)])


def test_dates_and_timestamps_outside_of_the_calendar() -> None:
    days = within_calendar(chunked([0, 2**30, -(2**30), None], pa.date32()))
    assert days.to_pylist() == [date(1970, 1, 1), None, None, None]
    assert within_calendar(chunked([date.min, date.max])).to_pylist() == [date.min, date.max]
    moments = within_calendar(chunked([0, 2**62], pa.timestamp("us", "UTC")))
    assert moments.null_count == 1
    numbers = chunked([2**62])
    assert within_calendar(numbers) is numbers


@pytest.mark.parametrize(
    ("unit", "numbers", "microseconds"),
    [
        ("s", [1, -1, 2**40], [10**6, -(10**6), None]),
        ("ms", [1, 2**60], [1000, None]),
        ("us", [1, 2**62], [1, None]),
        ("ns", [1000, -1000, 1, None], [1, -1, None, None]),
    ],
)
def test_timestamps_in_microseconds(unit: str, numbers: list[int], microseconds: list[int | None]) -> None:
    found = timestamps(chunked(numbers, pa.timestamp(unit)))
    assert found.type == pa.timestamp("us", "UTC")
    assert found.cast(pa.int64()).to_pylist() == microseconds


def test_the_last_moment_fits_in_every_unit() -> None:
    seconds = int(LAST.replace(microsecond=0).timestamp())
    assert timestamps(chunked([seconds, seconds + 1], pa.timestamp("s"))).null_count == 1
    assert timestamps(chunked([LAST], pa.timestamp("us", "UTC"))).to_pylist() == [LAST]


def test_whole_numbers() -> None:
    assert whole_numbers(chunked([1, 2**63 - 1, 2**63], pa.uint64())).to_pylist() == [1, 2**63 - 1, None]
    wide = chunked([Decimal(-(2**63)), Decimal(2**63), Decimal(10) ** 30], pa.decimal128(38, 0))
    assert whole_numbers(wide).to_pylist() == [-(2**63), None, None]
    assert whole_numbers(chunked([-1, None], pa.int8())).to_pylist() == [-1, None]


def test_one_zero_and_one_nan() -> None:
    (other_nan,) = struct.unpack("<d", struct.pack("<Q", 0xFFF8000000000123))
    values = one_zero_one_nan(pa.array([-0.0, 1.5, other_nan, math.nan]))
    patterns = [struct.pack("<d", value) for value in values.to_pylist()]
    assert patterns[0] == struct.pack("<d", 0.0)
    assert patterns[2] == patterns[3]


def test_null_unless_leaves_what_fits_alone() -> None:
    values = chunked([1, 2])
    assert null_unless(chunked([True, True]), values) is values
    assert null_unless(chunked([True, False]), values).to_pylist() == [1, None]
    assert null_unless(chunked([None, True]), values) is values  # a null is null already


def test_moments_that_no_fact_holds() -> None:
    for cells in (
        pa.array([1], pa.timestamp("ns")),
        pa.array([2**60], pa.timestamp("us")),
        pa.array([-(2**62)], pa.timestamp("s")),
    ):
        _, notes, _ = rejected(pa.table({"x": cells}))
        assert len(notes) == 1
    _, notes, _ = rejected(pa.table({"x": pa.array([2**30], pa.date32())}))
    assert len(notes) == 1


def test_days_of_milliseconds() -> None:
    day = 24 * 60 * 60 * 1000
    found = days(chunked([0, -day, 1, day + 1, 2**62, None], pa.date64()))
    assert found.type == pa.date32()
    assert found.to_pylist() == [date(1970, 1, 1), date(1969, 12, 31), None, None, None, None]
    assert rejected(pa.table({"a": pa.array([1], pa.date64())}))[0] == "TL080"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("19.99", 19.99),
        ("0.10", 0.1),
        ("-123456789012.345", -123456789012.345),
        ("123456789012345680.0", 123456789012345680.0),
        ("100000000000000000000.5", None),
        ("0.12345678901234567890", None),
        ("0.1000000000000000055511", None),
    ],
)
def test_decimals_become_floats_of_the_same_digits(text: str, number: float | None) -> None:
    found = decimals(chunked([Decimal(text), None]))
    assert found.to_pylist() == [number, None]
    if number is None:
        assert rejected(pa.table({"a": [Decimal(text)]}))[0] == "TL080"
