"""The way from version to version: back, forth and to branches, with interruptions, and without keeping what nobody holds."""

from __future__ import annotations

import gc
import random
import weakref

import pytest
from tests.injection import Injected, Injector
from tests.local.closure.connectivity.checking import built, check_buffers, check_pairs, following, matrix
from tests.oracles.connectivity import Edge, pairs

from tidelog.local.closure.connectivity import partition_versions as module
from tidelog.local.closure.connectivity.partition_update import changed


def test_back_and_forth_between_branches() -> None:
    rng = random.Random(3)
    edges = {(rng.randrange(30), rng.randrange(30)) for _ in range(40)}
    known = [(built(edges), edges)]
    for _ in range(40):
        partition, edges = rng.choice(known)
        new = edges - {rng.choice(sorted(edges))} | {(rng.randrange(30), rng.randrange(30))}
        known.append((following(partition, edges, new), new))
    for partition, edges in rng.sample(known, len(known)):
        partition.activate()
        check_buffers(partition, edges)
    for partition, edges in known:
        check_pairs(partition, pairs(edges))


def test_versions_that_nobody_holds_are_free() -> None:
    edges = {(n, n + 1) for n in range(30)}
    partition = built(edges)
    gone = weakref.ref(partition)
    for n in range(20):
        partition = following(partition, edges, edges - {(n, n + 1)})
        edges = edges - {(n, n + 1)}
    gc.collect()
    assert gone() is None
    assert partition.versions.root.link is None


def test_versions_far_away_part_from_the_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PATIENCE", -100_000)
    edges = {(n, n + 1) for n in range(30)}
    first = partition = built(edges)
    following(partition, edges, edges - {(4, 5)})
    partition.activate()
    for n in range(29):
        partition = following(partition, edges, edges - {(n, n + 1)})
        edges = edges - {(n, n + 1)}
    assert first.point.link is None
    check_pairs(first, pairs({(n, n + 1) for n in range(30)}))


@pytest.mark.parametrize("by", ["call", "opcode"])
def test_an_exception_at_any_moment_leaves_the_version_before(by: str) -> None:
    """Room is made for nodes, for edges and in the journal, and more than one version is undone."""
    rng = random.Random(1)
    edges = {(n, (n * n) % 40) for n in range(1, 40)}
    before = built(edges)
    new: set[Edge] = {(rng.randrange(60, 200), rng.randrange(60)) for _ in range(120)}
    moment, step = 0, 1 if by == "call" else 101
    while True:
        moment += step
        try:
            with Injector([moment], by).injecting():
                after = changed(before, matrix(new), matrix(set(sorted(edges)[::3])), lambda: None)
                assert after is not None
                again = changed(after, matrix({(1, 2)} - edges - new), matrix(set()), lambda: None)
                before.activate()
            break
        except Injected:
            before.activate()
            before.versions.begin()
            if moment % 5 == 0:
                check_buffers(before, edges)
    assert again is not None
    check_pairs(after, pairs(edges - set(sorted(edges)[::3]) | new))
    check_buffers(before, edges)
    check_pairs(before, pairs(edges))
    assert moment > 15
