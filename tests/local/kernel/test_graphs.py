"""Graph algorithms over node numbers, against rustworkx and against doing it by hand."""

from __future__ import annotations

import numpy as np
import rustworkx
from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog.local.kernel import graphs
from tidelog.local.kernel.memory import Int32s, Int64s

Edges = list[tuple[int, int]]


@st.composite
def random_graphs(draw: st.DrawFn) -> tuple[int, Edges]:
    """How many nodes there are, and edges, which may be repeated and be loops."""
    count = draw(st.integers(1, 80))
    node = st.integers(0, count - 1)
    return count, draw(st.lists(st.tuples(node, node), max_size=2 * count))


def columns(edges: Edges) -> tuple[Int32s, Int32s]:
    matrix = np.array(edges, np.int32).reshape(-1, 2)
    return np.ascontiguousarray(matrix[:, 0]), np.ascontiguousarray(matrix[:, 1])


def adjacent(count: int, edges: Edges) -> tuple[Int64s, Int32s]:
    start, to = np.zeros(count + 1, np.int64), np.empty(len(edges), np.int32)
    graphs.adjacency(*columns(edges), start, to)
    return start, to


def reached(count: int, edges: Edges) -> list[set[int]]:
    """For each node all nodes that a path of at least one edge leads to."""
    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(range(count))
    graph.add_edges_from_no_data(edges)
    following = [set(graph.successor_indices(u)) for u in range(count)]
    return [{w for v in following[u] for w in ({v} | rustworkx.descendants(graph, v))} for u in range(count)]


@given(random_graphs())
def test_adjacency(graph: tuple[int, Edges]) -> None:
    count, edges = graph
    start, to = adjacent(count, edges)
    assert start[0] == 0
    assert start[-1] == len(edges)
    for u in range(count):
        assert to[start[u] : start[u + 1]].tolist() == [v for source, v in edges if source == u]


@given(random_graphs())
def test_strong_components(graph: tuple[int, Edges]) -> None:
    count, edges = graph
    component = np.empty(count, np.int32)
    found = graphs.strong_components(*adjacent(count, edges), component)
    directed = rustworkx.PyDiGraph()
    directed.add_nodes_from(range(count))
    directed.add_edges_from_no_data(edges)
    expected = {frozenset(nodes) for nodes in rustworkx.strongly_connected_components(directed)}
    assert {frozenset(np.flatnonzero(component == c).tolist()) for c in range(found)} == expected
    assert all(component[u] >= component[v] for u, v in edges), "a component leads to lower numbers"


@given(random_graphs())
def test_closure(graph: tuple[int, Edges]) -> None:
    count, edges = graph
    source, target = columns(edges)
    component = np.empty(count, np.int32)
    found = graphs.strong_components(*adjacent(count, edges), component)
    is_cyclic = np.zeros(found, np.uint8)
    above, below = np.empty(len(edges), np.int32), np.empty(len(edges), np.int32)
    between = graphs.condense(source, target, component, is_cyclic, above, below)
    condensed = list(zip(above[:between].tolist(), below[:between].tolist(), strict=True))
    assert condensed == [(component[u], component[v]) for u, v in edges if component[u] != component[v]]
    bits = np.zeros((found, (found + 63) // 64), np.uint64)
    steps = adjacent(found, condensed)
    for begin in range(found):  # in pieces, as between two looks at the clock
        graphs.close(*steps, is_cyclic, bits, begin, begin + 1)
    for u, nodes in enumerate(reached(count, edges)):
        row = bits[component[u]]
        assert {c for c in range(found) if int(row[c >> 6]) >> (c & 63) & 1} == {int(component[v]) for v in nodes}


@given(random_graphs())
def test_connected_components(graph: tuple[int, Edges]) -> None:
    count, edges = graph
    component = np.empty(count, np.int32)
    found = graphs.connected_components(*columns(edges), component)
    undirected = rustworkx.PyGraph()
    undirected.add_nodes_from(range(count))
    undirected.add_edges_from_no_data(edges)
    expected = {frozenset(nodes) for nodes in rustworkx.connected_components(undirected)}
    assert {frozenset(np.flatnonzero(component == c).tolist()) for c in range(found)} == expected


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=20))
@settings(max_examples=50)
def test_nodes_are_numbered_as_they_come(pairs: Edges) -> None:
    rows = np.array(pairs, np.int32).reshape(-1, 2)
    node_of, terms = np.full(31, -1, np.int32), np.empty(31, np.int32)
    count = graphs.number_nodes(rows, node_of, terms, 0)
    expected = list(dict.fromkeys(x for pair in pairs for x in pair))
    assert terms[:count].tolist() == expected
    assert [node_of[x] for x in expected] == list(range(count))
    source, target = np.empty(len(rows), np.int32), np.empty(len(rows), np.int32)
    graphs.renumber(rows, node_of, source, target)
    assert [(terms[u], terms[v]) for u, v in zip(source, target, strict=True)] == pairs


def test_a_long_path_needs_no_recursion() -> None:
    count = 100_000
    edges = [(u, u + 1) for u in range(count - 1)]
    component = np.empty(count, np.int32)
    assert graphs.strong_components(*adjacent(count, edges), component) == count
    assert graphs.strong_components(*adjacent(count, [*edges, (count - 1, 0)]), component) == 1
    assert graphs.connected_components(*columns(edges[::-1]), component) == 1
