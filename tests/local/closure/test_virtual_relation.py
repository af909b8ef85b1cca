"""Virtual relations against their rules: every kind, with a bit matrix and by graph search."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tidelog.local.closure.connectivity.partition import Partition
from tidelog.local.closure.incremental import EdgeDelta, incremental_version, next_version
from tidelog.local.closure.virtual_relation import VirtualRelation

Pairs = set[tuple[int, int]]


@dataclass(frozen=True)
class Case:
    """External facts S, edges E, and the kind of closure."""

    starts: list[tuple[int, int]]
    steps: list[tuple[int, int]] | None = None
    is_symmetric: bool = False
    is_irreflexive: bool = False
    is_turned: bool = False

    def build(self, budget: int | None = None) -> VirtualRelation:
        if self.is_symmetric:
            return Partition(matrix(self.starts), is_irreflexive=self.is_irreflexive)
        return VirtualRelation(
            matrix(self.starts),
            None if self.steps is None else matrix(self.steps),
            is_irreflexive=self.is_irreflexive,
            is_turned=self.is_turned,
            budget=budget,
        )

    @property
    def expected(self) -> Pairs:
        """All pairs, rule by rule until the fixpoint."""
        found = set(self.starts)
        while True:
            chains = {(x, z) for x, y in found for v, z in found if y == v}
            if self.steps is not None:
                ends = {(x, z) for x, y in found for v, z in self.steps if y == v}
                begins = {(x, z) for x, y in self.steps for v, z in found if y == v}
                chains = begins if self.is_turned else ends
            new = {(x, z) for x, z in chains if not (self.is_irreflexive and x == z)}
            if self.is_symmetric:
                new |= {(y, x) for x, y in found}
            if new <= found:
                return found
            found |= new


def matrix(pairs: list[tuple[int, int]]) -> NDArray[np.int32]:
    return np.array(pairs, np.int32).reshape(-1, 2)


def as_set(relation: VirtualRelation) -> Pairs:
    rows = [(x, y) for x, y in relation.rows.tolist()]
    assert len(rows) == len(set(rows)), "a pair twice"
    return set(rows)


node = st.integers(0, 9) | st.sampled_from((70, 200))
pair_lists = st.lists(st.tuples(node, node), max_size=14, unique=True)
closures = st.builds(Case, pair_lists, st.none(), st.just(False), st.booleans())
partitions = st.builds(Case, pair_lists, st.none(), st.just(True), st.booleans())
linear = st.builds(Case, pair_lists, pair_lists, st.just(False), st.just(False), st.booleans())


@st.composite
def linear_with_base(draw: st.DrawFn) -> Case:
    """The linear kind with an inequality, which needs all steps among the given facts."""
    steps = draw(pair_lists)
    more = [pair for pair in draw(pair_lists) if pair not in steps]
    return Case([*steps, *more], steps, False, True, draw(st.booleans()))


closed = closures | linear | linear_with_base()
"""The cases that are stored as closures."""
cases = closed | partitions


@pytest.mark.parametrize("budget", [None, 0], ids=["bits", "search"])
@given(case=cases)
def test_pairs(budget: int | None, case: Case) -> None:
    relation, expected = case.build(budget), case.expected
    assert relation.is_searched == (budget == 0 and not case.is_symmetric and bool(case.starts or case.steps))
    assert as_set(relation) == expected
    assert len(relation) == len(expected)
    requested = [(x, y) for x in range(11) for y in (*range(11), 70, 200, 1000)]
    assert relation.contains(matrix(requested)).tolist() == [pair in expected for pair in requested]
    assert relation.count_loops() == sum(x == y for x, y in expected)


@pytest.mark.parametrize("budget", [None, 0], ids=["bits", "search"])
@given(case=cases, more=st.lists(st.tuples(node, node), max_size=6), draws=st.randoms())
def test_the_same_pairs_with_other_ids(budget: int | None, case: Case, more: list[tuple[int, int]], draws: Random) -> None:
    """Also of a version that was made from another one, and as one from which the next version is made."""
    relation = case.build(budget)
    added = EdgeDelta(matrix([pair for pair in dict.fromkeys(more) if pair not in case.starts]), matrix([]))
    if case.steps is None and (after := incremental_version(relation, added, None, lambda: None)) is not None:
        relation = after
    before = as_set(relation)
    used = sorted(relation.terms.tolist())
    ids = np.full(max(used, default=0) + 1, -1, np.int32)
    ids[used] = np.arange(len(used), dtype=np.int32)
    other = relation.renumbered(ids, len(used))
    expected = {(int(ids[x]), int(ids[y])) for x, y in before}
    assert as_set(other) == expected
    assert len(other) == len(expected)
    requested = [(x, y) for x in range(len(used) + 1) for y in range(len(used) + 1)]
    assert other.contains(matrix(requested)).tolist() == [pair in expected for pair in requested]
    assert other.count_loops() == sum(x == y for x, y in expected)
    assert as_set(relation) == before
    if case.steps is None and other.terms.size:
        starts = [(int(ids[x]), int(ids[y])) for x, y in {*case.starts, *map(tuple, added.inserted.tolist())}]
        gone = draws.sample(starts, len(starts) // 2)
        new = [(len(used), len(used) + 1), (len(used) + 1, 0)]
        left = [pair for pair in starts if pair not in gone]
        later = next_version(
            other, EdgeDelta(matrix(new), matrix(gone)), None, lambda: (matrix([*left, *new]), None), lambda: None
        )
        again = Case([*left, *new], None, case.is_symmetric, case.is_irreflexive)
        assert as_set(later) == again.expected
        assert as_set(other) == expected


@given(case=cases, most=st.integers(1, 12), budget=st.sampled_from((None, 0)))
def test_pairs_come_in_pieces(case: Case, most: int, budget: int | None) -> None:
    pieces = [list(zip(left.tolist(), right.tolist(), strict=True)) for left, right in case.build(budget).chunks(most)]
    assert sorted(pair for piece in pieces for pair in piece) == sorted(case.expected)
    assert not case.expected or len(pieces) >= len(case.expected) / (most + 12)


def test_a_relation_is_what_its_rows_were() -> None:
    """Later polls do nothing."""
    rows = matrix([(1, 2), (2, 3)])
    relation = VirtualRelation(rows, None)
    rows[:] = 7
    assert as_set(relation) == {(1, 2), (2, 3), (1, 3)}


def test_the_budget_decides() -> None:
    chain = Case([(n, n + 1) for n in range(100)])
    assert not chain.build(8 * 2 * 101).is_searched
    assert chain.build(8 * 2 * 101 - 1).is_searched
    assert len(chain.build(0)) == len(chain.build()) == 5050


def test_a_poll_can_stop_the_build() -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        VirtualRelation(matrix([(1, 2), (2, 3)]), None, poll=stop)


@pytest.mark.parametrize("is_symmetric", [True, False])
def test_nothing(is_symmetric: bool) -> None:
    relation = Case([], is_symmetric=is_symmetric).build()
    assert len(relation) == 0
    assert as_set(relation) == set()
    assert relation.contains(matrix([(0, 0)])).tolist() == [False]
    assert relation.count_loops() == 0


def test_a_plan_needs_no_count() -> None:
    relation = Case([(at, at + 1) for at in range(5000)]).build(budget=0)
    assert relation.is_searched
    assert relation.estimated_size >= 5000
    assert relation._count is None, "counting all pairs takes as long as listing them"
    assert len(relation) == 5000 * 5001 // 2
