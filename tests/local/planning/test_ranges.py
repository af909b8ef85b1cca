"""Ranges: which comparisons bound which column of an atom."""

from __future__ import annotations

import pytest
from tests.local_engine import program

from tidelog.local.kernel import range_search as kernel
from tidelog.local.planning.ranges import Range, is_order, range_of
from tidelog.syntax.tree import Atom


def found(body: str, bound: str = "") -> Range | None:
    """The range of the last atom of a body, if these variables are known."""
    (rule,) = program(f"h() :- {body}.").rules
    atom = [literal for literal in rule.body if isinstance(literal, Atom)][-1]
    return range_of(atom, dict(enumerate(rule.body)), set(bound))


def forms(body: str, bound: str = "") -> tuple[int, int | None, int | None] | None:
    """Column and forms of the bounds."""
    result = found(body, bound)
    if result is None:
        return None
    low, high = result.low, result.high
    return result.column, low.form if low is not None else None, high.form if high is not None else None


@pytest.mark.parametrize(
    ("body", "bound", "expected"),
    [
        ("q(A), p(X, T), T < A", "A", (1, None, kernel.EXCLUSIVE)),
        ("q(A), p(X, T), A < T", "A", (1, kernel.EXCLUSIVE, None)),
        ("q(A), p(X, T), T <= A", "A", (1, None, kernel.INCLUSIVE)),
        ("q(A), p(X, T), A >= T, T > 3", "A", (1, kernel.EXCLUSIVE, kernel.INCLUSIVE)),
        ("q(A), p(T, T), T < A * 2 + 1", "A", (0, None, kernel.EXCLUSIVE)),
        ("q(A), p(X, T), X < A, T < A, A - 5 < T", "A", (1, kernel.EXCLUSIVE, kernel.EXCLUSIVE)),
        ("q(A), p(X, T), T < A", "", None),
        ("q(A), p(X, T), T < A", "AT", None),
        ("q(A), p(X, T), T + 1 < A", "A", None),
        ("q(A), p(X, T), T != A", "A", None),
        ("q(A), p(X, T), X < T", "A", None),
    ],
)
def test_bounds(body: str, bound: str, expected: tuple[int, int | None, int | None] | None) -> None:
    assert forms(body, bound) == expected


def test_one_comparison_a_side_is_taken() -> None:
    result = found("q(A), p(X, T), T < A, T < A + 1, T > 2", "A")
    assert result is not None
    assert result.places == [4, 2]


def test_two_bounds_leave_less_than_one() -> None:
    one, two = found("q(A), p(T), T < A", "A"), found("q(A), p(T), T < A, T > 1", "A")
    assert one is not None
    assert two is not None
    assert two.expected(10_000) < one.expected(10_000) < 10_000


def test_orders_are_told_from_other_literals() -> None:
    (rule,) = program("h() :- p(X), q(Y), X < Y, X != Y, not p(Y).").rules
    assert [is_order(literal) for literal in rule.body] == [False, False, True, False, False]
