"""Lost instances: rules for what has fallen stop at each of them, and their heads are looked at, unless they came first.

An instance can have been the support of its head only if no fact of its body came after the head for sure.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel import fused_rounds as rounds
from tidelog.local.kernel import layout
from tidelog.local.kernel.build import part
from tidelog.local.kernel.layout import ARITY
from tidelog.local.kernel.memory import int32s, int64_matrix
from tidelog.local.kernel.plan_table import plan_code, plan_slots, run_state
from tidelog.local.kernel.rows.row_removal import row_number
from tidelog.local.kernel.rows.row_times import first_tick, last_tick
from tidelog.local.kernel.table_rows import NEW, contains, insert
from tidelog.local.maintenance.backward_forward import checks, proving
from tidelog.local.maintenance.backward_forward import unit_layout as unit


@part
def continue_losing(M: Int64s, X: Int64s, VR: Int64s, T: Int64s, U: Int64s, which: int) -> int:
    """Apply rules for lost instances, SEED_RULES or PROPAGATION_RULES, from where they are; DONE, or why it stopped."""
    rules, relations, left = unit.rules_of(U, which), unit.relations_of(U), unit.progress_of(U)
    Z = rounds.progress_of(rules)
    for k in range(len(relations)):
        if proving.room_in(M, relations[k, unit.AFFECTED]) < 1:
            Z[rounds.CULPRIT_AT] = relations[k, unit.AFFECTED]
            return np.int64(layout.GROW_TABLE)
    while True:
        status = rounds.continue_rounds(M, X, VR, T, rules)
        if status != layout.FOUND:
            return status  # type: ignore[no-any-return]
        entry = int64_matrix(rules[rounds.ENTRIES], rules[rounds.ENTRY_COUNT], rounds.ENTRY_WIDTH)[Z[rounds.ENTRY]]
        plan = int64_matrix(rules[rounds.PLANS], rules[rounds.ENTRY_COUNT], layout.PLAN_WIDTH)[entry[rounds.PLAN]]
        left[unit.STEPS_LEFT] -= 1
        if _note_head(M, X, U, rules, np.int64(Z[rounds.ENTRY]), plan):
            entry[rounds.NEW_COUNT] += 1
            if proving.room_in(M, entry[rounds.HEAD]) < 1:
                Z[rounds.CULPRIT_AT] = entry[rounds.HEAD]
                return np.int64(layout.GROW_TABLE)
        if left[unit.STEPS_LEFT] < 0:
            return np.int64(layout.PAUSED)


@part
def _note_head(M: Int64s, X: Int64s, U: Int64s, rules: Int64s, entry: int, plan: Int64s) -> bool:
    """Note the head of an instance as affected, if it can have been its support, and go on to other heads; whether it is new."""
    words, key = int32s(rules[rounds.INSTANCES], rules[rounds.INSTANCE_LENGTH]), unit.key_of(U)
    at, slots, code = np.int64(words[entry]), plan_slots(plan), plan_code(plan)
    r = unit.relations_of(U)[words[at]]
    arity = M[r[unit.TABLE], ARITY]
    checks.body_fact(words, at + 1, slots, arity, key)
    is_new = False
    if not contains(M, r[unit.AFFECTED], key[:arity]):
        row = row_number(M, X, r[unit.TABLE], r[unit.BY_FIRST_COLUMN], key[:arity])
        if not _may_support(M, X, U, words, at + 1 + arity, slots, r[unit.TABLE], row):
            return False
        checks.body_fact(words, at + 1, slots, arity, key)
        is_new = insert(M, r[unit.AFFECTED], key[:arity]) == NEW
    state = run_state(plan)
    state[layout.DEPTH] = min(state[layout.DEPTH], code[layout.CUT])
    return is_new


@part
def _may_support(M: Int64s, X: Int64s, U: Int64s, words: Int32s, at: int, slots: Int32s, table: int, row: int) -> bool:
    """Whether no fact of an instance's body is its head, a row of a table, or came after it for sure."""
    relations, key = unit.relations_of(U), unit.key_of(U)
    count, tick = np.int64(words[at]), np.int64(-1)
    at += 1
    for _ in range(count):
        r = relations[words[at]]
        other = r[unit.TABLE]
        arity = M[other, ARITY]
        checks.body_fact(words, at + 1, slots, arity, key)
        at += 1 + arity
        found = row_number(M, X, other, r[unit.BY_FIRST_COLUMN], key[:arity])
        if other == table:
            if found == row or (found > row and found >= M[table, layout.UNORDERED]):
                return False
        else:
            if tick < 0:
                tick = last_tick(M, table, row)
            if first_tick(M, other, found) > tick:
                return False
    return True
