"""Partitions under change: components merge when edges are inserted, and split when edges are deleted.

`W` is the next version of a partition (`virtual_access`): its lists of edges are up to date, and its components are copies that
may be changed. A list of members that changes gets a new place. For the words of `scratch` see `next_version`.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel.build import kernel, part
from tidelog.local.kernel.closures import next_version as version
from tidelog.local.kernel.closures import virtual_access as virtual
from tidelog.local.kernel.closures.versioned_lists import remove_value
from tidelog.local.kernel.closures.virtual_access import components_of, lists_at, node_of
from tidelog.local.kernel.memory import int32s


@kernel
def merge_components(W: Int64s, scratch: Int64s, source: Int32s, target: Int32s) -> bool:
    """New edges between nodes: the smaller component becomes a part of the larger one; False if members have no room."""
    component = components_of(W)
    begin, stop, members = version.members_of(W, scratch)
    for i in range(len(source)):
        if not _ensure_component(W, scratch, np.int64(source[i])) or not _ensure_component(W, scratch, np.int64(target[i])):
            return False
        kept, other = np.int64(component[source[i]]), np.int64(component[target[i]])
        if kept == other:
            continue
        if stop[kept] - begin[kept] < stop[other] - begin[other]:
            kept, other = other, kept
        moved, length = begin[kept], stop[other] - begin[other]
        if stop[kept] != scratch[version.USED_MEMBERS]:  # else it can grow where it is: the space behind it is free
            if scratch[version.USED_MEMBERS] + stop[kept] - begin[kept] > len(members):
                return False
            moved = scratch[version.USED_MEMBERS]
            for m in range(begin[kept], stop[kept]):
                members[scratch[version.USED_MEMBERS]] = members[m]
                scratch[version.USED_MEMBERS] += 1
        if scratch[version.USED_MEMBERS] + length > len(members):
            return False
        for m in range(begin[other], stop[other]):
            members[scratch[version.USED_MEMBERS]] = members[m]
            scratch[version.USED_MEMBERS] += 1
            component[node_of(W, np.int64(members[m]))] = kept
        begin[kept], stop[kept] = moved, scratch[version.USED_MEMBERS]
        begin[other] = stop[other] = 0
    return True


@part
def _ensure_component(W: Int64s, scratch: Int64s, node: int) -> bool:
    """Make a component for a node that has none; False if there is no room."""
    component = components_of(W)
    if component[node] >= 0:
        return True
    begin, stop, members = version.members_of(W, scratch)
    c = W[virtual.COMPONENT_COUNT]
    if scratch[version.USED_MEMBERS] == len(members) or c == scratch[version.COLUMNS]:
        return False
    W[virtual.COMPONENT_COUNT] += 1
    component[node] = c
    begin[c] = scratch[version.USED_MEMBERS]
    members[scratch[version.USED_MEMBERS]] = int32s(W[virtual.TERMS], W[virtual.NODE_COUNT])[node]
    scratch[version.USED_MEMBERS] += 1
    stop[c] = scratch[version.USED_MEMBERS]
    return True


@kernel
def delete_edges(W: Int64s, scratch: Int64s, source: Int32s, target: Int32s) -> bool:
    """Delete edges; where the two ends of one are no longer connected, the smaller side leaves its component.

    Two searches run from both ends, always the one that has seen less; so they end when they meet, or when the smaller side is
    exhausted.  Edges are deleted one by one: nodes that only a later one connects stay connected until its turn.  False if
    there is no room or it takes too long.
    """
    component, count = components_of(W), W[virtual.NODE_COUNT]
    queues, stamps = np.empty((2, count), np.int32), np.zeros(count, np.int32)
    start, end, to = lists_at(W, virtual.STEP_START, count)
    start_2, end_2, to_2 = lists_at(W, virtual.BACK_START, count)
    is_moved, is_moved_2, extra = np.zeros(count, np.uint8), np.zeros(count, np.uint8), np.zeros(count, np.int32)
    begin, stop, _ = version.members_of(W, scratch)
    for i in range(len(source)):
        u, v = np.int64(source[i]), np.int64(target[i])
        scratch[version.WORK] -= end[u] - start[u] + end_2[v] - start_2[v]
        scratch[version.USED_STEPS] = remove_value(start, end, to, scratch[version.USED_STEPS], is_moved, extra, u, v)
        scratch[version.USED_BACK] = remove_value(start_2, end_2, to_2, scratch[version.USED_BACK], is_moved_2, extra, v, u)
        if scratch[version.USED_STEPS] < 0 or scratch[version.USED_BACK] < 0 or scratch[version.WORK] < 0:
            return False
        if u == v:
            c = component[u]
            if not _has_edges(W, u):
                component[u] = -1
                begin[c] = stop[c] = 0
            continue
        side, found = _search(W, scratch, u, v, queues, stamps, np.int32(2 * i + 1))
        if side == 2:
            return False
        if side >= 0 and not _leave(W, scratch, u if side == 1 else v, queues[side], found):
            return False
    return True


@part
def _has_edges(W: Int64s, node: int) -> bool:
    start, end, _ = lists_at(W, virtual.STEP_START, W[virtual.NODE_COUNT])
    start_2, end_2, _ = lists_at(W, virtual.BACK_START, W[virtual.NODE_COUNT])
    return end[node] > start[node] or end_2[node] > start_2[node]


@part
def _search(W: Int64s, scratch: Int64s, u: int, v: int, queues: Int32s, stamps: Int32s, stamp: int) -> tuple[int, int]:
    """The end whose side is exhausted (0 or 1), and the size of the side; -1 if the two meet, 2 if it takes too long."""
    queues[0, 0], queues[1, 0] = u, v
    stamps[u], stamps[v] = stamp, stamp + 1
    at, found, seen = np.zeros(2, np.int64), np.ones(2, np.int64), np.zeros(2, np.int64)
    while True:
        side = 0 if seen[0] <= seen[1] else 1
        if at[side] == found[side]:
            return np.int64(side), found[side]
        node = np.int64(queues[side, at[side]])
        at[side] += 1
        for direction in range(2):
            start, end, to = lists_at(W, virtual.BACK_START if direction else virtual.STEP_START, W[virtual.NODE_COUNT])
            for e in range(start[node], end[node]):
                if stamps[to[e]] == stamp + 1 - side:
                    return np.int64(-1), np.int64(0)
                seen[side] += 1
                scratch[version.WORK] -= 1
                if stamps[to[e]] != stamp + side:
                    stamps[to[e]] = stamp + side
                    queues[side, found[side]] = to[e]
                    found[side] += 1
        if scratch[version.WORK] < 0:
            return np.int64(2), np.int64(0)


@part
def _leave(W: Int64s, scratch: Int64s, stays: int, leaving: Int32s, count: int) -> bool:
    """Make some nodes a component of their own; `stays` is one that stays.  Nodes without edges have none."""
    component = components_of(W)
    begin, stop, members = version.members_of(W, scratch)
    old = np.int64(component[stays])
    for i in range(count):
        component[leaving[i]] = -1
    if count > 1 or (count == 1 and _has_edges(W, np.int64(leaving[0]))):
        if scratch[version.USED_MEMBERS] + count > len(members) or W[virtual.COMPONENT_COUNT] == scratch[version.COLUMNS]:
            return False
        c, terms = W[virtual.COMPONENT_COUNT], int32s(W[virtual.TERMS], W[virtual.NODE_COUNT])
        W[virtual.COMPONENT_COUNT] += 1
        begin[c] = scratch[version.USED_MEMBERS]
        for i in range(count):
            component[leaving[i]] = c
            members[scratch[version.USED_MEMBERS]] = terms[leaving[i]]
            scratch[version.USED_MEMBERS] += 1
        stop[c] = scratch[version.USED_MEMBERS]
    if stop[old] - begin[old] - count == 1 and not _has_edges(W, stays):
        component[stays] = -1
        begin[old] = stop[old] = 0
        return True
    if scratch[version.USED_MEMBERS] + stop[old] - begin[old] - count > len(members):
        return False
    moved = scratch[version.USED_MEMBERS]
    for m in range(begin[old], stop[old]):
        if component[node_of(W, np.int64(members[m]))] == old:
            members[scratch[version.USED_MEMBERS]] = members[m]
            scratch[version.USED_MEMBERS] += 1
    begin[old], stop[old] = moved, scratch[version.USED_MEMBERS]
    return True
