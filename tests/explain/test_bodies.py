"""Instances of a rule whose head is known; and the budget of a search."""

from __future__ import annotations

from typing import Any

import pytest
from tests.local_engine import access_to

from tidelog import KnowledgeBase, Source
from tidelog.explain.bodies import Body
from tidelog.explain.joins import Budget
from tidelog.syntax.tree import Atom, Comparison, Negation


def instances(text: str, fact: str, at: int = 0) -> list[dict[str, Any]]:
    """The bindings of a rule that derive a fact."""
    kb = KnowledgeBase(Source(text), modules=False)
    _, values = kb._fact(fact)
    with access_to(kb) as access:
        body = Body(access.program.rules[at], at, access)
        found = body.instances(tuple(map(access.cell, values)), Budget())
        return [{name: access.value(cells[slot]).content for name, slot in body.join.slots.items()} for cells in found]


def test_the_order_begins_with_what_is_known() -> None:
    kb = KnowledgeBase(
        Source("p(X) :- q(Y), r(Y, Z), Z > 1, s(X, Y), not t(X). q(1). q(2). r(1, 2). r(1, 3). r(2, 3). s(1, 1). s(2, 2).")
    )
    with access_to(kb) as access:
        order = [step.literal for step in Body(access.program.rules[0], 0, access).join.order]
    assert [literal.predicate for literal in order if isinstance(literal, Atom)] == ["s", "q", "r"]
    assert isinstance(order[0], Negation)
    assert isinstance(order[-1], Comparison)


def test_all_instances_are_found_once() -> None:
    text = "p(X) :- q(X, Y), q(Y, X). q(1, 2). q(2, 1). q(1, 1). q(1, 3)."
    assert sorted(found["Y"] for found in instances(text, "p(1)")) == [1, 2]
    assert instances(text, "p(7)") == []


def test_a_head_may_have_constants_and_a_variable_twice() -> None:
    assert instances("p(X, X, a) :- q(X). q(1). q(2).", "p(1, 1, a)") == [{"X": 1}]
    assert instances("p(X, X, a) :- q(X). q(1). q(2).", "p(1, 2, a)") == []
    assert instances("p(X, X, a) :- q(X). q(1). q(2).", "p(1, 1, b)") == []


def test_a_variable_that_stands_twice_in_an_atom() -> None:
    assert instances("p(X) :- q(X, Y, Y). q(1, 2, 3). q(1, 4, 4).", "p(1)") == [{"X": 1, "Y": 4}]
    assert instances("p(X) :- q(X), not r(Z, Z). q(1). r(1, 2).", "p(1)") == [{"X": 1}]
    assert instances("p(X) :- q(X), not r(Z, Z). q(1). r(2, 2).", "p(1)") == []


def test_values_that_no_fact_has() -> None:
    assert instances("p(X) :- q(X), Y = X + 5, Y * 2 > 11. q(1). q(0).", "p(1)") == [{"X": 1, "Y": 6}]
    assert instances("p(X) :- q(X), Y = X + 5, Y * 2 > 11. q(1). q(0).", "p(0)") == []
    assert instances("p(X) :- q(X), Y = X + 5, not q(Y). q(1).", "p(1)") == [{"X": 1, "Y": 6}]


@pytest.mark.parametrize(
    ("rule", "fact", "results"),
    [
        ("p(X, N) :- n(X), N = count { Y : e(X, Y) }.", "p(1, 2)", [2]),
        ("p(X, N) :- n(X), N = count { Y : e(X, Y) }.", "p(3, 0)", [0]),
        ("p(X, N) :- n(X), N = count { Y : e(X, Y) }.", "p(1, 1)", []),
        ("p(X, N) :- N = count { Y : e(X, Y) }.", "p(3, 0)", []),
        ("p(X, N) :- N = max { Y : e(X, Y) }.", "p(1, 5)", [5]),
        ("p(X, N) :- n(X), N = max { Y : e(X, Y) }.", "p(3, 5)", []),
        ("p(N, N) :- n(N), N = count { Y : e(Z, Y), Z < N }.", "p(3, 3)", [3]),
    ],
)
def test_aggregates(rule: str, fact: str, results: list[int]) -> None:
    text = f"{rule} n(1). n(2). n(3). e(1, 2). e(1, 5). e(2, 1)."
    assert [found["N"] for found in instances(text, fact)] == results
