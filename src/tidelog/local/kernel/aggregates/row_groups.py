"""Aggregates in one pass over the rows of a table: each row finds its group, which has what its result needs.

The group of a row is found at the id in its column, if there is one, and by open addressing over groups if there are several.  A
group knows its first row, so no key is copied.  What does not fit a few words is ODD, and folded from all of its members
(`group_folding`): sums beyond 64 bits, infinities, numbers of two kinds, values without an order.

Floats are added with the error of each addition (Knuth's TwoSum), and the errors are added up beside, with a bound of what that
loses.  If the bound leaves one way to round, it is the rounded exact sum; if not, the group is ODD, too.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel import layout
from tidelog.local.kernel.aggregates.group_folding import AVG, MAX, MIN, SUM
from tidelog.local.kernel.build import hot, kernel, part
from tidelog.local.kernel.memory import ONE, bits_of, bytes_at, float_of, int32s, int64s
from tidelog.local.kernel.table_rows import finish, mix, rows_of
from tidelog.local.kernel.terms import CAPACITY, FLOAT, INT, KINDS, LENGTHS, PAYLOADS, UNORDERED, compare_values

COUNT_ROWS = 5
"""Beside the functions of `group_folding`."""
STATE, VALUE, LOW, LOST = range(4)
GROUP_WIDTH = 4
# STATE       the number of rows, shifted, and what they are: INTEGERS, FLOATS, ODD
# VALUE       a sum of integers; the bits of one of floats; or the id of the least or greatest
# LOW, LOST   of floats, as bits: the sum of the errors of all additions, and that of their sizes; of the least or greatest: its
#             payload, and its kind
INTEGERS, FLOATS, ODD, ONE_MORE, SHIFT = 1, 2, 4, 8, 3
ROW, GROUPS, FUNCTION, TARGET = range(4)
PASS_WIDTH = 4
"""A pass: the next row, how many groups there are, what folds them, and the column of the target."""
BLOCK = 1 << 11
"""Rows whose groups are looked up before they are folded: lookups do not wait for one another then."""


@hot
def _have_same_key(rows: Int32s, base: int, other: int, columns: Int32s) -> bool:
    for j in range(len(columns)):
        if rows[base + columns[j]] != rows[other + columns[j]]:
            return False
    return True


@hot
def _slot_of(rows: Int32s, base: int, arity: int, columns: Int32s, slots: Int32s, firsts: Int64s) -> int:
    """Where the number of a row's group stands, or would stand, by open addressing."""
    hashed = np.uint64(0)
    for j in range(len(columns)):
        hashed = mix(hashed, rows[base + columns[j]])
    mask = np.uint64(len(slots) - 1)
    slot = finish(hashed) & mask
    while slots[slot] != 0:
        if _have_same_key(rows, base, firsts[np.int64(slots[slot]) - 1] * arity, columns):
            break
        slot = (slot + ONE) & mask
    return np.int64(slot)


@part
def _number_rows(
    rows: Int32s, arity: int, begin: int, columns: Int32s, slots: Int32s, firsts: Int64s, groups: int, numbers: Int64s
) -> int:
    """The number of the group of each row from `begin` on, -1 for tombstones; how many groups there are now."""
    count = len(columns)
    column = np.int64(columns[0]) if count > 0 else np.int64(0)
    for row in range(begin, begin + len(numbers)):
        base = row * arity
        if arity > 0 and rows[base] < 0:
            numbers[row - begin] = -1
            continue
        slot = np.int64(rows[base + column]) if count == 1 else np.int64(0)
        if count > 1:
            slot = _slot_of(rows, base, arity, columns, slots, firsts)
        group = np.int64(slots[slot]) - 1
        if group < 0:
            group = np.int64(groups)
            groups += 1
            slots[slot] = groups
            firsts[group] = row
        numbers[row - begin] = group
    return np.int64(groups)


@part
def _add_rows(T: Int64s, rows: Int32s, arity: int, begin: int, target: int, numbers: Int64s, groups: Int64s) -> None:
    """Add the targets of rows to the sums of their groups."""
    kinds, payloads = bytes_at(T[KINDS], T[CAPACITY]), int64s(T[PAYLOADS], T[CAPACITY])
    for i in range(len(numbers)):
        group = numbers[i]
        if group < 0:
            continue
        value = rows[(begin + i) * arity + target]
        kind, payload, before = kinds[value], payloads[value], groups[group, VALUE]
        if kind == INT:
            total = before + payload
            groups[group, VALUE] = total
            overflows = ((before ^ total) & (payload ^ total)) < 0
            groups[group, STATE] = (groups[group, STATE] + ONE_MORE) | (ODD if overflows else INTEGERS)
        elif kind == FLOAT:
            x, high = float_of(payload), float_of(before)
            high_now = high + x
            of_x = high_now - high
            error = (high - (high_now - of_x)) + (x - of_x)
            groups[group, VALUE] = bits_of(high_now)
            groups[group, LOW] = bits_of(float_of(groups[group, LOW]) + error)
            groups[group, LOST] = bits_of(float_of(groups[group, LOST]) + abs(error))
            groups[group, STATE] = (groups[group, STATE] + ONE_MORE) | FLOATS
        else:
            groups[group, STATE] = (groups[group, STATE] + ONE_MORE) | ODD


@part
def _compare_ids(T: Int64s, one: int, other: int) -> int:
    kinds, payloads, lengths = bytes_at(T[KINDS], T[CAPACITY]), int64s(T[PAYLOADS], T[CAPACITY]), int32s(T[LENGTHS], T[CAPACITY])
    return compare_values(
        T,
        np.int64(kinds[one]),
        payloads[one],
        np.int64(lengths[one]),
        np.int64(kinds[other]),
        payloads[other],
        np.int64(lengths[other]),
    )


@part
def _compare_rows(
    T: Int64s, function: int, rows: Int32s, arity: int, begin: int, target: int, numbers: Int64s, groups: Int64s
) -> None:
    """Let the least or greatest of each group be a target of its rows, if it is that."""
    kinds, payloads = bytes_at(T[KINDS], T[CAPACITY]), int64s(T[PAYLOADS], T[CAPACITY])
    for i in range(len(numbers)):
        group = numbers[i]
        if group < 0:
            continue
        value = np.int64(rows[(begin + i) * arity + target])
        kind, payload, state = kinds[value], payloads[value], groups[group, STATE]
        is_better = state == 0
        if is_better:  # a value without an order has none with itself
            order = _compare_ids(T, value, value) if kind != INT else np.int64(0)
        elif kind == INT and groups[group, LOST] == INT:
            order = np.int64(payload > groups[group, LOW]) - np.int64(payload < groups[group, LOW])
        else:
            order = _compare_ids(T, value, groups[group, VALUE])
        if order == UNORDERED:
            state |= ODD
        elif order == 0:
            is_better = is_better or (kind == INT and groups[group, LOST] == FLOAT)
        else:
            is_better = (function == MIN) == (order < 0)
        if is_better:
            groups[group, VALUE], groups[group, LOW], groups[group, LOST] = value, payload, kind
        groups[group, STATE] = state + ONE_MORE


@part
def _count_rows(numbers: Int64s, groups: Int64s) -> None:
    for i in range(len(numbers)):
        if numbers[i] >= 0:
            groups[numbers[i], STATE] += ONE_MORE


@kernel
def fold_rows(
    M: Int64s, T: Int64s, table: int, progress: Int64s, columns: Int32s, slots: Int32s, firsts: Int64s, groups: Int64s
) -> bool:
    """Fold the rows of a table from `progress[ROW]` on; False if there is no room for more groups.

    `firsts` and the rows of `groups`, which are zeros, are as many as there may be groups: the first row of each, and its words.
    """
    arity, rows, end = M[table, layout.ARITY], rows_of(M, table), M[table, layout.COUNT]
    function, target = progress[FUNCTION], progress[TARGET]
    found = np.empty(BLOCK, np.int64)
    while progress[ROW] < end:
        begin = progress[ROW]
        until = min(end, begin + BLOCK)
        count = progress[GROUPS] + until - begin
        if len(columns) > 0 and (count > len(firsts) or (len(columns) > 1 and 2 * count > len(slots))):
            return False
        numbers = found[: until - begin]
        progress[GROUPS] = _number_rows(rows, arity, begin, columns, slots, firsts, progress[GROUPS], numbers)
        if function == SUM or function == AVG:
            _add_rows(T, rows, arity, begin, target, numbers, groups)
        elif function == MIN or function == MAX:
            _compare_rows(T, function, rows, arity, begin, target, numbers, groups)
        else:
            _count_rows(numbers, groups)
        progress[ROW] = until
    return True


@kernel
def enter_groups(M: Int64s, table: int, count: int, columns: Int32s, slots: Int32s, firsts: Int64s) -> None:
    """Enter groups into a larger hash table."""
    arity, rows = M[table, layout.ARITY], rows_of(M, table)
    for group in range(count):
        slots[_slot_of(rows, firsts[group] * arity, arity, columns, slots, firsts)] = group + 1


@kernel
def members_of_groups(
    M: Int64s, table: int, progress: Int64s, columns: Int32s, slots: Int32s, firsts: Int64s, places: Int64s, members: Int32s
) -> None:
    """Copy the targets of rows from `progress[ROW]` on, each to the place of its group, which moves on; -1 leaves a group out."""
    arity, rows, end = M[table, layout.ARITY], rows_of(M, table), M[table, layout.COUNT]
    found = np.empty(BLOCK, np.int64)
    for begin in range(progress[ROW], end, BLOCK):
        numbers = found[: min(end - begin, BLOCK)]
        _number_rows(rows, arity, begin, columns, slots, firsts, progress[GROUPS], numbers)
        for i in range(len(numbers)):
            group = numbers[i]
            if group >= 0 and places[group] >= 0:
                members[places[group]] = rows[(begin + i) * arity + progress[TARGET]]
                places[group] += 1
