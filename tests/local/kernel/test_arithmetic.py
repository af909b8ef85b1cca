"""What the kernel computes is what `functions` defines, for values of every kind."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.local_engine import rows_of
from tests.some_values import EDGES, any_value, dates, floats, i, ints, numbers, timestamps

from tidelog import KnowledgeBase
from tidelog.core.rules import NATIVE
from tidelog.functions.evaluate import apply
from tidelog.functions.ordering import compare
from tidelog.functions.signatures import FUNCTIONS
from tidelog.program.program import GroundFact
from tidelog.reference import Row
from tidelog.values import Kind, Value, floating, string

BINARY = {
    "plus": ("X + Y", "+"),
    "minus": ("X - Y", "-"),
    "times": ("X * Y", "*"),
    "over": ("X / Y", "/"),
    "modulo": ("X mod Y", "mod"),
    "smaller": ("min(X, Y)", "min"),
    "larger": ("max(X, Y)", "max"),
}
UNARY = {
    "minus_one": ("-X", "-"),
    "absolute": ("abs(X)", "abs"),
    "down": ("floor(X)", "floor"),
    "up": ("ceil(X)", "ceil"),
    "nearest": ("round(X)", "round"),
    "root": ("sqrt(X)", "sqrt"),
    "itself_smallest": ("min(X)", "min"),
    "itself_largest": ("max(X)", "max"),
}
COMPARISONS = {"less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "same": "=", "different": "!="}

RULES = "\n".join(
    [
        *(f"{name}(X, Y, Z) :- p(X), q(Y), Z = {text}." for name, (text, _) in BINARY.items()),
        *(f"{name}(X, Z) :- p(X), Z = {text}." for name, (text, _) in UNARY.items()),
        *(f"{name}(X, Y) :- p(X), q(Y), X {op} Y." for name, op in COMPARISONS.items()),
        # Computed values on one side: then = and != are no comparison of ids.
        *(f"{name}_computed(X, Y) :- p(X), q(Y), min(X) {op} Y." for name, op in COMPARISONS.items()),
        *(f"{name}_sums(X, Y) :- p(X), q(Y), X + Y {op} Y + X." for name, op in COMPARISONS.items()),
        *(f"{name}_mixed(X, Y) :- p(X), q(Y), X - Y {op} 0.0." for name, op in COMPARISONS.items()),
        "smallest(X, Y, Z) :- p(X), q(Y), Z = min(Y, X, Y, 2).",
        "largest(X, Y, Z) :- p(X), q(Y), Z = max(2, Y, X, 2.0).",
        "nested(X, Y, Z) :- p(X), q(Y), Z = abs(X - Y) * (X + Y) - -X.",
    ]
)


def _apply(function: str, *args: Value | None) -> Value | None:
    given_args = [arg for arg in args if arg is not None]
    return apply(function, given_args) if len(given_args) == len(args) else None


def _holds(op: str, left: Value | None, right: Value | None) -> bool:
    return left is not None and right is not None and compare(op, left, right) is True


def expected(left: Iterable[Value], right: Iterable[Value]) -> dict[str, set[Row]]:
    """The relations that the rules derive."""
    found: dict[str, set[tuple[Value | None, ...]]] = {}
    two, lefts = list(itertools.product(set(left), set(right))), set(left)
    for name, (_, function) in BINARY.items():
        found[name] = {(x, y, apply(function, [x, y])) for x, y in two}
    for name, (_, function) in UNARY.items():
        found[name] = {(x, apply(function, [x])) for x in lefts}
    zero, number = floating(0.0), i(2)
    for name, op in COMPARISONS.items():
        found[name] = {(x, y) for x, y in two if _holds(op, x, y)}
        found[f"{name}_computed"] = {(x, y) for x, y in two if _holds(op, _apply("min", x), y)}
        found[f"{name}_sums"] = {(x, y) for x, y in two if _holds(op, _apply("+", x, y), _apply("+", y, x))}
        found[f"{name}_mixed"] = {(x, y) for x, y in two if _holds(op, _apply("-", x, y), zero)}
    found["smallest"] = {(x, y, apply("min", [y, x, y, number])) for x, y in two}
    found["largest"] = {(x, y, apply("max", [number, y, x, floating(2.0)])) for x, y in two}
    found["nested"] = {
        (x, y, _apply("-", _apply("*", _apply("abs", _apply("-", x, y)), _apply("+", x, y)), _apply("-", x))) for x, y in two
    }
    return {name: {tuple(v for v in row if v is not None) for row in rows if None not in row} for name, rows in found.items()}


def check(left: list[Value], right: list[Value]) -> None:
    kb = KnowledgeBase(RULES)
    facts: list[GroundFact] = [*(("p", (x,)) for x in left), *(("q", (y,)) for y in right)]
    kb.update(insert=[(name, *row) for name, row in facts])
    for name, rows in expected(left, right).items():
        assert rows_of(kb.facts(name)) == rows, name


def test_the_rules_use_every_native_function() -> None:
    assert {function for _, function in (*BINARY.values(), *UNARY.values())} == NATIVE & set(FUNCTIONS)


SPECIAL = [
    *(i(n) for n in EDGES),
    *map(floating, (0.0, -0.0, 0.5, 1.5, 2.5, -2.5, 2.0, math.inf, -math.inf, math.nan, 5e-324, 1.7976931348623157e308)),
    *map(floating, (9223372036854775807.0, -9223372036854775808.0, 9007199254740993.0, 9007199254740992.0, 0.1, -0.1, 1e-300)),
]


def test_numbers_where_something_may_break() -> None:
    check(SPECIAL, SPECIAL)


@pytest.mark.by_night(5_000)
@given(st.lists(numbers, max_size=8), st.lists(numbers, max_size=8))
@settings(max_examples=35)
def test_numbers(left: list[Value], right: list[Value]) -> None:
    check(left, right)


@pytest.mark.by_night(5_000)
@given(st.lists(any_value, max_size=8), st.lists(any_value, max_size=8))
@settings(max_examples=35)
def test_values_of_every_kind(left: list[Value], right: list[Value]) -> None:
    check(left, right)


@pytest.mark.by_night(5_000)
@given(st.lists(dates | timestamps | ints | floats, max_size=8), st.lists(dates | timestamps, max_size=8))
@settings(max_examples=35)
def test_dates_and_timestamps(left: list[Value], right: list[Value]) -> None:
    check(left, right)


def test_timestamps_far_apart() -> None:
    first, last = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)
    near = [datetime(1970, 1, 1, 0, 0, 0, micro, tzinfo=UTC) for micro in (0, 1, 499999, 500000, 500001)]
    moments = [Value(Kind.TIMESTAMP, moment) for moment in (first, last, *near, datetime(2026, 11, 15, 6, 43, tzinfo=UTC))]
    check(moments, moments)


def test_a_large_difference_is_rounded_once() -> None:
    """Around 2^53 microseconds, and where half a unit decides."""
    base = datetime(1, 1, 1, tzinfo=UTC).timestamp()
    assert base < 0
    moments = [
        Value(Kind.TIMESTAMP, datetime(year, 6, 1, 1, 2, 3, micro, tzinfo=UTC))
        for year in (1, 286, 1684, 1970, 2255, 4000, 9999)
        for micro in (0, 1, 7, 250000, 500000, 750001, 999999)
    ]
    check(moments, moments[::3])


def test_texts_are_in_the_order_of_their_code_points() -> None:
    texts = [
        *map(string, ("a", "ab", "b", "Z", "é", "\U0001f600", "\uffff", "aé", "a\x00", "日本", "long " * 20, "long " * 20 + "x"))
    ]
    check(texts, texts)


def test_undefined_results_are_counted() -> None:
    kb = KnowledgeBase("h(X, Z) :- p(X), Z = 12 / X. k(X) :- p(X), 12 / X > 3.")
    change = kb.update(insert=[("p", n) for n in (0, 1, 2, "text")])
    assert change.stats.undefined == 4
    assert set(kb.facts("h")) == {(1, 12), (2, 6)}
    assert set(kb.facts("k")) == {(1,), (2,)}
