"""Versions of a partition, read while later ones are made, also by other threads and by plans."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from tests.local.closure.connectivity.checking import built, check_buffers, check_pairs, following
from tests.oracles.connectivity import pairs

from tidelog.local.closure.connectivity.partition import Partition
from tidelog.local.kernel.closures.connectivity import words as word

CHAIN = {(n, n + 1) for n in range(20)}
CUT = CHAIN - {(9, 10)}


@pytest.mark.parametrize("is_irreflexive", [False, True])
def test_a_version_stays_what_it_was(is_irreflexive: bool) -> None:
    before = built(CHAIN | {(3, 3)}, is_irreflexive=is_irreflexive)
    chunks = before.chunks(30)
    some = [next(chunks)]
    following(before, CHAIN | {(3, 3)}, CUT | {(50, 51), (7, 7)})
    some += chunks  # from now on from a copy
    rows = {(int(x), int(y)) for left, right in some for x, y in zip(left, right, strict=True)}
    assert rows == pairs(CHAIN | {(3, 3)}, is_irreflexive=is_irreflexive)
    check_pairs(before, rows)


def test_shares_are_all_pairs_together() -> None:
    partition = built(CHAIN)
    shares = [
        (int(x), int(y))
        for share in range(3)
        for left, right in partition.chunks(lefts=partition.lefts[share::3])
        for x, y in zip(left, right, strict=True)
    ]
    assert sorted(shares) == sorted(pairs(CHAIN))


def test_a_reader_has_its_own_and_takes_it_along() -> None:
    first = built(CHAIN)
    second = following(first, CHAIN, CUT)
    third = following(second, CUT, CUT | {(3, 50), (60, 61)})
    reader = first.for_reader()
    check_pairs(reader, pairs(CHAIN))
    for version, edges in ((second, CUT), (third, CUT | {(3, 50), (60, 61)}), (first, CHAIN), (third, CUT | {(3, 50), (60, 61)})):
        moved = version.for_reader(reader)
        assert moved._copy is reader._copy
        check_pairs(moved, pairs(edges))
        reader = moved
    check_pairs(third, pairs(CUT | {(3, 50), (60, 61)}))


def test_a_reader_of_other_buffers_is_copied() -> None:
    first, second = built(CHAIN), built(CUT)
    check_pairs(second.for_reader(first.for_reader()), pairs(CUT))
    grown = following(first, CHAIN, CHAIN | {(n, n + 1000) for n in range(90)})
    check_pairs(grown.for_reader(first.for_reader()), pairs(CHAIN | {(n, n + 1000) for n in range(90)}))


def test_a_copy_shares_nothing() -> None:
    first = built(CHAIN)
    second = following(first, CHAIN, CUT)
    copy = first.copied()
    assert first.versions.root is first.point
    other = following(copy, CHAIN, CHAIN | {(70, 71)})
    second.activate()
    check_buffers(second, CUT)
    for version, edges in ((first, CHAIN), (second, CUT), (copy, CHAIN), (other, CHAIN | {(70, 71)})):
        check_pairs(version, pairs(edges))


def test_other_ids() -> None:
    first = built(CHAIN)
    second = following(first, CHAIN, CUT)
    ids = np.arange(100, 121, dtype=np.int32)
    other = second.renumbered(ids, 121)
    edges = {(x + 100, y + 100) for x, y in CUT}
    check_pairs(other, pairs(edges))
    check_pairs(following(other, edges, edges | {(109, 110)}), pairs({(x + 100, y + 100) for x, y in CHAIN}))
    check_pairs(second, pairs(CUT))


def test_threads_read_what_they_hold_while_the_buffers_change() -> None:
    """Each version has a number of pairs of its own; readers list the pairs of versions, current and past ones."""
    edges = {(n, n + 1) for n in range(200)}
    first: Partition = built(edges)
    versions, wrong, is_over = [(first, edges)], list[str](), threading.Event()

    def read() -> None:
        turn = 0
        while not is_over.is_set():
            version, given = versions[-1 - turn % min(3, len(versions))]
            turn += 1
            expected = sum(len(part) ** 2 for part in parts[len(given)])
            found = sum(len(left) for left, _ in version.chunks(500))
            if not found == len(version) == expected:
                wrong.append(f"{found} {len(version)} {expected}")

    parts = {200 - n: [range(201 - n)] for n in range(121)}
    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for n in range(120):
        partition, now = versions[-1]
        new = now - {(199 - n, 200 - n)}
        versions.append((following(partition, now, new), new))
    is_over.set()
    for reader in readers:
        reader.join()
    assert not wrong


def test_plans_meet_nodes_without_pairs_and_find_none() -> None:
    after = following(built({(1, 2), (3, 4)}), {(1, 2), (3, 4)}, {(3, 4)})
    assert after.longest_list == 4
    assert after.words[word.ACTIVE] == 2
    check_pairs(after, pairs({(3, 4)}))
