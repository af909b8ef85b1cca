"""The step SHORTEST of a plan: several atoms that bind the same variables, and for each binding before it the shortest chain.

Where keys have very different numbers of rows, a join may be slow in any order of its atoms: in `a(X, Y), b(Y, Z), c(X, Z)` a
frequent Y has many rows of b, and a frequent X many of c.  To choose anew for each binding of X and Y is what makes a join
worst-case optimal (Ngo, Porat, Re and Rudra, "Worst-case optimal join algorithms", PODS 2012, where Z ranges over the smaller of
two sets).  We do it for the last variables of such atoms only, and do not count rows: chains are walked side by side until one
ends, so that the choice takes as many steps as the result.  Each row of the shortest chain is tested in the other tables.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel import layout
from tidelog.local.kernel.build import part
from tidelog.local.kernel.emit_loop import span_begin, span_end
from tidelog.local.kernel.plan_table import load_key, matches
from tidelog.local.kernel.table_rows import chain, contains, older_rows, rows_of

INDEX, TABLE, SPAN, ARGS_AT, KEY_COUNT, KEYS = range(6)
"""The words of an atom; behind its keys are actions for its other columns, and from ARGS_AT on the slots of all columns."""
CHOOSE = np.int64(-2)
_OFFSET = np.int64(32)
_ROW = (np.int64(1) << np.int64(32)) - np.int64(1)


@part
def _first_row(M: Int64s, X: Int64s, code: Int32s, at: int, slots: Int32s, key: Int32s) -> int:
    load_key(code, at + KEYS, code[at + KEY_COUNT], slots, key)
    return chain(M, X, np.int64(code[at + INDEX]), key)


@part
def _shortest(M: Int64s, X: Int64s, code: Int32s, at: int, slots: Int32s, key: Int32s, state: Int64s) -> int:
    """The place of the atom with the shortest chain, and its first row, in one word; -1 if an atom has no row."""
    best = at + code[at + 2]
    first, steps = _first_row(M, X, code, best, slots, key), np.int64(0)
    for i in range(1, code[at + 1]):
        other = at + code[at + 2 + i]
        other_first = _first_row(M, X, code, other, slots, key)
        if first < 0 or other_first < 0:
            return np.int64(-1)
        here = older_rows(M, X, np.int64(code[best + TABLE]), np.int64(code[best + INDEX]))
        there = older_rows(M, X, np.int64(code[other + TABLE]), np.int64(code[other + INDEX]))
        row, other_row = first, other_first
        while row >= 0 and other_row >= 0:
            row, other_row = np.int64(here[row]) - 1, np.int64(there[other_row]) - 1
            steps += 1
        if row >= 0:
            best, first = other, other_first
    state[layout.WALKED] += steps
    return (np.int64(best - at) << _OFFSET) | first


@part
def _in_others(M: Int64s, code: Int32s, at: int, chosen: int, slots: Int32s, key: Int32s) -> bool:
    for i in range(code[at + 1]):
        other = at + code[at + 2 + i]
        if other != chosen:
            table = np.int64(code[other + TABLE])
            load_key(code, other + code[other + ARGS_AT], M[table, layout.ARITY], slots, key)
            if not contains(M, table, key):
                return False
    return True


@part
def next_of_shortest(
    M: Int64s, X: Int64s, code: Int32s, at: int, slots: Int32s, key: Int32s, cursor: Int64s, state: Int64s
) -> bool:
    """Bind the next row that all atoms of a step agree on, False if there is none; `cursor`, the step's, is `CHOOSE` at first."""
    state[layout.WALKED] = 0
    if cursor[0] == CHOOSE:
        cursor[0] = _shortest(M, X, code, at, slots, key, state)
    if cursor[0] < 0:
        return False
    offset, row = cursor[0] >> _OFFSET, cursor[0] & _ROW
    chosen = at + offset
    table = np.int64(code[chosen + TABLE])
    rows, arity, following = rows_of(M, table), M[table, layout.ARITY], older_rows(M, X, table, np.int64(code[chosen + INDEX]))
    oldest, limit = span_begin(M, table, code[chosen + SPAN]), span_end(M, table, code[chosen + SPAN])
    actions = chosen + KEYS + code[chosen + KEY_COUNT]
    found = False
    while row >= oldest and not found:
        if row < limit and matches(rows, row * arity, code, actions, slots):
            found = _in_others(M, code, at, chosen, slots, key)
        row = np.int64(following[row]) - 1
        state[layout.WALKED] += 1
    cursor[0] = (offset << _OFFSET) | row if row >= 0 else np.int64(-1)
    return found
