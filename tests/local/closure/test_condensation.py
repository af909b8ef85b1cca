"""The buffers of a virtual relation: their addresses, and room for the next versions."""

from __future__ import annotations

import numpy as np
from tests.local.closure.test_virtual_relation import as_set, matrix

from tidelog.local.closure.incremental import EdgeDelta, incremental_version
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.kernel.closures import virtual_access as kernel

CHAIN = [(n, n + 1) for n in range(40)]


def without(pair: tuple[int, int]) -> EdgeDelta:
    return EdgeDelta(matrix([]), matrix([pair]))


def test_the_kernel_knows_the_addresses_of_the_buffers() -> None:
    relation = VirtualRelation(matrix(CHAIN), None)
    assert relation.bit_rows is not None
    assert relation.words[kernel.BITS] == relation.bit_rows.bits.ctypes.data
    assert relation.words[kernel.NODE_OF] == relation.numbering.node_of.ctypes.data
    assert relation.words[kernel.NODE_COUNT] == relation.node_count == 41
    relation.set_words(LOOPS=7)
    assert relation.words[kernel.LOOPS] == 7


def test_members_are_the_ids_of_each_component() -> None:
    relation = VirtualRelation(matrix([(5, 6), (6, 5), (6, 9)]), None)
    members = relation.members
    bounds = zip(members.start.tolist(), members.end.tolist(), strict=True)
    groups = {tuple(sorted(members.pool.buffer[start:end].tolist())) for start, end in bounds if end > start}
    assert groups == {(5, 6), (9,)}


def test_a_version_that_many_updates_start_from_does_not_run_out_of_room() -> None:
    """Each version is dropped, as after a rollback, and leaves its part of the shared buffers used."""
    relation, expected = VirtualRelation(matrix(CHAIN), None), {(x, y) for x in range(41) for y in range(x + 1, 41)}
    moved = 0
    for turn in range(200):
        moved += relation.make_room()
        x, y = CHAIN[turn % len(CHAIN)]
        after = incremental_version(relation, without((x, y)), None, lambda: None)
        assert after is not None
        assert len(after) == len(expected) - (x + 1) * (41 - y)
    assert moved
    assert as_set(relation) == expected


def test_left_and_right_ends() -> None:
    relation = VirtualRelation(matrix(CHAIN), None)
    assert sorted(relation.lefts.tolist()) == list(range(40))
    rights = relation._buffers[kernel.RIGHTS]
    assert np.sort(rights).tolist() == list(range(1, 41))
