"""Differences of partitions: as products of what has moved, and between partitions that have nothing in common."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.local.closure.connectivity.checking import built, following
from tests.oracles.connectivity import Edge, pairs

from tidelog.local.closure.connectivity.partition_diff import PartitionChange, only_in

EDGES = st.sets(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=20)


def as_list(rows: NDArray[np.int32]) -> list[Edge]:
    return sorted((x, y) for x, y in rows.tolist())


@given(EDGES, EDGES, st.booleans(), st.booleans())
def test_what_came_and_what_went(first: set[Edge], second: set[Edge], is_irreflexive: bool, is_late: bool) -> None:
    """Read at once, or when the buffers hold a later version."""
    one = built(first, is_irreflexive=is_irreflexive)
    two = following(one, first, second)
    change = PartitionChange(one, two)
    if is_late:
        following(two, second, second - {sorted(second)[0]} | {(0, 40)})
    was, now = (pairs(edges, is_irreflexive=is_irreflexive) for edges in (first, second))
    assert as_list(change.inserted()) == sorted(now - was)
    assert as_list(change.deleted()) == sorted(was - now)
    assert change.can_gain >= bool(now - was)
    assert change.can_lose >= bool(was - now)


@given(EDGES, EDGES, st.booleans())
def test_partitions_with_nothing_in_common(first: set[Edge], second: set[Edge], is_irreflexive: bool) -> None:
    one, two = (built(edges, is_irreflexive=is_irreflexive) for edges in (first, second))
    was, now = (pairs(edges, is_irreflexive=is_irreflexive) for edges in (first, second))
    change = PartitionChange(one, two)
    only_in_two = only_in(two, one)
    assert only_in_two is not None
    assert as_list(change.inserted()) == as_list(only_in_two) == sorted(now - was)
    assert as_list(change.deleted()) == sorted(was - now)


def test_an_edge_inside_of_a_component_changes_nothing_that_one_would_have_to_compute() -> None:
    ring = {(n, (n + 1) % 30) for n in range(30)}
    rng, one, now = random.Random(2), built(ring), ring
    for _ in range(20):
        new = now | {(rng.randrange(30), rng.randrange(30))} if len(now) == 30 else ring
        two = following(one, now, new)
        change = PartitionChange(one, two)
        assert not change.can_gain
        assert not change.can_lose
        one, now = two, new
