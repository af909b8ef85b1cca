"""Node numbers and adjacency lists: versions share buffers and do not see one another's changes."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.local.closure.test_virtual_relation import matrix

from tidelog.local.closure.adjacency import Lists, Numbering, is_crowded, spare_room

Edges = list[tuple[int, int]]
EDGES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), max_size=25, unique=True)
COUNT = 6


def int32s(values: list[int]) -> NDArray[np.int32]:
    return np.array(values, np.int32)


def columns(edges: Edges) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    return int32s([x for x, _ in edges]), int32s([y for _, y in edges])


def lists_of(edges: Edges, room: int = 400) -> Lists:
    return Lists.from_pairs(*columns(edges), COUNT, room)


def edges_in(lists: Lists) -> Counter[tuple[int, int]]:
    bounds = enumerate(zip(lists.start.tolist(), lists.end.tolist(), strict=True))
    return Counter((key, int(value)) for key, (start, end) in bounds for value in lists.pool.buffer[start:end])


@given(EDGES, EDGES, EDGES)
def test_versions_share_a_pool(first: Edges, inserted: Edges, deleted: Edges) -> None:
    before = lists_of(first)
    after = before.copied(COUNT)
    new = [edge for edge in inserted if edge not in first]
    old = [edge for edge in deleted if edge in first]
    assert after.delete(*columns(old))
    assert after.insert(*columns(new))
    assert edges_in(before) == Counter(first)
    assert edges_in(after) == Counter({*first, *new} - {*old})
    assert after.pool is before.pool
    compacted = after.compacted()
    assert edges_in(compacted) == edges_in(after)
    assert compacted.pool is not after.pool
    assert compacted.pool.used == sum(edges_in(after).values())


def test_more_lists_than_before_are_empty() -> None:
    larger = lists_of([(0, 1), (5, 2)]).copied(COUNT + 2)
    assert edges_in(larger) == Counter([(0, 1), (5, 2)])
    assert larger.insert(int32s([7]), int32s([3]))
    assert edges_in(larger)[7, 3] == 1


def test_without_room_nothing_is_inserted() -> None:
    full = lists_of([(0, 1), (1, 2)], room=0)
    assert is_crowded(full.pool.used, len(full.pool.buffer))
    assert not full.insert(int32s([0]), int32s([9]))


def test_spare_room_is_not_crowded() -> None:
    for count in (0, 10, 100_000):
        assert not is_crowded(count, count + spare_room(count))
        assert is_crowded(count, count)


def test_a_numbering_is_extended_in_place_by_its_last_version_only() -> None:
    first = Numbering(10, 20).extended(0, matrix([(3, 1), (1, 7)]))
    assert first.terms[: first.count].tolist() == [3, 1, 7]
    later = first.extended(3, matrix([(8, 3)]))
    assert later is first
    assert later.terms[: later.count].tolist() == [3, 1, 7, 8]
    other = first.extended(3, matrix([(9, 3)]))  # from the version with three nodes, while another has four
    assert other is not first
    assert other.terms[: other.count].tolist() == [3, 1, 7, 9]
    assert first.terms[: first.count].tolist() == [3, 1, 7, 8]
    source, target = other.nodes(matrix([(9, 1), (7, 3)]))
    assert (source.tolist(), target.tolist()) == ([3, 2], [1, 0])


def test_a_numbering_grows_with_the_ids() -> None:
    numbering = Numbering(2, 2).extended(0, matrix([(0, 1)]))
    larger = numbering.extended(2, matrix([(500, 0)]))
    assert larger.terms[: larger.count].tolist() == [0, 1, 500]
    assert int(larger.node_of[500]) == 2
