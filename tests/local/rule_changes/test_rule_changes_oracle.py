"""Hyper-nodes that rules merge, split, create and drop, against the algorithms of the paper on plain sets."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.rule_changes import HyperGraph, NodeChange, Rule, from_scratch

from tidelog import KnowledgeBase, Source
from tidelog.changes import RuleChanges

LOWER, UPPER = ("a", "b", "c"), ("d", "e", "f")


@st.composite
def rules(draw: st.DrawFn, name: str) -> Rule:
    """A rule of unary relations; only upper ones negate, and only lower ones, so every set of them is stratified."""
    is_upper = draw(st.booleans())
    head = draw(st.sampled_from(UPPER if is_upper else LOWER))
    usable = (*LOWER, *UPPER, "g") if is_upper else (*LOWER, "g")
    positive = draw(st.lists(st.sampled_from(usable), min_size=1, max_size=2, unique=True))
    negative = draw(st.lists(st.sampled_from(LOWER), max_size=1)) if is_upper else []
    body = [*(f"{each}(X)" for each in positive), *(f"not {each}(X)" for each in negative)]
    return Rule(name, head, frozenset([*positive, *negative]), f"{name}: {head}(X) :- {', '.join(body)}.")


@st.composite
def rule_sets(draw: st.DrawFn) -> list[Rule]:
    """Rules that are all different."""
    found = [draw(rules(f"r{at}")) for at in range(draw(st.integers(3, 10)))]
    return list({rule.text.partition(":")[2]: rule for rule in found}.values())


def reported(change: RuleChanges) -> set[NodeChange]:
    return {
        (each.what, frozenset(map(frozenset, each.before)), frozenset(map(frozenset, each.after))) for each in change.hyper_nodes
    }


@pytest.mark.parametrize("algorithm", ["bf", "counting"])
@settings(max_examples=60)
@given(all_rules=rule_sets(), choices=st.data())
def test_rules_come_and_go(algorithm: Any, all_rules: list[Rule], choices: st.DataObject) -> None:
    first = choices.draw(st.sets(st.sampled_from(all_rules)))
    graph = HyperGraph(first)
    kb = KnowledgeBase(Source("\n".join(rule.text for rule in all_rules if rule in first)), algorithm=algorithm, modules=False)
    kb.update(insert=[("g", 1), ("g", 2), ("a", 2), ("b", 3), ("d", 4)])
    for _ in range(4):
        toggled = choices.draw(st.lists(st.sampled_from(all_rules), min_size=1, max_size=3, unique=True))
        gone = [rule for rule in toggled if rule.name in graph.rules]
        come = [rule for rule in toggled if rule.name not in graph.rules]
        before = graph.nodes
        for rule in gone:
            graph.remove(rule.name)
        for rule in come:
            graph.add(rule)
        change = kb.update(remove_rules=[rule.name for rule in gone], add_rules=[rule.text for rule in come])
        assert graph.nodes == from_scratch(graph.rules.values()), "the algorithms give what starting over gives"
        assert change.rules is not None
        assert reported(change.rules) == graph.changes_since(before)
        assert set(change.rules.added) == {rule.name for rule in come}
        assert set(change.rules.removed) == {rule.name for rule in gone}
        check_visits(change.rules, graph, toggled, {*change.inserted, *change.deleted})


def check_visits(change: RuleChanges, graph: HyperGraph, toggled: list[Rule], changed: set[str]) -> None:
    """Every touched component is visited after those that it reads, with all of its hyper-nodes."""
    visited = [frozenset(visit.relations) for visit in change.visited]
    assert len(visited) == len(set(visited))
    with_rules = [component for component in visited if component in graph.components()]
    assert set(with_rules) == graph.touched(toggled, changed)
    for at, component in enumerate(with_rules):
        assert not any(graph.read_by(component) & later for later in with_rules[at + 1 :])
    for visit in change.visited:
        expected = {node for node in graph.nodes if any(graph.rules[name].head in visit.relations for name in node)}
        assert set(map(frozenset, visit.rules)) == expected
        assert visit.how == "difference" or not {rule.head for rule in toggled}.isdisjoint(visit.relations)


def test_a_cycle_needs_the_edges_into_a_new_rule() -> None:
    """The case that Algorithm 2 misses as printed."""
    graph = HyperGraph([Rule("r1", "p", frozenset("q")), Rule("r2", "q", frozenset("o")), Rule("r3", "t", frozenset("p"))])
    before = graph.nodes
    graph.add(Rule("r4", "o", frozenset("p")))
    merged = frozenset({"r1", "r2", "r4"})
    assert graph.changes_since(before) == {("merged", frozenset({frozenset({"r1"}), frozenset({"r2"})}), frozenset({merged}))}
    graph.remove("r2")
    assert graph.nodes == {frozenset({name}) for name in ("r1", "r3", "r4")}
