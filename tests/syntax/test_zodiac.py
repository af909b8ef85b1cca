"""ZodiacEdge's forms: where its words are words, and how its aggregates become ours."""

from __future__ import annotations

import pytest
from tests.syntax.parsed import X, Y, Z, only

from tidelog.syntax.lexing import tokens
from tidelog.syntax.tree import Aggregate, Atom, Comparison, Rule, Variable
from tidelog.syntax.zodiac import GroupedAggregate, from_zodiac, mark_words

T = Variable("T")


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("comp(X, !=, Y)", {"COMP": "comp"}),
        ("COMP(f(X, 1), >=, 3)", {"COMP": "COMP"}),
        ("comp(X, Y)", {}),
        ("comp(X < Y)", {}),
        ("bind(X + 1 as Y)", {"BIND": "bind", "_AS": "as"}),
        ("bind(X, as)", {}),
        ("bind", {}),
        ("aggregate(p(X)) on X with count(Y) as Z", {"AGGREGATE": "aggregate", "_ON": "on", "_WITH": "with", "_AS": "as"}),
        ("AGGREGATE(p(X)) ON X, Y WITH Med(T) AS Z", {"AGGREGATE": "AGGREGATE", "_ON": "ON", "_WITH": "WITH", "_AS": "AS"}),
        ("aggregate(p(X)) on X", {}),
        ("aggregate(X), on(Y), with(Z), as(T)", {}),
        ("comp(X, !=, Y", {}),
    ],
)
def test_words_are_marked_where_they_belong_to_a_form(text: str, marked: dict[str, str]) -> None:
    before = list(tokens(text))
    after = mark_words(list(before))
    assert {new.type: str(new) for new, old in zip(after, before, strict=True) if new.type != old.type} == marked


def test_bind_is_an_assignment() -> None:
    rule = only("p(Y) :- q(X), BIND(X AS Y).")
    assert isinstance(rule, Rule)
    assert rule.body[1] == Comparison("=", Y, X)


def grouped(result: Variable, target: Variable, atom: Atom, *groups: Variable) -> GroupedAggregate:
    return GroupedAggregate(Aggregate(result, "sum", target, (atom,)), groups)


def test_a_shared_variable_that_is_no_group_gets_another_name_inside() -> None:
    """Y is shared with the head, and ZodiacEdge does not group by it."""
    found = from_zodiac(Atom("r", (X, Y, Z)), (grouped(Z, T, Atom("n", (X, Y, T)), X),))
    assert found == (Aggregate(Z, "sum", T, (Atom("n", (X, Variable("Y_1"), T)),)),)


def test_a_group_that_is_shared_with_nothing_is_shared_with_itself() -> None:
    found = from_zodiac(Atom("r", (Z,)), (grouped(Z, T, Atom("n", (X, T)), X),))
    assert found == (Aggregate(Z, "sum", T, (Atom("n", (X, T)),)), Comparison("=", X, X))


def test_the_result_of_another_aggregate_is_outside_and_its_body_is_not() -> None:
    first, second = grouped(Z, T, Atom("n", (X, T)), X), grouped(Y, T, Atom("m", (X, Z, T)), X)
    found = from_zodiac(Atom("r", (X, Y, Z)), (first, second))
    assert found[0] == Aggregate(Z, "sum", T, (Atom("n", (X, T)),))
    assert found[1] == Aggregate(Y, "sum", T, (Atom("m", (X, Variable("Z_1"), T)),))


def test_other_literals_stay() -> None:
    literals = (Atom("p", (X,)), Comparison("<", X, Y))
    assert from_zodiac(Atom("r", (X,)), literals) == literals


def test_zodiac_aggregate_groups_by_on() -> None:
    rule = only("r(X, Z) :- aggregate(n(X, Y) and t(Y, T)) on X with Med(T) as Z.")
    t = Variable("T")
    assert isinstance(rule, Rule)
    assert rule.body == (Aggregate(Z, "median", t, (Atom("n", (X, Y)), Atom("t", (Y, t)))),)


def test_zodiac_aggregate_keeps_other_variables_apart() -> None:
    rule = only("r(Y, Z) :- p(Y), AGGREGATE(n(X, Y)) ON X WITH count(Y) AS Z.")
    assert isinstance(rule, Rule)
    inner = Variable("Y_1")
    assert rule.body == (Atom("p", (Y,)), Aggregate(Z, "count", inner, (Atom("n", (X, inner)),)), Comparison("=", X, X))
