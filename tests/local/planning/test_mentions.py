"""Mentions: which variables of a rule occur where."""

from __future__ import annotations

from tests.local_engine import program

from tidelog.core.rewriting import core_of
from tidelog.core.rules import CoreRule
from tidelog.local.planning.mentions import Mentions
from tidelog.syntax.tree import Atom


def mentions(text: str) -> tuple[Mentions, CoreRule]:
    (rule,) = (rule for unit in core_of(program(text)).units for rule in unit.rules)
    return Mentions.of(rule), rule


def test_needed_variables_occur_elsewhere() -> None:
    found, rule = mentions("h(X) :- p(X, Y, Y), q(Z, W), W > 1.")
    needed = {
        literal.predicate: names for literal, names in zip(rule.body, found.needed, strict=True) if isinstance(literal, Atom)
    }
    assert needed == {"p": {"X"}, "q": {"W"}}
    assert found.uses["Z"] == 1


def test_an_expression_always_needs_its_variables() -> None:
    found, _ = mentions("h(X) :- p(X, Y), Y > 1.")
    assert found.uses["Y"] == 3
    assert found.names[0] == {"X", "Y"}
