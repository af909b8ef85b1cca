"""Graph algorithms over node numbers, against rustworkx and against doing it by hand."""

from __future__ import annotations

import numpy as np
import rustworkx
from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel.closures import graphs

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


def strong_components(count: int, edges: Edges) -> tuple[int, Int32s]:
    """How many there are, and that of each node."""
    start, to = adjacent(count, edges)
    nodes, component = np.arange(count, dtype=np.int32), np.empty(count, np.int32)
    return graphs.strong_components(start[:-1], start[1:], to, nodes, np.zeros_like(nodes), component), component


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
    found, component = strong_components(count, edges)
    directed = rustworkx.PyDiGraph()
    directed.add_nodes_from(range(count))
    directed.add_edges_from_no_data(edges)
    expected = {frozenset(nodes) for nodes in rustworkx.strongly_connected_components(directed)}
    assert {frozenset(np.flatnonzero(component == c).tolist()) for c in range(found)} == expected
    assert all(component[u] >= component[v] for u, v in edges), "a component leads to lower numbers"


@given(random_graphs())
def test_closure(graph: tuple[int, Edges]) -> None:
    count, edges = graph
    found, component = strong_components(count, edges)
    bits, order = np.zeros((found, (found + 63) // 64), np.uint64), np.arange(found, dtype=np.int32)
    start, to = adjacent(count, edges)
    nodes_from, members, tops = np.zeros(found + 1, np.int64), np.empty(count, np.int32), np.zeros(found, np.int32)
    graphs.adjacency(component, np.arange(count, dtype=np.int32), nodes_from, members)
    for begin in range(found):  # in pieces, as between two looks at the clock
        piece = nodes_from[begin : begin + 2], members
        graphs.close((start[:-1], start[1:], to), component, piece, order[begin : begin + 1], order, bits, tops)
    for u, nodes in enumerate(reached(count, edges)):
        row = bits[component[u]]
        assert {c for c in range(found) if int(row[c >> 6]) >> (c & 63) & 1} == {int(component[v]) for v in nodes}


@given(random_graphs(), st.lists(st.integers(0, 3), min_size=80, max_size=80))
def test_strong_components_of_some_nodes(graph: tuple[int, Edges], scopes: list[int]) -> None:
    """Those of the nodes of scopes 0 and 1, without edges between two scopes."""
    count, edges = graph
    start, to = adjacent(count, edges)
    nodes, scope = [u for u in range(count) if scopes[u] < 2], np.array(scopes[:count], np.int32)
    component = np.full(count, 77, np.int32)
    found = graphs.strong_components(start[:-1], start[1:], to, np.array(nodes, np.int32), scope, component)
    directed = rustworkx.PyDiGraph()
    directed.add_nodes_from(range(count))
    directed.add_edges_from_no_data([(u, v) for u, v in edges if scopes[u] == scopes[v]])
    expected = {frozenset(some) for some in rustworkx.strongly_connected_components(directed) if scopes[min(some)] < 2}
    assert {frozenset(u for u in nodes if component[u] == c) for c in range(found)} == expected
    assert all(component[u] == 77 for u in range(count) if u not in nodes)


@given(random_graphs())
def test_components_keep_their_numbers(graph: tuple[int, Edges]) -> None:
    """Those with the same nodes, if some edges go."""
    count, edges = graph
    found, before = strong_components(count, edges)
    now, after = strong_components(count, edges[: len(edges) // 2])
    numbers, sizes = np.empty(now, np.int32), np.bincount(before, minlength=found).astype(np.int32)
    most = graphs.keep_numbers(after, now, before, numbers, sizes)
    assert len(set(numbers.tolist())) == now
    assert all(0 <= number < most for number in numbers)
    for c in range(now):
        nodes = np.flatnonzero(after == c)
        old = before[nodes[0]]
        if set(np.flatnonzero(before == old).tolist()) == set(nodes.tolist()):
            assert numbers[c] == old


@given(random_graphs())
def test_connected_components(graph: tuple[int, Edges]) -> None:
    count, edges = graph
    component = np.empty(count, np.int32)
    found = graphs.connected_components(*columns(edges), component)
    undirected = rustworkx.PyGraph()
    undirected.add_nodes_from(range(count))
    undirected.add_edges_from_no_data(edges)
    alone = set(range(count)) - {u for edge in edges for u in edge}
    expected = {frozenset(nodes) for nodes in rustworkx.connected_components(undirected)} - {frozenset({u}) for u in alone}
    assert {frozenset(np.flatnonzero(component == c).tolist()) for c in range(found)} == expected
    assert alone == set(np.flatnonzero(component < 0).tolist())


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
    assert strong_components(count, edges)[0] == count
    assert strong_components(count, [*edges, (count - 1, 0)])[0] == 1
    assert graphs.connected_components(*columns(edges[::-1]), component) == 1
