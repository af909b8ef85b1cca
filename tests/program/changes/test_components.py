"""Components of predicates under insertion and deletion of rules: merged, split, reordered, and equal to those from scratch."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.program.from_text import rule, rules
from tests.rule_sets import RS2, RS3

from tidelog.program import hypergraph
from tidelog.program.changes import components as tested
from tidelog.program.changes import versions
from tidelog.program.changes.components import Component, Components, HyperNode, body_of
from tidelog.syntax.tree import Atom, Rule, Variable


def built(text: str) -> Components:
    return Components.build(enumerate(rules(text)))


def in_order(components: Components) -> list[tuple[str, ...]]:
    """The predicates of each component, in the order of the labels."""
    return [component.predicates for component in sorted(components.label, key=components.label.__getitem__)]


def add(components: Components, text: str) -> set[Component]:
    """Add one rule under the next free number."""
    return components.add(max(components.rules, default=-1) + 1, rule(text))


def names_of(nodes: list[HyperNode], components: Components) -> list[list[str | None]]:
    return [[components.rules[number].name for number in node.rules] for node in nodes]


# --- from scratch --------------------------------------------------------------------------------------------------------


def test_every_predicate_has_a_component_behind_those_that_it_reads() -> None:
    components = built("c(X) :- b(X). b(X) :- a(X). d(X) :- c(X), a(X).")
    assert in_order(components) == [("a",), ("b",), ("c",), ("d",)]
    assert {name: component.predicates for name, component in components.of.items()} == {name: (name,) for name in "abcd"}
    assert (components.deriving, components.using) == (
        {"c": (0,), "b": (1,), "d": (2,)},
        {"b": (0,), "a": (1, 2), "c": (2,)},
    )


def test_predicates_on_a_cycle_are_one_component() -> None:
    components = built("b(X) :- a(X). c(X) :- b(X). b(X) :- c(X). d(X) :- d(X). d(X) :- c(X).")
    assert in_order(components) == [("a",), ("b", "c"), ("d",)]
    assert [components.rules_of(components.of[name]) for name in "abd"] == [[], [0, 1, 2], [3, 4]]
    assert [components.is_recursive(number) for number in range(5)] == [False, True, True, True, False]


def test_negated_and_aggregated_predicates_are_read_too() -> None:
    read = rule("p(X, N) :- e(X), not f(X), N = count { Y : g(X, Y), not h(Y) }, N > 2.")
    assert body_of(read) == {"e", "f", "g", "h"}
    components = Components.build([(0, read)])
    assert all(components.label[components.of[name]] < components.label[components.of["p"]] for name in "efgh")


@pytest.mark.parametrize("text", [RS2, RS3], ids=["RS2", "RS3"])
def test_hyper_nodes_of_the_paper(text: str) -> None:
    components = built(text)
    nodes = [node for component in components.label for node in components.hyper_nodes(component)]
    assert len(nodes) == 14
    circles = [["r12", "r13", "r14"], ["r2", "r3"], ["r5"], ["r7", "r8"]]
    assert sorted(names_of([node for node in nodes if node.is_recursive], components), key=str) == circles
    p20 = components.hyper_nodes(components.of["p20"])
    assert names_of(p20, components) == [["r9"], ["r10"], ["r11"], ["r12", "r13", "r14"]]


# --- rules that are added ------------------------------------------------------------------------------------------------


def test_a_rule_along_the_order_moves_nothing() -> None:
    components = built("b(X) :- a(X). c(X) :- b(X).").copy()
    assert components.moved == set()
    assert add(components, "c(X) :- a(X).") == {components.of["c"]}
    assert components.moved == set()
    assert in_order(components) == [("a",), ("b",), ("c",)]


def test_new_predicates_stand_at_the_ends() -> None:
    components = built("b(X) :- a(X).")
    assert add(components, "z(X) :- b(X), y(X).") == {components.of["z"]}
    assert in_order(components) == [("y",), ("a",), ("b",), ("z",)]


def test_a_rule_against_the_order_moves_components_and_keeps_them() -> None:
    components = built("b(X) :- a(X).")
    add(components, "d(X) :- c(X).")
    assert in_order(components) == [("c",), ("a",), ("b",), ("d",)]
    components = components.copy()
    kept = dict(components.of)
    assert add(components, "c(X) :- b(X).") == {components.of["c"]}
    assert in_order(components) == [("a",), ("b",), ("c",), ("d",)]
    assert components.of == kept
    assert components.moved == {components.of[name] for name in "abc"}


def test_a_rule_that_closes_a_cycle_merges_what_lies_on_it() -> None:
    """s and t lie between the ends of the new edge and not on the cycle: one goes behind it, one before."""
    components = built("b(X) :- a(X). s(X) :- a(X). c(X) :- b(X), t(X). t(X) :- u(X).")
    outside = {name: components.of[name] for name in "stu"}
    (merged,) = add(components, "a(X) :- c(X).")
    assert merged.predicates == ("a", "b", "c")
    assert {components.of[name] for name in "abc"} == {merged}
    assert {name: components.of[name] for name in "stu"} == outside
    label = components.label
    assert label[outside["u"]] < label[outside["t"]] < label[merged] < label[outside["s"]]
    assert len(label) == 4


def test_a_cycle_merges_components_that_were_cycles_before() -> None:
    components = built("a(X) :- b(X). b(X) :- a(X). c(X) :- d(X). d(X) :- c(X). c(X) :- a(X). e(X) :- d(X).")
    (merged,) = add(components, "b(X) :- d(X).")
    assert in_order(components) == [("a", "b", "c", "d"), ("e",)]
    assert components.hyper_nodes(merged) == [HyperNode((0, 1, 2, 3, 4, 6), is_recursive=True)]


def test_a_predicate_that_reads_itself_is_recursive_alone() -> None:
    components = built("p(X) :- e(X).")
    assert components.hyper_nodes(components.of["p"]) == [HyperNode((0,), is_recursive=False)]
    assert add(components, "p(X) :- p(X).") == {components.of["p"]}
    assert components.hyper_nodes(components.of["p"]) == [HyperNode((0,), is_recursive=False), HyperNode((1,), is_recursive=True)]


# --- rules that are removed ----------------------------------------------------------------------------------------------


def test_a_cut_cycle_is_split_in_order() -> None:
    components = built("b(X) :- a(X). c(X) :- b(X). a(X) :- c(X). z(X) :- c(X). a(X) :- e(X).").copy()
    parts = components.remove(2)
    assert {part.predicates for part in parts} == {("a",), ("b",), ("c",)}
    assert parts <= components.moved
    assert in_order(components) == [("e",), ("a",), ("b",), ("c",), ("z",)]


def test_a_component_stays_where_another_rule_closes_the_cycle() -> None:
    components = built("b(X) :- a(X). a(X) :- b(X). a(X) :- b(X), e(X).")
    component = components.of["a"]
    assert components.remove(1) == {component}
    assert components.of["a"] is components.of["b"] is component
    assert components.remove(2) == {components.of["a"], components.of["b"]}
    assert component not in components.label


def test_a_rule_beside_the_cycle_splits_nothing() -> None:
    components = built("b(X) :- a(X). a(X) :- b(X). a(X) :- e(X).")
    assert components.remove(2) == {components.of["a"]}
    assert in_order(components) == [("e",), ("b", "a")]


def test_a_predicate_without_rules_stays_until_it_is_forgotten() -> None:
    components = built("b(X) :- a(X). c(X) :- a(X).")
    components.remove(0)
    assert ("b",) in in_order(components)
    assert [components.mentions(name) for name in "abc"] == [True, False, True]
    components.forget("b")
    assert sorted(in_order(components)) == [("a",), ("c",)]
    assert "b" not in components.of


def test_a_rule_of_rs2_leaves_and_comes_back() -> None:
    """Without r14, r12 and r13 are hyper-nodes of their own; without r10, nothing else changes."""
    components = built(RS2)
    r10, r14 = components.rules[9], components.rules[13]
    assert {part.predicates for part in components.remove(13)} == {("p20",), ("p21",), ("p22",)}
    assert sum(len(components.hyper_nodes(component)) for component in components.label) == 15
    (merged,) = components.add(18, r14)
    assert set(merged.predicates) == {"p20", "p21", "p22"}
    assert components.remove(9) == {merged}
    assert sum(len(components.hyper_nodes(component)) for component in components.label) == 13
    assert components.add(19, r10) == {merged}
    assert names_of(components.hyper_nodes(merged), components) == [["r9"], ["r11"], ["r10"], ["r12", "r13", "r14"]]


# --- versions ------------------------------------------------------------------------------------------------------------


def test_a_copy_changes_by_itself() -> None:
    before = built("b(X) :- a(X). c(X) :- b(X).")
    shown = in_order(before), dict(before.rules), dict(before.of), dict(before.deriving), dict(before.using)
    after = before.copy()
    add(after, "a(X) :- c(X).")
    after.remove(1)
    assert (in_order(before), dict(before.rules), dict(before.of), dict(before.deriving), dict(before.using)) == shown


def test_large_versions_share_what_has_not_changed() -> None:
    chain = [Rule(Atom(f"p{at + 1}", ()), (Atom(f"p{at}", ()),)) for at in range(versions._SMALL)]
    before = Components.build(enumerate(chain))
    after = before.copy()
    assert after.remove(7) == {before.of["p8"]}
    assert after.of["p9"] is before.of["p9"]
    assert not isinstance(after.rules, dict)  # a layer above the entries of `before`
    assert 7 in before.rules
    assert 7 not in after.rules


def test_labels_stay_short_however_often_a_cycle_is_cut() -> None:
    components = built("b(X) :- a(X). c(X) :- b(X). z(X) :- c(X). a(X) :- e(X).")
    for number in range(4, 40):
        before, components = components, components.copy()
        (merged,) = components.add(number, rule("a(X) :- c(X)."))
        assert merged.predicates == ("a", "b", "c")
        components.remove(number)
        assert in_order(components) == [("e",), ("a",), ("b",), ("c",), ("z",)]
        assert max(map(len, components.label.values())) <= tested._LONGEST_LABEL + 1
        check_moved(before, components)


# --- against a computation from scratch ----------------------------------------------------------------------------------

PREDICATES = "abcdefg"
X = (Variable("X"),)
PLAIN_RULES = st.builds(
    lambda head, body: Rule(Atom(head, X), tuple(Atom(name, X) for name in body)),
    st.sampled_from(PREDICATES),
    st.lists(st.sampled_from(PREDICATES), min_size=1, max_size=3, unique=True),
)


def check_moved(before: Components, after: Components) -> None:
    """Every component with another label than in the version that was copied is known to have moved."""
    assert {component for component, label in after.label.items() if before.label.get(component) != label} <= after.moved


def check_against_scratch(components: Components) -> None:
    """Components, hyper-nodes and their order are those that `hypergraph` finds in the same rules."""
    numbers = list(components.rules)
    graph = hypergraph.build([components.rules[number] for number in numbers], tuple(components.of))
    with_rules = {frozenset(component.predicates): component for component in components.label if components.rules_of(component)}
    assert with_rules.keys() == {frozenset(expected.predicates) for expected in graph.components}
    for expected in graph.components:
        found = with_rules[frozenset(expected.predicates)]
        assert components.rules_of(found) == sorted(numbers[at] for at in expected.rules)
    found_nodes = {(node.rules, node.is_recursive) for c in components.label for node in components.hyper_nodes(c)}
    assert found_nodes == {(tuple(sorted(numbers[at] for at in n.rules)), n.is_recursive) for n in graph.hyper_nodes}
    assert all(components.of[name] is component for component in components.label for name in component.predicates)
    assert len(set(components.label.values())) == len(components.label)
    for used in components.rules.values():
        own = components.of[used.head.predicate]
        for name in body_of(used):
            assert components.of[name] is own or components.label[components.of[name]] < components.label[own]


@pytest.fixture(params=[(versions._SMALL, tested._LONGEST_LABEL), (0, 2)], ids=["usual", "layered maps, short labels"])
def _limits(request: pytest.FixtureRequest) -> Iterator[None]:
    small, longest = request.param
    with patch.object(versions, "_SMALL", small), patch.object(tested, "_LONGEST_LABEL", longest):
        yield


@pytest.mark.usefixtures("_limits")
@given(first=st.lists(PLAIN_RULES, max_size=6), steps=st.lists(PLAIN_RULES | st.integers(0, 20), max_size=20))
def test_components_equal_those_from_scratch(first: list[Rule], steps: list[Rule | int]) -> None:
    """A step adds a rule, or removes one of those that are left."""
    components = Components.build(enumerate(first))
    check_against_scratch(components)
    for number, step in enumerate(steps, start=len(first)):
        before, components = components, components.copy()
        shapes = {component: components.rules_of(component) for component in before.label}
        if isinstance(step, Rule):
            touched = components.add(number, step)
        elif components.rules:
            gone = sorted(components.rules)[step % len(components.rules)]
            touched = components.remove(gone)
            removed = before.rules[gone]
            for name in {removed.head.predicate, *body_of(removed)}:
                if not components.mentions(name):
                    components.forget(name)
        else:
            continue
        check_against_scratch(components)
        check_against_scratch(before)
        check_moved(before, components)
        for component in components.label:
            assert component in touched or components.rules_of(component) == shapes.get(component, [])
