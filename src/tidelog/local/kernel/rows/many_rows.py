"""Many rows at once: appended to a table, or looked for in it.

Where the slots of a table are more than caches hold, one search waits for memory two times: for its slot, and for the row that
stands there.  So both are read ahead for a block of rows, where no read waits for another.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel import layout
from tidelog.local.kernel.build import hot, kernel, part, table_walk
from tidelog.local.kernel.rows.row_times import note_time
from tidelog.local.kernel.table_rows import (
    FULL,
    contains,
    finish,
    insert,
    mix,
    rows_of,
    shorten_index,
    shorten_table,
    slot_for,
    slots_of,
)

_BLOCK, _CACHED = 64, 1 << 16


@hot
def _first_slot(M: Int64s, table: int, data: Int32s, at: int) -> int:
    """Where the search for a row begins."""
    hashed = np.uint64(0)
    for j in range(data.shape[1]):
        hashed = mix(hashed, data[at, j])
    return finish(hashed) & np.uint64(M[table, layout.SLOT_COUNT] - 1)


@part
def _touch(M: Int64s, table: int, data: Int32s, begin: int) -> int:
    """Read what the searches for the next rows will read; not negative, so that a caller can use it and it is not left out."""
    touched = np.int64(0)
    if M[table, layout.BITS] != 0 or M[table, layout.SLOT_COUNT] <= _CACHED:
        return touched
    slots, rows, arity = slots_of(M, table), rows_of(M, table), data.shape[1]
    end = min(begin + _BLOCK, data.shape[0])
    for at in range(begin, end):
        touched |= np.int64(slots[_first_slot(M, table, data, at)])
    for at in range(begin, end):
        row = np.int64(slots[_first_slot(M, table, data, at)]) - 1
        if row >= 0:
            touched |= np.int64(rows[row * arity]) & 1
    return touched


@kernel
def insert_rows(M: Int64s, table: int, data: Int32s, begin: int) -> int:
    """Append the rows of a matrix that the table does not have; the number of rows done before the table was full."""
    before, at, touched = M[table, layout.COUNT], begin, np.int64(0)
    while at < data.shape[0] and touched >= 0:
        if (at - begin) % _BLOCK == 0:
            touched |= _touch(M, table, data, at)
        if insert(M, table, data[at]) == FULL:
            break
        at += 1
    note_time(M, table, before, begin > 0)
    return at


@kernel
def contain_rows(M: Int64s, table: int, data: Int32s, found: Int32s) -> None:
    """For each row of a matrix whether the table has it."""
    touched = np.int64(0)
    for i in range(data.shape[0]):
        if i % _BLOCK == 0 and touched >= 0:
            touched |= _touch(M, table, data, i)
        found[i] = contains(M, table, data[i])


@kernel
def number_rows(M: Int64s, table: int, data: Int32s, numbers: Int32s) -> None:
    """The number of each row of a matrix in a table with a hash table, or -1."""
    slots, touched = slots_of(M, table), np.int64(0)
    for i in range(data.shape[0]):
        if i % _BLOCK == 0 and touched >= 0:
            touched |= _touch(M, table, data, i)
        numbers[i] = slots[slot_for(M, table, data[i])] - 1


@table_walk
def refill_table(M: Int64s, X: Int64s, table: int, indexes: Int32s, data: Int32s) -> int:
    """Replace the rows of a table without tombstones, with no delta; how many there was room for."""
    for i in range(len(indexes)):
        shorten_index(M, X, np.int64(indexes[i]), 0)
    shorten_table(M, table, 0)
    done = insert_rows(M, table, data, 0)
    M[table, layout.OLD] = M[table, layout.ALL] = M[table, layout.COUNT]
    return done
