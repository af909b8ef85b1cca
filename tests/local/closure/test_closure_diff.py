"""Diff: the pairs of one version that another lacks, whether or not the two share anything."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.local.closure.test_incremental import KINDS, given_by, reached
from tests.local.closure.test_virtual_relation import Case, as_set, cases, matrix

from tidelog.local.closure import closure_diff
from tidelog.local.closure.changes import change_of
from tidelog.local.closure.closure_diff import VirtualChange
from tidelog.local.closure.connectivity import partition_diff
from tidelog.local.closure.connectivity.partition import Partition
from tidelog.local.closure.incremental import EdgeDelta, next_version
from tidelog.local.closure.virtual_relation import VirtualRelation


def only_in(one: VirtualRelation, other: VirtualRelation) -> NDArray[np.int32]:
    are_partitions = isinstance(one, Partition) and isinstance(other, Partition)
    found = partition_diff.only_in(one, other) if are_partitions else closure_diff.only_in(one, other)  # type: ignore[arg-type]
    assert found is not None
    return found


def pairs(rows: NDArray[np.int32]) -> list[tuple[int, int]]:
    return sorted((x, y) for x, y in rows.tolist())


_EDGES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=8)


@settings(max_examples=60)
@given(cases, _EDGES, st.sampled_from([None, 0]))
def test_versions_that_share_nothing(case: Case, others: list[tuple[int, int]], budget: int | None) -> None:
    one = case.build(budget)
    other = Case(others, case.steps, case.is_symmetric, case.is_irreflexive, case.is_turned).build()
    assert pairs(only_in(one, other)) == sorted(as_set(one) - as_set(other))
    assert pairs(only_in(other, one)) == sorted(as_set(other) - as_set(one))


def test_a_relation_that_was_not_there_is_all_new() -> None:
    relation = VirtualRelation(matrix([(1, 2), (2, 3)]), None)
    change = VirtualChange(None, relation)
    assert change.is_mostly_new
    assert pairs(change.inserted()) == [(1, 2), (1, 3), (2, 3)]
    assert len(change.deleted()) == 0


@pytest.mark.parametrize(
    ("inserted", "deleted", "can_gain", "can_lose"),
    [([], [], False, False), ([(1, 2)], [], True, False), ([], [(1, 2)], False, True), ([(1, 2)], [(3, 4)], True, True)],
)
def test_deltas_bound_what_can_change(
    inserted: list[tuple[int, int]], deleted: list[tuple[int, int]], can_gain: bool, can_lose: bool
) -> None:
    before, after = (VirtualRelation(matrix([(5, 6), *pairs]), None) for pairs in (deleted, inserted))
    change = VirtualChange(before, after, EdgeDelta(matrix(inserted), matrix(deleted)))
    assert (change.can_gain, change.can_lose) == (can_gain, can_lose)


@pytest.mark.parametrize("budget", [None, 0], ids=["bits", "search"])
def test_edges_whose_ends_stay_connected_change_nothing(budget: int | None) -> None:
    chain = [(1, 2), (2, 3), (3, 4)]
    shorter, longer = Case(chain).build(budget), Case([*chain, (1, 3)]).build(budget)
    shortcut, none = matrix([(1, 3)]), matrix([])
    assert not VirtualChange(shorter, longer, EdgeDelta(shortcut, none)).can_gain
    assert not VirtualChange(longer, shorter, EdgeDelta(none, shortcut)).can_lose


def test_without_deltas_anything_can_change() -> None:
    relation = VirtualRelation(matrix([(1, 2)]), None)
    change = VirtualChange(relation, relation)
    assert (change.can_gain, change.can_lose) == (True, True)
    assert len(change.inserted()) == len(change.deleted()) == 0


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "partition" not in kind])
@pytest.mark.parametrize("few", [0, 64])
def test_single_edges_of_a_giant_component(kind: str, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each edge goes and comes back; a component that others lead to and that leads to others may fall apart by it."""
    monkeypatch.setattr(closure_diff, "_FEW", few)
    draws = Random(3)
    edges = [(at, draws.randrange(40)) for at in range(60)] + [(draws.randrange(40), at) for at in range(20, 80)]
    edges = list(dict.fromkeys(edges))
    case = replace(KINDS[kind], starts=edges, steps=None if KINDS[kind].steps is None else edges)
    whole, pairs_of_all = case.build(0), reached(case)
    for at in range(0, len(edges), 3):
        left = [*edges[:at], *edges[at + 1 :]]
        starts = left if case.steps is None else edges
        less = replace(case, starts=starts, steps=None if case.steps is None else left)
        gone, none = matrix([edges[at]]), matrix([])
        steps = None if case.steps is None else EdgeDelta(none, gone)
        after = next_version(
            whole, EdgeDelta(none, gone if steps is None else none), steps, partial(given_by, less), lambda: None
        )
        deleted = VirtualChange(whole, after, EdgeDelta(none, gone if steps is None else none), steps).deleted()
        assert pairs(deleted) == sorted(pairs_of_all - reached(less))
        steps = None if case.steps is None else EdgeDelta(gone, none)
        inserted = VirtualChange(after, whole, EdgeDelta(gone if steps is None else none, none), steps).inserted()
        assert pairs(inserted) == pairs(deleted)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "partition" not in kind])
@pytest.mark.parametrize("few", [0, 64])
def test_several_edges_between_large_components(kind: str, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All ways from one component to the next go at once, or all but one, or some inside; and they come back."""
    monkeypatch.setattr(closure_diff, "_FEW", few)
    draws = Random(5)
    rings = [(low + at, low + (at + 1) % 12) for low in (0, 20, 40) for at in range(12)]
    bridges = [(low + draws.randrange(12), low + 20 + draws.randrange(12)) for low in (0, 20) for _ in range(4)]
    edges = list(dict.fromkeys([*rings, *bridges, (70, 3), (45, 80)]))
    case = replace(KINDS[kind], starts=edges, steps=None if KINDS[kind].steps is None else edges)
    whole, pairs_of_all = case.build(0), reached(case)
    for gone in (bridges[:4], bridges[:3], bridges, [*bridges[4:], rings[0], (70, 3)]):
        left = [edge for edge in edges if edge not in gone]
        less = replace(case, starts=left, steps=None if case.steps is None else left)
        removed, none = matrix(list(dict.fromkeys(gone))), matrix([])
        steps = None if case.steps is None else EdgeDelta(none, removed)
        after = next_version(whole, EdgeDelta(none, removed), steps, partial(given_by, less), lambda: None)
        assert pairs(VirtualChange(whole, after, EdgeDelta(none, removed), steps).deleted()) == sorted(
            pairs_of_all - reached(less)
        )
        steps = None if case.steps is None else EdgeDelta(removed, none)
        assert pairs(VirtualChange(after, whole, EdgeDelta(removed, none), steps).inserted()) == sorted(
            pairs_of_all - reached(less)
        )


@settings(max_examples=60)
@given(
    cases, st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=8), st.sampled_from([None, 0]), st.integers(0, 20)
)
def test_no_more_than_so_many_pairs_are_listed(case: Case, others: list[tuple[int, int]], budget: int | None, most: int) -> None:
    before = case.build(budget)
    after = Case(others, case.steps, case.is_symmetric, case.is_irreflexive, case.is_turned).build(budget)
    came, went = as_set(after) - as_set(before), as_set(before) - as_set(after)
    change = change_of(before, after)
    is_little = change.are_at_most(most)
    if max(len(came), len(went)) <= most:
        assert is_little
    elif case.is_symmetric or budget is None:  # what is searched is listed in pieces
        assert not is_little or len(came | went) <= most + 14
    assert pairs(change.inserted()) == sorted(came)
    assert pairs(change.deleted()) == sorted(went)
