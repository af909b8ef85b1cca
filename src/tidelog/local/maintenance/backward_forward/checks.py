"""Checks of B/F: the stack of facts for which a proof is searched, and the rule instances that may give one.

Algorithm 2 calls itself; here a frame of the stack stands for each call. A check that waits for another one saves there where
its plan stopped, because both may run the same plan. Instances come from backward plans, which stop at each of them (YIELD).
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel import layout
from tidelog.local.kernel.build import part
from tidelog.local.kernel.join import can_begin, refill_lists
from tidelog.local.kernel.layout import ARITY, COUNT, STATE_WIDTH
from tidelog.local.kernel.plan_table import matches, plan_code, plan_cursor, plan_key, plan_slots, restart, run_state
from tidelog.local.kernel.table_rows import contains, insert, rows_of
from tidelog.local.maintenance.backward_forward import unit_layout as unit

PLAN_STEPS = 1 << 16
"""Steps of a plan before it is paused, so that limits and Ctrl-C are looked at."""


@part
def save_plan(plan: Int64s, frame: Int64s) -> None:
    """Save in a frame where its plan has stopped."""
    at, state = np.int64(unit.FRAME_HEAD), run_state(plan)
    for i in range(STATE_WIDTH):
        frame[at + i] = state[i]
    at += STATE_WIDTH
    slots = plan_slots(plan)
    for i in range(len(slots)):
        frame[at + i] = slots[i]
    at += len(slots)
    cursor = plan_cursor(plan)
    for i in range(len(cursor)):
        frame[at + i] = cursor[i]
    frame[unit.IS_SAVED] = 1


@part
def restore_plan(VR: Int64s, plan: Int64s, frame: Int64s) -> None:
    """Let a plan continue where the frame has saved it; lists of virtual relations are not saved, but made again."""
    at, state = np.int64(unit.FRAME_HEAD), run_state(plan)
    for i in range(STATE_WIDTH):
        state[i] = frame[at + i]
    at += STATE_WIDTH
    slots = plan_slots(plan)
    for i in range(len(slots)):
        slots[i] = frame[at + i]
    at += len(slots)
    cursor = plan_cursor(plan)
    for i in range(len(cursor)):
        cursor[i] = frame[at + i]
    frame[unit.IS_SAVED] = 0
    refill_lists(VR, plan, state[layout.DEPTH])


@part
def begin_check(M: Int64s, U: Int64s, k: int, fact: Int32s) -> None:
    """Lines 13 to 15: add a fact to C; if it is new there, an explicit one is proved at once, any other goes on the stack."""
    relations, Z = unit.relations_of(U), unit.progress_of(U)
    table = relations[k, unit.CHECKED]
    row = M[table, COUNT]
    if insert(M, table, fact) == 0:
        return
    Z[unit.CHECKED_FACTS] += 1
    explicit = relations[k, unit.EXPLICIT]
    if explicit >= 0 and contains(M, explicit, fact):
        insert(M, relations[k, unit.PROVED], fact)
        Z[unit.HAS_PROVED] = 1
        return
    frame = unit.stack_of(U)[Z[unit.DEPTH]]
    frame[unit.OF], frame[unit.ROW], frame[unit.BACKWARD] = k, row, relations[k, unit.BACKWARD_FROM]
    frame[unit.PASS], frame[unit.ATOM] = unit.LOOKING_AHEAD, unit.NEXT_PLAN
    frame[unit.IS_SAVED] = frame[unit.HAS_INSTANCE] = 0
    Z[unit.DEPTH] += 1


@part
def start_plan(M: Int64s, X: Int64s, U: Int64s, table: int, row: int, backward: int) -> bool:
    """Line 16: start a backward plan with the fact in a row of a table; False if there can be no instance."""
    b = unit.backward_plans_of(U)[backward]
    plan = unit.plans_of(U)[b[unit.PLAN]]
    slots = plan_slots(plan)
    if not matches(rows_of(M, table), row * M[table, ARITY], unit.arguments_of(U), b[unit.FACT_AT], slots):
        return False
    if not can_begin(M, X, plan_code(plan), slots, plan_key(plan)):
        return False
    if b[unit.IS_TEST] == 0:
        restart(plan, PLAN_STEPS)
    return True


@part
def body_fact(arguments: Int32s, at: int, slots: Int32s, arity: int, key: Int32s) -> None:
    """Read a fact of an instance's body into `key`."""
    for j in range(arity):
        key[j] = slots[arguments[at + j]]


@part
def has_proved_body(M: Int64s, U: Int64s, at: int, slots: Int32s) -> bool:
    """Whether all facts of an instance's body are proved or explicit."""
    relations, arguments, key = unit.relations_of(U), unit.arguments_of(U), unit.key_of(U)
    count = arguments[at]
    at += 1
    for _ in range(count):
        k = np.int64(arguments[at])
        arity, explicit = M[relations[k, unit.PROVED], ARITY], relations[k, unit.EXPLICIT]
        body_fact(arguments, at + 1, slots, arity, key)
        is_explicit = explicit >= 0 and contains(M, explicit, key[:arity])
        if not is_explicit and not contains(M, relations[k, unit.PROVED], key[:arity]):
            return False
        at += 1 + arity
    return True


@part
def next_unchecked(M: Int64s, U: Int64s, at: int, slots: Int32s, first: int) -> int:
    """The position of the first fact of an instance's body, from position `first` on, that has not been checked.

    -1 if there is none, -2 if another one is disproved: then the instance proves nothing (line 17).
    """
    relations, arguments, key = unit.relations_of(U), unit.arguments_of(U), unit.key_of(U)
    count, result = arguments[at], np.int64(-1)
    at += 1
    begin = at
    for position in range(count):
        k = np.int64(arguments[at])
        arity = M[relations[k, unit.PROVED], ARITY]
        if position >= first:
            body_fact(arguments, at + 1, slots, arity, key)
            if not contains(M, relations[k, unit.CHECKED], key[:arity]):
                result = np.int64(position)
                break
        at += 1 + arity
    if result < 0:  # most often; whether one is disproved makes no difference then
        return result
    at = begin
    for position in range(count):
        k = np.int64(arguments[at])
        arity = M[relations[k, unit.PROVED], ARITY]
        if position != result:
            body_fact(arguments, at + 1, slots, arity, key)
            if contains(M, relations[k, unit.DISPROVED], key[:arity]):
                return np.int64(-2)
        at += 1 + arity
    return result
