"""Partitions against plain Python, and what must hold of their buffers after every update."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from tests.oracles import connectivity as oracle
from tests.oracles.connectivity import Edge

from tidelog.local.closure.connectivity.buffers import Buffers
from tidelog.local.closure.connectivity.partition import Partition
from tidelog.local.closure.connectivity.partition_update import changed
from tidelog.local.kernel.closures import virtual_access as virtual
from tidelog.local.kernel.closures.connectivity import words as word


def matrix(edges: set[Edge]) -> NDArray[np.int32]:
    return np.array(sorted(edges), np.int32).reshape(-1, 2)


def built(edges: set[Edge], *, is_irreflexive: bool = False) -> Partition:
    return Partition(matrix(edges), is_irreflexive=is_irreflexive)


def following(before: Partition, old: set[Edge], new: set[Edge]) -> Partition:
    """The next version, changed in place."""
    after = changed(before, matrix(new - old), matrix(old - new), lambda: None)
    assert after is not None, "built from scratch"
    check_buffers(after, new)
    return after


def check_pairs(partition: Partition, expected: set[Edge]) -> None:
    rows = [(x, y) for x, y in partition.rows.tolist()]
    assert len(rows) == len(set(rows)) == len(partition)
    assert set(rows) == expected
    assert partition.count_loops() == sum(x == y for x, y in expected)
    ends = sorted({x for x, _ in expected})
    assert sorted(partition.lefts.tolist()) == ends
    requested = [(x, y) for x in (*ends[:8], 5000) for y in ends[-8:]]
    assert partition.contains(np.array(requested, np.int32).reshape(-1, 2)).tolist() == [pair in expected for pair in requested]


def check_buffers(partition: Partition, edges: set[Edge]) -> None:
    """Lists, rings and labels say the same of the current version, and the edges that span connect what all edges connect."""
    buffers = partition.versions.buffers
    nodes = range(buffers.node_count)
    at = {place: numbers(buffers, place) for place in (*range(word.NEXT, word.MATE + 1), virtual.COMPONENT, virtual.TERMS)}
    to, mate, terms = at[word.TO], at[word.MATE], at[virtual.TERMS]
    all_edges, spanning = list[Edge](), set[Edge]()
    for node in nodes:
        start, tree, end, limit = (at[place][node] for place in (word.EDGE_START, word.TREE_END, word.EDGE_END, word.EDGE_LIMIT))
        assert start <= tree <= end <= limit
        for place in range(start, end):
            other, there = to[place], mate[place]
            assert (to[there], mate[there]) == (node, place)
            assert at[word.EDGE_START][other] <= there < at[word.EDGE_END][other]
            assert (place < tree) == (there < at[word.TREE_END][other]), "an edge spans at both ends or at none"
            all_edges.append((terms[node], terms[other]))
            if place < tree:
                spanning.add((terms[node], terms[other]))
    given = [(x, y) for x, y in edges if x != y]
    assert sorted(all_edges) == sorted([*given, *((y, x) for x, y in given)])
    assert {terms[node] for node in nodes if at[word.LOOP][node]} == {x for x, y in edges if x == y}
    wanted = sorted(sorted(part) for part in oracle.components(given))
    assert sorted(sorted(part) for part in oracle.components(spanning)) == wanted
    check_rings(at, partition, edges)


def check_rings(at: dict[int, list[int]], partition: Partition, edges: set[Edge]) -> None:
    words, terms, found = partition.versions.words, at[virtual.TERMS], list[list[int]]()
    unused, free = set[int](), int(words[word.FREE])
    while free >= 0:
        assert at[word.SIZE][free] == 0
        assert free not in unused
        unused.add(free)
        free = at[word.HEAD][free]
    for number in range(int(words[word.NUMBERS])):
        if number in unused:
            continue
        node, ring = at[word.HEAD][number], list[int]()
        for _ in range(at[word.SIZE][number]):
            assert at[virtual.COMPONENT][node] == number
            assert at[word.PREVIOUS][at[word.NEXT][node]] == node
            ring.append(terms[node])
            node = at[word.NEXT][node]
        assert node == at[word.HEAD][number]
        found.append(sorted(ring))
    assert sorted(found) == sorted(sorted(part) for part in oracle.components(edges))
    sizes = [len(ring) for ring in found]
    assert (words[word.ACTIVE], words[word.SQUARES]) == (sum(sizes), sum(size * size for size in sizes))
    assert words[word.LOOP_COUNT] == sum(x == y for x, y in edges)
    assert not words[word.LOG_COUNT]


def numbers(buffers: Buffers, place: int) -> list[int]:
    return [int(number) for number in buffers.at(place)]
