"""Partitions under change: the smaller side joins or leaves, and the version before stays."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.local.closure.test_virtual_relation import Case, as_set, matrix

from tidelog.local.closure.incremental import EdgeDelta, incremental_version
from tidelog.local.closure.virtual_relation import VirtualRelation

EDGES = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=20, unique=True)


def changed(before: VirtualRelation, inserted: list[tuple[int, int]], deleted: list[tuple[int, int]]) -> VirtualRelation:
    after = incremental_version(before, EdgeDelta(matrix(inserted), matrix(deleted)), None, lambda: None)
    assert after is not None
    return after


@given(EDGES, EDGES)
def test_components_are_those_of_the_edges(first: list[tuple[int, int]], second: list[tuple[int, int]]) -> None:
    before = Case(first, is_symmetric=True).build()
    inserted, deleted = [edge for edge in second if edge not in first], [edge for edge in first if edge not in second]
    assert as_set(changed(before, inserted, deleted)) == Case(second, is_symmetric=True).expected
    assert as_set(before) == Case(first, is_symmetric=True).expected


def numbers(relation: VirtualRelation) -> dict[int, int]:
    return {int(term): int(relation.component[node]) for node, term in enumerate(relation.terms)}


def test_the_larger_component_keeps_its_number() -> None:
    before = Case([(1, 2), (2, 3), (3, 4), (7, 8)], is_symmetric=True).build()
    merged = changed(before, [(8, 1)], [])
    assert set(numbers(merged).values()) == {numbers(before)[1]}
    split = changed(merged, [], [(8, 1)])
    assert {numbers(split)[n] for n in (1, 2, 3, 4)} == {numbers(before)[1]}
    assert numbers(split)[7] == numbers(split)[8] != numbers(split)[1]


def test_a_node_without_edges_has_no_component() -> None:
    before = Case([(1, 2), (2, 3), (5, 5)], is_symmetric=True).build()
    after = changed(before, [], [(2, 3), (5, 5)])
    assert [n for n, component in numbers(after).items() if component < 0] == [3, 5]
