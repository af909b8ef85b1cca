"""Deletion of edges from a digraph.

Between components a deleted edge changes no label: the order of the others stays right. Inside a component a search from both
ends looks for another path; only if there is none, the component is searched for its parts (Tarjan), which share its labels.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel.build import kernel, part
from tidelog.local.kernel.closures.graphs import strong_components
from tidelog.local.kernel.digraphs import pages
from tidelog.local.kernel.digraphs.pages import entry_of
from tidelog.local.kernel.digraphs.paths import meets
from tidelog.local.kernel.digraphs.records import (
    COMPONENT,
    ENDS,
    FLAGS,
    HAS_EDGE_TO_ITSELF,
    IN,
    LABELS,
    NEXT,
    OUT,
    SIZE,
    STARTS,
    component,
    get,
    label,
    list_of,
    put,
    remove,
    set_label,
)
from tidelog.local.kernel.memory import int32s


@kernel
def delete_starts(W: Int64s, U: Int64s, source: Int32s, target: Int32s) -> None:
    """Delete pairs of S, where that is another relation than E."""
    for i in range(len(source)):
        remove(W, U, np.int64(source[i]), STARTS, np.int64(target[i]))
        remove(W, U, np.int64(target[i]), ENDS, np.int64(source[i]))


@kernel
def delete_edges(W: Int64s, U: Int64s, source: Int32s, target: Int32s) -> None:
    """Delete edges of E; components that they held together fall apart."""
    for i in range(len(source)):
        u, v = np.int64(source[i]), np.int64(target[i])
        remove(W, U, u, OUT, v)
        remove(W, U, v, IN, u)
        if u == v:
            put(W, U, u, FLAGS, get(W, u, FLAGS) & ~HAS_EDGE_TO_ITSELF)
    for i in range(len(source)):
        u, v = np.int64(source[i]), np.int64(target[i])
        c = component(W, u)
        if u != v and c == component(W, v) and not meets(W, u, v, c):
            _split(W, U, c)
        if U[pages.WORK] < 0:
            return


@part
def _split(W: Int64s, U: Int64s, old: int) -> None:
    """Let the parts of a component be components; that of its representative keeps it."""
    size, edges = get(W, old, SIZE), np.int64(0)
    nodes, start, index = np.empty(size, np.int64), np.empty(size + 1, np.int64), int32s(W[pages.INDEX], W[pages.ROOM])
    node = old
    for i in range(size):
        nodes[i], index[node], start[i] = node, i, edges
        edges += list_of(W, node, OUT)[1]
        node = get(W, node, NEXT)
    start[size] = edges
    U[pages.WORK] -= size + edges
    to, end = np.empty(edges, np.int32), np.empty(size, np.int64)
    for i in range(size):
        at, length = list_of(W, nodes[i], OUT)
        end[i] = start[i]
        for e in range(length):
            reached = np.int64(entry_of(W, at + e))
            if component(W, reached) == old:
                to[end[i]] = index[reached]
                end[i] += 1
    numbers, parts = np.arange(size).astype(np.int32), np.empty(size, np.int32)
    count = strong_components(start[:size], end, to, numbers, np.zeros(size, np.int32), parts)
    shift = np.int64(0)
    while (1 << shift) < count:
        shift += 1
    first, labels = label(W, old), get(W, old, LABELS) - shift
    if labels < 0:
        U[pages.WORK] = -1
        return
    sizes, name = np.zeros(count, np.int64), np.full(count, np.int64(-1))
    head, last = np.full(count, np.int64(-1)), np.empty(count, np.int64)
    name[parts[index[old]]] = old
    for i in range(size):
        p = parts[i]
        sizes[p] += 1
        if name[p] < 0:
            name[p] = nodes[i]
        if head[p] < 0:
            head[p] = nodes[i]
        else:
            _link(W, U, last[p], nodes[i])
        last[p] = nodes[i]
        if name[p] != old:
            put(W, U, nodes[i], COMPONENT, name[p])
    for p in range(count):
        _link(W, U, last[p], head[p])
        put(W, U, name[p], SIZE, sizes[p])
        set_label(W, U, name[p], first + ((count - 1 - p) << labels), labels)  # Tarjan finds a part after all that it leads to


@part
def _link(W: Int64s, U: Int64s, node: int, following: int) -> None:
    """Let a node be the next one of a ring."""
    if get(W, node, NEXT) != following:
        put(W, U, node, NEXT, following)
