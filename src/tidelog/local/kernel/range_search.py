"""The step RANGE of a plan: the rows of an ordered index (`rows.row_order`) with a key and with values between bounds.

Bounds are expressions of what is bound already. A search in the run finds where the rows between them begin and end; the rows of
the tail are compared one by one. Both compare as the language does, so no test is left behind. The step keeps its place and its
bounds in words of the plan's stack, behind those that expressions use.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int64s
from tidelog.local.kernel import arithmetic, layout, memory, terms
from tidelog.local.kernel.build import part, service
from tidelog.local.kernel.emit_loop import span_begin, span_end
from tidelog.local.kernel.memory import bytes_at, int32s, int64_matrix, int64s
from tidelog.local.kernel.plan_table import plan_code, plan_key, plan_slots, run_state
from tidelog.local.kernel.rows.row_order import GROUP, KEY, ROW, class_of, first_key, group_of, key_of, run_of

NONE, INCLUSIVE, EXCLUSIVE = range(3)
"""Forms of a bound."""
AT, END, TAIL, LOW = range(4)
HIGH = LOW + 5
RANGE_WIDTH = HIGH + 5
"""The words of a step: the next place in the run, the end there, the next row of the tail, and the two bounds."""
_FORM, _KIND, _PAYLOAD, _SIZE, _KEY = range(5)
"""The words of a bound."""
_NOWHERE = np.int64(1 << 62)


@part
def _read_bound(T: Int64s, plan: Int64s, at: int, words: Int64s) -> bool:
    """Compute a bound, whose form, length and code stand at a place of the plan; False if it has no value with an order."""
    code, slots = plan_code(plan), plan_slots(plan)
    words[_FORM] = code[at]
    if code[at] == NONE:
        return True
    capacity = T[terms.CAPACITY]
    if code[at + 1] == 2:  # a variable or a constant
        value = slots[code[at + 3]]
        words[_KIND], words[_PAYLOAD] = bytes_at(T[terms.KINDS], capacity)[value], int64s(T[terms.PAYLOADS], capacity)[value]
        words[_SIZE] = int32s(T[terms.LENGTHS], capacity)[value]
    else:
        stack = int64s(plan[layout.PLAN_STACK], plan[layout.PLAN_STACK_LENGTH])
        services = int64s(plan[layout.PLAN_SERVICES], layout.SERVICES)
        if not arithmetic.evaluate_called(services, T, code, at + 2, at + 2 + code[at + 1], slots, stack):
            return False
        words[_KIND], words[_PAYLOAD] = stack[0], stack[1]
        words[_SIZE] = int32s(T[terms.LENGTHS], capacity)[stack[2]] if stack[2] >= 0 else 0
    words[_KEY] = key_of(T, words[_KIND], words[_PAYLOAD], words[_SIZE])
    return words[_KEY] < first_key(np.int64(7))


@part
def _compare(T: Int64s, value: int, bound: Int64s) -> int:
    """The order of a value and a bound."""
    capacity = T[terms.CAPACITY]
    return np.int64(
        terms.compare_values(
            T,
            np.int64(bytes_at(T[terms.KINDS], capacity)[value]),
            int64s(T[terms.PAYLOADS], capacity)[value],
            np.int64(int32s(T[terms.LENGTHS], capacity)[value]),
            bound[_KIND],
            bound[_PAYLOAD],
            bound[_SIZE],
        )
    )


@part
def _is_before(M: Int64s, X: Int64s, T: Int64s, index: int, at: int, group: int, bound: Int64s) -> bool:
    """Whether an entry of the run comes before the rows that a bound begins, which is INCLUSIVE or EXCLUSIVE."""
    run = run_of(X, index)
    if run[GROUP, at] != group:
        return run[GROUP, at] < group
    if run[KEY, at] != bound[_KEY] or bound[_FORM] == NONE:
        return run[KEY, at] < bound[_KEY]
    table = X[index, layout.TABLE]
    arity = M[table, layout.ARITY]
    value = np.int64(
        int32s(M[table, layout.ROWS], M[table, layout.CAPACITY] * arity)[run[ROW, at] * arity + X[index, layout.RANGE_COLUMN] - 1]
    )
    order = _compare(T, -1 - value if value < 0 else value, bound)
    return order < 0 or (order == 0 and bound[_FORM] == EXCLUSIVE)


@part
def _search(M: Int64s, X: Int64s, T: Int64s, index: int, begin: int, group: int, bound: Int64s) -> int:
    """The first place of the run from `begin` on that is not before a bound; quick where it is near."""
    low, high, width = begin, begin, np.int64(1)
    count = X[index, layout.SORTED]
    while high < count and _is_before(M, X, T, index, high, group, bound):
        low, high, width = high + 1, high + width, 2 * width
    high = min(high, count)
    while low < high:
        middle = (low + high) >> 1
        if _is_before(M, X, T, index, middle, group, bound):
            low = middle + 1
        else:
            high = middle
    return low


@part
def _begin(M: Int64s, X: Int64s, T: Int64s, plan: Int64s, at: int, words: Int64s) -> None:
    """Compute the bounds, and find the rows of the run between them."""
    code, slots, key = plan_code(plan), plan_slots(plan), plan_key(plan)
    index, table, keys = np.int64(code[at + 1]), np.int64(code[at + 2]), code[at + 6]
    low, high = words[LOW : LOW + 5], words[HIGH : HIGH + 5]
    words[AT], words[END], words[TAIL] = 0, 0, _NOWHERE
    low_at = at + code[at + 5]
    if not (_read_bound(T, plan, low_at, low) and _read_bound(T, plan, low_at + 2 + code[low_at + 1], high)):
        run_state(plan)[layout.UNDEFINED] += 1
        return
    one = low if low[_FORM] != NONE else high
    values = class_of(one[_KIND], one[_PAYLOAD])
    if low[_FORM] == NONE:
        low[_KEY] = first_key(values)
    if high[_FORM] == NONE:
        high[_KEY] = first_key(values + 1)
    elif low[_FORM] != NONE and class_of(high[_KIND], high[_PAYLOAD]) != values:
        return
    words[TAIL] = max(X[index, layout.SORTED], span_begin(M, table, code[at + 3]))
    for j in range(keys):
        key[j] = slots[code[at + 7 + j]]
    group = group_of(key, keys) if keys > 0 else np.int64(0)
    words[AT] = _search(M, X, T, index, np.int64(0), group, low)
    # A search for the end stops behind what equals it if it is included, before if not: the other way round as at the beginning.
    form = high[_FORM]
    high[_FORM] = NONE if form == NONE else (EXCLUSIVE if form == INCLUSIVE else INCLUSIVE)
    words[END] = _search(M, X, T, index, words[AT], group, high)
    high[_FORM] = form


@part
def _is_within(T: Int64s, value: int, words: Int64s) -> bool:
    """Whether a value is between the bounds."""
    if words[LOW] != NONE:
        order = _compare(T, value, words[LOW : LOW + 5])
        if order == terms.UNORDERED or order < 0 or (order == 0 and words[LOW] == EXCLUSIVE):
            return False
    if words[HIGH] != NONE:
        order = _compare(T, value, words[HIGH : HIGH + 5])
        return order < 0 or (order == 0 and words[HIGH] == INCLUSIVE)
    return True


@part
def next_in_range(M: Int64s, X: Int64s, T: Int64s, plan: Int64s, at: int, entering: bool) -> int:
    """The next row of the step that stands at a place of a plan, or -1."""
    code, slots = plan_code(plan), plan_slots(plan)
    index, table, keys = np.int64(code[at + 1]), np.int64(code[at + 2]), code[at + 6]
    words = int64s(plan[layout.PLAN_STACK], plan[layout.PLAN_STACK_LENGTH])[code[at + 4] : code[at + 4] + RANGE_WIDTH]
    if entering:
        _begin(M, X, T, plan, at, words)
    arity, run = M[table, layout.ARITY], run_of(X, index)
    rows = int32s(M[table, layout.ROWS], M[table, layout.CAPACITY] * arity)
    oldest, limit = span_begin(M, table, code[at + 3]), span_end(M, table, code[at + 3])
    while words[AT] < words[END]:
        row = run[ROW, words[AT]]
        words[AT] += 1
        if oldest <= row < limit and rows[row * arity] >= 0:
            return row
    columns, column = int32s(X[index, layout.KEY_COLUMNS], X[index, layout.KEY_COUNT]), X[index, layout.RANGE_COLUMN] - 1
    while words[TAIL] < limit:
        row = words[TAIL]
        words[TAIL] += 1
        is_found = rows[row * arity] >= 0
        for j in range(keys):
            if rows[row * arity + columns[j]] != slots[code[at + 7 + j]]:
                is_found = False
                break
        if is_found and _is_within(T, np.int64(rows[row * arity + column]), words):
            return row
    return np.int64(-1)


@service
def next_in_range_at(M: int, X: int, T: int, plan: int, at: int, entering: int) -> int:
    """`next_in_range`, with addresses."""
    tables = int64_matrix(M, memory.ANY_LENGTH, layout.TABLE_WIDTH)
    indexes = int64_matrix(X, memory.ANY_LENGTH, layout.INDEX_WIDTH)
    return next_in_range(tables, indexes, int64s(T, terms.WIDTH), int64s(plan, layout.PLAN_WIDTH), at, entering != 0)
