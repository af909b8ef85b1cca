"""Versions of a program's rules: each like the program written anew, and the earlier ones unchanged."""

from __future__ import annotations

import random

import pytest
from tests.local_engine import program

from tidelog.program.live_rules import LiveRules, are_same
from tidelog.program.program import Program
from tidelog.syntax.tree import Rule

TEXT = """
@relation e(a: int).
base: p(X) :- e(X).
p(X) :- q(X), not r(X).
q(X) :- p(X).
r(X) :- f(X).
"""


def live(text: str) -> LiveRules:
    return LiveRules.of(program(text))


def both_forms(text: str) -> list[tuple[Rule, Rule]]:
    """Rules of a text as written and as evaluated."""
    return [(rule, rule) for rule in program(text).rules]


def shape(checked: Program) -> dict[str, tuple[int, bool]]:
    return {name: (relation.arity, relation.has_rules) for name, relation in checked.relations.items()}


def test_numbers_are_positions_at_first() -> None:
    rules = live(TEXT)
    assert list(rules.written) == [0, 1, 2, 3]
    assert rules.named == {"base": 0}
    assert rules.shown(0) == "base"
    assert rules.shown(2) == "q(X) :- p(X)."
    assert rules.position(3) == 3
    assert rules.first_mention("q") == "test.dl:5:1"
    assert rules.first_mention("nowhere") is None


def test_a_change_is_a_new_version() -> None:
    before = live(TEXT)
    added = both_forms("s(X) :- p(X). r(X) :- g(X).")
    relations = {name: r for name, r in program("s(X) :- p(X). r(X) :- g(X).").relations.items() if name in "sg"}
    difference = before.changed([3, 2], added, {}, relations, {})
    after = difference.after
    assert (difference.removed, difference.added) == ((3, 2), (4, 5))
    assert list(after.written) == [0, 1, 4, 5]
    assert difference.forgotten == {"f"}
    expected = program("@relation e(a: int). base: p(X) :- e(X). p(X) :- q(X), not r(X). s(X) :- p(X). r(X) :- g(X).")
    assert shape(after.program) == shape(expected)
    assert after.program.rules == expected.rules
    assert before.program.rules == program(TEXT).rules
    assert list(before.written) == [0, 1, 2, 3]
    assert after.position(2) == -1


def test_the_same_rule_is_found_whatever_its_variables_and_order() -> None:
    rules = live(TEXT)
    (other,) = program("p(A) :- not r(A), q(A).").rules
    assert rules.same_as(other) == [1]
    assert rules.same_as(program("p(A) :- r(A), q(A).").rules[0]) == []
    assert are_same(other, rules.written[1])


def test_hyper_nodes_that_changed() -> None:
    rules = live("p(X) :- e(X). q(X) :- p(X). t(X) :- q(X).")
    merged = rules.changed([], both_forms("p(X) :- q(X)."), {}, {}, {})
    assert [change.what for change in merged.node_changes()] == []  # rule 1 alone, now with the new rule
    created = rules.changed([], both_forms("p(X) :- t(X)."), {}, {}, {})
    (change,) = created.node_changes()
    assert change.what == "merged"
    assert [node.rules for node in change.before] == [(1,), (2,)]
    assert [node.rules for node in change.after] == [(1, 2, 3)]
    (back,) = created.after.changed([3], [], {}, {}, {}).node_changes()
    assert back.what == "split"
    (dropped,) = rules.changed([2], [], {}, {}, {}).node_changes()
    assert (dropped.what, dropped.before[0].rules, dropped.after) == ("dropped", (2,), ())


@pytest.mark.parametrize("seed", range(6))
def test_random_histories(seed: int) -> None:
    """After each change the rules are those of the program written anew, in the order of their numbers."""
    dice = random.Random(seed)
    names = [f"p{at}" for at in range(6)]
    rules = live("p0(X) :- e(X).")
    versions: list[tuple[LiveRules, tuple[Rule, ...]]] = []
    for step in range(30):
        versions.append((rules, rules.program.rules))
        numbers = list(rules.written)
        removed = dice.sample(numbers, min(len(numbers), dice.choice((0, 1, 2))))
        new = program(f"{dice.choice(names)}(X) :- {dice.choice(names)}(X), X != {step}.")
        relations = {n: r for n, r in new.relations.items() if n not in rules.program.relations}
        rules = rules.changed(removed, [(rule, rule) for rule in new.rules], {}, relations, {}).after
        whole = " ".join(rules.program.printer.rule(rule) for rule in rules.written.values())
        assert rules.program.rules == program(whole).rules
        assert {n for n, r in rules.program.relations.items() if r.has_rules} == {r.head.predicate for r in rules.program.rules}
    for version, kept in versions:
        assert version.program.rules == kept
