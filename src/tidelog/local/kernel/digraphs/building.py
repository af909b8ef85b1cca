"""A first version of a digraph, written page after page."""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Bytes, Int32s, Int64s
from tidelog.local.kernel.build import kernel, part
from tidelog.local.kernel.digraphs.records import (
    COMPONENT,
    FLAGS,
    HAS_EDGE_TO_ITSELF,
    HEADER,
    HIGHEST,
    IS_GIVEN_LOOP,
    LABEL,
    LABELS,
    LOWEST,
    MOST_LABELS,
    NEXT,
    RECORD,
    ROOMS,
    SIZE,
    STARTS,
    TOP,
)

_LOW = np.int64(0xFFFFFFFF)


@kernel
def words_of_lists(start: Int64s) -> int:
    """How much room some lists need; the i-th one stands from `start[i]` to `start[i + 1]`."""
    words = np.int64(0)
    for u in range(len(start) - 1):
        if start[u + 1] > start[u]:
            words += 1 << (_size_of(start[u + 1] - start[u]) - 1)
    return words


@part
def _size_of(length: int) -> int:
    size = np.int64(1)
    while 1 << (size - 1) < length:
        size += 1
    return size


@kernel
def write_lists(records: Int32s, lists: Int32s, kind: int, start: Int64s, to: Int32s, top: int) -> int:
    """Write one list of each node; where unused space begins afterwards."""
    place = 2 * kind if kind < STARTS else 8 + 2 * kind
    for u in range(len(start) - 1):
        length = start[u + 1] - start[u]
        if length > 0:
            size = _size_of(length)
            records[u * RECORD + place], records[u * RECORD + place + 1] = top, length
            records[u * RECORD + ROOMS] |= size << (8 * kind)
            for i in range(length):
                lists[top + i] = to[start[u] + i]
            top += 1 << (size - 1)
    return top


@kernel
def write_header(lists: Int32s, top: int, components: int) -> None:
    """Write where unused space begins, and which labels are in use."""
    lists[:HEADER] = 0
    lists[TOP] = top
    _write_long(lists, np.int64(LOWEST), np.int64(0))
    _write_long(lists, np.int64(HIGHEST), np.int64(components) << MOST_LABELS)


@part
def _write_long(words: Int32s, at: int, value: int) -> None:
    words[at] = np.int32((value & _LOW) if (value & _LOW) < (1 << 31) else (value & _LOW) - (1 << 32))
    words[at + 1] = np.int32(value >> 32)


@kernel
def write_components(records: Int32s, start: Int64s, to: Int32s, found: Int32s, members_from: Int64s, members: Int32s) -> None:
    """Write the components that Tarjan has found, with labels by levels: the number of edges of the longest path to each.

    Then a search from one end to the other hardly passes components that do not lie between the two.
    """
    count = len(members_from) - 1
    level = np.zeros(count + 1, np.int64)
    highest = np.int64(0)
    for c in range(count - 1, -1, -1):
        highest = max(highest, level[c])
        for m in range(members_from[c], members_from[c + 1]):
            u = members[m]
            for e in range(start[u], start[u + 1]):
                d = found[to[e]]
                if d != c:
                    level[d] = max(level[d], level[c] + 1)
    begin = np.zeros(highest + 2, np.int64)
    for c in range(count):
        begin[level[c] + 1] += 1
    for i in range(highest + 1):
        begin[i + 1] += begin[i]
    for c in range(count):
        first, last = np.int64(members[members_from[c]]), np.int64(members[members_from[c + 1] - 1])
        previous = last
        for m in range(members_from[c], members_from[c + 1]):
            records[members[m] * RECORD + COMPONENT] = first
            records[previous * RECORD + NEXT] = members[m]
            previous = np.int64(members[m])
        records[first * RECORD + SIZE] = members_from[c + 1] - members_from[c]
        _write_long(records, first * RECORD + LABEL, begin[level[c]] << MOST_LABELS)
        records[first * RECORD + LABELS] = MOST_LABELS
        begin[level[c]] += 1


@kernel
def write_loops(records: Int32s, start: Int64s, to: Int32s, is_given: Bytes) -> None:
    """Write which nodes have an edge to themselves, and which have such a pair of S."""
    for u in range(len(start) - 1):
        flags = IS_GIVEN_LOOP if is_given[u] != 0 else 0
        for e in range(start[u], start[u + 1]):
            if to[e] == u:
                flags |= HAS_EDGE_TO_ITSELF
        records[u * RECORD + FLAGS] = flags


@kernel
def sampled_reach(start: Int64s, to: Int32s, found: Int32s, roots: Int32s, components: int, most: int) -> float:
    """How many components some nodes lead to, on average over a sample, each counted up to `most` (Lipton and Naughton, 1989)."""
    count, total = len(found), np.int64(0)
    samples = min(len(roots), 64)
    stamps, seen, stack = np.full(count, np.int32(-1)), np.full(components, np.int32(-1)), np.empty(count, np.int32)
    for i in range(samples):
        root = roots[(i * len(roots)) // samples]
        stack[0], stamps[root], depth, reached = root, i, 1, np.int64(0)
        while depth > 0 and reached < most:
            depth -= 1
            u = stack[depth]
            for e in range(start[u], start[u + 1]):
                v = to[e]
                if stamps[v] != i:
                    stamps[v] = i
                    stack[depth] = v
                    depth += 1
                    if seen[found[v]] != i:
                        seen[found[v]] = i
                        reached += 1
        total += reached
    return total / max(samples, 1)
