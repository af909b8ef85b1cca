"""The core form: visible relations, atoms, and variables of negated atoms renamed apart."""

from __future__ import annotations

import pytest
from tests.local_engine import program

from tidelog.core.rewriting import core_of
from tidelog.core.rules import CoreRule, existential, is_visible, positive_atoms, rename_apart
from tidelog.syntax.tree import Negation, Variable


def only_rule(text: str) -> CoreRule:
    (unit,) = core_of(program(text)).units
    (rule,) = unit.rules
    return rule


@pytest.mark.parametrize(
    ("name", "expected"), [("edge", True), ("#given path", True), ("#requested 1", False), ("#call 2", False)]
)
def test_visible_relations(name: str, expected: bool) -> None:
    assert is_visible(name) == expected


def test_positive_atoms_with_their_positions() -> None:
    rule = only_rule("h(X) :- p(X), not q(X), r(X, Y), Y > 1.")
    assert [(at, rule.body[at]) for at, _ in positive_atoms(rule)] == [
        (at, literal) for at, literal in enumerate(rule.body) if type(literal).__name__ == "Atom"
    ]
    assert sorted(name for _, name in positive_atoms(rule)) == ["p", "r"]


def test_existential_variables_are_renamed_apart() -> None:
    rule = only_rule("h(X) :- p(X), not n(X, _, Z, Z).")
    (negation,) = (literal for literal in rule.body if isinstance(literal, Negation))
    alone = existential(negation.atom, rule)
    assert len(alone) == 2
    assert "X" not in alone
    renamed = rename_apart(negation.atom, rule)
    assert renamed.args[0] == Variable("X")
    assert all(arg.name not in alone for arg in renamed.args if isinstance(arg, Variable))
    assert renamed.args[2] == renamed.args[3]


def test_a_part_can_derive_another_stored_relation() -> None:
    part = core_of(program("h(N) :- N = count { p(_) }.")).parts[0]
    moved = part.placed("#given h")
    assert moved.rules[-1].head.predicate == "#given h"
    assert moved.rules[:-1] == part.rules[:-1]
    assert part.placed("h") is part


def test_a_part_can_read_external_facts_and_the_relation_again() -> None:
    part = core_of(program("h(X, Y) :- r(Y, X), e(X, Y).")).parts[0]
    moved = part.placed("h", ("r",))
    assert positive_atoms(moved.rules[-1]) == [(0, "#given r"), (1, "e")]
    assert moved.placed("h") == part
    assert moved.placed("h", ("r",)) is moved
