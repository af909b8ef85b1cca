"""The relations and rules of equality: what is added to a program, and what becomes of the individuals that rules name."""

from __future__ import annotations

import pytest

from tidelog import KnowledgeBase, TidelogError
from tidelog.core.rewriting import core_of
from tidelog.program.program import check
from tidelog.program.same_as import CONSTANT, REPRESENTATIVE, is_own, source_with_same_as, told_name
from tidelog.source import Source
from tidelog.syntax.tree import Atom, Constant, Variable


def rules_of(text: str) -> list[str]:
    program = check(source_with_same_as(Source(text, "text")))
    return [program.printer.rule(rule) for rule in program.rules]


def test_names_are_readable_and_different() -> None:
    assert told_name("edge") == "tidelog_told_edge"
    one, other = told_name("http://example.org/a#p"), told_name("http://example.org/b#p")
    assert one != other
    assert one.startswith("tidelog_told_p_")
    assert is_own(one)
    assert not is_own("edge")


@pytest.mark.parametrize(("arity", "rules"), [(0, 1), (1, 2), (2, 4), (3, 8), (4, 10), (7, 18)])
def test_a_rule_for_each_set_of_columns_three_at_a_time(arity: int, rules: int) -> None:
    args = ", ".join(f"V{at}" for at in range(arity))
    head, body = (f"{name}({args})" if args else name for name in ("h", "b"))
    found = [rule for rule in rules_of(f"{head} :- {body}.") if rule.startswith("tidelog_told_b")]
    assert len(found) == rules


def test_columns_that_hold_no_individuals_stay() -> None:
    found = [rule for rule in rules_of("@relation p(a: int, b) . h(X) :- p(X, _).") if rule.startswith("tidelog_told_p")]
    assert found == [
        "tidelog_told_p_0_0: p(X0, X1) :- tidelog_told_p(X0, X1), not tidelog_representative(X1, _).",
        "tidelog_told_p_0_1: p(X0, R1) :- tidelog_told_p(X0, X1), tidelog_representative(X1, R1).",
    ]


def test_individuals_in_rules_are_those_that_stand_for_them() -> None:
    text = 'h(X, <x:a>) :- p(X, <x:b>), not p(<x:a>, X), N = count { p(X, <x:a>) }, X != <x:b>, q(X, 1, "t"), s(owl:Thing).'
    core = core_of(check(source_with_same_as(Source(text, "text"))))
    rules = [rule for unit in core.units for rule in unit.rules if rule.shown == "h"]
    shown = str(rules)
    assert CONSTANT in shown
    named = [literal for rule in rules for literal in rule.body if isinstance(literal, Atom) and literal.predicate in ("p", "s")]
    assert len(named) > 1
    kinds = {type(argument) for atom in named if atom.predicate == "p" for argument in atom.args}
    assert kinds == {Variable}
    assert {type(atom.args[0]) for atom in named if atom.predicate == "s"} == {Constant}, "nothing is equal to owl:Thing"


def test_without_it_nothing_is_added() -> None:
    assert REPRESENTATIVE not in KnowledgeBase("h(X) :- p(X, <x:a>).").relations
    with pytest.raises(TidelogError, match="same_as"):
        KnowledgeBase("", same_as="yes")
