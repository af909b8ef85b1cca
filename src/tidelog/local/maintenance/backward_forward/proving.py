"""The search for proofs: Algorithms 2 (CheckProvability) and 3 (Saturate), for all affected facts in one call.

An affected fact is *checked*: the rule instances that derive it are searched, and the facts of their bodies checked in turn, each
fact once. An explicit fact is *proved*, and so is the head of an instance whose facts are all proved, if it has been checked.
When the check of an affected fact ends, every fact checked for it is proved, or never will be: the latter are *disproved*.

All plans run in the one join kernel (`join.run`): backward plans stop at each instance, forward plans derive into P. Whatever is
needed to continue is in `U` (`unit_layout`), so that a run can stop whenever a table is full or the budget is used up.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int64s
from tidelog.local.kernel import layout, terms
from tidelog.local.kernel.build import part
from tidelog.local.kernel.fused_rounds import GROW_INDEX, extend_indexes
from tidelog.local.kernel.join import run
from tidelog.local.kernel.memory import int32s
from tidelog.local.kernel.plan_table import plan_slots, restart, run_state
from tidelog.local.kernel.table_rows import contains, extend_index, insert, rows_of
from tidelog.local.maintenance.backward_forward import checks
from tidelog.local.maintenance.backward_forward import unit_layout as unit

GROW_STACK = 200  # none of the reasons of `fused_rounds`


@part
def room_in(M: Int64s, table: int) -> int:
    """How many rows a table has room for."""
    return min(M[table, layout.CAPACITY], M[table, layout.SLOT_COUNT] >> 1) - M[table, layout.COUNT]


@part
def _room(M: Int64s, U: Int64s) -> int:
    """For how many steps there is room in all tables of checked and proved facts; 0 if `Z[CULPRIT]` is full."""
    relations, result = unit.relations_of(U), np.int64(checks.PLAN_STEPS)
    for k in range(len(relations)):
        for role in (unit.CHECKED, unit.PROVED):
            room = room_in(M, relations[k, role]) - 1
            if room < result:
                result = room
                unit.progress_of(U)[unit.CULPRIT] = relations[k, role]
    return result


@part
def _indexes_have_room(M: Int64s, X: Int64s, T: Int64s, U: Int64s) -> bool:
    """Whether the indexes on checked and proved facts can be extended as far as their tables have room."""
    numbers = int32s(U[unit.HELPER_INDEXES], U[unit.HELPER_INDEX_COUNT])
    for i in range(len(numbers)):
        index = np.int64(numbers[i])
        heads = X[index, layout.HEAD_COUNT]
        if heads < (T[terms.COUNT] if X[index, layout.IS_DIRECT] != 0 else 2 * M[X[index, layout.TABLE], layout.CAPACITY]):
            return False
    return True


@part
def _begin_fact(M: Int64s, X: Int64s, U: Int64s, k: int) -> None:
    """Make the next proved fact of a relation the delta of P, with V before it, and bring the indexes on P and C up to date."""
    relations, numbers = unit.relations_of(U), int32s(U[unit.HELPER_INDEXES], U[unit.HELPER_INDEX_COUNT])
    r = relations[k]
    proved = r[unit.PROVED]
    M[proved, layout.OLD], M[proved, layout.ALL] = r[unit.PROCESSED], r[unit.PROCESSED] + 1
    for i in range(r[unit.PROVED_FROM], r[unit.PROVED_TO]):
        extend_index(M, X, np.int64(numbers[i]), M[proved, layout.ALL])
    for other in range(len(relations)):
        checked = relations[other, unit.CHECKED]
        M[checked, layout.OLD] = M[checked, layout.ALL] = M[checked, layout.COUNT]
        for i in range(relations[other, unit.CHECKED_FROM], relations[other, unit.CHECKED_TO]):
            extend_index(M, X, np.int64(numbers[i]), M[checked, layout.ALL])


@part
def _saturate(M: Int64s, X: Int64s, VR: Int64s, T: Int64s, U: Int64s) -> int:
    """Algorithm 3, lines 24 to 28: prove what follows from facts of P that are not in V; DONE, or why it stopped."""
    relations, plans, Z = unit.relations_of(U), unit.plans_of(U), unit.progress_of(U)
    forward = int32s(U[unit.FORWARD_PLANS], U[unit.FORWARD_COUNT])
    k = Z[unit.FORWARD_OF] if Z[unit.FORWARD] >= 0 else np.int64(0)
    while k < len(relations):
        proved = relations[k, unit.PROVED]
        if relations[k, unit.PROCESSED] >= M[proved, layout.COUNT]:
            k += 1
            continue
        if Z[unit.FORWARD] < 0:
            _begin_fact(M, X, U, k)
            Z[unit.FORWARD], Z[unit.FORWARD_OF] = relations[k, unit.FORWARD_FROM], k
            if Z[unit.FORWARD] < relations[k, unit.FORWARD_TO]:
                restart(plans[forward[Z[unit.FORWARD]]], checks.PLAN_STEPS)
        while Z[unit.FORWARD] < relations[k, unit.FORWARD_TO]:
            plan = plans[forward[Z[unit.FORWARD]]]
            status, state = run(M, X, VR, T, plan), run_state(plan)
            if status != layout.DONE:
                Z[unit.CULPRIT] = state[layout.CULPRIT]
                state[layout.BUDGET] = checks.PLAN_STEPS
                return status
            Z[unit.FORWARD_INSTANCES] += state[layout.DERIVATIONS]
            Z[unit.FORWARD] += 1
            if Z[unit.FORWARD] < relations[k, unit.FORWARD_TO]:
                restart(plans[forward[Z[unit.FORWARD]]], checks.PLAN_STEPS)
        Z[unit.FORWARD] = -1
        relations[k, unit.PROCESSED] += 1
        M[proved, layout.OLD] = M[proved, layout.ALL] = relations[k, unit.PROCESSED]
        k = np.int64(0)  # facts of any relation may have been proved
    return layout.DONE


@part
def _continue_check(M: Int64s, X: Int64s, VR: Int64s, T: Int64s, U: Int64s) -> int:
    """Algorithm 2, lines 16 to 20: continue the check on top of the stack until it ends or another check goes on top.

    DONE, or why it stopped.
    """
    relations, plans, Z = unit.relations_of(U), unit.plans_of(U), unit.progress_of(U)
    frame = unit.stack_of(U)[Z[unit.DEPTH] - 1]
    k = frame[unit.OF]
    checked = relations[k, unit.CHECKED]
    arity = M[checked, layout.ARITY]
    fact = rows_of(M, checked)[frame[unit.ROW] * arity : (frame[unit.ROW] + 1) * arity]
    if contains(M, relations[k, unit.PROVED], fact):  # line 20
        Z[unit.DEPTH] -= 1
        return layout.DONE
    while True:
        if frame[unit.BACKWARD] == relations[k, unit.BACKWARD_TO]:  # no rule is left: try all of them again, or end
            if frame[unit.PASS] == unit.CHECKING or frame[unit.HAS_INSTANCE] == 0:
                Z[unit.DEPTH] -= 1
                return layout.DONE
            frame[unit.PASS], frame[unit.BACKWARD] = unit.CHECKING, relations[k, unit.BACKWARD_FROM]
            frame[unit.ATOM] = unit.NEXT_PLAN
        b = unit.backward_plans_of(U)[frame[unit.BACKWARD]]
        plan = plans[b[unit.PLAN]]
        if frame[unit.IS_SAVED] != 0:
            checks.restore_plan(VR, plan, frame)
        elif frame[unit.ATOM] == unit.NEXT_PLAN:
            if not checks.start_plan(M, X, U, checked, frame[unit.ROW], frame[unit.BACKWARD]):
                frame[unit.BACKWARD] += 1
                continue
            frame[unit.ATOM] = unit.ONE_INSTANCE if b[unit.IS_TEST] != 0 else unit.NEXT_INSTANCE
        if frame[unit.ATOM] < 0:
            status = np.int64(layout.FOUND if frame[unit.ATOM] == unit.ONE_INSTANCE else layout.DONE)
            if b[unit.IS_TEST] == 0:
                status = run(M, X, VR, T, plan)
            if status == layout.DONE:
                frame[unit.BACKWARD] += 1
                frame[unit.ATOM] = unit.NEXT_PLAN
                continue
            if status != layout.FOUND:
                run_state(plan)[layout.BUDGET] = checks.PLAN_STEPS
                checks.save_plan(plan, frame)
                return status
            Z[unit.BACKWARD_INSTANCES] += 1
            Z[unit.STEPS_LEFT] -= 1
            frame[unit.ATOM], frame[unit.HAS_INSTANCE] = 0, 1
        if frame[unit.PASS] == unit.LOOKING_AHEAD:
            if checks.has_proved_body(M, U, b[unit.BODY_AT], plan_slots(plan)):
                insert(M, relations[k, unit.PROVED], fact)
                Z[unit.HAS_PROVED] = 1
                Z[unit.DEPTH] -= 1
                return layout.DONE
            frame[unit.ATOM] = unit.NEXT_INSTANCE
            continue
        position = checks.next_unchecked(M, U, b[unit.BODY_AT], plan_slots(plan), frame[unit.ATOM])
        if position < 0:
            frame[unit.ATOM] = unit.NEXT_INSTANCE
            continue
        frame[unit.ATOM] = position + 1
        checks.save_plan(plan, frame)
        _check_body_fact(M, U, b[unit.BODY_AT], position, plan)
        return layout.DONE


@part
def _check_body_fact(M: Int64s, U: Int64s, body_at: int, position: int, plan: Int64s) -> None:
    """Line 19: begin the check of a fact of the current instance's body."""
    relations, arguments, key = unit.relations_of(U), unit.arguments_of(U), unit.key_of(U)
    at = body_at + 1
    for _ in range(position):
        at += 1 + M[relations[arguments[at], unit.PROVED], layout.ARITY]
    k = np.int64(arguments[at])
    arity = M[relations[k, unit.PROVED], layout.ARITY]
    checks.body_fact(arguments, at + 1, plan_slots(plan), arity, key)
    checks.begin_check(M, U, k, key[:arity])


@part
def _disprove(M: Int64s, U: Int64s) -> bool:
    """Line 6: when a check has ended, what was checked and is not proved is disproved; False if a table has no room."""
    relations = unit.relations_of(U)
    for k in range(len(relations)):
        r = relations[k]
        rows, arity = rows_of(M, r[unit.CHECKED]), M[r[unit.CHECKED], layout.ARITY]
        while r[unit.DECIDED] < M[r[unit.CHECKED], layout.COUNT]:
            if room_in(M, r[unit.DISPROVED]) < 2:
                unit.progress_of(U)[unit.CULPRIT] = r[unit.DISPROVED]
                return False
            base = r[unit.DECIDED] * arity
            fact = rows[base : base + arity]
            if not contains(M, r[unit.PROVED], fact):
                insert(M, r[unit.DISPROVED], fact)
            r[unit.DECIDED] += 1
    return True


@part
def _unchecked_count(M: Int64s, r: Int64s) -> int:
    """How many of the affected facts of this round have not been checked."""
    result, table = np.int64(0), r[unit.AFFECTED]
    rows, arity = rows_of(M, table), M[table, layout.ARITY]
    for row in range(r[unit.NEXT_AFFECTED], r[unit.LAST_AFFECTED]):
        result += not contains(M, r[unit.CHECKED], rows[row * arity : (row + 1) * arity])
    return result


@part
def _check_next(M: Int64s, U: Int64s) -> bool:
    """Lines 4 and 5: begin the check of the next affected fact; False if there is none."""
    relations = unit.relations_of(U)
    for k in range(len(relations)):
        r = relations[k]
        if r[unit.NEXT_AFFECTED] < r[unit.LAST_AFFECTED]:
            arity = M[r[unit.AFFECTED], layout.ARITY]
            base = r[unit.NEXT_AFFECTED] * arity
            r[unit.NEXT_AFFECTED] += 1
            checks.begin_check(M, U, np.int64(k), rows_of(M, r[unit.AFFECTED])[base : base + arity])
            return True
    return False


@part
def check_affected(M: Int64s, X: Int64s, VR: Int64s, T: Int64s, U: Int64s) -> int:
    """Check all affected facts; DONE, or why it stopped."""
    relations, Z = unit.relations_of(U), unit.progress_of(U)
    if Z[unit.HAS_BEGUN] == 0:
        if extend_indexes(M, X, T, int32s(U[unit.READ_INDEXES], U[unit.READ_INDEX_COUNT])) >= 0:
            return np.int64(GROW_INDEX)
        for k in range(len(relations)):
            relations[k, unit.LAST_AFFECTED] = M[relations[k, unit.AFFECTED], layout.COUNT]
            Z[unit.AFFECTED_FACTS] += _unchecked_count(M, relations[k])
        Z[unit.HAS_BEGUN] = 1
    if not _indexes_have_room(M, X, T, U):
        return np.int64(GROW_INDEX)
    room = np.int64(0)
    while True:
        Z[unit.STEPS_LEFT] -= 1
        if Z[unit.STEPS_LEFT] < 0:
            return np.int64(layout.PAUSED)
        if Z[unit.DEPTH] >= U[unit.STACK_ROOM]:
            return np.int64(GROW_STACK)
        if room <= 0:
            room = _room(M, U)
            if room <= 0:
                return np.int64(layout.GROW_TABLE)
        room -= 1
        status = np.int64(layout.DONE)
        if Z[unit.HAS_PROVED] != 0:
            room = np.int64(0)
            status = _saturate(M, X, VR, T, U)
            Z[unit.HAS_PROVED] = status != layout.DONE
        if status == layout.DONE and Z[unit.DEPTH] > 0:
            status = _continue_check(M, X, VR, T, U)
        elif status == layout.DONE:
            if not _disprove(M, U):
                status = np.int64(layout.GROW_TABLE)
            elif not _check_next(M, U):
                Z[unit.PROVED_FACTS] = 0
                for k in range(len(relations)):
                    Z[unit.PROVED_FACTS] += M[relations[k, unit.PROVED], layout.COUNT]
                return np.int64(layout.DONE)
        if status != layout.DONE:
            return status
