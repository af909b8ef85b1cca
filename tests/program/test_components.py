"""Components while rules are added and removed, against components built from scratch and the program's hyper-graph."""

from __future__ import annotations

import random

import pytest
from tests.local_engine import program

from tidelog.program import hypergraph
from tidelog.program.components import Component, Components, body_of
from tidelog.syntax.tree import Rule


def rule(text: str) -> Rule:
    (only,) = program(text).rules
    return only


def partition(components: Components) -> set[frozenset[str]]:
    return {frozenset(component.predicates) for component in components.label}


def check(components: Components) -> None:
    """Components, their order and their hyper-nodes are those of the rules as they are."""
    assert partition(components) == partition(Components.build(components.rules.items()))
    for name, component in components.of.items():
        assert name in component.predicates
    for one in components.rules.values():
        head = components.of[one.head.predicate]
        for name in body_of(one):
            used = components.of[name]
            assert used is head or components.label[used] < components.label[head]
    numbers, rules = list(components.rules), list(components.rules.values())
    graph = hypergraph.build(rules, tuple(components.of))
    expected = {frozenset(numbers[at] for at in node.rules): node.is_recursive for node in graph.hyper_nodes}
    found = [node for component in components.label for node in components.hyper_nodes(component)]
    assert {frozenset(node.rules): node.is_recursive for node in found} == expected


def test_a_new_cycle_merges_components() -> None:
    components = Components.build(enumerate(program("b(X) :- a(X). c(X) :- b(X). d(X) :- c(X).").rules))
    (merged,) = components.add(3, rule("b(X) :- c(X)."))
    assert merged.predicates == ("b", "c")
    assert [node.rules for node in components.hyper_nodes(merged)] == [(0,), (1, 3)]
    check(components)


def test_a_removed_rule_splits_its_component() -> None:
    components = Components.build(enumerate(program("b(X) :- a(X). c(X) :- b(X). b(X) :- c(X).").rules))
    changed = components.remove(2)
    assert {component.predicates for component in changed} == {("b",), ("c",)}
    check(components)


def test_a_component_that_stays_connected_is_the_same_object() -> None:
    components = Components.build(enumerate(program("p(X) :- q(X). q(X) :- p(X). p(X) :- q(X), e(X).").rules))
    before = components.of["p"]
    assert components.remove(2) == {before}
    assert components.of["p"] is before


def test_a_rule_against_the_order_moves_components() -> None:
    """`a` was built before `z`; now it reads `z`."""
    components = Components.build(enumerate(program("a(X) :- e(X). z(X) :- f(X). b(X) :- a(X).").rules))
    components.add(3, rule("a(X) :- z(X)."))
    components.add(4, rule("z(X) :- y(X)."))
    check(components)


def test_a_copy_leaves_the_original_as_it_was() -> None:
    components = Components.build(enumerate(program("b(X) :- a(X). c(X) :- b(X).").rules))
    before = partition(components)
    other = components.copy()
    other.add(2, rule("a(X) :- c(X)."))
    other.remove(0)
    assert partition(components) == before
    check(components)
    check(other)


@pytest.mark.parametrize("seed", range(12))
def test_random_histories(seed: int) -> None:
    dice = random.Random(seed)
    names = [f"p{at}" for at in range(dice.choice((4, 9, 16)))]
    components, number = Components(), 0
    for _ in range(120):
        if components.rules and dice.random() < 0.45:
            victim = dice.choice(list(components.rules))
            mentioned = {components.rules[victim].head.predicate, *body_of(components.rules[victim])}
            changed = components.remove(victim)
            for name in mentioned:
                if not components.mentions(name):
                    components.forget(name)
            live: set[Component] = changed & components.label.keys()
            assert all(components.of[name] is component for component in live for name in component.predicates)
        else:
            body = ", ".join(f"{name}(X)" for name in dice.sample(names, dice.choice((1, 1, 2))))
            (component,) = components.add(number, rule(f"{dice.choice(names)}(X) :- {body}."))
            assert components.of[components.rules[number].head.predicate] is component
            number += 1
        check(components)
