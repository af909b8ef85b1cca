"""Rows that go: out of the hash table or the matrix of bits, out of every chain, and a mark in their place.

A row that has gone leaves a hole: its first column is negative, so that a scan passes over it and row numbers stay what they
are. Chains have a second link, to the next newer row, from the first removal on: to find it by walking would cost as much as
the chain is long. Hash tables are closed up behind what went ("backward shift"), so that they need no marks of their own.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel.build import kernel, part
from tidelog.local.kernel.layout import (
    ARITY,
    BITS,
    CAPACITY,
    COUNT,
    DISTINCT,
    DOMAIN,
    HEAD_COUNT,
    HEADS,
    IS_DIRECT,
    KEY_COLUMNS,
    KEY_COUNT,
    NEWER,
    NEXT,
    TOMBSTONES,
    UPTO,
)
from tidelog.local.kernel.memory import int32s
from tidelog.local.kernel.table_rows import (
    bits_of_table,
    chain,
    clear_bit,
    finish,
    has_bit,
    key_slot,
    mix,
    rows_of,
    slot_for,
    slots_of,
)

_ONE = np.uint64(1)


@part
def _home(rows: Int32s, base: int, columns: Int32s, count: int, mask: int) -> int:
    """The slot at which the search for a row begins."""
    hashed = np.uint64(0)
    for j in range(count):
        hashed = mix(hashed, rows[base + columns[j]])
    return np.int64(finish(hashed) & np.uint64(mask))


@part
def _close_up(slots: Int32s, hole: int, rows: Int32s, arity: int, columns: Int32s, count: int) -> None:
    """Empty a slot and move up what stood behind it, as if what went had never been there."""
    mask = len(slots) - 1
    slots[hole] = 0
    at = hole
    while True:
        at = (at + 1) & mask
        if slots[at] == 0:
            return
        home = _home(rows, (np.int64(slots[at]) - 1) * arity, columns, count, mask)
        if (at - home) & mask >= (at - hole) & mask:
            slots[hole] = slots[at]
            slots[at] = 0
            hole = at


@part
def row_number(M: Int64s, X: Int64s, table: int, index: int, key: Int32s) -> int:
    """The number of a row, or -1; without a hash table, along the chain of an index on the first column, which has all rows."""
    if M[table, BITS] == 0:
        return np.int64(slots_of(M, table)[slot_for(M, table, key)]) - 1
    domain = M[table, DOMAIN]
    if key[0] >= domain or key[1] >= domain or not has_bit(bits_of_table(M, table), domain >> 6, key[0], key[1]):
        return -1
    rows, following = rows_of(M, table), int32s(X[index, NEXT], M[table, CAPACITY])
    row = chain(M, X, index, key)
    while row >= 0 and rows[2 * row + 1] != key[1]:
        row = np.int64(following[row]) - 1
    return row


@part
def _unlink(M: Int64s, X: Int64s, table: int, index: int, row: int) -> None:
    """Take a row out of its chain."""
    capacity = M[table, CAPACITY]
    following, newer = int32s(X[index, NEXT], capacity), int32s(X[index, NEWER], capacity)
    older = following[row]
    if older != 0:
        newer[older - 1] = newer[row]
    if newer[row] != 0:
        following[newer[row] - 1] = older
        return
    heads = int32s(X[index, HEADS], X[index, HEAD_COUNT])
    slot = np.int64(key_slot(M, X, index, row))
    if older != 0 or X[index, IS_DIRECT] != 0:
        heads[slot] = older
    else:
        columns = int32s(X[index, KEY_COLUMNS], X[index, KEY_COUNT])
        _close_up(heads, slot, rows_of(M, table), M[table, ARITY], columns, X[index, KEY_COUNT])
    X[index, DISTINCT] -= older == 0


@part
def remove_row(M: Int64s, X: Int64s, table: int, indexes: Int32s, row: int, every: Int32s) -> None:
    """Remove the row of a number; `indexes` are those of the table, `every` is 0, 1, … for each column."""
    rows, arity = rows_of(M, table), M[table, ARITY]
    for i in range(len(indexes)):
        if row < X[indexes[i], UPTO]:
            _unlink(M, X, table, np.int64(indexes[i]), row)
    base = row * arity
    if M[table, BITS] != 0:
        clear_bit(bits_of_table(M, table), M[table, DOMAIN] >> 6, rows[base], rows[base + 1])
    else:
        slot = np.int64(slot_for(M, table, rows[base : base + arity]))
        _close_up(slots_of(M, table), slot, rows, arity, every, arity)
    rows[base] = -1 - rows[base]
    M[table, TOMBSTONES] += 1


@kernel
def remove_rows(M: Int64s, X: Int64s, table: int, indexes: Int32s, first: int, data: Int32s, every: Int32s, gone: Int32s) -> int:
    """Remove the rows of a matrix, as far as they are there; their numbers go to `gone`, and how many there are is returned.

    `first` is an index on the first column, if rows are found by bits.
    """
    count = 0
    for i in range(data.shape[0]):
        row = row_number(M, X, table, first, data[i])
        if row >= 0:
            remove_row(M, X, table, indexes, row, every)
            gone[count] = row
            count += 1
    return count


@kernel
def link_back(M: Int64s, X: Int64s, table: int, index: int) -> None:
    """Fill the links to the next newer row of each chain."""
    following, newer = int32s(X[index, NEXT], M[table, CAPACITY]), int32s(X[index, NEWER], M[table, CAPACITY])
    rows, arity = rows_of(M, table), M[table, ARITY]
    for row in range(X[index, UPTO]):
        newer[row] = 0
    for row in range(X[index, UPTO]):
        if rows[row * arity] >= 0 and following[row] != 0:
            newer[following[row] - 1] = row + 1


@kernel
def take_back(M: Int64s, table: int, end: int, gone: Int32s) -> None:
    """Give rows that went their first columns back and drop the rows from `end` on; nothing finds anything until it is told."""
    rows, arity = rows_of(M, table), M[table, ARITY]
    for i in range(len(gone)):
        base = np.int64(gone[i]) * arity
        rows[base] = -1 - rows[base]
    holes = np.int64(0)
    for row in range(end):
        holes += rows[row * arity] < 0
    M[table, COUNT], M[table, TOMBSTONES] = end, holes


@kernel
def compact(M: Int64s, table: int) -> None:
    """Move rows up into the holes; nothing finds them until hash table and indexes are made anew."""
    rows, arity = rows_of(M, table), M[table, ARITY]
    count = np.int64(0)
    for row in range(M[table, COUNT]):
        if rows[row * arity] >= 0:
            for j in range(arity):
                rows[count * arity + j] = rows[row * arity + j]
            count += 1
    M[table, COUNT] = count
    M[table, TOMBSTONES] = 0
