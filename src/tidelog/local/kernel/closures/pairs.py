"""Virtual relations as a whole: counted, tested and written down, for Python."""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Bytes, Int32s, Int64s
from tidelog.local.kernel.build import kernel
from tidelog.local.kernel.closures import virtual_access as virtual
from tidelog.local.kernel.closures.virtual_access import component_of, forward, has_bit, has_pair, left_out_of, node_of, row_of
from tidelog.local.kernel.memory import ONE, ZERO, lowest_one, ones_in


@kernel
def test_pairs(W: Int64s, rows: Int32s, found: Int32s) -> None:
    """For each row of a matrix whether it is in the relation, before turning."""
    for i in range(rows.shape[0]):
        found[i] = has_pair(W, np.int64(rows[i, 0]), np.int64(rows[i, 1]))


@kernel
def count_lists(W: Int64s, ids: Int32s, counts: Int64s, scratch: Int32s) -> None:
    """How many right ends each of the ids has, before turning; one count a row of bits serves all ids that share it."""
    words, bits = W[virtual.WORDS], virtual.bits_of_rows(W)
    first, last, _ = virtual.lists_at(W, virtual.MEMBER_START, W[virtual.COMPONENT_COUNT])
    if W[virtual.IS_PARTITION] != 0:
        for i in range(len(ids)):
            node = node_of(W, np.int64(ids[i]))
            own = component_of(W, node)
            counts[i] = last[own] - first[own] - (1 if left_out_of(W, node, np.int64(ids[i])) >= 0 else 0)
        return
    if W[virtual.BITS] == 0:
        for i in range(len(ids)):
            counts[i] = forward(W, np.int64(ids[i]), scratch)
        return
    is_simple = W[virtual.IS_SIMPLE] != 0
    known = np.full(W[virtual.ROW_COUNT], np.int64(-1))
    for i in range(len(ids)):
        node = node_of(W, np.int64(ids[i]))
        row = row_of(W, node)
        if known[row] < 0:
            total = np.int64(0)
            for w in range(words):
                word = bits[row * words + w]
                if is_simple:
                    total += ones_in(word)
                    continue
                while word != ZERO:
                    component = 64 * w + lowest_one(word)
                    word &= word - ONE
                    total += last[component] - first[component]
            known[row] = total
        to_itself = has_bit(W, row, component_of(W, node))
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
def mark_left_ends(W: Int64s, ids: Int32s, is_left: Bytes, scratch: Int32s) -> None:
    """Mark the nodes that lead to some ids, before turning."""
    for i in range(len(ids)):
        for j in range(virtual.backward(W, np.int64(ids[i]), scratch)):
            is_left[node_of(W, np.int64(scratch[j]))] = 1


@kernel
def list_new(A: Int64s, B: Int64s, ids: Int32s, counts: Int64s, lists: Int32s, stamps: Int32s, rows: Int32s) -> None:
    """The pairs of some ids in A that are not in B, before turning; without room for them, how many they are."""
    count = np.int64(0)
    for i in range(len(ids)):
        here = forward(A, np.int64(ids[i]), lists[0])
        for j in range(forward(B, np.int64(ids[i]), lists[1])):
            stamps[lists[1, j]] = i + 1
        before = count
        for j in range(here):
            if stamps[lists[0, j]] != i + 1:
                if len(rows) > 0:
                    rows[count, 0] = ids[i]
                    rows[count, 1] = lists[0, j]
                count += 1
        counts[i] = count - before
