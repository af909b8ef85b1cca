"""Which relations are closed, alone and beside others, and what becomes of the rules."""

from __future__ import annotations

from tests.local_engine import program

from tidelog.core.closed_relations import closed_by

SKOS = (
    "up(X, Z) :- up(X, Y), up(Y, Z). down(X, Z) :- down(X, Y), down(Y, Z). up(X, Y) :- down(Y, X). down(X, Y) :- up(Y, X). "
    "alone(X, Z) :- alone(X, Y), alone(Y, Z). up(X, Y) :- broader(X, Y)."
)


def test_rules_have_their_numbers() -> None:
    numbers = [10, 20, 30, 40, 50, 60]
    closed = closed_by(program(SKOS).modules, numbers, only_whole=False)
    assert {name: (closure.given, closure.module.rules) for name, closure in closed.closures.items()} == {
        "up": ("#given up", (10,)),
        "down": ("#given down", (20,)),
        "alone": ("#given alone", (50,)),
    }
    assert closed.closing == {10, 20, 50}
    assert closed.external == {30: "down", 40: "up"}


def test_only_what_nothing_else_recurs_through() -> None:
    closed = closed_by(program(SKOS).modules, range(6), only_whole=True)
    assert set(closed.closures) == {"alone"}
    assert closed.closing == {4}
    assert not closed.external
