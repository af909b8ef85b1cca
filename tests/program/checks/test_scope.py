"""Evaluation orders: what is bound by what, and which aggregates are total."""

from __future__ import annotations

import pytest

from tidelog.errors import Diagnostics
from tidelog.program.checks.scope import Schedule, Step, schedule
from tidelog.program.lowering import is_fresh, lower
from tidelog.source import Source
from tidelog.syntax.parser import parse
from tidelog.syntax.printer import Printer
from tidelog.syntax.tree import Aggregate, Call, Comparison, Rule, terms


def rule(text: str) -> Rule:
    diagnostics = Diagnostics()
    (statement,) = parse(Source(text), diagnostics).statements
    diagnostics.raise_errors()
    assert isinstance(statement, Rule)
    return lower(statement)


def ordered(text: str) -> Schedule:
    lowered = rule(text)
    return schedule(lowered.body, lowered.head.args)


def shown(steps: tuple[Step, ...]) -> list[str]:
    return [Printer().literal(step.literal) for step in steps]


def test_tests_come_as_soon_as_they_can() -> None:
    steps = ordered("h(X, Y) :- X > 1, p(X), not r(X), q(Y), X != Y.").steps
    assert shown(steps) == ["p(X)", "not r(X)", "X > 1", "q(Y)", "X != Y"]


def test_assignments_are_turned_and_chained() -> None:
    steps = ordered("h(Z) :- Z + 1 = W, Y * 2 = Z, X = Y, p(X).").steps
    assert shown(steps) == ["p(X)", "Y = X", "Z = Y * 2", "W = Z + 1"]
    assert [step.binds.name if step.binds else None for step in steps] == [None, "Y", "Z", "W"]


@pytest.mark.parametrize(
    ("text", "unbound"),
    [
        ("h(X) :- p(Y).", {"X"}),
        ("h(X) :- p(Y), X > Y.", {"X"}),
        ("h :- X = Y.", {"Y"}),
        ("h(X) :- X = Y + 1.", {"Y"}),
        ("h(X) :- X = X.", {"X"}),
        ("h(X) :- X = X + 1.", {"X"}),
        ("h(X) :- not p(X).", {"X"}),
        ("h :- not p(X), not q(X).", {"X"}),
        ("h :- not p(X).", set()),
        ("h :- not p(X, X), q(_).", set()),
        ("h :- q(Y), not p(X, Y).", set()),
        ("h(X) :- q(Y), p(X + 1, Y).", {"X"}),
        ("h(Y) :- p(X), N = count { q(X, Z), Z > Y }.", {"Y"}),
        ("h(N) :- N = sum { Y : p(X) }.", {"Y"}),
        ("h(X, N) :- N = count { not p(X) }.", {"X"}),
        ("h(X, N) :- p(X), N = count { not p(X) }.", set()),
        ("h(N) :- N = count { p(X), not q(X, Y), not r(Y) }.", {"Y"}),
        ("h(N, M) :- N = count { p(X), X < M }, M = count { p(X), X < N }.", {"N"}),
        ("h(_) :- p(X).", {"_#1"}),
    ],
)
def test_unbound_variables(text: str, unbound: set[str]) -> None:
    assert {name for name in ordered(text).unbound if not is_fresh(name)} == unbound


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("h(X, N) :- k(X), N = count { t(X, _) }.", [("N", ("X",), True)]),
        ("h(X, N) :- N = count { t(X, _) }.", [("N", ("X",), False)]),
        ("h(X, Y, N) :- k(X), N = count { t(X, Y) }.", [("N", ("X", "Y"), False)]),
        ("h(N) :- N = count { t(X, _) }.", [("N", (), True)]),
        ("h(N) :- X = 1, N = count { t(X, _) }.", [("N", ("X",), True)]),
        # each waits for no other: both partial, whatever their order
        ("h(X, N, M) :- N = count { t(X, _) }, M = count { u(X, _) }.", [("N", ("X",), False), ("M", ("X",), False)]),
        # the second is grouped by the first one's result
        ("h(N, M) :- M = count { u(N, _) }, N = count { t(_) }.", [("N", (), True), ("M", ("N",), True)]),
        ("h(X, N, M) :- M = count { u(N, _) }, N = count { t(X, _) }.", [("N", ("X",), False), ("M", ("N",), True)]),
        ("h(X, M) :- M = count { u(K, _) }, K = N + 1, N = count { t(X, _) }.", [("N", ("X",), False), ("M", ("K",), True)]),
        # a variable of a negated atom outside is shared too
        ("h(N) :- not s(Z), N = count { t(Z, _) }.", [("N", ("Z",), False)]),
    ],
)
def test_groups_and_totality(text: str, expected: list[tuple[str, tuple[str, ...], bool]]) -> None:
    steps = [step for step in ordered(text).steps if isinstance(step.literal, Aggregate)]
    found = [
        (Printer().term(step.literal.result), step.groups, step.is_total) for step in steps if isinstance(step.literal, Aggregate)
    ]
    assert sorted(found) == sorted(expected)


def test_lowering_leaves_expressions_to_comparisons() -> None:
    lowered = rule("h(X + 1) :- p(X, X * 2), not q(abs(X)), 3 = sum { Y - 1 : r(X, Y + X) }.")
    for literal in (lowered.head, *lowered.body):
        if not isinstance(literal, Comparison | Aggregate):
            assert not any(isinstance(term, Call) for term in terms(literal))
    (aggregate,) = [literal for literal in lowered.body if isinstance(literal, Aggregate)]
    assert not isinstance(aggregate.target, Call)
    assert len(lowered.body) == 8 - 1
