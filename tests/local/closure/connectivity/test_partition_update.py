"""Partitions changed in place: every version, and what its buffers say, against plain Python."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.local.closure.connectivity.checking import built, check_buffers, check_pairs, following, matrix
from tests.oracles.connectivity import Edge, pairs

from tidelog.local.closure.connectivity import partition_update
from tidelog.local.closure.connectivity.partition_update import changed
from tidelog.local.kernel.closures.connectivity import words as word


def edges_of(rng: random.Random, nodes: int, count: int) -> set[Edge]:
    return {(rng.randrange(nodes), rng.randrange(nodes)) for _ in range(count)}


def live(seed: int, nodes: int, density: float, updates: int) -> None:
    """A graph that changes here and there; now and then the next version is made from an earlier one."""
    rng = random.Random(seed)
    edges, is_irreflexive = edges_of(rng, nodes, 1 + int(nodes * density)), rng.random() < 0.3
    partition = built(edges, is_irreflexive=is_irreflexive)
    history = [(partition, edges)]
    for _ in range(updates):
        if rng.random() < 0.2:
            partition, edges = rng.choice(history)
        share = rng.choice((0.0, 0.0, 0.05, 0.3))
        gone = {edge for edge in sorted(edges) if rng.random() < share} or set(rng.sample(sorted(edges), min(1, len(edges))))
        new = (edges - gone) | (edges_of(rng, nodes + rng.randrange(3), rng.choice((0, 1, 1, 3))) - gone)
        after = changed(partition, matrix(new - edges), matrix(edges - new), lambda: None)
        if after is None:
            after = built(new, is_irreflexive=is_irreflexive)
        else:
            check_buffers(after, new)
        if rng.random() < 0.5:
            check_pairs(after, pairs(new, is_irreflexive=is_irreflexive))
        partition, edges = after, new
        history.append((partition, edges))
    for version, given_then in history:
        check_pairs(version, pairs(given_then, is_irreflexive=is_irreflexive))


@given(seed=st.integers(0, 1 << 30), nodes=st.integers(1, 30), density=st.floats(0.3, 2.5))
@settings(max_examples=60)
def test_random_histories(seed: int, nodes: int, density: float) -> None:
    live(seed, nodes, density, 8)


@pytest.mark.nightly
@given(seed=st.integers(0, 1 << 30), nodes=st.integers(1, 120), density=st.floats(0.3, 4.0))
@settings(max_examples=5000)
def test_many_random_histories(seed: int, nodes: int, density: float) -> None:
    live(seed, nodes, density, 14)


def one_by_one(edges: set[Edge], seed: int) -> None:
    """All edges go in a random order, and come back."""
    order = sorted(edges)
    random.Random(seed).shuffle(order)
    partition, now = built(edges), set(edges)
    for edge in order:
        partition = following(partition, now, now - {edge})
        now = now - {edge}
        assert len(partition) == len(pairs(now))
    for edge in order:
        after = changed(partition, matrix({edge}), matrix(set()), lambda: None)
        partition, now = after or built(now | {edge}), now | {edge}
        check_buffers(partition, now) if after is not None else None
        assert len(partition) == len(pairs(now))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    "edges",
    [
        pytest.param({(n, n + 1) for n in range(30)}, id="chain"),
        pytest.param({(n, (n + 1) % 25) for n in range(25)}, id="ring"),
        pytest.param({(0, n) for n in range(1, 30)}, id="star"),
        pytest.param({(x, y) for x in range(8) for y in range(x)}, id="clique"),
        pytest.param({(x, y) for x in range(5) for y in range(5)}, id="both ways, with loops"),
        pytest.param({(5 * x + y, 5 * x + y + d) for x in range(5) for y in range(4) for d in (1, 5)}, id="grid"),
        pytest.param({(x + c, y + c) for c in (0, 10) for x in range(6) for y in range(x)} | {(0, 10)}, id="bridge"),
    ],
)
def test_every_edge_of_a_graph_goes_and_comes_back(edges: set[Edge], seed: int) -> None:
    one_by_one(edges, seed)


def test_an_edge_whose_ends_stay_connected_changes_no_component() -> None:
    edges = {(n, (n + 1) % 6) for n in range(6)} | {(0, 3)}
    partition = built(edges)
    for edge in sorted(edges):
        after = following(partition, edges, edges - {edge})
        assert not after.point.loses or after.point is partition.point
        again = following(after, edges - {edge}, edges)
        assert not again.point.gains
        partition = again


def test_the_smaller_side_is_relabelled() -> None:
    edges = {(1, 2), (2, 3), (3, 4), (7, 8)}
    before = built(edges)
    numbers = dict(zip(*(side.tolist() for side in before.components()), strict=True))
    merged = following(before, edges, edges | {(8, 1)})
    assert set(merged.components()[1].tolist()) == {numbers[1]}
    split = following(merged, edges | {(8, 1)}, edges)
    after = dict(zip(*(side.tolist() for side in split.components()), strict=True))
    assert {after[n] for n in (1, 2, 3, 4)} == {numbers[1]}
    assert after[7] == after[8] != numbers[1]


def test_a_node_without_edges_has_no_pairs() -> None:
    edges = {(1, 2), (2, 3), (5, 5)}
    after = following(built(edges), edges, {(1, 2)})
    check_pairs(after, {(1, 1), (1, 2), (2, 1), (2, 2)})


def test_a_large_delta_and_nodes_of_which_most_are_unused_are_built_from_scratch() -> None:
    chain = {(n, n + 1) for n in range(3000)}
    before = built(chain)
    assert changed(before, matrix(set()), matrix({edge for edge in chain if edge[0] % 2}), lambda: None) is None
    check_buffers(following(before, chain, chain - {(7, 8)}), chain - {(7, 8)})
    before, now = built(chain), chain
    for first in range(0, 2400, 400):
        new = now - {(n, n + 1) for n in range(first, first + 400)}
        before, now = following(before, now, new), new
    assert changed(before, matrix({(1, 2)}), matrix(set()), lambda: None) is None


def test_what_takes_too_long_is_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    edges = {(n, n + 1) for n in range(400)}
    before = built(edges)
    following(before, edges, edges - {(3, 4)})
    before.activate()
    monkeypatch.setattr(partition_update, "_STEPS", -int(before.versions.words[word.POOL_ROOM]))
    assert changed(before, matrix({(900, 901)}), matrix({(200, 201)}), lambda: None) is None
    check_buffers(before, edges)
    check_pairs(before, pairs(edges))
