"""Removal of rows: from the hash table or the matrix of bits, and from the chain of every index; a tombstone stays.

The first column of a removed row is negative, so that scans skip it and the numbers of other rows do not change. From the first
removal on, chains have a second link, to the next newer row: finding it by walking would cost the length of the chain. Hash
tables shift later entries back into the gap ("backward shift"), so that they need no tombstones.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel import layout, table_rows
from tidelog.local.kernel.build import hot, kernel, part, table_walk
from tidelog.local.kernel.memory import int32s
from tidelog.local.kernel.rows.pair_rows import is_numbered, row_of_pair
from tidelog.local.kernel.rows.row_order import shorten_run
from tidelog.local.kernel.rows.row_times import forget_times
from tidelog.local.kernel.rows.term_places import place_of


@hot
def _newer_rows(M: Int64s, X: Int64s, table: int, index: int) -> Int32s:
    """For each row of a table the next newer one in its chain of an index."""
    return int32s(X[index, layout.NEWER], M[table, layout.CAPACITY])


@hot
def _removed_rows(M: Int64s, table: int) -> Int32s:
    """The numbers of removed rows, in the order of removal."""
    return int32s(M[table, layout.REMOVED], M[table, layout.CAPACITY])


@part
def _shift_back(slots: Int32s, gap: int, rows: Int32s, arity: int, columns: Int32s, count: int) -> None:
    """Empty a slot and shift later entries back, as if its entry had never been there."""
    mask = len(slots) - 1
    slots[gap] = 0
    at = gap
    while True:
        at = (at + 1) & mask
        if slots[at] == 0:
            return
        home = np.int64(table_rows.home_slot(rows, (np.int64(slots[at]) - 1) * arity, columns, count, np.uint64(mask)))
        if (at - home) & mask >= (at - gap) & mask:
            slots[gap] = slots[at]
            slots[at] = 0
            gap = at


@part
def row_number(M: Int64s, X: Int64s, table: int, index: int, key: Int32s) -> int:
    """The number of a row, or -1.

    Without a hash table and `NUMBERS`, along the chain of an index on the first column, which must have all rows.
    """
    if M[table, layout.BITS] == 0:
        return np.int64(table_rows.slots_of(M, table)[table_rows.slot_for(M, table, key)]) - 1
    if not table_rows.contains(M, table, key):
        return -1
    if is_numbered(M, table):
        return np.int64(row_of_pair(M, table, key[0], key[1]))
    rows, following = table_rows.rows_of(M, table), table_rows.older_rows(M, X, table, index)
    row = table_rows.chain(M, X, index, key)
    while row >= 0 and rows[2 * row + 1] != key[1]:
        row = np.int64(following[row]) - 1
    return row


@part
def _unlink(M: Int64s, X: Int64s, table: int, index: int, row: int) -> None:
    """Take a row out of its chain."""
    following, newer = table_rows.older_rows(M, X, table, index), _newer_rows(M, X, table, index)
    older = following[row]
    if older != 0:
        newer[older - 1] = newer[row]
    if newer[row] != 0:
        following[newer[row] - 1] = older
        return
    heads = table_rows.heads_of(X, index)
    slot = np.int64(table_rows.key_slot(M, X, index, row))
    if older != 0 or X[index, layout.IS_DIRECT] != 0:
        heads[slot] = older
    else:
        columns = int32s(X[index, layout.KEY_COLUMNS], X[index, layout.KEY_COUNT])
        _shift_back(heads, slot, table_rows.rows_of(M, table), M[table, layout.ARITY], columns, X[index, layout.KEY_COUNT])
    X[index, layout.DISTINCT] -= older == 0


@part
def remove_row(M: Int64s, X: Int64s, table: int, indexes: Int32s, row: int, every: Int32s) -> None:
    """Remove the row of a number; `indexes` are those of the table, `every` is 0, 1, … for each column."""
    rows, arity = table_rows.rows_of(M, table), M[table, layout.ARITY]
    for i in range(len(indexes)):
        if row < X[indexes[i], layout.UPTO]:
            _unlink(M, X, table, np.int64(indexes[i]), row)
    base = row * arity
    if M[table, layout.BITS] != 0:
        x, y = place_of(M, table, rows[base]), place_of(M, table, rows[base + 1])
        table_rows.clear_bit(table_rows.bits_of_table(M, table), M[table, layout.DOMAIN] >> 6, x, y)
    else:
        slot = np.int64(table_rows.slot_for(M, table, rows[base : base + arity]))
        _shift_back(table_rows.slots_of(M, table), slot, rows, arity, every, arity)
    _removed_rows(M, table)[M[table, layout.TOMBSTONES]] = row
    rows[base] = -1 - rows[base]
    M[table, layout.TOMBSTONES] += 1


@kernel
def remove_rows(M: Int64s, X: Int64s, table: int, indexes: Int32s, first: int, data: Int32s, every: Int32s) -> None:
    """Remove those rows of a matrix that the table has; `first` is an index on the first column, if rows are found by bits."""
    for i in range(data.shape[0]):
        row = row_number(M, X, table, first, data[i])
        if row >= 0:
            remove_row(M, X, table, indexes, row, every)


@table_walk
def link_newer(M: Int64s, X: Int64s, table: int, index: int) -> None:
    """Fill the links to the next newer row of each chain."""
    following, newer = table_rows.older_rows(M, X, table, index), _newer_rows(M, X, table, index)
    rows, arity = table_rows.rows_of(M, table), M[table, layout.ARITY]
    for row in range(X[index, layout.UPTO]):
        newer[row] = 0
    for row in range(X[index, layout.UPTO]):
        if rows[row * arity] >= 0 and following[row] != 0:
            newer[following[row] - 1] = row + 1


# --- rollback ------------------------------------------------------------------------------------------------------------


@part
def _relink(M: Int64s, X: Int64s, table: int, index: int, row: int) -> bool:
    """Put a row back into its chain; False if the index was made anew while the row was a tombstone.

    A removed row keeps its links.  In the reverse order of removal, its neighbours are there again, but for newer rows that were
    appended since: a neighbour from `COUNT` on means that the row was the newest.  Rows that were there, but entered the index
    only after the removal, are newer: the row goes below them.
    """
    following, newer = table_rows.older_rows(M, X, table, index), _newer_rows(M, X, table, index)
    older = following[row]
    if older == layout.NOT_LINKED:
        return False
    if older != 0:
        newer[older - 1] = row + 1
    if 0 < newer[row] <= M[table, layout.COUNT]:
        following[newer[row] - 1] = row + 1
        return True
    newer[row] = 0
    heads, slot = table_rows.heads_of(X, index), table_rows.key_slot(M, X, index, row)
    if heads[slot] == older:
        X[index, layout.DISTINCT] += older == 0
        heads[slot] = row + 1
        return True
    above = np.int64(heads[slot]) - 1
    while following[above] != older:
        above = np.int64(following[above]) - 1
    following[above], newer[row] = row + 1, above + 1
    return True


@part
def _restore_row(M: Int64s, X: Int64s, table: int, indexes: Int32s, row: int, is_stale: Int32s) -> None:
    """Turn a tombstone back into a row."""
    rows, arity = table_rows.rows_of(M, table), M[table, layout.ARITY]
    base = row * arity
    rows[base] = -1 - rows[base]
    if M[table, layout.BITS] != 0:
        x, y = place_of(M, table, rows[base]), place_of(M, table, rows[base + 1])
        table_rows.set_bit(table_rows.bits_of_table(M, table), M[table, layout.DOMAIN] >> 6, x, y)
    else:
        table_rows.slots_of(M, table)[table_rows.slot_for(M, table, rows[base : base + arity])] = row + 1
    for i in range(len(indexes)):
        if row < X[indexes[i], layout.UPTO] and is_stale[i] == 0 and not _relink(M, X, table, np.int64(indexes[i]), row):
            is_stale[i] = 1


@table_walk
def restore_rows(
    M: Int64s, X: Int64s, table: int, indexes: Int32s, end: int, tombstones: int, every: Int32s, is_stale: Int32s
) -> None:
    """Restore a table that had `end` rows, `tombstones` of them removed; an index that is stale must be made anew.

    The cost follows the rows appended and removed since then, not the table.
    """
    rows, arity, removed = table_rows.rows_of(M, table), M[table, layout.ARITY], _removed_rows(M, table)
    before = M[table, layout.TOMBSTONES]
    for row in range(M[table, layout.COUNT] - 1, end - 1, -1):
        if rows[row * arity] >= 0:
            remove_row(M, X, table, indexes, row, every)
    M[table, layout.COUNT], M[table, layout.NUMBERED] = end, 0  # a pair may have come back, and have had another row meanwhile
    forget_times(M, table)
    for i in range(len(indexes)):
        X[indexes[i], layout.UPTO] = min(X[indexes[i], layout.UPTO], end)
        if X[indexes[i], layout.RANGE_COLUMN] != 0:
            shorten_run(X, np.int64(indexes[i]), end)
    for at in range(before - 1, tombstones - 1, -1):
        if removed[at] < end:
            _restore_row(M, X, table, indexes, np.int64(removed[at]), is_stale)
    M[table, layout.TOMBSTONES] = tombstones


# --- compaction ----------------------------------------------------------------------------------------------------------


@kernel
def copy_rows(M: Int64s, table: int, target: Int32s) -> int:
    """Copy the rows without tombstones; how many there are."""
    rows, arity = table_rows.rows_of(M, table), M[table, layout.ARITY]
    count = np.int64(0)
    for row in range(M[table, layout.COUNT]):
        if rows[row * arity] >= 0:
            for j in range(arity):
                target[count * arity + j] = rows[row * arity + j]
            count += 1
    return count
