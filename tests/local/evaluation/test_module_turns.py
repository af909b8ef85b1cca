"""Closed relations beside other rules of their unit, which exchange what is new in turns."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.local.small_engine import SmallEngine

from tidelog import KnowledgeBase
from tidelog.core.limits import Watch
from tidelog.local.closure.incremental import EdgeDelta
from tidelog.local.evaluation.module_turns import ModuleTurns, follow

RULES = (
    "path(X, Z) :- path(X, Y), path(Y, Z). path(X, Y) :- edge(X, Y). "
    "same(X, Y) :- path(X, Y), path(Y, X). path(X, Y) :- same(X, Z), jump(Z, Y). "
)
CHAIN = "edge(1, 2). edge(2, 3). edge(3, 4). jump(3, 9)."


def test_what_a_module_gains_is_a_delta_of_the_other_rules() -> None:
    small = SmallEngine(RULES + CHAIN, modules=True)
    assert small.facts("same") == []
    evaluation, runtime = small.evaluation(), small.runtime("path")
    evaluation.enter(small.number("path"), runtime.plans)
    given = small.state.tables["#given path"]
    turns = evaluation._turns(runtime.unit, {"#given path": given.end})
    assert isinstance(turns, ModuleTurns)
    assert not turns.take(), "nothing is new"
    given.insert(small.rows((3, 1)))
    assert turns.take()
    cycle = [(x, y) for x in (1, 2, 3) for y in (1, 2, 3)]
    assert small.facts("same") == cycle
    assert not turns.take(), "it has seen it; what followed is for the rounds of the rules"
    evaluation.saturate(runtime.unit)
    assert (1, 9) in small.tuples(given.rows)
    assert turns.take()
    assert (2, 9) in small.tuples(small.state.virtual["path"].rows)


def test_turns_go_on_until_nothing_is_new() -> None:
    """Each jump closes a cycle that lets the next one be made."""
    begins = range(0, 60, 10)
    pairs = "".join(f"edge({at}, {at + 1}). edge({at + 1}, {at}). " for at in begins)
    hops = "".join(f"jump({at}, {at + 10}). edge({at + 10}, {at}). " for at in begins)
    small = SmallEngine(RULES + pairs + hops, modules=True)
    nodes = {node for at in begins for node in (at, at + 1)} | {60}
    assert set(small.facts("same")) == {(x, y) for x in nodes for y in nodes}


def test_a_relation_follows_its_external_facts() -> None:
    small = SmallEngine(RULES + CHAIN, modules=True)
    closure = small.runtime("path").unit.modules["path"]
    given, gone = small.state.tables["#given path"], small.rows((2, 3))
    given.remove(gone)
    change = follow("path", closure, EdgeDelta(gone[:0], gone), small.state, Watch())
    assert small.tuples(change.deleted()) == [(1, 3), (1, 4), (2, 3), (2, 4)]
    assert small.tuples(small.state.virtual["path"].rows) == [(1, 2), (3, 4)]


# --- rules change beside new external facts ------------------------------------------------------------------------------

BESIDE = """
q(X, Z) :- p(X, Y), p(Y, Z). d(X) :- q(X, X). t(X, Z) :- t(X, Y), t(Y, Z). t(X, Y) :- q(X, Y). p(X, Z) :- r(X, _, Z), d(Z).
t(X, Y) :- e(X, Y), not m(X, _), not m(Y, _).
"""
OTHERS = "d(Y) :- t(2, Y).", "k(X) :- t(X, X).", "f(X, Y) :- q(X, Y).", "f(X, Y) :- t(X, Y), g(X, Y)."
ARITIES = {"e": 2, "g": 2, "m": 2, "p": 2, "r": 3}


@pytest.mark.by_night(1_000)
@settings(max_examples=12, deadline=None)
@given(st.integers(0, 1_000_000))
@example(1)
@example(9)
@example(271)
def test_external_facts_that_come_with_a_change_of_rules(seed: int) -> None:
    chance = random.Random(seed)
    rules = [rule for rule in OTHERS if chance.random() < 0.5]
    kb, facts = KnowledgeBase("\n".join([BESIDE, *rules])), set[tuple[object, ...]]()
    for _ in range(4):
        new = {
            (name, *(chance.randrange(4) for _ in range(ARITIES[name])))
            for name in chance.choices(sorted(ARITIES), k=chance.choice([1, 2, 6]))
        }
        gone = {fact for fact in sorted(facts, key=str) if chance.random() < 0.1}
        added = [rule for rule in OTHERS if rule not in rules and chance.random() < 0.4]
        removed = [rule for rule in rules if chance.random() < 0.2]
        kb.update(insert=sorted(new, key=str), delete=sorted(gone, key=str), add_rules=added, remove_rules=removed)
        facts, rules = (facts - gone) | new, [rule for rule in rules if rule not in removed] + added
        anew = KnowledgeBase("\n".join([BESIDE, *rules]), modules=False)
        anew.update(insert=sorted(facts, key=str))
        assert {name: set(kb[name]) for name in "dpqt"} == {name: set(anew[name]) for name in "dpqt"}
