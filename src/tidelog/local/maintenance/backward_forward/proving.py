"""Proving facts backward and forward, depth first: Algorithms 2 and 3 of the B/F paper, for all suspects in one call.

A suspect is *checked*: rule instances that derive it are looked for, and the facts of their bodies checked in turn, each fact
once. What is explicit is *proved*, and so is the head of an instance of which all facts are proved, if it has been checked.
When a suspect has been dealt with, every fact checked on its behalf has been proved, or will never be: those are *gone*.

The stack of checks is in `checks`. All plans run in the one join kernel (`join.run`): backward plans stop at each instance
(YIELD), forward plans derive into the table of what is proved. `Z` says where everything stands, so that a run can stop whenever
a table is full or the budget is used up. Before it checks any body, a check looks ahead for an instance that is proved or
explicit as it is.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel import terms
from tidelog.local.kernel.build import part
from tidelog.local.kernel.fused_rounds import GROW_INDEX, extend_indexes
from tidelog.local.kernel.layout import (
    ALL,
    ARITY,
    BUDGET,
    CAPACITY,
    COUNT,
    CULPRIT,
    DERIVATIONS,
    DONE,
    FOUND,
    GROW_TABLE,
    HEAD_COUNT,
    IS_DIRECT,
    OLD,
    PAUSED,
    SLOT_COUNT,
    STATE_WIDTH,
    TABLE,
)
from tidelog.local.kernel.memory import int32s, int64s
from tidelog.local.kernel.plan_table import (
    SLOT_LENGTH,
    SLOTS,
    STATE,
    restart,
    run_plan,
)
from tidelog.local.kernel.table_rows import contains, extend_index, insert, rows_of
from tidelog.local.maintenance.backward_forward.checks import (
    AFFECTED_COUNT,
    ATOM,
    BACK_FROM,
    BACK_TO,
    BACKWARD,
    BACKWARD_COUNT,
    BODY_AT,
    CHECKED,
    CHECKED_FROM,
    CHECKED_TO,
    CHECKING,
    DEPTH,
    FORTH,
    FORTH_FROM,
    FORTH_OF,
    FORTH_TO,
    FORWARD_COUNT,
    FULL_TABLE,
    GONE,
    HAS_BEGUN,
    HAS_INSTANCE,
    HAS_PROVED,
    IS_TEST,
    LAST_SUSPECT,
    LOOKING_AHEAD,
    NEXT_INSTANCE,
    NEXT_PLAN,
    NEXT_SUSPECT,
    OF,
    ONE_INSTANCE,
    OUTCOME,
    PASS,
    PLAN,
    PLAN_STEPS,
    PROVED,
    PROVED_COUNT,
    PROVED_FROM,
    PROVED_TO,
    ROW,
    SETTLED,
    STEPS_LEFT,
    SUSPECTS,
    USED,
    WAITS,
    body_fact,
    check,
    is_proved_ahead,
    keep_place,
    next_unchecked,
    start,
    take_place,
)

GROW_STACK = 200  # none of the reasons of `rounds`


@part
def _room_in(M: Int64s, table: int) -> int:
    """How many rows a table has room for."""
    return min(M[table, CAPACITY], M[table, SLOT_COUNT] >> 1) - M[table, COUNT]


@part
def _room(M: Int64s, R: Int64s, Z: Int64s) -> int:
    """For how many steps there is room in all tables of what is checked and proved; 0 if `Z[FULL_TABLE]` is full."""
    result = np.int64(PLAN_STEPS)
    for k in range(len(R)):
        for role in (CHECKED, PROVED):
            room = _room_in(M, R[k, role]) - 1
            if room < result:
                result = room
                Z[FULL_TABLE] = R[k, role]
    return result


@part
def _have_room(M: Int64s, X: Int64s, T: Int64s, N: Int32s) -> bool:
    """Whether indexes can be extended as far as their tables have room."""
    for i in range(len(N)):
        index = np.int64(N[i])
        heads = X[index, HEAD_COUNT]
        if heads < (T[terms.COUNT] if X[index, IS_DIRECT] != 0 else 2 * M[X[index, TABLE], CAPACITY]):
            return False
    return True


@part
def _forward(M: Int64s, X: Int64s, V: Int64s, T: Int64s, Q: Int64s, R: Int64s, F: Int32s, N: Int32s, Z: Int64s) -> int:
    """Prove what follows from facts that were proved and not used yet; DONE, or why it stopped."""
    k = Z[FORTH_OF] if Z[FORTH] >= 0 else np.int64(0)
    while k < len(R):
        proved = R[k, PROVED]
        if R[k, USED] >= M[proved, COUNT]:
            k += 1
            continue
        if Z[FORTH] < 0:
            M[proved, OLD], M[proved, ALL] = R[k, USED], R[k, USED] + 1
            for i in range(R[k, PROVED_FROM], R[k, PROVED_TO]):
                extend_index(M, X, np.int64(N[i]), M[proved, ALL])
            for other in range(len(R)):
                checked = R[other, CHECKED]
                M[checked, OLD] = M[checked, ALL] = M[checked, COUNT]
                for i in range(R[other, CHECKED_FROM], R[other, CHECKED_TO]):
                    extend_index(M, X, np.int64(N[i]), M[checked, ALL])
            Z[FORTH], Z[FORTH_OF] = R[k, FORTH_FROM], k
            if Z[FORTH] < R[k, FORTH_TO]:
                restart(Q, np.int64(F[Z[FORTH]]), PLAN_STEPS)
        while Z[FORTH] < R[k, FORTH_TO]:
            plan = np.int64(F[Z[FORTH]])
            status = run_plan(M, X, V, T, Q, plan)
            S = int64s(Q[plan, STATE], STATE_WIDTH)
            if status != DONE:
                Z[FULL_TABLE] = S[CULPRIT]
                S[BUDGET] = PLAN_STEPS
                return status
            Z[FORWARD_COUNT] += S[DERIVATIONS]
            Z[FORTH] += 1
            if Z[FORTH] < R[k, FORTH_TO]:
                restart(Q, np.int64(F[Z[FORTH]]), PLAN_STEPS)
        Z[FORTH] = -1
        R[k, USED] += 1
        M[proved, OLD] = M[proved, ALL] = R[k, USED]
        k = np.int64(0)  # facts of any relation may have been proved
    return DONE


@part
def _settle(M: Int64s, R: Int64s, Z: Int64s) -> bool:
    """When a suspect has been dealt with: what was checked and is not proved has gone; whether there was room for all."""
    for k in range(len(R)):
        checked = R[k, CHECKED]
        rows, arity = rows_of(M, checked), M[checked, ARITY]
        while R[k, SETTLED] < M[checked, COUNT]:
            if _room_in(M, R[k, GONE]) < 2:
                Z[FULL_TABLE] = R[k, GONE]
                return False
            base = R[k, SETTLED] * arity
            fact = rows[base : base + arity]
            if not contains(M, R[k, PROVED], fact):
                insert(M, R[k, GONE], fact)
            R[k, SETTLED] += 1
    return True


@part
def _unchecked_suspects(M: Int64s, r: Int64s) -> int:
    """How many of the new suspects of a relation have not been checked."""
    result, table = np.int64(0), r[SUSPECTS]
    rows, arity = rows_of(M, table), M[table, ARITY]
    for row in range(r[NEXT_SUSPECT], r[LAST_SUSPECT]):
        result += not contains(M, r[CHECKED], rows[row * arity : (row + 1) * arity])
    return result


@part
def _next_suspect(M: Int64s, R: Int64s, frames: Int64s, Z: Int64s) -> bool:
    """Check the next suspect; whether there is one."""
    for k in range(len(R)):
        if R[k, NEXT_SUSPECT] < R[k, LAST_SUSPECT]:
            table = R[k, SUSPECTS]
            base = R[k, NEXT_SUSPECT] * M[table, ARITY]
            R[k, NEXT_SUSPECT] += 1
            check(M, R, k, rows_of(M, table)[base : base + M[table, ARITY]], frames, Z)
            return True
    return False


@part
def _advance(
    M: Int64s, X: Int64s, V: Int64s, T: Int64s, Q: Int64s, R: Int64s, B: Int64s, A: Int32s, frames: Int64s, key: Int32s, Z: Int64s
) -> int:
    """Go on with the check on top of the stack until it ends or another one goes on top: DONE, or why it stopped."""
    frame = frames[Z[DEPTH] - 1]
    k = frame[OF]
    checked = R[k, CHECKED]
    arity = M[checked, ARITY]
    fact = rows_of(M, checked)[frame[ROW] * arity : (frame[ROW] + 1) * arity]
    if contains(M, R[k, PROVED], fact):
        Z[DEPTH] -= 1
        return DONE
    while True:
        if frame[BACKWARD] == R[k, BACK_TO]:  # no rule is left: look at all of them again, or give up
            if frame[PASS] == CHECKING or frame[HAS_INSTANCE] == 0:
                Z[DEPTH] -= 1
                return DONE
            frame[PASS], frame[BACKWARD], frame[ATOM] = CHECKING, R[k, BACK_FROM], NEXT_PLAN
        b = frame[BACKWARD]
        plan = B[b, PLAN]
        if frame[WAITS] != 0:
            take_place(V, Q, plan, frame)
        elif frame[ATOM] == NEXT_PLAN:
            if not start(M, X, R, Q, B, A, frame):
                frame[BACKWARD] += 1
                continue
            frame[ATOM] = ONE_INSTANCE if B[b, IS_TEST] != 0 else NEXT_INSTANCE
        slots = int32s(Q[plan, SLOTS], Q[plan, SLOT_LENGTH])
        if frame[ATOM] < 0:
            status = np.int64(FOUND if frame[ATOM] == ONE_INSTANCE else DONE)
            if B[b, IS_TEST] == 0:
                status = run_plan(M, X, V, T, Q, plan)
            if status == DONE:
                frame[BACKWARD] += 1
                frame[ATOM] = NEXT_PLAN
                continue
            if status != FOUND:
                int64s(Q[plan, STATE], STATE_WIDTH)[BUDGET] = PLAN_STEPS
                keep_place(Q, plan, frame)
                return status
            Z[BACKWARD_COUNT] += 1
            Z[STEPS_LEFT] -= 1
            frame[ATOM], frame[HAS_INSTANCE] = 0, 1
        if frame[PASS] == LOOKING_AHEAD:
            if is_proved_ahead(M, R, A, B[b, BODY_AT], slots, key):
                insert(M, R[k, PROVED], fact)
                Z[HAS_PROVED] = 1
                Z[DEPTH] -= 1
                return DONE
            frame[ATOM] = NEXT_INSTANCE
            continue
        place = next_unchecked(M, R, A, B[b, BODY_AT], slots, key, frame[ATOM])
        if place < 0:
            frame[ATOM] = NEXT_INSTANCE
            continue
        frame[ATOM] = place + 1
        keep_place(Q, plan, frame)
        at = B[b, BODY_AT] + 1
        for _ in range(place):
            at += 1 + M[R[A[at], PROVED], ARITY]
        other = np.int64(A[at])
        width = M[R[other, PROVED], ARITY]
        body_fact(A, at + 1, slots, width, key)
        check(M, R, other, key[:width], frames, Z)
        return DONE


@part
def prove(
    M: Int64s,
    X: Int64s,
    V: Int64s,
    T: Int64s,
    Q: Int64s,
    R: Int64s,
    B: Int64s,
    A: Int32s,
    F: Int32s,
    N: Int32s,
    fixed: Int32s,
    frames: Int64s,
    key: Int32s,
    Z: Int64s,
) -> None:
    """Check all suspects, until nothing is left or something stops it: `Z[OUTCOME]` says what.

    `fixed` are the indexes on relations, which do not change meanwhile.
    """
    if Z[HAS_BEGUN] == 0:
        if extend_indexes(M, X, T, fixed, 0, len(fixed)) >= 0:
            Z[OUTCOME] = GROW_INDEX
            return
        for k in range(len(R)):
            R[k, LAST_SUSPECT] = M[R[k, SUSPECTS], COUNT]
            Z[AFFECTED_COUNT] += _unchecked_suspects(M, R[k])
        Z[HAS_BEGUN] = 1
    if not _have_room(M, X, T, N):
        Z[OUTCOME] = GROW_INDEX
        return
    room = np.int64(0)
    while True:
        Z[STEPS_LEFT] -= 1
        if Z[STEPS_LEFT] < 0:
            Z[OUTCOME] = PAUSED
            return
        if Z[DEPTH] >= len(frames):
            Z[OUTCOME] = GROW_STACK
            return
        if room <= 0:
            room = _room(M, R, Z)
            if room <= 0:
                Z[OUTCOME] = GROW_TABLE
                return
        room -= 1
        status = np.int64(DONE)
        if Z[HAS_PROVED] != 0:
            room = np.int64(0)
            status = _forward(M, X, V, T, Q, R, F, N, Z)
            Z[HAS_PROVED] = status != DONE
        if status == DONE and Z[DEPTH] > 0:
            status = _advance(M, X, V, T, Q, R, B, A, frames, key, Z)
        elif status == DONE:
            if not _settle(M, R, Z):
                status = np.int64(GROW_TABLE)
            elif not _next_suspect(M, R, frames, Z):
                Z[OUTCOME], Z[PROVED_COUNT] = DONE, 0
                for k in range(len(R)):
                    Z[PROVED_COUNT] += M[R[k, PROVED], COUNT]
                return
        if status != DONE:
            Z[OUTCOME] = status
            return
