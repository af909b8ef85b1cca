"""The rows of pairs in a table that finds them by bits: by cell, or by hash where a word for each cell would take too much.

The bit tells whether a pair is there, so nothing is taken out when a row is removed: an entry counts if the row that it names
still holds the pair.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel import layout
from tidelog.local.kernel.build import hot, part
from tidelog.local.kernel.memory import int32s
from tidelog.local.kernel.rows.term_places import place_of
from tidelog.local.kernel.table_rows import contains, finish, mix, rows_of, slot_for, slots_of

_HALF = np.uint64(32)
MOST_OF_ROOM = 0.75
"""The share of entries of a hash that may be used."""


@hot
def _numbers_of(M: Int64s, table: int) -> Int32s:
    """The entries: by cell, row numbers; by hash, row numbers + 1, or 0."""
    return int32s(M[table, layout.NUMBERS], M[table, layout.NUMBER_ROOM])


@part
def is_numbered(M: Int64s, table: int) -> bool:
    """Whether the rows of all pairs are known without a walk."""
    return M[table, layout.NUMBERS] != 0 and M[table, layout.NUMBERED] == M[table, layout.COUNT]  # type: ignore[no-any-return]


@hot
def _is_by_cell(M: Int64s, table: int) -> bool:
    return M[table, layout.NUMBER_ROOM] == M[table, layout.DOMAIN] * M[table, layout.DOMAIN]  # type: ignore[no-any-return]


@hot
def _home(x: int, y: int, room: int) -> int:
    """The entry where the search for a pair starts."""
    return np.int64((finish(mix(mix(np.uint64(0), x), y)) * np.uint64(room)) >> _HALF)


@part
def number_pairs(M: Int64s, table: int) -> None:
    """Note the rows of pairs that came since the last time, if there is room for that."""
    if M[table, layout.NUMBERS] == 0 or is_numbered(M, table):
        return
    rows, numbers, begin, end = rows_of(M, table), _numbers_of(M, table), M[table, layout.NUMBERED], M[table, layout.COUNT]
    if _is_by_cell(M, table):
        domain = M[table, layout.DOMAIN]
        for row in range(begin, end):
            if rows[2 * row] >= 0:
                numbers[place_of(M, table, rows[2 * row]) * domain + place_of(M, table, rows[2 * row + 1])] = row
    else:
        if begin == 0:
            numbers[:] = 0
            M[table, layout.NUMBER_COUNT] = 0
        room = M[table, layout.NUMBER_ROOM]
        if M[table, layout.NUMBER_COUNT] + end - begin > MOST_OF_ROOM * room:
            return
        for row in range(begin, end):
            if rows[2 * row] >= 0:
                at = _home(rows[2 * row], rows[2 * row + 1], room)
                while numbers[at] != 0:
                    at = at + 1 if at + 1 < room else np.int64(0)
                numbers[at] = row + 1
        M[table, layout.NUMBER_COUNT] += end - begin
    M[table, layout.NUMBERED] = end


@part
def row_of_pair(M: Int64s, table: int, x: int, y: int) -> int:
    """The row of a pair that is there, in a table whose pairs are numbered."""
    numbers = _numbers_of(M, table)
    if _is_by_cell(M, table):
        return np.int64(numbers[place_of(M, table, x) * M[table, layout.DOMAIN] + place_of(M, table, y)])
    rows, count, room = rows_of(M, table), M[table, layout.COUNT], M[table, layout.NUMBER_ROOM]
    at = _home(x, y, room)
    while True:
        row = np.int64(numbers[at]) - 1
        if row < count and rows[2 * row] == x and rows[2 * row + 1] == y:
            return row
        at = at + 1 if at + 1 < room else np.int64(0)


@part
def is_among_first(M: Int64s, table: int, key: Int32s) -> bool:
    """Whether the table has the row `key` among its rows before `ALL`; where only a walk could tell, whether it has it at all."""
    if M[table, layout.BITS] == 0:
        return 0 < slots_of(M, table)[slot_for(M, table, key)] <= M[table, layout.ALL]  # type: ignore[no-any-return]
    if not contains(M, table, key):
        return False
    return not is_numbered(M, table) or row_of_pair(M, table, key[0], key[1]) < M[table, layout.ALL]
