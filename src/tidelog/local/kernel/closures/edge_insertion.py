"""Insertion of edges into a closure: rows of bits gain bits, and components on a cycle merge.  `W`, `scratch`: `next_version`."""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s, UInt64s
from tidelog.local.kernel.build import kernel, part
from tidelog.local.kernel.closures import next_version as version
from tidelog.local.kernel.closures import virtual_access as virtual
from tidelog.local.kernel.closures.virtual_access import bits_of_rows, component_of, components_of, has_bit, lists_at, node_of
from tidelog.local.kernel.memory import ONE, ZERO, lowest_one


@kernel
def insert_edges(W: Int64s, scratch: Int64s, source: Int32s, target: Int32s, begin: int) -> int:
    """New edges between nodes: whatever reaches the source reaches all that the target reaches.

    Processes the edges from number `begin` on until one closes a cycle, which is for `merge_cycle`; its number, -1 to give up.
    Once an edge is processed, the row of its source includes the row of its target, whatever changes later; so in the end that
    holds for all edges.  A bit that is set does not prove it, since edges are followed before they are processed.
    """
    words, stamp = W[virtual.WORDS], np.int32(0)
    gained, bits = np.empty(words, np.uint64), bits_of_rows(W)
    stack, stamps = np.empty(scratch[version.COLUMNS], np.int32), np.zeros(scratch[version.COLUMNS], np.int32)
    for i in range(begin, len(source)):
        u, v = component_of(W, np.int64(source[i])), component_of(W, np.int64(target[i]))
        row = np.int64(version.rows_of(W, scratch)[v])
        if u == v:
            if not has_bit(W, row, u):
                row = version.own_row(W, scratch, u)
                if row < 0:
                    return np.int64(-1)
                version.set_bit(bits, row * words, u)
            continue
        if has_bit(W, row, u):
            return np.int64(i)
        for w in range(words):
            gained[w] = bits[row * words + w]
        version.set_bit(gained, 0, v)
        stamp += np.int32(1)
        if not _propagate(W, scratch, u, gained, stack, stamps, stamp):
            return np.int64(-1)
    return np.int64(len(source))


@part
def _propagate(W: Int64s, scratch: Int64s, first: int, gained: UInt64s, stack: Int32s, stamps: Int32s, stamp: int) -> bool:
    """Add bits to the row of a component and of all that reach it; stop where they add nothing, and so nothing further back."""
    rows, words, bits = version.rows_of(W, scratch), W[virtual.WORDS], bits_of_rows(W)
    begin, stop, members = version.members_of(W, scratch)
    start, end, to = lists_at(W, virtual.BACK_START, W[virtual.NODE_COUNT])
    stack[0], stamps[first], depth = first, stamp, 1
    while depth > 0:
        depth -= 1
        c = np.int64(stack[depth])
        scratch[version.WORK] -= words
        at, is_new = np.int64(rows[c]) * words, False
        for w in range(words):
            if gained[w] & ~bits[at + w] != ZERO:
                is_new = True
                break
        if not is_new:
            continue
        own = version.own_row(W, scratch, c)
        if own < 0 or scratch[version.WORK] < 0:
            return False
        for w in range(words):
            bits[own * words + w] |= gained[w]
        for m in range(begin[c], stop[c]):
            node = node_of(W, np.int64(members[m]))
            scratch[version.WORK] -= end[node] - start[node]
            for e in range(start[node], end[node]):
                p = component_of(W, np.int64(to[e]))
                if stamps[p] != stamp:
                    stamps[p] = stamp
                    stack[depth] = p
                    depth += 1
    return True


@kernel
def merge_cycle(W: Int64s, scratch: Int64s, source: int, target: int) -> bool:
    """An edge between nodes closes a cycle: all components on it become one; False to give up."""
    u, v = component_of(W, np.int64(source)), component_of(W, np.int64(target))
    rows, words, bits = version.rows_of(W, scratch), W[virtual.WORDS], bits_of_rows(W)
    gained, merged = np.empty(words, np.uint64), np.empty(words, np.uint64)
    begin, stop, members = version.members_of(W, scratch)
    kept, total = _find_merged(W, scratch, u, v, gained, merged)
    if scratch[version.USED_MEMBERS] + total > len(members):
        return False
    scratch[version.WORK] -= W[virtual.COMPONENT_COUNT] * words
    if scratch[version.WORK] < 0:
        return False
    for c in range(W[virtual.COMPONENT_COUNT]):
        at, touches = np.int64(rows[c]) * words, c == kept
        for w in range(words):
            if bits[at + w] & merged[w] != ZERO:
                touches = True
                break
        if not touches or (c != kept and version.is_set(merged, 0, c)):
            continue
        own = version.own_row(W, scratch, np.int64(c))
        if own < 0:
            return False
        at = own * words
        for w in range(words):
            bits[at + w] = (bits[at + w] & ~merged[w]) | gained[w]
    component, first = components_of(W), scratch[version.USED_MEMBERS]
    for w in range(words):
        word = merged[w]
        while word != ZERO:
            c = 64 * w + lowest_one(word)
            word &= word - ONE
            for m in range(begin[c], stop[c]):
                members[scratch[version.USED_MEMBERS]] = members[m]
                scratch[version.USED_MEMBERS] += 1
                component[node_of(W, np.int64(members[m]))] = kept
            begin[c] = stop[c] = 0
            if c != kept:
                rows[c] = 0
    begin[kept], stop[kept] = first, scratch[version.USED_MEMBERS]
    W[virtual.IS_SIMPLE] = 0
    return True


@part
def _find_merged(W: Int64s, scratch: Int64s, u: int, v: int, gained: UInt64s, merged: UInt64s) -> tuple[int, int]:
    """Collect the components between v and u, and all that they reach; the largest of them, and how many nodes they have."""
    rows, words, bits = version.rows_of(W, scratch), W[virtual.WORDS], bits_of_rows(W)
    begin, stop, _ = version.members_of(W, scratch)
    for w in range(words):
        merged[w] = ZERO
        gained[w] = bits[rows[v] * words + w]
    version.set_bit(gained, 0, v)
    for w in range(words):
        word = gained[w]
        while word != ZERO:
            c = 64 * w + lowest_one(word)
            word &= word - ONE
            if c == u or has_bit(W, np.int64(rows[c]), u):
                version.set_bit(merged, 0, c)
    kept, total = u, np.int64(0)
    for w in range(words):
        word = merged[w]
        while word != ZERO:
            c = 64 * w + lowest_one(word)
            word &= word - ONE
            for x in range(words):
                gained[x] |= bits[rows[c] * words + x]
            total += stop[c] - begin[c]
            if stop[c] - begin[c] > stop[kept] - begin[kept]:
                kept = c
    for w in range(words):
        gained[w] &= ~merged[w]
    version.set_bit(gained, 0, kept)
    return kept, total
