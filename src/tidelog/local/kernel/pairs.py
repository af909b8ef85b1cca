"""Virtual relations as a whole: counted, tested and written down, for Python."""

from __future__ import annotations

import numpy as np

from tidelog.local.kernel.build import kernel
from tidelog.local.kernel.memory import Int32s, Int64s, int32s, lowest_one, ones_in, uint64s
from tidelog.local.kernel.virtual import (
    BITS,
    COMPONENT_COUNT,
    IS_PARTITION,
    MEMBER_START,
    NODE_COUNT,
    ROW_COUNT,
    ROW_OF,
    WORDS,
    component_of,
    forward,
    has_pair,
    left_out_of,
    node_of,
)

_ZERO = np.uint64(0)
_ONE = np.uint64(1)


@kernel
def test_pairs(W: Int64s, rows: Int32s, found: Int32s) -> None:
    """For each row of a matrix whether it is in the relation, before turning."""
    for i in range(rows.shape[0]):
        found[i] = has_pair(W, np.int64(rows[i, 0]), np.int64(rows[i, 1]))


@kernel
def count_lists(W: Int64s, ids: Int32s, counts: Int64s, scratch: Int32s) -> None:
    """How many right ends each of the ids has, before turning; one count a row of bits serves all ids that share it."""
    words, nodes = W[WORDS], W[NODE_COUNT]
    sizes = int32s(W[MEMBER_START], W[COMPONENT_COUNT] + 1)
    if W[IS_PARTITION] != 0:
        for i in range(len(ids)):
            node = node_of(W, np.int64(ids[i]))
            own = component_of(W, node)
            counts[i] = sizes[own + 1] - sizes[own] - (1 if left_out_of(W, node, np.int64(ids[i])) >= 0 else 0)
        return
    if W[BITS] == 0:
        for i in range(len(ids)):
            counts[i] = forward(W, np.int64(ids[i]), scratch)
        return
    bits, row_of = uint64s(W[BITS], W[ROW_COUNT] * words), int32s(W[ROW_OF], nodes)
    is_simple = W[COMPONENT_COUNT] == nodes
    known = np.full(W[ROW_COUNT], np.int64(-1))
    for i in range(len(ids)):
        node = node_of(W, np.int64(ids[i]))
        row = np.int64(row_of[node])
        if row < 0:
            counts[i] = 0
            continue
        if known[row] < 0:
            total = np.int64(0)
            for w in range(words):
                word = bits[row * words + w]
                if is_simple:
                    total += ones_in(word)
                    continue
                while word != _ZERO:
                    component = 64 * w + lowest_one(word)
                    word &= word - _ONE
                    total += sizes[component + 1] - sizes[component]
            known[row] = total
        own = component_of(W, node)
        to_itself = (bits[row * words + (own >> 6)] >> np.uint64(own & 63)) & _ONE != _ZERO
        counts[i] = known[row] - (1 if to_itself and left_out_of(W, node, np.int64(ids[i])) >= 0 else 0)


@kernel
def write_pairs(W: Int64s, ids: Int32s, left: Int32s, right: Int32s) -> int:
    """All pairs of some left ends, before turning, into two columns that have room for one list more than there are pairs."""
    count = np.int64(0)
    for i in range(len(ids)):
        found = forward(W, np.int64(ids[i]), right[count:])
        for j in range(count, count + found):
            left[j] = ids[i]
        count += found
    return count


@kernel
def loops_among(W: Int64s, ids: Int32s) -> int:
    """How many of the ids are paired with themselves."""
    count = np.int64(0)
    for i in range(len(ids)):
        count += has_pair(W, np.int64(ids[i]), np.int64(ids[i]))
    return count


@kernel
def fill_members(component: Int32s, terms: Int32s, start: Int32s, members: Int32s) -> None:
    """The ids of each component, one after the other, by counting sort."""
    for node in range(len(component)):
        start[component[node] + 1] += 1
    for c in range(len(start) - 1):
        start[c + 1] += start[c]
    place = start.copy()
    for node in range(len(component)):
        members[place[component[node]]] = terms[node]
        place[component[node]] += 1
