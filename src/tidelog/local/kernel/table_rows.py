"""The rows of tables: found by hash or by bit, appended, indexed, and truncated.

A table finds its rows by open addressing over row numbers, or, for pairs of ids from a small range, by a matrix of bits: then
the test of a pair costs one memory access, and whole rows of the matrix can be joined at once (`emit_loop`).
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s, UInt64s
from tidelog.local.kernel import layout
from tidelog.local.kernel.build import hot, kernel, part, table_walk
from tidelog.local.kernel.memory import ONE, int32s, uint64s
from tidelog.local.kernel.rows.row_order import shorten_run
from tidelog.local.kernel.rows.row_times import forget_times
from tidelog.local.kernel.rows.term_places import place_of, settle

NEW, KNOWN, FULL = 1, 0, -1

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_SIX, _HALF, _LOW = np.uint64(6), np.uint64(32), np.uint64(63)


@hot
def mix(hashed: int, value: int) -> int:
    """A hash and one more id."""
    x = (np.uint64(hashed) ^ np.uint64(np.uint32(value))) * _GOLDEN
    return x ^ (x >> _HALF)


@hot
def finish(hashed: int) -> int:
    """The hash, spread over the low bits that choose a slot."""
    x = np.uint64(hashed) * _GOLDEN
    return x >> _HALF


@hot
def rows_of(M: Int64s, table: int) -> Int32s:
    """The rows of a table."""
    return int32s(M[table, layout.ROWS], M[table, layout.CAPACITY] * M[table, layout.ARITY])


@hot
def slots_of(M: Int64s, table: int) -> Int32s:
    """The hash table of a table."""
    return int32s(M[table, layout.SLOTS], M[table, layout.SLOT_COUNT])


@hot
def bits_of_table(M: Int64s, table: int) -> UInt64s:
    """The matrix of bits of a table."""
    return uint64s(M[table, layout.BITS], M[table, layout.DOMAIN] * (M[table, layout.DOMAIN] >> 6))


@hot
def heads_of(X: Int64s, index: int) -> Int32s:
    """The newest row of each chain of an index."""
    return int32s(X[index, layout.HEADS], X[index, layout.HEAD_COUNT])


@hot
def older_rows(M: Int64s, X: Int64s, table: int, index: int) -> Int32s:
    """For each row of a table the next older one in its chain of an index."""
    return int32s(X[index, layout.NEXT], M[table, layout.CAPACITY])


@hot
def has_bit(bits: UInt64s, words: int, x: int, y: int) -> bool:
    """Whether the pair (x, y) is set, in a matrix with so many words a row."""
    return (bits[np.uint64(x * words) + (np.uint64(y) >> _SIX)] >> (np.uint64(y) & _LOW)) & ONE != np.uint64(0)


@hot
def set_bit(bits: UInt64s, words: int, x: int, y: int) -> None:
    """Set the pair (x, y)."""
    bits[np.uint64(x * words) + (np.uint64(y) >> _SIX)] |= ONE << (np.uint64(y) & _LOW)


@part
def clear_bit(bits: UInt64s, words: int, x: int, y: int) -> None:
    """Clear the pair (x, y)."""
    bits[np.uint64(x * words) + (np.uint64(y) >> _SIX)] &= ~(ONE << (np.uint64(y) & _LOW))


@hot
def _equal(rows: Int32s, base: int, key: Int32s, arity: int) -> bool:
    for j in range(arity):
        if rows[base + j] != key[j]:
            return False
    return True


@hot
def slot_for(M: Int64s, table: int, key: Int32s) -> int:
    """The slot that holds the row `key`, or the free one where it would go."""
    arity = M[table, layout.ARITY]
    rows, slots = rows_of(M, table), slots_of(M, table)
    hashed = np.uint64(0)
    for j in range(arity):
        hashed = mix(hashed, key[j])
    mask = np.uint64(M[table, layout.SLOT_COUNT] - 1)
    slot = finish(hashed) & mask
    while slots[slot] != 0 and not _equal(rows, (np.int64(slots[slot]) - 1) * arity, key, arity):
        slot = (slot + ONE) & mask
    return slot


@part
def contains(M: Int64s, table: int, key: Int32s) -> bool:
    """Whether the table has the row `key`."""
    if M[table, layout.BITS] != 0:
        domain = M[table, layout.DOMAIN]
        x, y = place_of(M, table, key[0]), place_of(M, table, key[1])
        return 0 <= x < domain and 0 <= y < domain and has_bit(bits_of_table(M, table), domain >> 6, x, y)
    return slots_of(M, table)[slot_for(M, table, key)] != 0


@part
def insert(M: Int64s, table: int, key: Int32s) -> int:
    """Append the row `key` unless it is there: `NEW`, `KNOWN`, or `FULL` if something must grow first."""
    arity, count = M[table, layout.ARITY], M[table, layout.COUNT]
    if M[table, layout.BITS] != 0:
        domain = M[table, layout.DOMAIN]
        x, y = settle(M, table, key[0]), settle(M, table, key[1])
        if x < 0 or y < 0 or x >= domain or y >= domain:
            return FULL
        bits = bits_of_table(M, table)
        if has_bit(bits, domain >> 6, x, y):
            return KNOWN
        if count >= M[table, layout.CAPACITY]:
            return FULL
        set_bit(bits, domain >> 6, x, y)
    else:
        slots = slots_of(M, table)
        slot = slot_for(M, table, key)
        if slots[slot] != 0:
            return KNOWN
        if count >= M[table, layout.CAPACITY] or 2 * (count + 1) > M[table, layout.SLOT_COUNT]:
            return FULL
        slots[slot] = count + 1
    rows = rows_of(M, table)
    for j in range(arity):
        rows[count * arity + j] = key[j]
    M[table, layout.COUNT] = count + 1
    return NEW


@table_walk
def rehash_rows(M: Int64s, table: int) -> None:
    """Enter all rows into a new hash table."""
    arity = M[table, layout.ARITY]
    rows, slots = rows_of(M, table), slots_of(M, table)
    mask = np.uint64(M[table, layout.SLOT_COUNT] - 1)
    for i in range(M[table, layout.COUNT]):
        if arity > 0 and rows[i * arity] < 0:
            continue
        hashed = np.uint64(0)
        for j in range(arity):
            hashed = mix(hashed, rows[i * arity + j])
        slot = finish(hashed) & mask
        while slots[slot] != 0:
            slot = (slot + ONE) & mask
        slots[slot] = i + 1


@table_walk
def fill_bits(M: Int64s, table: int) -> None:
    """Enter all rows into a new matrix of bits."""
    rows, bits = rows_of(M, table), bits_of_table(M, table)
    words = M[table, layout.DOMAIN] >> 6
    for i in range(M[table, layout.COUNT]):
        if rows[2 * i] >= 0:
            set_bit(bits, words, place_of(M, table, rows[2 * i]), place_of(M, table, rows[2 * i + 1]))


# --- indexes -------------------------------------------------------------------------------------------------------------


@hot
def home_slot(rows: Int32s, base: int, columns: Int32s, count: int, mask: int) -> int:
    """The slot where the search for the key of a row starts."""
    hashed = np.uint64(0)
    for j in range(count):
        hashed = mix(hashed, rows[base + columns[j]])
    return finish(hashed) & mask


@part
def key_slot(M: Int64s, X: Int64s, index: int, row: int) -> int:
    """Where the head of the chain of a row stands, or would stand."""
    table = X[index, layout.TABLE]
    arity = M[table, layout.ARITY]
    rows, heads = rows_of(M, table), heads_of(X, index)
    columns, keys = int32s(X[index, layout.KEY_COLUMNS], X[index, layout.KEY_COUNT]), X[index, layout.KEY_COUNT]
    if X[index, layout.IS_DIRECT] != 0:
        return np.uint64(rows[row * arity + columns[0]])
    mask = np.uint64(X[index, layout.HEAD_COUNT] - 1)
    slot = home_slot(rows, row * arity, columns, keys, mask)
    while heads[slot] != 0:
        other = (np.int64(heads[slot]) - 1) * arity
        same = True
        for j in range(keys):
            if rows[other + columns[j]] != rows[row * arity + columns[j]]:
                same = False
                break
        if same:
            break
        slot = (slot + ONE) & mask
    return slot


@hot
def chain(M: Int64s, X: Int64s, index: int, key: Int32s) -> int:
    """The newest row with a key, or -1."""
    heads = heads_of(X, index)
    if X[index, layout.IS_DIRECT] != 0:
        return np.int64(heads[key[0]]) - 1 if key[0] < X[index, layout.HEAD_COUNT] else -1
    table = X[index, layout.TABLE]
    arity = M[table, layout.ARITY]
    rows = rows_of(M, table)
    columns, keys = int32s(X[index, layout.KEY_COLUMNS], X[index, layout.KEY_COUNT]), X[index, layout.KEY_COUNT]
    hashed = np.uint64(0)
    for j in range(keys):
        hashed = mix(hashed, key[j])
    mask = np.uint64(X[index, layout.HEAD_COUNT] - 1)
    slot = finish(hashed) & mask
    while heads[slot] != 0:
        row = np.int64(heads[slot]) - 1
        same = True
        for j in range(keys):
            if rows[row * arity + columns[j]] != key[j]:
                same = False
                break
        if same:
            return row
        slot = (slot + ONE) & mask
    return -1


@table_walk
def extend_index(M: Int64s, X: Int64s, index: int, upto: int) -> None:
    """Enter the rows before `upto`; there is room for them."""
    table = X[index, layout.TABLE]
    heads, following = heads_of(X, index), older_rows(M, X, table, index)
    rows, arity = rows_of(M, table), M[table, layout.ARITY]
    has_tombstones, has_newer = M[table, layout.TOMBSTONES] > 0, X[index, layout.NEWER] != 0
    newer = int32s(X[index, layout.NEWER], M[table, layout.CAPACITY] if has_newer else 0)
    fresh = 0
    for row in range(X[index, layout.UPTO], upto):
        if has_tombstones and rows[row * arity] < 0:
            following[row] = layout.NOT_LINKED
            continue
        slot = key_slot(M, X, index, row)
        fresh += heads[slot] == 0
        following[row] = heads[slot]
        if has_newer:
            newer[row] = 0
            if heads[slot] != 0:
                newer[heads[slot] - 1] = row + 1
        heads[slot] = row + 1
    X[index, layout.UPTO] = upto
    X[index, layout.DISTINCT] += fresh


@kernel
def newest_rows(M: Int64s, X: Int64s, index: int, keys: Int32s, found: Int32s) -> None:
    """For each key, given as a row of a matrix, the newest row that has it, or -1."""
    for i in range(keys.shape[0]):
        found[i] = chain(M, X, index, keys[i])


@table_walk
def shorten_index(M: Int64s, X: Int64s, index: int, count: int) -> None:
    """Remove the rows from `count` on, newest first: the exact inverse of appending them; none may have been removed since."""
    if X[index, layout.RANGE_COLUMN] != 0:
        shorten_run(X, index, count)
        return
    heads, following = heads_of(X, index), older_rows(M, X, X[index, layout.TABLE], index)
    for row in range(X[index, layout.UPTO] - 1, count - 1, -1):
        slot = key_slot(M, X, index, row)
        heads[slot] = following[row]
        if X[index, layout.NEWER] != 0 and following[row] != 0:
            int32s(X[index, layout.NEWER], M[X[index, layout.TABLE], layout.CAPACITY])[following[row] - 1] = 0
        X[index, layout.DISTINCT] -= heads[slot] == 0
    X[index, layout.UPTO] = min(X[index, layout.UPTO], count)


@table_walk
def shorten_table(M: Int64s, table: int, count: int) -> None:
    """Truncate a table to `count` rows; the indexes have been shortened already."""
    arity = M[table, layout.ARITY]
    rows = rows_of(M, table)
    has_bits = M[table, layout.BITS] != 0
    for row in range(M[table, layout.COUNT] - 1, count - 1, -1):
        if has_bits:
            x, y = place_of(M, table, rows[2 * row]), place_of(M, table, rows[2 * row + 1])
            clear_bit(bits_of_table(M, table), M[table, layout.DOMAIN] >> 6, x, y)
        else:
            slots_of(M, table)[slot_for(M, table, rows[row * arity : (row + 1) * arity])] = 0
    M[table, layout.COUNT], M[table, layout.NUMBERED] = count, min(M[table, layout.NUMBERED], count)
    forget_times(M, table)


@table_walk
def empty_tables(M: Int64s, X: Int64s, tables: Int32s, indexes: Int32s, others: Int32s) -> None:
    """Empty tables without tombstones, whose indexes are `indexes`; make all rows of others visible to rules, with no delta."""
    for i in range(len(indexes)):
        shorten_index(M, X, np.int64(indexes[i]), 0)
    for i in range(len(tables)):
        shorten_table(M, np.int64(tables[i]), 0)
        M[tables[i], layout.OLD] = M[tables[i], layout.ALL] = 0
    for i in range(len(others)):
        M[others[i], layout.OLD] = M[others[i], layout.ALL] = M[others[i], layout.COUNT]
