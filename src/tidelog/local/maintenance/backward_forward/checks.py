"""Checks of B/F: the stack of facts for which a proof is looked for, and the rule instances that may give one.

The stack is a matrix, a row for each check; a check that waits for another one keeps there where its plan stood. Instances come
from backward plans, which stop at each of them (YIELD).
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel.build import part
from tidelog.local.kernel.join import can_begin, matches
from tidelog.local.kernel.layout import ARITY, COUNT, STATE_WIDTH
from tidelog.local.kernel.layout import DEPTH as PLAN_DEPTH
from tidelog.local.kernel.memory import int32s, int64s
from tidelog.local.kernel.plan_table import (
    CODE,
    CODE_LENGTH,
    CURSOR,
    KEY,
    KEY_LENGTH,
    SLOT_LENGTH,
    SLOTS,
    STATE,
    STEPS,
    ask_again,
    restart,
)
from tidelog.local.kernel.table_rows import contains, insert, rows_of

# R: a relation of the unit, with the tables that an update needs beside it, and where its plans and indexes stand.
CHECKED, PROVED, GONE, EXPLICIT, SUSPECTS = range(5)
BACK_FROM, BACK_TO, FORTH_FROM, FORTH_TO, PROVED_FROM, PROVED_TO, CHECKED_FROM, CHECKED_TO = range(5, 13)
NEXT_SUSPECT, LAST_SUSPECT, USED, SETTLED = range(13, 17)
RELATION_WIDTH = 17
# BACK_FROM … its rows of B, its forward plans in F, and the indexes in N on what is proved of it, and on what is checked
# USED        proved facts that have been used to prove others
# SETTLED     checked facts of which it is known whether they have gone

# B: a backward plan.
PLAN, FACT_AT, BODY_AT, IS_TEST = range(4)
BACKWARD_WIDTH = 4
# FACT_AT     where A says how a fact is read into the slots;  BODY_AT: where it says what the facts of the body are
# IS_TEST     whether its first step is a test, and the only one, so that there is one instance or none

# A frame of the stack.
OF, ROW, BACKWARD, PASS, ATOM, WAITS, HAS_INSTANCE, FRAME_HEAD = range(8)
# ATOM        the atom of the instance in hand that comes next, or what comes next is an instance, or a plan
NEXT_PLAN, NEXT_INSTANCE, ONE_INSTANCE = -1, -2, -3
# WAITS       whether the place of its plan is kept here;  HAS_INSTANCE: whether looking ahead has found any
LOOKING_AHEAD, CHECKING = 0, 1

# Z: where a run stands.
DEPTH, OUTCOME, FULL_TABLE, STEPS_LEFT, FORTH, BACKWARD_COUNT, FORWARD_COUNT, CHECKED_COUNT, HAS_BEGUN, HAS_PROVED, FORTH_OF = (
    range(11)
)
AFFECTED_COUNT, PROVED_COUNT = 11, 12
PROVING_WIDTH = 13
# FORTH       the forward plan in hand, or -1;  FORTH_OF: the relation whose fact it uses
# HAS_PROVED  whether there may be facts that are proved and not used yet
# AFFECTED_COUNT  suspects that had not been checked when they became suspect
PLAN_STEPS = 1 << 16
"""Steps of a plan before it is paused, so that somebody can look up."""


@part
def keep_place(Q: Int64s, plan: int, frame: Int64s) -> None:
    """Keep in a frame where its plan stands."""
    at = np.int64(FRAME_HEAD)
    S = int64s(Q[plan, STATE], STATE_WIDTH)
    for i in range(STATE_WIDTH):
        frame[at + i] = S[i]
    at += STATE_WIDTH
    slots = int32s(Q[plan, SLOTS], Q[plan, SLOT_LENGTH])
    for i in range(len(slots)):
        frame[at + i] = slots[i]
    at += len(slots)
    cursor = int64s(Q[plan, CURSOR], Q[plan, STEPS])
    for i in range(len(cursor)):
        frame[at + i] = cursor[i]
    frame[WAITS] = 1


@part
def take_place(V: Int64s, Q: Int64s, plan: int, frame: Int64s) -> None:
    """Let a plan stand where a frame has kept it; the lists of virtual relations are gone, for others have used their place."""
    at = np.int64(FRAME_HEAD)
    S = int64s(Q[plan, STATE], STATE_WIDTH)
    for i in range(STATE_WIDTH):
        S[i] = frame[at + i]
    at += STATE_WIDTH
    slots = int32s(Q[plan, SLOTS], Q[plan, SLOT_LENGTH])
    for i in range(len(slots)):
        slots[i] = frame[at + i]
    at += len(slots)
    cursor = int64s(Q[plan, CURSOR], Q[plan, STEPS])
    for i in range(len(cursor)):
        cursor[i] = frame[at + i]
    frame[WAITS] = 0
    ask_again(V, Q, plan, S[PLAN_DEPTH])


@part
def check(M: Int64s, R: Int64s, k: int, key: Int32s, frames: Int64s, Z: Int64s) -> None:
    """Check a fact, unless it has been: an explicit one is proved at once, another one goes on the stack."""
    table = R[k, CHECKED]
    row = M[table, COUNT]
    if insert(M, table, key) == 0:
        return
    Z[CHECKED_COUNT] += 1
    if R[k, EXPLICIT] >= 0 and contains(M, R[k, EXPLICIT], key):
        insert(M, R[k, PROVED], key)
        Z[HAS_PROVED] = 1
        return
    frame = frames[Z[DEPTH]]
    frame[OF], frame[ROW], frame[BACKWARD], frame[PASS], frame[ATOM] = k, row, R[k, BACK_FROM], LOOKING_AHEAD, NEXT_PLAN
    frame[WAITS] = frame[HAS_INSTANCE] = 0
    Z[DEPTH] += 1


@part
def start(M: Int64s, X: Int64s, R: Int64s, Q: Int64s, B: Int64s, A: Int32s, frame: Int64s) -> bool:
    """Start the backward plan of a frame with its fact; False if there can be no instance."""
    b, table = frame[BACKWARD], R[frame[OF], CHECKED]
    plan = B[b, PLAN]
    q = Q[plan]
    slots = int32s(q[SLOTS], q[SLOT_LENGTH])
    if not matches(rows_of(M, table), frame[ROW] * M[table, ARITY], A, B[b, FACT_AT], slots):
        return False
    if not can_begin(M, X, int32s(q[CODE], q[CODE_LENGTH]), slots, int32s(q[KEY], q[KEY_LENGTH])):
        return False
    if B[b, IS_TEST] == 0:
        restart(Q, plan, PLAN_STEPS)
    return True


@part
def body_fact(A: Int32s, at: int, slots: Int32s, arity: int, key: Int32s) -> None:
    """Read a fact of an instance's body into `key`."""
    for j in range(arity):
        key[j] = slots[A[at + j]]


@part
def is_proved_ahead(M: Int64s, R: Int64s, A: Int32s, at: int, slots: Int32s, key: Int32s) -> bool:
    """Whether all facts of an instance's body are proved or explicit."""
    count = A[at]
    at += 1
    for _ in range(count):
        k = np.int64(A[at])
        arity = M[R[k, PROVED], ARITY]
        body_fact(A, at + 1, slots, arity, key)
        is_explicit = R[k, EXPLICIT] >= 0 and contains(M, R[k, EXPLICIT], key[:arity])
        if not is_explicit and not contains(M, R[k, PROVED], key[:arity]):
            return False
        at += 1 + arity
    return True


@part
def next_unchecked(M: Int64s, R: Int64s, A: Int32s, at: int, slots: Int32s, key: Int32s, first: int) -> int:
    """The place of the first fact of an instance's body, from place `first` on, that has not been checked.

    -1 if there is none, -2 if one of them has gone.
    """
    count, result = A[at], np.int64(-1)
    at += 1
    begin = at
    for place in range(count):
        k = np.int64(A[at])
        arity = M[R[k, PROVED], ARITY]
        if place >= first:
            body_fact(A, at + 1, slots, arity, key)
            if not contains(M, R[k, CHECKED], key[:arity]):
                result = np.int64(place)
                break
        at += 1 + arity
    if result < 0:  # most often; whether one has gone makes no difference then
        return result
    at = begin
    for place in range(count):
        k = np.int64(A[at])
        arity = M[R[k, PROVED], ARITY]
        if place != result:
            body_fact(A, at + 1, slots, arity, key)
            if contains(M, R[k, GONE], key[:arity]):
                return np.int64(-2)
        at += 1 + arity
    return result
