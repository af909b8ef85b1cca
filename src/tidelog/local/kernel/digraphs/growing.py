"""Insertion of edges into a digraph, after Pearce and Kelly, "A Dynamic Topological Sort Algorithm for DAGs" (JEA 2007).

An edge from a higher label to a lower one exchanges labels between what leads to its source and what its target leads to, as far
as their labels lie between the two. Where the two overlap, the edge has closed a cycle, and all components on it become one.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel.build import kernel, part
from tidelog.local.kernel.digraphs import pages, records
from tidelog.local.kernel.digraphs.pages import entry_of
from tidelog.local.kernel.digraphs.paths import next_stamp, queue_of
from tidelog.local.kernel.digraphs.records import (
    COMPONENT,
    ENDS,
    FLAGS,
    HAS_EDGE_TO_ITSELF,
    IN,
    IS_GIVEN_LOOP,
    LABELS,
    NEXT,
    OUT,
    SIZE,
    STARTS,
    append,
    component,
    get,
    label,
    length_of,
    list_of,
    put,
    set_label,
)
from tidelog.local.kernel.memory import int32s


@kernel
def make_nodes(W: Int64s, U: Int64s, begin: int, end: int) -> None:
    """New nodes, without edges."""
    for node in range(begin, end):
        records.make_node(W, U, np.int64(node))


@kernel
def insert_starts(W: Int64s, U: Int64s, source: Int32s, target: Int32s) -> None:
    """Insert pairs of S, where that is another relation than E."""
    for i in range(len(source)):
        append(W, U, np.int64(source[i]), STARTS, np.int64(target[i]))
        append(W, U, np.int64(target[i]), ENDS, np.int64(source[i]))


@kernel
def set_given_loops(W: Int64s, U: Int64s, nodes: Int32s, is_given: bool) -> None:
    """Let some nodes have, or not have, a pair (x, x) of S."""
    for i in range(len(nodes)):
        flags = get(W, np.int64(nodes[i]), FLAGS) & ~IS_GIVEN_LOOP
        put(W, U, np.int64(nodes[i]), FLAGS, flags | IS_GIVEN_LOOP if is_given else flags)


@kernel
def insert_edges(W: Int64s, U: Int64s, source: Int32s, target: Int32s) -> None:
    """Insert edges of E that are not there."""
    for i in range(len(source)):
        u, v = np.int64(source[i]), np.int64(target[i])
        append(W, U, u, OUT, v)
        append(W, U, v, IN, u)
        a, b = component(W, u), component(W, v)
        if u == v:
            put(W, U, u, FLAGS, get(W, u, FLAGS) | HAS_EDGE_TO_ITSELF)
        elif a != b and label(W, a) > label(W, b):
            if get(W, a, SIZE) == 1 and length_of(W, u, IN) == 0:
                records.move_to_start(W, U, a)
            elif get(W, b, SIZE) == 1 and length_of(W, v, OUT) == 0:
                records.move_to_end(W, U, b)
            else:
                _reorder(W, U, a, b)
        if U[pages.WORK] < 0:
            return


@part
def _between(W: Int64s, U: Int64s, first: int, is_back: bool, bound: int, stamp: int, begin: int) -> int:
    """Put into the queue, from a place on, what leads to a component, or what it leads to, with labels up to a bound; the end."""
    marks = int32s(W[pages.MARKS if is_back else pages.STAMPS], W[pages.ROOM])
    queue, at, found, kind = queue_of(W), begin, begin + 1, IN if is_back else OUT
    queue[begin], marks[first] = first, stamp
    while at < found:
        node = np.int64(queue[at])
        while True:
            start, length = list_of(W, node, kind)
            U[pages.WORK] -= 1 + length
            for i in range(length):
                c = component(W, np.int64(entry_of(W, start + i)))
                if marks[c] != stamp and (label(W, c) >= bound if is_back else label(W, c) <= bound):
                    marks[c] = stamp
                    queue[found] = c
                    found += 1
            node = get(W, node, NEXT)
            if node == queue[at]:
                break
        at += 1
    return found


@part
def _reorder(W: Int64s, U: Int64s, a: int, b: int) -> None:
    """An edge leads from component `a` to component `b`, which has a lower label."""
    stamp = next_stamp(W)
    high, low = label(W, a), label(W, b)
    ahead = _between(W, U, b, False, high, stamp, np.int64(0))
    end = _between(W, U, a, True, low, stamp, ahead)
    stamps, marks, queue = int32s(W[pages.STAMPS], W[pages.ROOM]), int32s(W[pages.MARKS], W[pages.ROOM]), queue_of(W)
    found = np.empty(end, np.int64)
    count, merged, kept = 0, 0, np.int64(-1)
    for i in range(end):
        c = np.int64(queue[i])
        is_on_cycle = stamps[c] == stamp and marks[c] == stamp
        if is_on_cycle and i >= ahead:
            continue  # it is among those ahead, too
        if is_on_cycle:
            merged += 1
            if kept < 0 or get(W, c, SIZE) > get(W, kept, SIZE):
                kept = c
        found[count] = c
        count += 1
    labels, rooms = np.empty(count, np.int64), np.empty(count, np.int64)
    for i in range(count):
        labels[i], rooms[i] = label(W, found[i]), get(W, found[i], LABELS)
    order = np.argsort(labels)
    behind = end - ahead - merged  # what leads to `a` comes first, then the cycle, then what `b` leads to
    low_at, high_at = 0, count - (ahead - merged)
    for i in range(count):
        c = found[order[i]]
        is_ahead, is_behind = stamps[c] == stamp, marks[c] == stamp
        if is_ahead and is_behind:
            continue
        at = order[high_at] if is_ahead else order[low_at]
        high_at, low_at = high_at + int(is_ahead), low_at + int(is_behind)
        if label(W, c) != labels[at]:
            set_label(W, U, c, labels[at], rooms[at])
    if merged > 0:
        best = order[behind]
        for i in range(behind, behind + merged):
            if rooms[order[i]] > rooms[best]:
                best = order[i]
        for i in range(count):
            if found[i] != kept and stamps[found[i]] == stamp and marks[found[i]] == stamp:
                _merge(W, U, kept, found[i])
        set_label(W, U, kept, labels[best], rooms[best])


@part
def _merge(W: Int64s, U: Int64s, kept: int, other: int) -> None:
    """Let two components be one."""
    node = other
    while True:
        put(W, U, node, COMPONENT, kept)
        node = get(W, node, NEXT)
        if node == other:
            break
    put(W, U, kept, SIZE, get(W, kept, SIZE) + get(W, other, SIZE))
    after = get(W, kept, NEXT)
    put(W, U, kept, NEXT, get(W, other, NEXT))
    put(W, U, other, NEXT, after)


@kernel
def growth(W: Int64s, known: int, nodes: Int32s, kind: int) -> int:
    """An upper bound on the room that lists take when they are appended to, of nodes that are new from number `known` on."""
    words = np.int64(0)
    for i in range(len(nodes)):
        words += 8 + (4 * length_of(W, np.int64(nodes[i]), kind) if nodes[i] < known else 0)
    return words


@kernel
def end_of_lists(W: Int64s) -> int:
    """Where the unused space begins."""
    return np.int64(entry_of(W, records.TOP))
