"""Incremental maintenance of virtual relations (Add, Del, Red, Diff): each version and each difference against a graph search."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.local.closure.test_virtual_relation import Case, Pairs, as_set, cases, matrix

from tidelog.local.closure.changes import change_of, paths_through
from tidelog.local.closure.connectivity.partition import Partition
from tidelog.local.closure.incremental import EdgeDelta, incremental_version, next_version
from tidelog.local.closure.virtual_relation import VirtualRelation

Edges = list[tuple[int, int]]
KINDS = {
    "closure": Case([]),
    "irreflexive closure": Case([], is_irreflexive=True),
    "partition": Case([], is_symmetric=True),
    "irreflexive partition": Case([], is_symmetric=True, is_irreflexive=True),
    "linear": Case([], []),
    "linear, turned": Case([], [], is_turned=True),
    "irreflexive linear": Case([], [], is_irreflexive=True),
    "irreflexive linear, turned": Case([], [], is_irreflexive=True, is_turned=True),
}


def changed(before: Edges, after: Edges) -> EdgeDelta:
    return EdgeDelta(
        matrix([pair for pair in after if pair not in before]), matrix([pair for pair in before if pair not in after])
    )


def reached(case: Case) -> Pairs:
    """All pairs of a case by graph search: faster than rule by rule."""
    starts, steps = case.starts, case.starts if case.steps is None else case.steps
    if case.is_turned:
        starts, steps = [(y, x) for x, y in starts], [(y, x) for x, y in steps]
    if case.is_symmetric:
        starts = steps = [*starts, *((y, x) for x, y in starts)]
    following: dict[int, list[int]] = {}
    for x, y in steps:
        following.setdefault(x, []).append(y)
    result: Pairs = set()
    for x in {x for x, _ in starts}:
        waiting = [z for y, z in starts if y == x]
        seen = set(waiting)
        while waiting:
            new = [z for z in following.get(waiting.pop(), ()) if z not in seen]
            seen.update(new)
            waiting += new
        result |= {(x, z) for z in seen}
    if case.is_irreflexive:
        result -= {(x, x) for x, _ in result} - set(starts if not case.is_symmetric else case.starts)
    return {(y, x) for x, y in result} if case.is_turned else result


def check(history: list[Case], budget: int | None, *, is_next: bool = False) -> None:
    """Maintain a relation through a history; each version and each difference must be right, and earlier versions unchanged.

    With `is_next`, none may be built from scratch.
    """
    relations, expected = [history[0].build(budget)], [reached(history[0])]
    for old, new in pairwise(history):
        starts = changed(old.starts, new.starts)
        steps = None if old.steps is None or new.steps is None else changed(old.steps, new.steps)
        if is_next:
            relation = following_version(relations[-1], starts, steps)
        else:
            relation = next_version(relations[-1], starts, steps, partial(given_by, new), lambda: None)
        relations.append(relation)
        expected.append(reached(new))
        compare(relation, expected[-1])
        change = change_of(relations[-2], relation, starts, steps)
        assert listed(change.inserted()) == sorted(expected[-1] - expected[-2])
        assert listed(change.deleted()) == sorted(expected[-2] - expected[-1])
    for relation, pairs in zip(relations, expected, strict=True):
        compare(relation, pairs)


def given_by(case: Case) -> tuple[NDArray[np.int32], NDArray[np.int32] | None]:
    return matrix(case.starts), None if case.steps is None else matrix(case.steps)


def following_version(before: VirtualRelation, starts: EdgeDelta, steps: EdgeDelta | None = None) -> VirtualRelation:
    relation = incremental_version(before, starts, steps, lambda: None)
    assert relation is not None, "built from scratch"
    return relation


def listed(rows: NDArray[np.int32]) -> Edges:
    return sorted((x, y) for x, y in rows.tolist())


def compare(relation: VirtualRelation, expected: Pairs) -> None:
    assert as_set(relation) == expected
    assert len(relation) == len(expected)
    ends = sorted({x for pair in expected for x in pair})[:12]
    requested = [(x, y) for x in (*ends, 1000) for y in ends]
    assert relation.contains(matrix(requested)).tolist() == [pair in expected for pair in requested]
    assert relation.count_loops() == sum(x == y for x, y in expected)
    if isinstance(relation, Partition):
        assert sorted(relation.lefts.tolist()) == sorted({x for x, _ in expected})
        return
    is_turned, lefts, rights = ends_of(relation)
    sides = [sorted({x for x, _ in expected}), sorted({y for _, y in expected})]
    assert lefts == sides[is_turned]
    assert set(rights) >= set(sides[not is_turned])  # of E there may be more, which nothing leads to
    check_backward(relation, expected)


def ends_of(relation: VirtualRelation) -> tuple[bool, list[int], list[int]]:
    from tidelog.local.kernel.closures import virtual_access as words

    rights = relation._buffers[words.RIGHTS]
    return bool(relation.words[words.IS_TURNED]), sorted(relation.lefts.tolist()), sorted(rights.tolist())


def check_backward(relation: VirtualRelation, expected: Pairs) -> None:
    from tidelog.local.kernel.closures import pairs
    from tidelog.local.kernel.closures import virtual_access as words

    inverse = {(y, x) for x, y in expected} if relation.words[words.IS_TURNED] else expected
    for y in sorted({y for _, y in inverse})[:6]:
        scratch = np.empty(relation.longest_list, np.int32)
        found = scratch[: pairs.list_ends(relation.words, y, True, scratch)].tolist()
        assert sorted(found) == sorted(x for x, z in inverse if z == y)


def random_history(kind: Case, seed: int, nodes: int, edges: int, updates: int) -> list[Case]:
    """A graph that grows, shrinks and is changed here and there; ids that were never seen come too."""
    rng = random.Random(seed)
    ids = [*range(nodes), 70, 200]

    def some(count: int) -> Edges:
        return [(rng.choice(ids), rng.choice(ids)) for _ in range(count)]

    def next_of(pairs: Edges) -> Edges:
        share = rng.choice((0.0, 0.0, 0.1, 0.3, 0.9))
        kept = [pair for pair in pairs if rng.random() >= share]
        if rng.random() < 0.4 and kept:
            kept.remove(rng.choice(kept))
        return list(dict.fromkeys([*kept, *some(rng.choice((0, 0, 1, 1, 2, edges // 2)))]))

    steps, more = list(dict.fromkeys(some(edges))), some(rng.randrange(6))
    history: list[Case] = []
    for _ in range(updates + 1):
        if kind.steps is None:
            history.append(replace(kind, starts=steps))
        else:
            starts = [*steps, *more] if kind.is_irreflexive or rng.random() < 0.7 else more
            history.append(replace(kind, starts=list(dict.fromkeys(starts)), steps=steps))
        steps, more = next_of(steps), next_of(more)
        if rng.random() < 0.3:
            ids.append(rng.randrange(300))
    return history


@pytest.mark.parametrize("budget", [None, 0, 2000], ids=["bits", "search", "few bits"])
@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 1 << 30), nodes=st.integers(1, 9), edges=st.integers(0, 18))
@settings(max_examples=30)
def test_versions(kind: str, budget: int | None, seed: int, nodes: int, edges: int) -> None:
    check(random_history(KINDS[kind], seed, nodes, edges, 5), budget)


@given(case=cases)
def test_walking_finds_what_rules_derive(case: Case) -> None:
    assert reached(case) == case.expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_small_changes_need_no_new_beginning(kind: str, seed: int) -> None:
    """One edge at a time, of a graph with large components and of one with many."""
    rng = random.Random(seed)
    edges = list(dict.fromkeys((rng.randrange(60), rng.randrange(60)) for _ in range(40 + 30 * seed)))
    history = [replace(KINDS[kind], starts=edges, steps=None if KINDS[kind].steps is None else edges)]
    for _ in range(12):
        edges = [*edges[1:], (rng.randrange(62), rng.randrange(62))] if rng.random() < 0.5 else edges[rng.randrange(3) :]
        edges = list(dict.fromkeys(edges))
        history.append(replace(history[0], starts=edges, steps=None if history[0].steps is None else edges))
    check(history, None, is_next=True)


@pytest.mark.parametrize("is_symmetric", [False, True])
def test_two_versions_after_one(is_symmetric: bool) -> None:
    """As after going back: what the first of them did does not show in the other."""
    first = Case([(1, 2), (2, 3), (4, 5)], is_symmetric=is_symmetric)
    other, third = replace(first, starts=[(1, 2), (3, 9)]), replace(first, starts=[(4, 5), (5, 1), (8, 7)])
    relation = first.build()
    for _ in range(3):
        one = following_version(relation, changed(first.starts, other.starts))
        two = following_version(relation, changed(first.starts, third.starts))
        compare(one, reached(other))
        compare(two, reached(third))
        compare(relation, reached(first))


@pytest.mark.parametrize("is_symmetric", [False, True])
def test_a_large_delta_is_built_from_scratch(is_symmetric: bool) -> None:
    chain = [(n, n + 1) for n in range(3000)]
    before, after = Case(chain, is_symmetric=is_symmetric), Case(chain[::2], is_symmetric=is_symmetric)
    relation, difference = before.build(), changed_quickly(chain, chain[::2])
    assert incremental_version(relation, difference, None, lambda: None) is None
    following = next_version(relation, difference, None, partial(given_by, after), lambda: None)
    assert as_set(following) == reached(after)
    change = change_of(relation, following, difference)
    assert len(change.inserted()) == 0
    assert len(change.deleted()) == len(relation) - len(following)


def changed_quickly(before: Edges, after: Edges) -> EdgeDelta:
    return EdgeDelta(matrix(sorted({*after} - {*before})), matrix(sorted({*before} - {*after})))


def test_rows_are_shared() -> None:
    """A change at the end of a long path changes the rows of all before it, one at its beginning that of one."""
    chain = Case([(n, n + 1) for n in range(500)])
    relation = chain.build()
    first = following_version(relation, EdgeDelta(matrix([]), matrix([(0, 1)])))
    assert first.bit_rows is relation.bit_rows
    assert np.count_nonzero(first.component_row != relation.component_row) == 1
    last = following_version(relation, EdgeDelta(matrix([]), matrix([(499, 500)])))
    assert np.count_nonzero(last.component_row != relation.component_row) == 500


def test_the_number_of_versions_does_not_matter() -> None:
    """Buffers fill up and are replaced; numbers of unused nodes are used again."""
    edges = [(n, n + 1) for n in range(200)]
    for is_symmetric in (False, True):
        case = Case(edges, is_symmetric=is_symmetric)
        relation = case.build()
        for n in range(400):
            now = [*edges[:100], *edges[101:]] if n % 2 == 0 else edges
            now = [*now, (1000 + n, 1001 + n)]
            difference = changed_quickly(case.starts, now)
            case = replace(case, starts=now)
            relation = next_version(relation, difference, None, partial(given_by, case), lambda: None)
        assert as_set(relation) == reached(case)
        assert len(relation.terms) < 1500


@pytest.mark.nightly
@pytest.mark.parametrize("budget", [None, 0, 20_000], ids=["bits", "search", "few bits"])
@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 1 << 30), nodes=st.integers(1, 90), density=st.floats(0.2, 3.0))
@settings(max_examples=400)
def test_many_versions(kind: str, budget: int | None, seed: int, nodes: int, density: float) -> None:
    check(random_history(KINDS[kind], seed, nodes, int(nodes * density), 8), budget)


@pytest.mark.parametrize("kind", ["closure", "irreflexive closure", "linear", "linear, turned"])
def test_a_version_that_many_begin_from_makes_room(kind: str) -> None:
    generator = random.Random(5)
    old = [(n, n + 1) for n in range(20)]
    case = replace(KINDS[kind], starts=old, steps=None if KINDS[kind].steps is None else old)
    before, moved, others = case.build(None), 0, []
    for _ in range(60):
        moved += before.make_room()
        new = [*old[3:], *{(generator.randrange(24), generator.randrange(24)) for _ in range(12)} - set(old)]
        difference = changed(old, new)
        following = following_version(before, difference, None if case.steps is None else difference)
        others.append((following, reached(replace(case, starts=new, steps=None if case.steps is None else new))))
    assert moved
    assert as_set(before) == reached(case)
    for relation, expected in others:
        assert as_set(relation) == expected


# --- what depends on external pairs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", [0, 1 << 28], ids=["search", "bits"])
def test_pairs_that_depend_on_an_edge(budget: int) -> None:
    edges = np.array([[1, 2], [2, 3], [3, 4], [5, 3], [7, 8]], np.int32)
    relation = VirtualRelation(edges, None, budget=budget)
    found = paths_through(relation, edges[1:2], 100)
    assert found is not None
    assert set(map(tuple, found.tolist())) == {(1, 3), (1, 4), (2, 3), (2, 4)}
    assert paths_through(relation, edges[1:2], 3) is None
    nothing = paths_through(relation, edges[:0], 0)
    assert nothing is not None
    assert len(nothing) == 0


def test_pairs_that_depend_on_a_symmetric_edge() -> None:
    edges = np.array([[1, 2], [2, 3], [7, 8]], np.int32)
    found = paths_through(Partition(edges), edges[:2], 100)
    assert found is not None
    assert sorted(map(tuple, found.tolist())) == [(x, y) for x in (1, 2, 3) for y in (1, 2, 3)]
