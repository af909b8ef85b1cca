"""Virtual relations as a whole: counted, tested and written down, for Python."""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel.build import kernel
from tidelog.local.kernel.closures import virtual_access as virtual
from tidelog.local.kernel.closures.virtual_access import (
    backward,
    component_of,
    forward,
    has_bit,
    has_pair,
    left_out_of,
    node_of,
    row_of,
    steps_lead,
)
from tidelog.local.kernel.digraphs import listing
from tidelog.local.kernel.memory import ONE, ZERO, int32s, lowest_one, ones_in


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
def test_steps(W: Int64s, rows: Int32s, found: Int32s) -> None:
    """For each row of a matrix whether a path of E, perhaps of no edge, leads from one to the other; of a closure."""
    for i in range(rows.shape[0]):
        x, y = node_of(W, np.int64(rows[i, 0])), node_of(W, np.int64(rows[i, 1]))
        found[i] = rows[i, 0] == rows[i, 1] or (x >= 0 and y >= 0 and steps_lead(W, x, y))


@kernel
def list_ends(W: Int64s, term: int, is_back: bool, out: Int32s) -> int:
    """List the ids that lead to an id, or that a path of E leads to from it; before turning.  How many."""
    if is_back:
        return backward(W, np.int64(term), out)
    if W[virtual.HAS_STARTS] == 0:
        return forward(W, np.int64(term), out)
    return listing.reached_by_steps(W, node_of(W, np.int64(term)), int32s(W[virtual.TERMS], W[virtual.NODE_COUNT]), out)


@kernel
def list_new(A: Int64s, B: Int64s, ids: Int32s, is_back: bool, done: Int64s, lists: Int32s, stamps: Int32s, rows: Int32s) -> None:
    """The pairs of some ids in A that are not in B, before turning.

    Begins where `done` says, which counts ids, pairs and searches, and ends where there is no room for what an id leads to.
    `stamps` says which search, of all that have used it, has last reached an id.
    """
    count, stamp = done[1], np.int32(done[2])
    for i in range(done[0], len(ids)):
        term = np.int64(ids[i])
        here = backward(A, term, lists[0]) if is_back else forward(A, term, lists[0])
        if count + here > len(rows):
            break
        for j in range(backward(B, term, lists[1]) if is_back else forward(B, term, lists[1])):
            stamps[lists[1, j]] = stamp + 1
        for j in range(here):
            other = lists[0, j]
            if stamps[other] != stamp + 1:
                rows[count, 0] = other if is_back else ids[i]
                rows[count, 1] = ids[i] if is_back else other
                count += 1
        stamp += np.int32(1)
        done[0], done[1], done[2] = i + 1, count, stamp
