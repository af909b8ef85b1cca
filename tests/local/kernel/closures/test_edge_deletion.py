"""Edges deleted from a closure: rows lose bits, components split, and the version before keeps its rows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.local.closure.test_virtual_relation import Case, as_set, matrix

from tidelog.local.closure.incremental import EdgeDelta, incremental_version
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.kernel.closures import virtual_access as words

EDGES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=25, unique=True)


def without(before: VirtualRelation, deleted: list[tuple[int, int]]) -> VirtualRelation:
    after = incremental_version(before, EdgeDelta(matrix([]), matrix(deleted)), None, lambda: None)
    assert after is not None
    return after


@given(EDGES, st.sets(st.integers(0, 24)))
def test_the_next_version_has_the_pairs_of_what_is_left_and_the_old_one_its_own(
    edges: list[tuple[int, int]], places: set[int]
) -> None:
    before = Case(edges).build()
    deleted = [edge for i, edge in enumerate(edges) if i in places]
    assert as_set(without(before, deleted)) == Case([edge for edge in edges if edge not in deleted]).expected
    assert as_set(before) == Case(edges).expected


def test_the_largest_part_of_a_split_component_keeps_its_number() -> None:
    ring = [(n, (n + 1) % 6) for n in range(6)]
    before = Case([*ring, (2, 0)]).build()
    after = without(before, [(5, 0)])
    number = {int(term): (int(before.component[at]), int(after.component[at])) for at, term in enumerate(after.terms)}
    assert {number[n] for n in (0, 1, 2)} == {(number[0][0], number[0][0])}
    assert len({number[n][1] for n in range(6)}) == 4
    assert after.words[words.COMPONENT_COUNT] == before.words[words.COMPONENT_COUNT] + 3


def test_a_component_that_another_path_holds_together_is_not_split() -> None:
    before = Case([(0, 1), (1, 2), (2, 0), (1, 0)]).build()
    after = without(before, [(1, 0)])
    assert after.component.tolist() == before.component.tolist()
    assert as_set(after) == as_set(before)
