"""Graphs over dense node numbers: adjacency, strongly connected components, the condensation, connected components.

Strongly connected components are those of Tarjan (1972), without recursion; they come out with every component numbered
higher than all that it leads to, so one pass in the order of their numbers closes the condensation.
"""

from __future__ import annotations

import numpy as np

from tidelog.local.kernel.build import kernel, part
from tidelog.local.kernel.memory import Bytes, Int32s, Int64s, UInt64s


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
def strong_components(start: Int64s, to: Int32s, component: Int32s) -> int:
    """Number the strongly connected components; how many there are."""
    count = len(component)
    low, index = np.zeros(count, np.int32), np.zeros(count, np.int32)  # 0: not seen
    position = np.empty(count, np.int64)
    stack, path = np.empty(count, np.int32), np.empty(count, np.int32)
    stacked, depth, seen, found = 0, 0, 0, 0
    component[:] = -1
    for root in range(count):
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
            while position[u] < start[u + 1]:
                v = to[position[u]]
                position[u] += 1
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
def condense(source: Int32s, target: Int32s, component: Int32s, is_cyclic: Bytes, above: Int32s, below: Int32s) -> int:
    """The edges between components, perhaps repeated, and which components have a cycle; how many edges there are."""
    count = 0
    for i in range(len(source)):
        u, v = component[source[i]], component[target[i]]
        if u == v:
            is_cyclic[u] = 1
        else:
            above[count] = u
            below[count] = v
            count += 1
    return count


@kernel
def close(start: Int64s, to: Int32s, is_cyclic: Bytes, bits: UInt64s, begin: int, end: int) -> None:
    """The rows of components from `begin` to `end`: all components that they lead to."""
    words = bits.shape[1]
    for u in range(begin, end):
        row = bits[u]
        if is_cyclic[u]:
            row[u >> 6] |= np.uint64(1) << np.uint64(u & 63)
        for e in range(start[u], start[u + 1]):
            v = to[e]
            if (row[v >> 6] >> np.uint64(v & 63)) & np.uint64(1):
                continue  # reached already, and so is all behind it
            other = bits[v]
            for w in range(min(words, (v >> 6) + 1)):  # a component leads to lower numbers only
                row[w] |= other[w]
            row[v >> 6] |= np.uint64(1) << np.uint64(v & 63)


@kernel
def close_starts(
    start: Int64s, to: Int32s, lefts: Int32s, component: Int32s, bits: UInt64s, rows: UInt64s, begin: int, end: int
) -> None:
    """The rows of left ends: the component of each start, and all that it leads to."""
    words = bits.shape[1]
    for i in range(begin, end):
        row = rows[i]
        for e in range(start[lefts[i]], start[lefts[i] + 1]):
            v = component[to[e]]
            if (row[v >> 6] >> np.uint64(v & 63)) & np.uint64(1):
                continue
            other = bits[v]
            for w in range(words):
                row[w] |= other[w]
            row[v >> 6] |= np.uint64(1) << np.uint64(v & 63)


@part
def _root(parent: Int32s, u: int) -> int:
    while parent[u] != u:
        parent[u] = parent[parent[u]]
        u = parent[u]
    return u


@kernel
def connected_components(source: Int32s, target: Int32s, component: Int32s) -> int:
    """Number the connected components; how many there are."""
    count = len(component)
    parent = np.empty(count, np.int32)
    for u in range(count):
        parent[u] = u
    for i in range(len(source)):
        u, v = _root(parent, source[i]), _root(parent, target[i])
        if u != v:
            parent[max(u, v)] = min(u, v)
    found = 0
    for u in range(count):
        if parent[u] == u:
            component[u] = found
            found += 1
        else:
            component[u] = component[_root(parent, u)]  # a root has a lower number, so it has its component
    return found
