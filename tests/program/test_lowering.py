"""The core form of rules: variables and constants in atoms, expressions in comparisons only."""

from __future__ import annotations

import pytest
from hypothesis import given
from tests.program.from_text import rule, rules
from tests.random_programs import RandomProgram, programs

from tidelog.program.lowering import is_fresh, lower, lower_query
from tidelog.syntax.printer import Printer
from tidelog.syntax.tree import Aggregate, Atom, Call, Literal, Negation, Variable


def lowered(text: str) -> str:
    return Printer().rule(lower(rule(text)))


@pytest.mark.parametrize(
    ("text", "core"),
    [
        ("p(X) :- q(X), X > 1 + 2.", "p(X) :- q(X), X > 1 + 2."),
        ("p(X + 1) :- q(X).", "p(?#1) :- q(X), #1 = X + 1."),
        ("p(X) :- q(X, Y + 1), r(Y).", "p(X) :- q(X, #1), #1 = Y + 1, r(Y)."),
        ("p(X) :- q(X), not r(X * 2).", "p(X) :- q(X), not r(#1), #1 = X * 2."),
        ("p(N) :- N = sum { X * 2 : q(X, Y + 1), r(Y) }.", "p(N) :- N = sum { #2 : q(X, #1), #1 = Y + 1, r(Y), #2 = X * 2 }."),
        ("p :- 3 = count { q(_) }.", "p :- #1 = count { q(_) }, #1 = 3."),
        ("p(N) :- N + 1 = max { X : q(X) }, r(N).", "p(N) :- #1 = max { X : q(X) }, #1 = N + 1, r(N)."),
        ("p(N) :- N = max { 3 : q(X) }.", "p(N) :- N = max { #1 : q(X), #1 = 3 }."),
    ],
)
def test_core_form(text: str, core: str) -> None:
    """Fresh variables are numbered in the order in which they are needed: the head's first."""
    assert lowered(text).replace("?#", "#") == core.replace("?#", "#")


def test_what_is_in_core_form_stays() -> None:
    written = rule("p(X, Y) :- q(X, 1), not r(X, _), Y = X + 1, N = sum { Z : s(Z) }, N > 2.")
    assert lower(written) == written


def test_names_and_places_stay() -> None:
    written = rule("r1: p(X + 1) :- q(X).")
    found = lower(written)
    assert (found.name, found.span, found.source) == ("r1", written.span, written.source)
    assert found.body[-1].span == written.head.args[0].span


def test_fresh_names_are_none_that_a_text_can_have() -> None:
    assert (is_fresh("#1"), is_fresh("X"), is_fresh("_#1")) == (True, False, False)


def test_queries() -> None:
    body = rule("h :- p(X + 1), q(X).").body
    assert [Printer().literal(literal).replace("?", "") for literal in lower_query(body)] == ["p(#1)", "#1 = X + 1", "q(X)"]


def check_core(literal: Literal) -> None:
    match literal:
        case Atom(_, args) | Negation(Atom(_, args)):
            assert not any(isinstance(arg, Call) for arg in args)
        case Aggregate(result, _, target, body):
            assert isinstance(result, Variable)
            assert target is None or isinstance(target, Variable)
            for inner in body:
                check_core(inner)


@given(programs())
def test_random_rules_are_in_core_form_and_stay_so(random_program: RandomProgram) -> None:
    for written in rules("\n".join(f"{head} :- {', '.join(body)}." for head, body in random_program.rules)):
        found = lower(written)
        for literal in (found.head, *found.body):
            check_core(literal)
        assert lower(found) == found
