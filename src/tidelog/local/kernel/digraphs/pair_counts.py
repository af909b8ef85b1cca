"""How many pairs the closure of a digraph has.

What a component leads to is counted from what its only successor leads to, or by a search, or for many components at once by rows
of bits: a block of columns for all components, from those that lead nowhere on.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s, UInt64s
from tidelog.local.kernel.build import kernel
from tidelog.local.kernel.closures.virtual_access import IS_IRREFLEXIVE
from tidelog.local.kernel.digraphs import pages
from tidelog.local.kernel.digraphs.pages import entry_of
from tidelog.local.kernel.digraphs.records import FLAGS, IS_GIVEN_LOOP, NEXT, OUT, SIZE, component, get, is_cyclic, label, list_of
from tidelog.local.kernel.memory import ONE, ZERO, int32s, ones_in

BLOCK = 8
"""Words of bits of a component in one block."""


@kernel
def condensation(W: Int64s, nodes: int, start: Int64s, sizes: Int64s, edges: int) -> Int32s:
    """The components in the order of their labels: their sizes, and what each leads to, once for each edge."""
    found, labels, count = np.empty(nodes, np.int32), np.empty(nodes, np.int64), 0
    for node in range(nodes):
        if component(W, np.int64(node)) == node:
            found[count], labels[count] = node, label(W, np.int64(node))
            count += 1
    order, index = np.argsort(labels[:count]), int32s(W[pages.INDEX], W[pages.ROOM])
    for i in range(count):
        index[found[order[i]]] = i
    to, at = np.empty(edges, np.int32), 0
    for i in range(count):
        first = np.int64(found[order[i]])
        start[i], sizes[i], node = at, get(W, first, SIZE), first
        while True:
            begin, length = list_of(W, node, OUT)
            for e in range(length):
                reached = index[component(W, np.int64(entry_of(W, begin + e)))]
                if reached != i:
                    to[at] = reached
                    at += 1
            node = get(W, node, NEXT)
            if node == first:
                break
    start[count] = at
    sizes[count] = -1  # the end
    return to[:at]


@kernel
def loops(W: Int64s, nodes: int) -> tuple[int, int]:
    """How many pairs lie within components, and how many of them are pairs (x, x) that an irreflexive relation has not."""
    count, missing = np.int64(0), np.int64(0)
    for node in range(nodes):
        c = component(W, np.int64(node))
        if is_cyclic(W, c):
            count += get(W, c, SIZE)
            missing += W[IS_IRREFLEXIVE] != 0 and get(W, np.int64(node), FLAGS) & IS_GIVEN_LOOP == 0
    return count, missing


@kernel
def count_by_search(start: Int64s, to: Int32s, sizes: Int64s, count: int, reached: Int64s, most: int) -> bool:
    """How many nodes each component leads to, beside its own; False if the searches would take too many steps."""
    stamps, queue = np.full(count, np.int32(-1)), np.empty(count, np.int32)
    for i in range(count - 1, -1, -1):
        only, is_only = np.int32(-1), True
        for e in range(start[i], start[i + 1]):
            is_only = is_only and (only < 0 or only == to[e])
            only = to[e]
        if is_only:
            reached[i] = 0 if only < 0 else reached[only] + sizes[only]
            continue
        queue[0], at, found, total = i, 0, 1, np.int64(0)
        stamps[i] = i
        while at < found:
            u = queue[at]
            at += 1
            most -= 1 + start[u + 1] - start[u]
            for e in range(start[u], start[u + 1]):
                if stamps[to[e]] != i:
                    stamps[to[e]] = i
                    queue[found] = to[e]
                    found += 1
                    total += sizes[to[e]]
        if most < 0:
            return False
        reached[i] = total
    return True


@kernel
def count_block(start: Int64s, to: Int32s, sizes: Int64s, first: int, bits: UInt64s, reached: Int64s) -> None:
    """Add to each component how many nodes it leads to that are in a block of components, from number `first` on."""
    count, width = len(bits), 64 * BLOCK
    for i in range(count - 1, -1, -1):
        row = bits[i]
        row[:] = ZERO
        for e in range(start[i], start[i + 1]):
            j = np.int64(to[e])
            for w in range(BLOCK):
                row[w] |= bits[j, w]
            if first <= j < first + width:
                row[(j - first) >> 6] |= ONE << np.uint64((j - first) & 63)
        for w in range(BLOCK):
            reached[i] += ones_in(row[w])
    for j in range(first, min(count, first + width)):
        if sizes[j] > 1:
            w, bit = (j - first) >> 6, np.uint64((j - first) & 63)
            for i in range(j):
                if (bits[i, w] >> bit) & ONE != ZERO:
                    reached[i] += sizes[j] - 1
