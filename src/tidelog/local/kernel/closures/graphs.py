"""Graphs over dense node numbers: adjacency, strongly connected components, the condensation, connected components.

Strongly connected components are those of Tarjan (1972), without recursion; they come out with every component numbered
higher than all that it leads to, so one pass in the order of their numbers closes the condensation.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s, UInt64s
from tidelog.local.kernel.build import kernel, part
from tidelog.local.kernel.memory import ONE, ZERO

Edges = tuple[Int64s, Int64s, Int32s]
"""`start`, `end` and `to`: the neighbours of node u stand in `to` from `start[u]` to `end[u]`."""
Members = tuple[Int64s, Int32s]
"""`start` and `nodes`: the nodes of the i-th component stand from `start[i]` to `start[i + 1]`."""


@kernel
def number_nodes(rows: Int32s, node_of: Int32s, terms: Int32s, count: int) -> int:
    """Give a number to each id in a matrix that has none; `terms` lists the ids by number."""
    for i in range(rows.shape[0]):
        for j in range(2):
            if node_of[rows[i, j]] < 0:
                node_of[rows[i, j]] = count
                terms[count] = rows[i, j]
                count += 1
    return count


@kernel
def renumber(rows: Int32s, node_of: Int32s, source: Int32s, target: Int32s) -> None:
    """The pairs of ids as pairs of nodes."""
    for i in range(rows.shape[0]):
        source[i] = node_of[rows[i, 0]]
        target[i] = node_of[rows[i, 1]]


@kernel
def adjacency(source: Int32s, target: Int32s, start: Int64s, to: Int32s) -> None:
    """Neighbours of each node, one after the other: those of node u stand from start[u] to start[u + 1]."""
    for i in range(len(source)):
        start[source[i] + 1] += 1
    for u in range(len(start) - 1):
        start[u + 1] += start[u]
    for i in range(len(source) - 1, -1, -1):
        # Filled from behind, so that afterwards each start[u + 1] has come down to where u's neighbours begin.
        start[source[i] + 1] -= 1
        to[start[source[i] + 1]] = target[i]
    for u in range(len(start) - 1):
        start[u] = start[u + 1]
    start[len(start) - 1] = len(source)


@kernel
def strong_components(start: Int64s, end: Int64s, to: Int32s, roots: Int32s, scope: Int32s, component: Int32s) -> int:
    """Number the strongly connected components of some nodes; how many there are.

    Only edges between nodes of the same scope are followed, and all nodes of a scope must be among the roots, or none.
    """
    count = len(component)
    low, index = np.zeros(count, np.int32), np.zeros(count, np.int32)  # 0: not seen
    position = np.empty(count, np.int64)
    stack, path = np.empty(len(roots), np.int32), np.empty(len(roots), np.int32)
    stacked, depth, seen, found = 0, 0, 0, 0
    for i in range(len(roots)):
        component[roots[i]] = -1
    for i in range(len(roots)):
        root = roots[i]
        if index[root] != 0:
            continue
        path[0] = root
        depth = 1
        while depth > 0:
            u = path[depth - 1]
            if index[u] == 0:
                seen += 1
                index[u] = low[u] = seen
                position[u] = start[u]
                stack[stacked] = u
                stacked += 1
            descended = False
            while position[u] < end[u]:
                v = to[position[u]]
                position[u] += 1
                if scope[v] != scope[u]:
                    continue
                if index[v] == 0:
                    path[depth] = v
                    depth += 1
                    descended = True
                    break
                if component[v] < 0 and index[v] < low[u]:
                    low[u] = index[v]
            if descended:
                continue
            if low[u] == index[u]:
                while True:
                    stacked -= 1
                    v = stack[stacked]
                    component[v] = found
                    if v == u:
                        break
                found += 1
            depth -= 1
            if depth > 0 and low[u] < low[path[depth - 1]]:
                low[path[depth - 1]] = low[u]
    return found


@kernel
def close(edges: Edges, component: Int32s, members: Members, order: Int32s, row_of: Int32s, bits: UInt64s, tops: Int32s) -> None:
    """Compute what some components reach: a row of bits for each, in an order in which each follows all that it reaches.

    `tops` says for each component up to which word its row has bits.
    """
    start, end, to = edges
    nodes_from, nodes = members
    for i in range(len(order)):
        own = order[i]
        row, top = bits[row_of[own]], np.int32(0)
        for at in range(nodes_from[i], nodes_from[i + 1]):
            u = nodes[at]
            for e in range(start[u], end[u]):
                v = component[to[e]]
                bit = ONE << np.uint64(v & 63)
                if row[v >> 6] & bit != ZERO:
                    continue  # reached already, and so is all behind it
                if v != own:
                    other = bits[row_of[v]]
                    for w in range(tops[v]):
                        row[w] |= other[w]
                    top = max(top, tops[v])
                row[v >> 6] |= bit
                top = max(top, np.int32((v >> 6) + 1))
        tops[own] = top


@kernel
def close_starts(edges: Edges, lefts: Int32s, component: Int32s, row_of: Int32s, rows: Int32s, bits: UInt64s) -> None:
    """Compute the rows of left ends: the components of their right ends, and all that these reach."""
    start, end, to = edges
    words = bits.shape[1]
    for i in range(len(lefts)):
        row = bits[rows[lefts[i]]]
        for e in range(start[lefts[i]], end[lefts[i]]):
            v = component[to[e]]
            bit = ONE << np.uint64(v & 63)
            if row[v >> 6] & bit != ZERO:
                continue
            other = bits[row_of[v]]
            for w in range(words):
                row[w] |= other[w]
            row[v >> 6] |= bit


@kernel
def keep_numbers(found: Int32s, count: int, before: Int32s, numbers: Int32s, size_of: Int32s) -> int:
    """Give components that have the same nodes as before the same numbers, and unused numbers to the others.

    `numbers` gets the number of each component that was found; how many numbers there may be is returned.
    """
    sizes, first = np.zeros(count, np.int32), np.full(count, np.int32(-1))
    same = np.ones(count, np.uint8)
    for u in range(len(found)):
        c = found[u]
        old = before[u] if u < len(before) else np.int32(-1)
        if sizes[c] == 0:
            first[c] = old
        if old < 0 or old != first[c]:
            same[c] = 0
        sizes[c] += 1
    most = np.int64(count)
    for c in range(count):
        if same[c] != 0 and sizes[c] == size_of[first[c]]:
            numbers[c] = first[c]
            most = max(most, np.int64(first[c] + 1))
        else:
            numbers[c] = -1
    is_used = np.zeros(most, np.uint8)
    for c in range(count):
        if numbers[c] >= 0:
            is_used[numbers[c]] = 1
    free = 0
    for c in range(count):
        if numbers[c] < 0:
            while is_used[free] != 0:
                free += 1
            numbers[c] = free
            is_used[free] = 1
    return most


@part
def _root(parent: Int32s, u: int) -> int:
    while parent[u] != u:
        parent[u] = parent[parent[u]]
        u = parent[u]
    return u


@kernel
def connected_components(source: Int32s, target: Int32s, component: Int32s) -> int:
    """Number the connected components; how many there are.  Nodes without edges belong to none."""
    count = len(component)
    parent = np.full(count, np.int32(-1))
    for i in range(len(source)):
        parent[source[i]] = source[i]
        parent[target[i]] = target[i]
    for i in range(len(source)):
        u, v = _root(parent, source[i]), _root(parent, target[i])
        if u != v:
            parent[max(u, v)] = min(u, v)
    found = 0
    for u in range(count):
        if parent[u] < 0:
            component[u] = -1
        elif parent[u] == u:
            component[u] = found
            found += 1
        else:
            component[u] = component[_root(parent, u)]  # a root has a lower number, so it has its component
    return found
