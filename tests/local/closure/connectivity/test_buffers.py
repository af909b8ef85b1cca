"""The buffers of a partition: addresses that are always alive, and room that is made in time."""

from __future__ import annotations

from tests.local.closure.connectivity.checking import built, check_buffers, check_pairs, following
from tests.oracles.connectivity import pairs

from tidelog.local.closure.connectivity.buffers import Buffers
from tidelog.local.kernel.closures import virtual_access as virtual
from tidelog.local.kernel.closures.connectivity import words as word
from tidelog.local.kernel.memory import address_of


def test_room_is_made_for_nodes_edges_and_writes() -> None:
    edges = {(0, 1)}
    partition = built(edges)
    rooms = set()
    for turn in range(1, 40):
        new = edges | {(turn % 7, 100 * turn + n) for n in range(12)}
        partition, edges = following(partition, edges, new), new
        words = partition.versions.words
        rooms.add((int(words[word.NODE_ROOM]), int(words[word.POOL_ROOM]), int(words[word.LOG_ROOM])))
    check_pairs(partition, pairs(edges))
    assert all(len({room[at] for room in rooms}) > 1 for at in range(2))


def test_a_merger_larger_than_the_journal() -> None:
    edges = {(0, n) for n in range(1, 2000)} | {(5000, n) for n in range(5001, 8000)}
    first = built(edges)
    check_buffers(second := following(first, edges, edges | {(0, 5000)}), edges | {(0, 5000)})
    assert len(second) == 5000**2
    first.activate()
    check_buffers(first, edges)


def test_only_buffers_with_an_address_are_kept() -> None:
    partition = built({(n, n + 1) for n in range(50)})
    buffers = partition.versions.buffers
    following(partition, {(n, n + 1) for n in range(50)}, {(n, n + 1) for n in range(300)})
    addresses = set(buffers.words.tolist())
    assert all(address_of(buffer) in addresses for buffer in buffers._held)
    assert buffers.nbytes == sum(buffer.nbytes for buffer in buffers._held)


def test_readers_try_again_while_a_buffer_is_being_replaced() -> None:
    buffers: Buffers = built({(1, 2)}).versions.buffers
    assert buffers.for_reading() is not None
    kept = buffers._held
    buffers._held = [buffer for buffer in kept if address_of(buffer) != buffers.words[virtual.TERMS]]
    assert buffers.for_reading() is None
    buffers._held = kept
