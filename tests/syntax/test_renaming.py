"""Other names for variables inside aggregates: which are local, which are free, and what is renamed."""

from __future__ import annotations

import pytest
from tests.syntax.parsed import only

from tidelog.syntax.renaming import fresh_name, names_inside, names_outside, rename_inside, rename_locals_apart
from tidelog.syntax.tree import Aggregate, Rule, Variable, names_of


def rule(text: str) -> Rule:
    found = only(text)
    assert isinstance(found, Rule)
    return found


def aggregate(text: str) -> Aggregate:
    (found,) = rule(f"h(N) :- {text}.").body
    assert isinstance(found, Aggregate)
    return found


def test_names_inside_and_outside() -> None:
    found = rule("h(X, N) :- p(X, Y), not q(Z), U < V, N = sum { A + B : r(X, A, B, C) }.")
    assert names_outside(found.body, names_of([found.head])) == {"X", "Y", "Z", "U", "V", "N"}
    (inner,) = [literal for literal in found.body if isinstance(literal, Aggregate)]
    assert names_inside(inner) == {"A", "B", "C", "X"}
    assert names_inside(aggregate("N = count { p(X) }")) == {"X"}


def test_a_fresh_name_is_taken_from_then_on() -> None:
    taken = {"X", "X_1"}
    assert [fresh_name("X", taken), fresh_name("X", taken), fresh_name("Y", taken)] == ["X_2", "X_3", "Y_1"]
    assert taken == {"X", "X_1", "X_2", "X_3", "Y_1"}


def test_everything_inside_is_renamed_and_the_result_is_not() -> None:
    before = aggregate("X = sum { X + abs(Y) : p(X, Y), not q(X), X < Y, r(Z) }")
    after = rename_inside(before, {"X": "A", "Y": "B"})
    assert after == aggregate("X = sum { A + abs(B) : p(A, B), not q(A), A < B, r(Z) }")
    assert rename_inside(before, {}) is before


def test_spans_stay() -> None:
    before = aggregate("N = max { X : p(X) }")
    after = rename_inside(before, {"X": "Y"})
    assert isinstance(before.target, Variable)
    assert isinstance(after.target, Variable)
    assert (after.span, after.target.span) == (before.span, before.target.span)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("h(N) :- N = count { X : p(X) }.", None),
        ("h(N, M) :- N = count { X : p(X) }, M = count { Y : q(Y) }.", None),
        (
            "h(N, M) :- N = count { X : p(X) }, M = count { X : q(X) }.",
            "h(N, M) :- N = count { X : p(X) }, M = count { X_1 : q(X_1) }.",
        ),
        ("h(N, M, X) :- N = count { p(X) }, M = count { q(X) }.", None),
        (
            "h(N, M) :- N = count { X : p(X, X_1) }, M = count { X : q(X) }.",
            "h(N, M) :- N = count { X : p(X, X_1) }, M = count { X_2 : q(X_2) }.",
        ),
    ],
)
def test_rename_locals_apart(text: str, expected: str | None) -> None:
    """Variables that two aggregates have for themselves are different variables; those that a rule shares are not."""
    assert rename_locals_apart(rule(text)) == rule(expected or text)
