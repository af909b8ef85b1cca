"""The order of rows by the values of a column: ordered indexes.

An ordered index is a run, the rows before `SORTED` in the order of the index, and a tail, all rows behind them: a new row needs
nothing, and where the tail has become long the run is made anew, by a merge. A removed row keeps its place in the run until its
table is compacted; so a rollback has nothing to restore, and to shorten the table is to leave out the rows behind its end.

The order is that of a number for each value, which can be compared without the dictionary, and where two are equal that of the
values: numbers by value, whatever their kind, texts by code points. Kinds that have no order with each other come one after the
other, at the end what has none at all.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel import layout, terms
from tidelog.local.kernel.build import hot, kernel, part
from tidelog.local.kernel.memory import bits_of, bytes_at, float_of, int32s, int64_matrix, int64s

ROW, KEY, GROUP = range(3)
ENTRY = 3
"""The words of an entry of a run, each a row of its matrix."""
LEAST_TAIL = 64
WITHOUT_ORDER = 7
_NUMBERS, _TEXTS, _BOOLS, _DATES, _TIMESTAMPS = range(5)
_ROOM = 61
"""The bits of a key that tell the values of one class apart."""
_MIDDLE = 1 << 60
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_TEXT_BYTES = 8


@part
def class_of(kind: int, payload: int) -> int:
    """Which values a value has an order with: those of its class."""
    if kind == terms.INT:
        return np.int64(_NUMBERS)
    if kind == terms.FLOAT:
        return np.int64(WITHOUT_ORDER if np.isnan(float_of(payload)) else _NUMBERS)
    if kind == terms.STRING:
        return np.int64(_TEXTS)
    if kind == terms.BOOL:
        return np.int64(_BOOLS)
    if kind == terms.DATE:
        return np.int64(_DATES)
    return np.int64(_TIMESTAMPS if kind == terms.TIMESTAMP else WITHOUT_ORDER)


@part
def first_key(values: int) -> int:
    """The smallest key of a class."""
    return (np.int64(values) - 4) << _ROOM


@part
def key_of(T: Int64s, kind: int, payload: int, size: int) -> int:
    """A number that is not smaller than that of any smaller value; it may be the same."""
    values = class_of(kind, payload)
    rank = np.int64(0)
    if values == _NUMBERS:
        bits = bits_of(np.float64(payload) if kind == terms.INT else float_of(payload))
        rank = ((bits ^ ((bits >> 63) & np.int64(0x7FFFFFFFFFFFFFFF))) >> 3) + _MIDDLE
    elif values == _TEXTS:
        arena = bytes_at(T[terms.ARENA], T[terms.ARENA_SIZE])
        for i in range(_TEXT_BYTES):
            width = np.int64(8 if i < _TEXT_BYTES - 1 else 5)
            byte = np.int64(arena[payload + i]) if i < size else np.int64(0)
            rank = (rank << width) | (byte >> (8 - width))
    elif values != WITHOUT_ORDER:
        rank = min(max(payload, np.int64(-_MIDDLE)), np.int64(_MIDDLE - 1)) + _MIDDLE
    return first_key(values) + rank


@part
def value_at(rows: Int32s, base: int, column: int) -> int:
    """A value of a row, or of the tombstone that it has become."""
    value = np.int64(rows[base + column])
    return -1 - value if value < 0 else value


@part
def group_of(key: Int32s, count: int) -> int:
    """A number for the values of the key columns: rows with equal keys have the same, others hardly ever."""
    if count == 1:
        return np.int64(key[0])
    hashed = np.uint64(0)
    for j in range(count):
        hashed = (hashed ^ np.uint64(np.uint32(key[j]))) * _GOLDEN
        hashed = hashed ^ (hashed >> _HALF)
    return np.int64(hashed)


@part
def compare_ids(T: Int64s, left: int, right: int) -> int:
    """The order of two values of one class, by their ids."""
    if left == right:
        return np.int64(0)
    capacity = T[terms.CAPACITY]
    kinds, payloads = bytes_at(T[terms.KINDS], capacity), int64s(T[terms.PAYLOADS], capacity)
    sizes = int32s(T[terms.LENGTHS], capacity)
    return np.int64(
        terms.compare_values(
            T,
            np.int64(kinds[left]),
            payloads[left],
            np.int64(sizes[left]),
            np.int64(kinds[right]),
            payloads[right],
            np.int64(sizes[right]),
        )
    )


@part
def _value_of(M: Int64s, X: Int64s, index: int, row: int) -> int:
    """The value by which an index orders a row."""
    table = X[index, layout.TABLE]
    arity = M[table, layout.ARITY]
    rows = int32s(M[table, layout.ROWS], M[table, layout.CAPACITY] * arity)
    return value_at(rows, row * arity, X[index, layout.RANGE_COLUMN] - 1)


@hot
def run_of(X: Int64s, index: int) -> Int64s:
    """The run of an ordered index: rows, keys and groups."""
    return int64_matrix(X[index, layout.RUN], ENTRY, X[index, layout.RUN_ROOM])


@part
def is_tail_long(X: Int64s, index: int, count: int) -> bool:
    """Whether the tail of an ordered index has become too long, when its table has so many rows: then the run is made anew.

    That costs as much as the run is long, and each search looks at the whole tail.
    """
    tail = count - X[index, layout.SORTED]
    return tail > LEAST_TAIL and tail * tail > X[index, layout.SORTED]


@kernel
def find_keys(M: Int64s, X: Int64s, T: Int64s, index: int, fresh: Int64s, scratch: Int32s) -> None:
    """Compute keys and groups of the rows behind a run."""
    table, columns = X[index, layout.TABLE], int32s(X[index, layout.KEY_COLUMNS], X[index, layout.KEY_COUNT])
    arity, capacity = M[table, layout.ARITY], T[terms.CAPACITY]
    rows = int32s(M[table, layout.ROWS], M[table, layout.CAPACITY] * arity)
    kinds, payloads = bytes_at(T[terms.KINDS], capacity), int64s(T[terms.PAYLOADS], capacity)
    sizes = int32s(T[terms.LENGTHS], capacity)
    for i in range(fresh.shape[1]):
        row = X[index, layout.SORTED] + i
        value = value_at(rows, row * arity, X[index, layout.RANGE_COLUMN] - 1)
        fresh[ROW, i], fresh[GROUP, i] = row, 0
        fresh[KEY, i] = key_of(T, np.int64(kinds[value]), payloads[value], np.int64(sizes[value]))
        if len(columns) > 0:
            for j in range(len(columns)):
                scratch[j] = value_at(rows, row * arity, np.int64(columns[j]))
            fresh[GROUP, i] = group_of(scratch, len(columns))


@part
def _sort_by_value(M: Int64s, X: Int64s, T: Int64s, index: int, some: Int64s, scratch: Int64s) -> None:
    """Sort some rows by value: merge sort, from short stretches to long ones."""
    width, count = 1, len(some)
    while width < count:
        for left in range(0, count, 2 * width):
            middle, right = min(left + width, count), min(left + 2 * width, count)
            i, j = left, middle
            for k in range(left, right):
                takes_left = j >= right
                if i < middle and j < right:
                    takes_left = compare_ids(T, _value_of(M, X, index, some[i]), _value_of(M, X, index, some[j])) <= 0
                if takes_left:
                    scratch[k] = some[i]
                    i += 1
                else:
                    scratch[k] = some[j]
                    j += 1
        for k in range(count):
            some[k] = scratch[k]
        width *= 2


@kernel
def settle_ties(M: Int64s, X: Int64s, T: Int64s, index: int, fresh: Int64s, scratch: Int64s) -> None:
    """Sort stretches of equal groups and keys by value; groups and keys are in order already."""
    at, count = 0, fresh.shape[1]
    while at < count:
        end, one = at + 1, _value_of(M, X, index, fresh[ROW, at])
        is_mixed = False
        while end < count and fresh[KEY, end] == fresh[KEY, at] and fresh[GROUP, end] == fresh[GROUP, at]:
            is_mixed = is_mixed or _value_of(M, X, index, fresh[ROW, end]) != one
            end += 1
        if is_mixed and fresh[KEY, at] < first_key(np.int64(WITHOUT_ORDER)):
            _sort_by_value(M, X, T, index, fresh[ROW, at:end], scratch)
        at = end


@kernel
def merge(M: Int64s, X: Int64s, T: Int64s, index: int, fresh: Int64s, target: Int64s) -> None:
    """Merge sorted new rows with a run to a new one."""
    run, before, count = run_of(X, index), X[index, layout.SORTED], fresh.shape[1]
    i, j = 0, 0
    for k in range(target.shape[1]):
        takes_old = j >= count
        if i < before and j < count:
            if run[GROUP, i] != fresh[GROUP, j]:
                takes_old = run[GROUP, i] < fresh[GROUP, j]
            elif run[KEY, i] != fresh[KEY, j]:
                takes_old = run[KEY, i] < fresh[KEY, j]
            else:
                takes_old = run[KEY, i] >= first_key(np.int64(WITHOUT_ORDER))
                if not takes_old:
                    left, right = _value_of(M, X, index, run[ROW, i]), _value_of(M, X, index, fresh[ROW, j])
                    takes_old = compare_ids(T, left, right) <= 0
        for word in range(ENTRY):
            target[word, k] = run[word, i] if takes_old else fresh[word, j]
        i, j = (i + 1, j) if takes_old else (i, j + 1)


@part
def shorten_run(X: Int64s, index: int, count: int) -> None:
    """Leave the rows from `count` on out of a run."""
    length = X[index, layout.SORTED]
    if length <= count:
        return
    kept = 0
    if count > 0:
        run = run_of(X, index)
        for i in range(length):
            if run[ROW, i] < count:
                for word in range(ENTRY):
                    run[word, kept] = run[word, i]
                kept += 1
    X[index, layout.SORTED] = kept
