"""Partitions under change: components merge when edges are inserted, and split when edges are deleted.

`W` is the next version of a partition (`virtual_access`): its lists of edges are up to date, and its components are copies that
may be changed. A list of members that changes gets a new place. For the words of `scratch` see `next_version`.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel.build import kernel, part
from tidelog.local.kernel.closures.next_version import (
    COLUMNS,
    USED_BACK,
    USED_MEMBERS,
    USED_STEPS,
    WORK,
    member_end,
    member_start,
)
from tidelog.local.kernel.closures.versioned_lists import remove_value
from tidelog.local.kernel.closures.virtual_access import (
    BACK_END,
    BACK_ROOM,
    BACK_START,
    BACK_TO,
    COMPONENT,
    COMPONENT_COUNT,
    MEMBER_ROOM,
    MEMBERS,
    NODE_COUNT,
    STEP_END,
    STEP_ROOM,
    STEP_START,
    STEP_TO,
    TERMS,
    node_of,
)
from tidelog.local.kernel.memory import int32s, int64s


@kernel
def merge_components(W: Int64s, scratch: Int64s, source: Int32s, target: Int32s) -> bool:
    """New edges between nodes: the smaller component becomes a part of the larger one; False if members have no room."""
    component = int32s(W[COMPONENT], W[NODE_COUNT])
    begin, stop, members = member_start(W, scratch), member_end(W, scratch), int32s(W[MEMBERS], W[MEMBER_ROOM])
    for i in range(len(source)):
        if not _ensure_component(W, scratch, np.int64(source[i])) or not _ensure_component(W, scratch, np.int64(target[i])):
            return False
        kept, other = np.int64(component[source[i]]), np.int64(component[target[i]])
        if kept == other:
            continue
        if stop[kept] - begin[kept] < stop[other] - begin[other]:
            kept, other = other, kept
        moved, length = begin[kept], stop[other] - begin[other]
        if stop[kept] != scratch[USED_MEMBERS]:  # else it can grow where it is: the space behind it is free
            if scratch[USED_MEMBERS] + stop[kept] - begin[kept] > W[MEMBER_ROOM]:
                return False
            moved = scratch[USED_MEMBERS]
            for m in range(begin[kept], stop[kept]):
                members[scratch[USED_MEMBERS]] = members[m]
                scratch[USED_MEMBERS] += 1
        if scratch[USED_MEMBERS] + length > W[MEMBER_ROOM]:
            return False
        for m in range(begin[other], stop[other]):
            members[scratch[USED_MEMBERS]] = members[m]
            scratch[USED_MEMBERS] += 1
            component[node_of(W, np.int64(members[m]))] = kept
        begin[kept], stop[kept] = moved, scratch[USED_MEMBERS]
        begin[other] = stop[other] = 0
    return True


@part
def _ensure_component(W: Int64s, scratch: Int64s, node: int) -> bool:
    """Make a component for a node that has none; False if there is no room."""
    component = int32s(W[COMPONENT], W[NODE_COUNT])
    if component[node] >= 0:
        return True
    begin, stop, members = member_start(W, scratch), member_end(W, scratch), int32s(W[MEMBERS], W[MEMBER_ROOM])
    c = W[COMPONENT_COUNT]
    if scratch[USED_MEMBERS] == W[MEMBER_ROOM] or c == scratch[COLUMNS]:
        return False
    W[COMPONENT_COUNT] += 1
    component[node] = c
    begin[c] = scratch[USED_MEMBERS]
    members[scratch[USED_MEMBERS]] = int32s(W[TERMS], W[NODE_COUNT])[node]
    scratch[USED_MEMBERS] += 1
    stop[c] = scratch[USED_MEMBERS]
    return True


@kernel
def delete_edges(W: Int64s, scratch: Int64s, source: Int32s, target: Int32s) -> bool:
    """Delete edges; where the two ends of one are no longer connected, the smaller side leaves its component.

    Two searches run from both ends, always the one that has seen less; so they end when they meet, or when the smaller side is
    exhausted.  Edges are deleted one by one: nodes that only a later one connects stay connected until its turn.  False if
    there is no room or it takes too long.
    """
    component, count = int32s(W[COMPONENT], W[NODE_COUNT]), W[NODE_COUNT]
    queues, stamps = np.empty((2, count), np.int32), np.zeros(count, np.int32)
    start, end, to = int64s(W[STEP_START], count), int64s(W[STEP_END], count), int32s(W[STEP_TO], W[STEP_ROOM])
    start_2, end_2, to_2 = int64s(W[BACK_START], count), int64s(W[BACK_END], count), int32s(W[BACK_TO], W[BACK_ROOM])
    is_moved, is_moved_2, extra = np.zeros(count, np.uint8), np.zeros(count, np.uint8), np.zeros(count, np.int32)
    begin, stop = member_start(W, scratch), member_end(W, scratch)
    for i in range(len(source)):
        u, v = np.int64(source[i]), np.int64(target[i])
        scratch[WORK] -= end[u] - start[u] + end_2[v] - start_2[v]
        scratch[USED_STEPS] = remove_value(start, end, to, scratch[USED_STEPS], is_moved, extra, u, v)
        scratch[USED_BACK] = remove_value(start_2, end_2, to_2, scratch[USED_BACK], is_moved_2, extra, v, u)
        if scratch[USED_STEPS] < 0 or scratch[USED_BACK] < 0 or scratch[WORK] < 0:
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
    count = W[NODE_COUNT]
    forth = int64s(W[STEP_END], count)[node] - int64s(W[STEP_START], count)[node]
    return forth + int64s(W[BACK_END], count)[node] - int64s(W[BACK_START], count)[node] > 0


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
            start = int64s(W[BACK_START] if direction else W[STEP_START], W[NODE_COUNT])[node]
            end = int64s(W[BACK_END] if direction else W[STEP_END], W[NODE_COUNT])[node]
            to = int32s(W[BACK_TO] if direction else W[STEP_TO], W[BACK_ROOM] if direction else W[STEP_ROOM])
            for e in range(start, end):
                if stamps[to[e]] == stamp + 1 - side:
                    return np.int64(-1), np.int64(0)
                seen[side] += 1
                scratch[WORK] -= 1
                if stamps[to[e]] != stamp + side:
                    stamps[to[e]] = stamp + side
                    queues[side, found[side]] = to[e]
                    found[side] += 1
        if scratch[WORK] < 0:
            return np.int64(2), np.int64(0)


@part
def _leave(W: Int64s, scratch: Int64s, stays: int, leaving: Int32s, count: int) -> bool:
    """Make some nodes a component of their own; `stays` is one that stays.  Nodes without edges have none."""
    component = int32s(W[COMPONENT], W[NODE_COUNT])
    begin, stop, members = member_start(W, scratch), member_end(W, scratch), int32s(W[MEMBERS], W[MEMBER_ROOM])
    old = np.int64(component[stays])
    for i in range(count):
        component[leaving[i]] = -1
    if count > 1 or (count == 1 and _has_edges(W, np.int64(leaving[0]))):
        if scratch[USED_MEMBERS] + count > W[MEMBER_ROOM] or W[COMPONENT_COUNT] == scratch[COLUMNS]:
            return False
        c, terms = W[COMPONENT_COUNT], int32s(W[TERMS], W[NODE_COUNT])
        W[COMPONENT_COUNT] += 1
        begin[c] = scratch[USED_MEMBERS]
        for i in range(count):
            component[leaving[i]] = c
            members[scratch[USED_MEMBERS]] = terms[leaving[i]]
            scratch[USED_MEMBERS] += 1
        stop[c] = scratch[USED_MEMBERS]
    if stop[old] - begin[old] - count == 1 and not _has_edges(W, stays):
        component[stays] = -1
        begin[old] = stop[old] = 0
        return True
    if scratch[USED_MEMBERS] + stop[old] - begin[old] - count > W[MEMBER_ROOM]:
        return False
    moved = scratch[USED_MEMBERS]
    for m in range(begin[old], stop[old]):
        if component[node_of(W, np.int64(members[m]))] == old:
            members[scratch[USED_MEMBERS]] = members[m]
            scratch[USED_MEMBERS] += 1
    begin[old], stop[old] = moved, scratch[USED_MEMBERS]
    return True
