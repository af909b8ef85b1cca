"""Aggregates: exact sums, floats for `avg` and `median`, and what is undefined."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.some_values import INFINITY, NAN, any_value, b, day, f, i, int64, ints, moment, numbers, s

from tidelog.functions.aggregates import aggregate
from tidelog.functions.signatures import AGGREGATES, ANY, FLOAT, INT, NUMBER, aggregate_type
from tidelog.values import INT_MAX, INT_MIN, IRI, Kind, Value, from_python

MINUS_INFINITY = f(-math.inf)
finite = st.floats(-1e300, 1e300)
spread = (
    finite
    | st.builds(math.ldexp, st.integers(-(2**53), 2**53), st.integers(-1070, 900))
    | st.sampled_from([1e16, 1.0, -1e16, 0.1])
)


def _values(*content: float) -> list[Value]:
    return [from_python(x) for x in content]


def _fsum(content: list[int | float]) -> float:
    """`math.fsum`, with each integer cut into two that are exact as floats."""
    return math.fsum(float(part) for x in content for part in ((x - x % 2**32, x % 2**32) if isinstance(x, int) else (x,)))


# --- count ------------------------------------------------------------------------------------------------------------


@given(st.lists(any_value, max_size=6))
def test_count_counts_whatever_there_is(values: list[Value]) -> None:
    assert aggregate("count", values) == i(len(values))


# --- sum --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "total"),
    [
        (_values(1, 2, 3), i(6)),
        (_values(1, 1), i(2)),
        (_values(1, 2.0), f(3.0)),
        (_values(1.0), f(1.0)),
        (_values(-0.0), f(0.0)),
        (_values(0.1, 0.2, 0.3), f(0.6)),
        (_values(*[0.1] * 10), f(1.0)),
        (_values(1e16, 1.0, -1e16), f(1.0)),
        (_values(1e308, 1e308, -1e308), f(1e308)),
        (_values(1e308, 1e308), INFINITY),
        (_values(-1e308, -1e308), MINUS_INFINITY),
        (_values(2**53, 1, 0.0), f(2.0**53)),
        (_values(2**53, 1, 1, 0.0), f(2.0**53 + 2)),
        (_values(INT_MAX, INT_MAX, 0.0), f(2.0**64)),
        (_values(INT_MAX, 1, INT_MIN), i(0)),
        (_values(INT_MAX, 1, -1), i(INT_MAX)),
        ([INFINITY, f(1.0), INFINITY], INFINITY),
        ([MINUS_INFINITY, i(1)], MINUS_INFINITY),
    ],
)
def test_sum(values: list[Value], total: Value) -> None:
    assert aggregate("sum", values) == total
    assert aggregate("sum", values[::-1]) == total


@pytest.mark.parametrize(
    "values", [_values(INT_MAX, 1), _values(INT_MIN, -1), _values(INT_MAX, INT_MAX), _values(INT_MIN, INT_MIN, INT_MAX)]
)
def test_sum_of_integers_that_overflows_is_undefined(values: list[Value]) -> None:
    assert aggregate("sum", values) is None


@given(st.lists(int64, max_size=8))
def test_sum_of_integers_is_exact_or_undefined(content: list[int]) -> None:
    total = sum(content)
    assert aggregate("sum", _values(*content)) == (i(total) if INT_MIN <= total <= INT_MAX else None)


@given(st.lists(spread, min_size=1, max_size=20).flatmap(lambda xs: st.tuples(st.just(xs), st.permutations(xs))))
def test_sum_of_floats_is_the_one_of_fsum_in_any_order(both: tuple[list[float], list[float]]) -> None:
    content, shuffled = both
    assert aggregate("sum", _values(*content)) == f(math.fsum(content))
    assert aggregate("sum", _values(*shuffled)) == f(math.fsum(content))


@given(st.lists(spread | int64, max_size=12), spread)
def test_sum_of_both_is_rounded_once(content: list[int | float], one_float: float) -> None:
    mixed = [*content, one_float]
    expected = f(float(sum(map(Fraction, mixed))))
    assert expected == f(_fsum(mixed))
    assert aggregate("sum", _values(*mixed)) == expected
    assert aggregate("sum", _values(*sorted(mixed))) == expected
    assert aggregate("sum", _values(*sorted(mixed, key=abs))) == expected


# --- avg --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "mean"),
    [
        (_values(1, 2), 1.5),
        (_values(2, 4), 3.0),
        (_values(5), 5.0),
        (_values(1, 2.0), 1.5),
        (_values(-1, -2), -1.5),
        (_values(0.1, 0.2, 0.3), 0.6 / 3),
        (_values(1e16, 1.0, -1e16, 0.0), 0.25),
        (_values(INT_MAX, INT_MAX), 2.0**63),
        (_values(INT_MIN, INT_MIN), -(2.0**63)),
        (_values(INT_MAX, INT_MIN), -0.5),
        (_values(math.inf, 1), math.inf),
    ],
)
def test_avg_is_always_a_float(values: list[Value], mean: float) -> None:
    assert aggregate("avg", values) == f(mean)
    assert aggregate("avg", values[::-1]) == f(mean)


@given(st.lists(spread, min_size=1, max_size=20).flatmap(lambda xs: st.tuples(st.just(xs), st.permutations(xs))))
def test_avg_is_the_exact_sum_over_the_count_in_any_order(both: tuple[list[float], list[float]]) -> None:
    content, shuffled = both
    assert aggregate("avg", _values(*content)) == f(math.fsum(content) / len(content))
    assert aggregate("avg", _values(*shuffled)) == f(math.fsum(content) / len(content))


@given(st.lists(int64, min_size=1, max_size=8))
def test_avg_of_integers_is_the_exact_mean_rounded_once(content: list[int]) -> None:
    assert aggregate("avg", _values(*content)) == f(float(Fraction(sum(content), len(content))))


def test_avg_of_finite_numbers_is_finite() -> None:
    assert aggregate("avg", _values(1e308, 1.5e308)) == f(1.25e308)


# --- median -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "middle"),
    [
        (_values(5), 5.0),
        (_values(3, 1, 2), 2.0),
        (_values(4, 1, 2, 3), 2.5),
        (_values(1, 1, 1, 9), 1.0),
        (_values(1, 2.5), 1.75),
        (_values(10, 9.0, 100), 10.0),
        (_values(INT_MAX, INT_MAX), 2.0**63),
        (_values(INT_MAX, INT_MIN, 0), 0.0),
        (_values(-math.inf, 1, math.inf), 1.0),
        (_values(math.inf, math.inf), math.inf),
        (_values(1.7e308, 1.7e308), 1.7e308),
        (_values(-0.0), 0.0),
    ],
)
def test_median_is_always_a_float(values: list[Value], middle: float) -> None:
    assert aggregate("median", values) == f(middle)
    assert aggregate("median", values[::-1]) == f(middle)


@given(st.lists(st.integers(-(2**51), 2**51) | st.floats(-1e150, 1e150), min_size=1, max_size=9))
def test_median_is_the_middle(content: list[int | float]) -> None:
    assert aggregate("median", _values(*content)) == f(float(statistics.median(content)))
    assert aggregate("median", _values(*sorted(content))) == aggregate("median", _values(*content))


def test_median_between_the_infinities_is_undefined() -> None:
    assert aggregate("median", [INFINITY, MINUS_INFINITY]) is None


def test_median_of_finite_numbers_is_finite() -> None:
    assert aggregate("median", _values(1e308, 1.5e308)) == f(1.25e308)


def test_median_of_large_integers_is_rounded_once() -> None:
    assert aggregate("median", _values(2**53 + 1, 2**53 + 2)) == f(float(Fraction(2**54 + 3, 2)))


# --- min and max ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "least", "most"),
    [
        (_values(2, 1, 3), i(1), i(3)),
        (_values(2.0, 2), i(2), i(2)),
        (_values(2, 2.0), i(2), i(2)),
        (_values(2.0, 2, 2.0), i(2), i(2)),
        (_values(1, 1.0, 3.0, 3), i(1), i(3)),
        (_values(2**53, 2.0**53, 2**53 + 1), i(2**53), i(2**53 + 1)),
        (_values(-0.0, 0), i(0), i(0)),
        ([s("b"), s("a")], s("a"), s("b")),
        ([b(True), b(False)], b(False), b(True)),
        ([day("2026-11-15"), day("2026-11-14")], day("2026-11-14"), day("2026-11-15")),
        (
            [moment("2026-11-15T00:00:01"), moment("2026-11-15T00:00:00")],
            moment("2026-11-15T00:00:00"),
            moment("2026-11-15T00:00:01"),
        ),
    ],
)
def test_min_and_max(values: list[Value], least: Value, most: Value) -> None:
    assert aggregate("min", values) == aggregate("min", values[::-1]) == least
    assert aggregate("max", values) == aggregate("max", values[::-1]) == most


# --- what is undefined ------------------------------------------------------------------------------------------------


def test_nothing_at_all() -> None:
    assert aggregate("count", []) == i(0)
    assert aggregate("sum", []) == i(0)
    for name in ("min", "max", "avg", "median"):
        assert aggregate(name, []) is None


@pytest.mark.parametrize("name", ["sum", "avg", "median", "min", "max"])
@pytest.mark.parametrize("values", [[NAN], [i(1), NAN], [NAN, f(1.0)], [INFINITY, NAN]])
def test_a_nan_makes_it_undefined(name: str, values: list[Value]) -> None:
    assert aggregate(name, values) is None


@pytest.mark.parametrize("name", ["sum", "avg", "median"])
@pytest.mark.parametrize("wrong", [s("1"), b(True), day("2026-11-15"), moment("2026-11-15T00:00:00"), Value(Kind.IRI, IRI("a"))])
def test_a_value_of_the_wrong_kind_makes_it_undefined(name: str, wrong: Value) -> None:
    assert aggregate(name, [wrong]) is None
    assert aggregate(name, [i(1), wrong]) is None
    assert aggregate(name, [wrong, f(1.0)]) is None


@pytest.mark.parametrize("name", ["min", "max"])
@pytest.mark.parametrize(
    "values", [[i(1), s("1")], [b(True), i(1)], [Value(Kind.IRI, IRI("a"))], [day("2026-11-15"), moment("2026-11-15T00:00:00")]]
)
def test_values_without_an_order_have_no_min_and_max(name: str, values: list[Value]) -> None:
    assert aggregate(name, values) is None
    assert aggregate(name, values[::-1]) is None


def test_infinity_minus_infinity_is_undefined() -> None:
    assert aggregate("sum", [INFINITY, i(1), MINUS_INFINITY]) is None
    assert aggregate("avg", [INFINITY, i(1), MINUS_INFINITY]) is None


# --- properties of all ------------------------------------------------------------------------------------------------


@given(
    st.sampled_from(AGGREGATES),
    (st.lists(numbers, max_size=6) | st.lists(any_value, max_size=4)).flatmap(
        lambda vs: st.tuples(st.just(vs), st.permutations(vs))
    ),
)
def test_the_order_of_the_values_never_shows(name: str, both: tuple[list[Value], list[Value]]) -> None:
    values, shuffled = both
    assert aggregate(name, values) == aggregate(name, shuffled)


@given(st.sampled_from(AGGREGATES), st.lists(numbers, min_size=1, max_size=5) | st.lists(any_value, min_size=1, max_size=3))
def test_the_kind_is_the_one_that_was_promised(name: str, values: list[Value]) -> None:
    result = aggregate(name, values)
    if result is not None:
        assert result.kind in aggregate_type(name, frozenset(value.kind for value in values))


@given(st.sampled_from(["avg", "median"]), st.lists(ints, min_size=1, max_size=5))
def test_avg_and_median_of_integers_are_floats(name: str, values: list[Value]) -> None:
    result = aggregate(name, values)
    assert result is not None
    assert result.kind is Kind.FLOAT


@pytest.mark.parametrize("target", [INT, FLOAT, NUMBER, ANY])
def test_the_kind_of_the_sum_of_nothing_is_the_one_that_was_promised(target: frozenset[Kind]) -> None:
    total = aggregate("sum", [])
    assert total is not None
    assert total.kind in aggregate_type("sum", target)
