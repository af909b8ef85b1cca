"""Versions of a digraph: what each says of its nodes is right, whatever was made before, after or beside it."""

from __future__ import annotations

import random
from ctypes import c_int32
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.local.closure.test_virtual_relation import Case, as_set, matrix

from tidelog.local.closure.digraph import Digraph, Seen
from tidelog.local.closure.incremental import EdgeDelta, incremental_version, next_version
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.kernel.digraphs import pages, records

Edges = set[tuple[int, int]]


def word(relation: VirtualRelation, node: int, at: int) -> int:
    """A word of a record, as the kernel would read it."""
    digraph = digraph_of(relation)
    address = int(digraph.node_pages[(node * records.RECORD + at) // pages.PAGE])
    page = np.ctypeslib.as_array((c_int32 * pages.PAGE).from_address(address))
    return int(page[(node * records.RECORD + at) % pages.PAGE])


def digraph_of(relation: VirtualRelation) -> Digraph:
    assert relation.digraph is not None
    return relation.digraph


def check_records(relation: VirtualRelation, edges: Edges) -> None:
    """Components are rings of their nodes, and labels are an order of them, each with labels that no other has."""
    count, node_of = relation.node_count, relation.numbering.node_of
    component = [word(relation, node, records.COMPONENT) for node in range(count)]
    ranges = []
    for first in sorted(set(component)):
        ring, node = [first], word(relation, first, records.NEXT)
        while node != first:
            ring.append(node)
            node = word(relation, node, records.NEXT)
        assert sorted(ring) == [node for node in range(count) if component[node] == first]
        assert word(relation, first, records.SIZE) == len(ring)
        ranges.append((label(relation, first), label(relation, first) + (1 << word(relation, first, records.LABELS))))
    for (_, end), (begin, _) in pairwise(sorted(ranges)):
        assert end <= begin
    for x, y in edges:
        a, b = component[node_of[x]], component[node_of[y]]
        assert a == b or label(relation, a) < label(relation, b)


def label(relation: VirtualRelation, node: int) -> int:
    return (word(relation, node, records.LABEL + 1) << 32) | (word(relation, node, records.LABEL) & 0xFFFFFFFF)


@dataclass
class Graph:
    """A graph that changes, and its closure."""

    relation: VirtualRelation
    edges: Edges

    def changed(self, deleted: Edges, inserted: Edges) -> Graph:
        edges = (self.edges - deleted) | inserted
        delta = EdgeDelta(matrix(sorted(inserted - self.edges)), matrix(sorted(self.edges & deleted - inserted)))
        relation = next_version(self.relation, delta, None, lambda: (matrix(sorted(edges)), None), lambda: None)
        return Graph(relation, edges)

    def check(self) -> None:
        assert as_set(self.relation) == Case(sorted(self.edges)).expected
        assert len(self.relation) == len(Case(sorted(self.edges)).expected)
        if self.relation.digraph is not None:
            check_records(self.relation, self.edges)


def graph_of(edges: Edges) -> Graph:
    return Graph(VirtualRelation(matrix(sorted(edges)), None, budget=0), edges)


pairs = st.tuples(st.integers(0, 7), st.integers(0, 7))
updates = st.lists(st.tuples(st.sets(pairs, max_size=3), st.sets(pairs, max_size=3), st.integers(0, 5)), max_size=10)


@settings(max_examples=150)
@given(st.sets(pairs, min_size=1, max_size=14), updates)
def test_any_version_may_be_the_next_to_start_from(first: set[tuple[int, int]], changes: list[tuple[Edges, Edges, int]]) -> None:
    """Mostly the last one; older versions are dropped, or read again at the end."""
    held, last = [graph_of(first)], graph_of(first)
    for deleted, inserted, choice in changes:
        start = held[choice % len(held)] if choice == 0 else last
        last = start.changed(deleted, inserted)
        last.check()
        if choice >= 4:
            held.append(last)
    for graph in held:
        graph.check()


@pytest.mark.parametrize("seed", range(3))
def test_pages_are_used_again(seed: int) -> None:
    """Enough nodes for many pages, and enough versions that frames come back; every fiftieth version is kept and stays right."""
    rng = random.Random(seed)
    edges = {(x, rng.randrange(max(1, x - 40), x + 1)) for x in range(1, 2000)}
    graph, kept = graph_of(edges), []
    frames = digraph_of(graph.relation).frames
    for turn in range(300):
        gone = set(rng.sample(sorted(graph.edges), 1)) if turn % 2 else set()
        x = rng.randrange(1, 2000)
        graph = graph.changed(gone, {(x, min(2010, x + rng.randrange(-60, 6)))} if not turn % 2 else set())
        if turn % 50 == 0:
            kept.append(graph)
    digraph = digraph_of(graph.relation)
    assert digraph.frames is frames
    assert frames is not None
    assert frames.taken < 300 * 3, "each version takes a few frames, most of which have been used before"
    for one in [*kept, graph]:
        anew = VirtualRelation(matrix(sorted(one.edges)), None)
        assert as_set(one.relation) == as_set(anew)
        assert len(one.relation) == len(anew)


def test_two_owners_do_not_disturb_each_other() -> None:
    """As a knowledge base and its copy: each makes versions of its own from the same one."""
    rng = random.Random(1)
    edges = {(x, x // 2) for x in range(1, 600)}
    one = graph_of(edges)
    two = Graph(one.relation.for_reader(), set(edges))
    for _ in range(40):
        one = one.changed({rng.choice(sorted(one.edges))}, {(rng.randrange(600), rng.randrange(600))})
        two = two.changed({rng.choice(sorted(two.edges))}, {(rng.randrange(600), rng.randrange(600))})
    for graph in (one, two):
        assert as_set(graph.relation) == as_set(VirtualRelation(matrix(sorted(graph.edges)), None))


def test_a_version_that_was_given_up_leaves_nothing_behind() -> None:
    """An exception while a version is made, and after it was made: the next one starts from the version before."""
    graph = graph_of({(x, x + 1) for x in range(700)})

    def stop() -> None:
        calls.append(0)
        if len(calls) == most:
            raise KeyboardInterrupt

    for most in (1, 2):
        calls: list[int] = []
        with pytest.raises(KeyboardInterrupt):
            incremental_version(graph.relation, EdgeDelta(matrix([]), matrix([(5, 6), (600, 601)])), None, stop)
        graph = graph.changed({(300 + most, 301 + most)}, set())
        assert as_set(graph.relation) == as_set(VirtualRelation(matrix(sorted(graph.edges)), None))


def test_a_cycle_that_comes_and_goes_runs_out_of_labels() -> None:
    """Parts share the labels of their component, so there is an end to it; then the version is made from scratch."""
    chain = {(x, x + 1) for x in range(40)}
    graph, others = graph_of(chain), 0
    for _ in range(12):
        graph = graph.changed(set(), {(40, 0)})
        before = graph.relation
        graph = graph.changed({(40, 0)}, set())
        others += digraph_of(before).frames is not digraph_of(graph.relation).frames
        graph.check()
    assert others


def test_how_many_pairs_there_are_by_rows_of_bits() -> None:
    """More than a block of components, a cycle among them, and each with so many successors that a search takes longer."""
    rng = random.Random(3)
    edges = {(x, y) for x in range(700) for y in rng.sample(range(x + 1, 703), min(3, 702 - x))} | {(640, 600), (690, 600)}
    relation = graph_of(edges).relation
    assert len(relation) == len(VirtualRelation(matrix(sorted(edges)), None))


@pytest.mark.nightly
@settings(max_examples=4000)
@given(st.integers(0, 1 << 30), st.integers(2, 60), st.floats(0.3, 2.5))
def test_many_histories(seed: int, nodes: int, density: float) -> None:
    """One edge at a time or some, from the last version or an earlier one; whatever is held stays right."""
    rng = random.Random(seed)

    def some(count: int) -> Edges:
        return {(rng.randrange(nodes), rng.randrange(nodes)) for _ in range(count)}

    last = graph_of(some(int(nodes * density)) or {(0, 1)})
    held = [last]
    for _ in range(12):
        start = rng.choice(held) if rng.random() < 0.2 else last
        gone = set(rng.sample(sorted(start.edges), min(len(start.edges), rng.choice((0, 1, 1, 3)))))
        last = start.changed(gone, some(rng.choice((0, 1, 1, 4))))
        last.check()
        if rng.random() < 0.3:
            held.append(last)
    for graph in held:
        graph.check()


def test_stamps_of_many_searches_begin_again() -> None:
    seen = Seen()
    stamps = seen.stamps_for(10, 5)
    stamps[:] = 3
    seen.searches = 5
    assert seen.stamps_for(10, 5) is stamps
    seen.searches = 2**31 - 3
    assert not seen.stamps_for(10, 5).any()
    assert seen.searches == 0
