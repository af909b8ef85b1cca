"""The next version of a closure: what insertion and deletion of edges share.

`W` is the next version of a virtual relation (`virtual_access`). Its lists of edges are up to date; its components and their rows
are copies that may be changed. Rows of bits and lists of members that an older version may still read are never changed: what
changes gets a new place. `scratch` says where that is, and how much work is left before making the relation again would be
cheaper. Then, and where there is no place left, the caller gives up, and `W` is useless.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Bytes, Int32s, Int64s, UInt64s
from tidelog.local.kernel.build import hot, kernel, part
from tidelog.local.kernel.closures import virtual_access as virtual
from tidelog.local.kernel.closures.virtual_access import bits_of_rows, components_of, lists_at
from tidelog.local.kernel.memory import ONE, ZERO, int32s

USED_ROWS, FIRST_OWN_ROW, USED_MEMBERS, WORK, COLUMNS, SCRATCH_WIDTH = range(6)
# USED_ROWS        rows of bits in use; those from FIRST_OWN_ROW on belong to this version
# USED_MEMBERS     how much of the buffer of members is in use
# WORK             steps that are left
# COLUMNS          how many components there is room for


@part
def set_bit(bits: UInt64s, at: int, component: int) -> None:
    """Set the bit of a component in the row that begins at a word."""
    bits[at + (component >> 6)] |= ONE << np.uint64(component & 63)


@part
def is_set(bits: UInt64s, at: int, component: int) -> bool:
    """Whether the bit of a component is set in the row that begins at a word."""
    return (bits[at + (component >> 6)] >> np.uint64(component & 63)) & ONE != ZERO


@part
def rows_of(W: Int64s, scratch: Int64s) -> Int32s:
    """The row of each component."""
    return int32s(W[virtual.COMPONENT_ROW], scratch[COLUMNS])


@hot
def members_of(W: Int64s, scratch: Int64s) -> tuple[Int64s, Int64s, Int32s]:
    """Where the members of each component begin and end, and the members."""
    return lists_at(W, virtual.MEMBER_START, scratch[COLUMNS])


@part
def new_row(W: Int64s, scratch: Int64s) -> int:
    """The number of an unused row, -1 if there is none."""
    if scratch[USED_ROWS] == W[virtual.ROW_COUNT]:
        return np.int64(-1)
    scratch[USED_ROWS] += 1
    return scratch[USED_ROWS] - 1


@part
def own_row(W: Int64s, scratch: Int64s, component: int) -> int:
    """The row of a component that this version may change, copied if need be; -1 if there is no place for it."""
    rows, bits, words = rows_of(W, scratch), bits_of_rows(W), W[virtual.WORDS]
    row = np.int64(rows[component])
    if row >= scratch[FIRST_OWN_ROW]:
        return row
    new = new_row(W, scratch)
    if new >= 0:
        for w in range(words):
            bits[new * words + w] = bits[row * words + w]
        rows[component] = new
    return new


@kernel
def follow_starts(W: Int64s, B: Int64s, scratch: Int64s, is_touched: Bytes) -> bool:
    """Compute the rows of left ends again that are touched, or lead to a component whose row has changed since version `B`."""
    component, rows = components_of(W), rows_of(W, scratch)
    before, rows_before = components_of(B), int32s(B[virtual.COMPONENT_ROW], B[virtual.COMPONENT_COUNT])
    start, end, to = lists_at(W, virtual.ENDS_START, W[virtual.NODE_COUNT])
    for node in range(W[virtual.NODE_COUNT]):
        c = component[node]
        if node >= B[virtual.NODE_COUNT] or before[node] != c or rows_before[c] != rows[c]:
            for e in range(start[node], end[node]):
                is_touched[to[e]] = 1
    row_of, words, bits = int32s(W[virtual.ROW_OF], W[virtual.NODE_COUNT]), W[virtual.WORDS], bits_of_rows(W)
    start, end, to = lists_at(W, virtual.START_START, W[virtual.NODE_COUNT])
    found = np.empty(words, np.uint64)
    for node in range(W[virtual.NODE_COUNT]):
        if is_touched[node] == 0:
            continue
        for w in range(words):
            found[w] = ZERO
        for e in range(start[node], end[node]):
            v = np.int64(component[to[e]])
            if not is_set(found, 0, v):
                at = np.int64(rows[v]) * words
                for w in range(words):
                    found[w] |= bits[at + w]
                set_bit(found, 0, v)
                scratch[WORK] -= words
        if scratch[WORK] < 0:
            return False
        at, is_same = np.int64(row_of[node]) * words, True
        for w in range(words):
            is_same &= bits[at + w] == found[w]
        if is_same:
            continue
        new = np.int64(0) if start[node] == end[node] else new_row(W, scratch)
        if new < 0:
            return False
        if new > 0:
            for w in range(words):
                bits[new * words + w] = found[w]
        row_of[node] = new
    return True
