"""When rows came: the ranks of facts, by which deletions tell proofs that cannot be circular (`maintenance.ranked`).

A fact is appended when all facts of the instance that derives it are in their tables. So within one table the row number is a
rank, and no column is needed. Across tables a clock tells: each run of a rule appends to one table and is one tick, which is an
entry of that table's `TIMES`: the first row, and the first and the last tick of the rows from there to the next entry. When the
entries are full, neighbours are merged. That loses which of their rows came before a row of another table; it never says that a
row came before one that it did not come before.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int64s
from tidelog.local.kernel import layout
from tidelog.local.kernel.build import hot, kernel, part
from tidelog.local.kernel.memory import int64_matrix, int64s

BEGIN, FIRST, LAST = range(3)
TIMES_WIDTH = 3
"""The words of an entry."""
NEVER = np.int64(1 << 62)


@hot
def times_of(M: Int64s, table: int) -> Int64s:
    """The entries of a table, and room for more."""
    return int64_matrix(M[table, layout.TIMES], M[table, layout.TIME_ROOM], TIMES_WIDTH)


@part
def note_time(M: Int64s, table: int, begin: int, is_continued: bool) -> None:
    """Note that the rows from `begin` on came just now; `is_continued` if the rule has appended the rows before them, too."""
    if M[table, layout.TIMES] == 0 or M[table, layout.COUNT] == begin:
        return
    times, clock = times_of(M, table), int64s(M[table, layout.CLOCK], 1)
    count = M[table, layout.TIME_COUNT]
    if is_continued and count > 0 and times[count - 1, LAST] == clock[0]:
        return
    clock[0] += 1
    if count == M[table, layout.TIME_ROOM]:
        _merge_neighbours(times, count)
        count >>= 1
    times[count, BEGIN], times[count, FIRST], times[count, LAST] = begin, clock[0], clock[0]
    M[table, layout.TIME_COUNT] = count + 1


@kernel
def note_rows(M: Int64s, table: int, begin: int, is_continued: bool) -> None:
    """As `note_time`, for Python."""
    note_time(M, table, begin, is_continued)


@part
def _merge_neighbours(times: Int64s, count: int) -> None:
    """Make one entry of each two; there is an even number."""
    for i in range(count >> 1):
        times[i, BEGIN], times[i, FIRST], times[i, LAST] = times[2 * i, BEGIN], times[2 * i, FIRST], times[2 * i + 1, LAST]


@part
def forget_times(M: Int64s, table: int) -> None:
    """Forget when rows came that are not there any more; a merged entry keeps its last tick, which is later than need be."""
    if M[table, layout.TIMES] == 0:
        return
    times, count = times_of(M, table), M[table, layout.TIME_COUNT]
    while count > 0 and times[count - 1, BEGIN] >= M[table, layout.COUNT]:
        count -= 1
    M[table, layout.TIME_COUNT] = count


@part
def time_of(M: Int64s, table: int, row: int) -> int:
    """The entry of a row, or -1."""
    times, low, high = times_of(M, table), np.int64(0), M[table, layout.TIME_COUNT]
    while low < high:
        middle = (low + high) >> 1
        if times[middle, BEGIN] <= row:
            low = middle + 1
        else:
            high = middle
    return low - 1


@part
def first_tick(M: Int64s, table: int, row: int) -> int:
    """When a row came, at the earliest."""
    at = time_of(M, table, row)
    return times_of(M, table)[at, FIRST] if at >= 0 else np.int64(0)


@part
def last_tick(M: Int64s, table: int, row: int) -> int:
    """When a row came, at the latest."""
    at = time_of(M, table, row)
    return times_of(M, table)[at, LAST] if at >= 0 else NEVER


@part
def rows_before(M: Int64s, table: int, tick: int) -> int:
    """How many rows of a table came before a tick for sure."""
    times, low, high = times_of(M, table), np.int64(0), M[table, layout.TIME_COUNT]
    while low < high:
        middle = (low + high) >> 1
        if times[middle, LAST] < tick:
            low = middle + 1
        else:
            high = middle
    if low == M[table, layout.TIME_COUNT]:
        return M[table, layout.COUNT] if low > 0 else np.int64(0)
    return times[low, BEGIN] if low > 0 else np.int64(0)
