"""The next version of a closure: what insertion and deletion of edges share.

`W` is the next version of a virtual relation (`virtual_access`). Its lists of edges are up to date; its components and their rows
are copies that may be changed. Rows of bits and lists of members that an older version may still read are never changed: what
changes gets a new place. `scratch` says where that is, and how much work is left before making the relation again would be
cheaper. Then, and where there is no place left, the caller gives up, and `W` is useless.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Bytes, Int32s, Int64s, UInt64s
from tidelog.local.kernel.build import kernel, part
from tidelog.local.kernel.closures.virtual_access import (
    BITS,
    COMPONENT,
    COMPONENT_COUNT,
    COMPONENT_ROW,
    ENDS_END,
    ENDS_ROOM,
    ENDS_START,
    ENDS_TO,
    MEMBER_END,
    MEMBER_START,
    NODE_COUNT,
    ROW_COUNT,
    ROW_OF,
    START_END,
    START_ROOM,
    START_START,
    START_TO,
    WORDS,
)
from tidelog.local.kernel.memory import int32s, int64s, uint64s

USED_ROWS, FIRST_OWN_ROW, USED_MEMBERS, WORK, COLUMNS, USED_STEPS, USED_BACK, SCRATCH_WIDTH = range(8)
# USED_ROWS        rows of bits in use; those from FIRST_OWN_ROW on belong to this version
# USED_MEMBERS     how much of the buffer of members is in use
# WORK             steps that are left
# COLUMNS          how many components there is room for
# USED_STEPS, USED_BACK   how much of the buffers of edges is in use, where the kernel itself removes edges

_ZERO = np.uint64(0)
_ONE = np.uint64(1)


@part
def bits_of_rows(W: Int64s) -> UInt64s:
    """All rows of bits."""
    return uint64s(W[BITS], W[ROW_COUNT] * W[WORDS])


@part
def set_bit(bits: UInt64s, at: int, component: int) -> None:
    """Set the bit of a component in the row that begins at a word."""
    bits[at + (component >> 6)] |= _ONE << np.uint64(component & 63)


@part
def is_set(bits: UInt64s, at: int, component: int) -> bool:
    """Whether the bit of a component is set in the row that begins at a word."""
    return (bits[at + (component >> 6)] >> np.uint64(component & 63)) & _ONE != _ZERO


@part
def rows_of(W: Int64s, scratch: Int64s) -> Int32s:
    """The row of each component."""
    return int32s(W[COMPONENT_ROW], scratch[COLUMNS])


@part
def member_start(W: Int64s, scratch: Int64s) -> Int64s:
    """Where the members of each component begin."""
    return int64s(W[MEMBER_START], scratch[COLUMNS])


@part
def member_end(W: Int64s, scratch: Int64s) -> Int64s:
    """Where the members of each component end."""
    return int64s(W[MEMBER_END], scratch[COLUMNS])


@part
def new_row(W: Int64s, scratch: Int64s) -> int:
    """The number of an unused row, -1 if there is none."""
    if scratch[USED_ROWS] == W[ROW_COUNT]:
        return np.int64(-1)
    scratch[USED_ROWS] += 1
    return scratch[USED_ROWS] - 1


@part
def own_row(W: Int64s, scratch: Int64s, component: int) -> int:
    """The row of a component that this version may change, copied if need be; -1 if there is no place for it."""
    rows, bits, words = rows_of(W, scratch), bits_of_rows(W), W[WORDS]
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
    component, rows = int32s(W[COMPONENT], W[NODE_COUNT]), rows_of(W, scratch)
    before, rows_before = int32s(B[COMPONENT], B[NODE_COUNT]), int32s(B[COMPONENT_ROW], B[COMPONENT_COUNT])
    start, end, to = int64s(W[ENDS_START], W[NODE_COUNT]), int64s(W[ENDS_END], W[NODE_COUNT]), int32s(W[ENDS_TO], W[ENDS_ROOM])
    for node in range(W[NODE_COUNT]):
        c = component[node]
        if node >= B[NODE_COUNT] or before[node] != c or rows_before[c] != rows[c]:
            for e in range(start[node], end[node]):
                is_touched[to[e]] = 1
    row_of, words, bits = int32s(W[ROW_OF], W[NODE_COUNT]), W[WORDS], bits_of_rows(W)
    start, end = int64s(W[START_START], W[NODE_COUNT]), int64s(W[START_END], W[NODE_COUNT])
    to, found = int32s(W[START_TO], W[START_ROOM]), np.empty(words, np.uint64)
    for node in range(W[NODE_COUNT]):
        if is_touched[node] == 0:
            continue
        for w in range(words):
            found[w] = _ZERO
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
