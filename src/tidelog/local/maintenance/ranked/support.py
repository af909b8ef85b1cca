"""Support: an instance all of whose facts came before its head, and are not suspected.

Instances come from the backward plans of B/F. Only facts of the unit count: what lower units derive is what it will be.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel import layout
from tidelog.local.kernel.build import hot, part
from tidelog.local.kernel.join import run
from tidelog.local.kernel.layout import ARITY, COUNT
from tidelog.local.kernel.plan_table import matches, plan_slots, restart, run_state
from tidelog.local.kernel.rows.row_removal import row_number
from tidelog.local.kernel.rows.row_times import first_tick, last_tick, rows_before
from tidelog.local.kernel.table_rows import contains, rows_of
from tidelog.local.maintenance.backward_forward import checks
from tidelog.local.maintenance.backward_forward import unit_layout as unit

STANDS, FALLS = 400, 401
"""What a look at a fact finds, beside the reasons to stop."""
_TRIES, _LEAST = 8, 8
"""A witness is not tried any more after so many tries, if it did not help with one in so many."""


@part
def begin_look(U: Int64s, k: int, row: int, falls: int) -> None:
    """Begin to look at a fact, unless an earlier look has found that it falls."""
    Z = unit.progress_of(U)
    Z[unit.LOOKED_OF], Z[unit.LOOKED_ROW] = k, row
    Z[unit.LOOKED_WITH], Z[unit.HAS_PLAN] = unit.relations_of(U)[k, unit.BACKWARD_FROM], 0
    Z[unit.FALLS_ANYWAY] = falls
    Z[unit.CHECKED_FACTS] += 1 - falls


@hot
def looked_at(M: Int64s, U: Int64s) -> Int32s:
    """The fact that is looked at."""
    Z = unit.progress_of(U)
    table = unit.relations_of(U)[Z[unit.LOOKED_OF], unit.TABLE]
    base = Z[unit.LOOKED_ROW] * M[table, ARITY]
    return rows_of(M, table)[base : base + M[table, ARITY]]


@part
def _is_support(M: Int64s, X: Int64s, U: Int64s, body_at: int, slots: Int32s, table: int, row: int) -> bool:
    """Whether all facts of an instance's body came before a row of a table, and are not suspected."""
    relations, arguments, key = unit.relations_of(U), unit.arguments_of(U), unit.key_of(U)
    at, tick = body_at + 1, np.int64(-1)
    for _ in range(arguments[body_at]):
        r = relations[arguments[at]]
        other = r[unit.TABLE]
        arity = M[other, ARITY]
        checks.body_fact(arguments, at + 1, slots, arity, key)
        at += 1 + arity
        found = row_number(M, X, other, r[unit.BY_FIRST_COLUMN], key[:arity])
        if other == table:
            if found >= row or row < M[table, layout.UNORDERED]:
                return False
        else:
            if tick < 0:
                tick = first_tick(M, table, row)
            if last_tick(M, other, found) >= tick:
                return False
        if M[r[unit.DISPROVED], COUNT] > r[unit.REMOVED] and contains(M, r[unit.DISPROVED], key[:arity]):
            return False
    return True


@part
def _hide_later(M: Int64s, U: Int64s, body_at: int, table: int, row: int) -> None:
    """Let loops over the relations of a body see only rows that came before a row of a table."""
    relations, arguments = unit.relations_of(U), unit.arguments_of(U)
    at = body_at + 1
    for _ in range(arguments[body_at]):
        other = relations[arguments[at], unit.TABLE]
        if other == table:
            M[other, layout.ALL] = row if row >= M[table, layout.UNORDERED] else 0
        else:
            M[other, layout.ALL] = rows_before(M, other, first_tick(M, table, row))
        at += 1 + M[other, ARITY]


@part
def _show_all(M: Int64s, U: Int64s, body_at: int) -> None:
    """Let loops see all rows again."""
    relations, arguments = unit.relations_of(U), unit.arguments_of(U)
    at = body_at + 1
    for _ in range(arguments[body_at]):
        other = relations[arguments[at], unit.TABLE]
        M[other, layout.ALL] = M[other, COUNT]
        at += 1 + M[other, ARITY]


@part
def _by_witness(M: Int64s, X: Int64s, VR: Int64s, T: Int64s, U: Int64s, r: Int64s) -> bool:
    """Whether a fact has an instance like the last one that was support of another fact, but for the variables of the head."""
    Z, plans, table, row = unit.progress_of(U), unit.plans_of(U), r[unit.TABLE], unit.progress_of(U)[unit.LOOKED_ROW]
    for at in range(r[unit.BACKWARD_FROM], r[unit.BACKWARD_TO]):
        b = unit.backward_plans_of(U)[at]
        if b[unit.WITNESS] < 0 or b[unit.TRIED] < 0 or b[unit.TRIED] > _TRIES + _LEAST * b[unit.HELPED]:
            continue
        plan = plans[b[unit.WITNESS]]
        slots = plan_slots(plan)
        Z[unit.STEPS_LEFT] -= 1
        b[unit.TRIED] += 1
        if not matches(rows_of(M, table), row * M[table, ARITY], unit.arguments_of(U), b[unit.FACT_AT], slots):
            continue
        restart(plan, checks.PLAN_STEPS)
        _hide_later(M, U, b[unit.BODY_AT], table, row)
        status = run(M, X, VR, T, plan)
        _show_all(M, U, b[unit.BODY_AT])
        if status == layout.FOUND:
            Z[unit.BACKWARD_INSTANCES] += 1
            if _is_support(M, X, U, b[unit.BODY_AT], slots, table, row):
                b[unit.HELPED] += 1
                return True
    return False


@part
def _keep_witness(U: Int64s, b: Int64s, plan: Int64s) -> None:
    """Keep the instance that is support, to be tried for other facts."""
    if b[unit.WITNESS] >= 0:
        found, kept = plan_slots(plan), plan_slots(unit.plans_of(U)[b[unit.WITNESS]])
        for i in range(len(found)):
            kept[i] = found[i]
        b[unit.TRIED] = max(b[unit.TRIED], 0)


@part
def look(M: Int64s, X: Int64s, VR: Int64s, T: Int64s, U: Int64s) -> int:
    """Look at a fact, or continue to: STANDS, FALLS, or why it stopped."""
    Z, plans = unit.progress_of(U), unit.plans_of(U)
    r, row = unit.relations_of(U)[Z[unit.LOOKED_OF]], Z[unit.LOOKED_ROW]
    table, explicit = r[unit.TABLE], r[unit.EXPLICIT]
    if Z[unit.HAS_PLAN] == 0 and Z[unit.LOOKED_WITH] == r[unit.BACKWARD_FROM]:
        if explicit >= 0 and contains(M, explicit, looked_at(M, U)):
            return np.int64(STANDS)
        if _by_witness(M, X, VR, T, U, r):
            return np.int64(STANDS)
    while Z[unit.LOOKED_WITH] < r[unit.BACKWARD_TO]:
        b = unit.backward_plans_of(U)[Z[unit.LOOKED_WITH]]
        plan = plans[b[unit.PLAN]]
        if Z[unit.HAS_PLAN] == 0:
            Z[unit.HAS_PLAN] = checks.start_plan(M, X, U, table, row, Z[unit.LOOKED_WITH])
            if Z[unit.HAS_PLAN] == 0:
                Z[unit.LOOKED_WITH] += 1
                continue
        status = np.int64(layout.FOUND)
        if b[unit.IS_TEST] == 0:
            _hide_later(M, U, b[unit.BODY_AT], table, row)
            status = run(M, X, VR, T, plan)
            _show_all(M, U, b[unit.BODY_AT])
        if status == layout.FOUND:
            Z[unit.BACKWARD_INSTANCES] += 1
            Z[unit.STEPS_LEFT] -= 1
            if _is_support(M, X, U, b[unit.BODY_AT], plan_slots(plan), table, row):
                _keep_witness(U, b, plan)
                return np.int64(STANDS)
        elif status != layout.DONE:
            run_state(plan)[layout.BUDGET] = checks.PLAN_STEPS
            return status
        if status == layout.DONE or b[unit.IS_TEST] != 0:
            Z[unit.LOOKED_WITH] += 1
            Z[unit.HAS_PLAN] = 0
    return np.int64(FALLS)
