"""Deletions by Backward/Forward in one call: Algorithm 1 of the paper, for one unit.

What has lost an instance is suspected (`rounds`). Suspects are examined (`proving`); what rules derived from those that went is
suspected in turn; then these leave their relations (`removal`); and so on, until nothing is suspected any more. `C` says where
the loop stands, so that it can stop whenever Python has to see to something.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel import fused_rounds as rounds
from tidelog.local.kernel.build import kernel, part
from tidelog.local.kernel.layout import ALL, ARITY, BITS, COUNT, DONE, NEWER, OLD, PAUSED, UPTO
from tidelog.local.kernel.row_removal import remove_row, row_number
from tidelog.local.kernel.table_rows import rows_of
from tidelog.local.maintenance.backward_forward import checks, proving

# L: a relation of the unit, in the order of `proving`.
RELATION, INDEXES_FROM, INDEXES_TO, BY_FIRST, LEFT = range(5)
LEAVING_WIDTH = 5
# RELATION    its table;  INDEXES_…: its indexes, in `own`;  BY_FIRST: the one on the first column, or -1
# LEFT        how many of the facts that went have left it

# C: where the loop stands.
PHASE, RESULT, REMOVED, WANTED, ONLY_EXAMINES, RULE_STEPS = range(6)
LOOP_WIDTH = 6
LOSING, GOING_ON_LOSING, EXAMINING, GOING_ON_EXAMINING, PASSING_ON, GOING_ON_PASSING_ON, REMOVING = range(7)
# REMOVED     how many columns of G are in use, each a relation and the number of a row
# WANTED      how many of them there must be room for, or the relation to see to
# ONLY_EXAMINES  whether the rest of the loop is Python's;  RULE_STEPS: steps of a rule before it is paused
GROW_REMOVED, SEE_TO_TABLE, MANY_SUSPECTS = range(300, 303)  # none of the reasons of `rounds` and `proving`
_MANY = 128
"""So many suspects at the start may be more than it is worth to examine, which Python decides."""
_TIMES = 64
"""Times around the loop before somebody can look up."""


@part
def _suspects(M: Int64s, R: Int64s) -> int:
    """How many suspects there are."""
    result = np.int64(0)
    for k in range(len(R)):
        result += M[R[k, checks.SUSPECTS], COUNT]
    return result


@part
def _is_suspecting(M: Int64s, R: Int64s) -> bool:
    """Whether there are suspects that have not been examined."""
    for k in range(len(R)):
        if R[k, checks.NEXT_SUSPECT] < M[R[k, checks.SUSPECTS], COUNT]:
            return True
    return False


@part
def _show_gone(M: Int64s, R: Int64s, L: Int64s) -> bool:
    """Let what went since the last time be the delta of what has gone; whether there is any."""
    result = False
    for k in range(len(R)):
        gone = R[k, checks.GONE]
        M[gone, OLD], M[gone, ALL] = L[k, LEFT], M[gone, COUNT]
        result = result or M[gone, OLD] < M[gone, ALL]
    return result


@part
def _remove(M: Int64s, X: Int64s, R: Int64s, L: Int64s, own: Int32s, every: Int32s, G: Int32s, C: Int64s) -> int:
    """Let facts that went leave their relations, their row numbers to `G`; DONE, or why it stopped."""
    for k in range(len(L)):
        table, gone, indexes = L[k, RELATION], R[k, checks.GONE], own[L[k, INDEXES_FROM] : L[k, INDEXES_TO]]
        if L[k, LEFT] == M[gone, COUNT]:
            continue
        is_ready = M[table, BITS] == 0 or (L[k, BY_FIRST] >= 0 and X[L[k, BY_FIRST], UPTO] == M[table, COUNT])
        for i in range(len(indexes)):
            is_ready = is_ready and (X[indexes[i], UPTO] == 0 or X[indexes[i], NEWER] != 0)
        C[WANTED] = k
        if not is_ready:
            return SEE_TO_TABLE
        C[WANTED] = C[REMOVED] + M[gone, COUNT] - L[k, LEFT]
        if C[WANTED] > G.shape[1]:
            return GROW_REMOVED
        rows, arity = rows_of(M, gone), M[gone, ARITY]
        while L[k, LEFT] < M[gone, COUNT]:
            base = L[k, LEFT] * arity
            row = row_number(M, X, table, L[k, BY_FIRST], rows[base : base + arity])
            if row >= 0:
                remove_row(M, X, table, indexes, row, every[:arity])
                G[0, C[REMOVED]], G[1, C[REMOVED]] = k, row
                C[REMOVED] += 1
            L[k, LEFT] += 1
    return DONE


@part
def _begin(M: Int64s, W: Int64s, Z: Int64s, steps: int) -> int:
    """Let rules that run once stand at their beginning; DONE, or why they cannot."""
    undefined = Z[rounds.UNDEFINED_COUNT]
    Z[:] = 0
    Z[rounds.UNDEFINED_COUNT] = undefined
    Z[rounds.STEPS] = steps
    Z[rounds.IS_ONCE] = 1
    return rounds.fits(M, W)


@kernel
def delete_unproved(
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
    P: Int64s,
    losing: Int64s,
    lost_D: Int64s,
    lost_W: Int64s,
    lost_N: Int32s,
    lost_Z: Int64s,
    passing_on: Int64s,
    past_D: Int64s,
    past_W: Int64s,
    past_N: Int32s,
    past_Z: Int64s,
    L: Int64s,
    own: Int32s,
    every: Int32s,
    G: Int32s,
    C: Int64s,
) -> None:
    """Go around until nothing is suspected or something stops it: `C[RESULT]` says what.

    From `Q` to `P` it is what `proving` needs, from `losing` to `past_Z` what `rounds` needs, twice.
    """
    times = 0
    while True:
        if C[PHASE] == LOSING:
            C[RESULT] = _begin(M, lost_W, lost_Z, C[RULE_STEPS])
            if C[RESULT] != DONE:
                return
            C[PHASE] = GOING_ON_LOSING
        if C[PHASE] == GOING_ON_LOSING:
            C[RESULT] = rounds.go_on(M, X, V, T, losing, lost_D, lost_N, own[:0], own[:0], lost_Z)
            if C[RESULT] != DONE:
                return
            C[PHASE] = EXAMINING
            if _suspects(M, R) > _MANY:
                C[RESULT] = MANY_SUSPECTS
                return
        if C[PHASE] == EXAMINING:
            if not _is_suspecting(M, R) or (C[ONLY_EXAMINES] != 0 and times > 0):
                C[RESULT] = DONE
                return
            times += 1
            if times > _TIMES:
                C[RESULT] = PAUSED
                return
            P[checks.HAS_BEGUN] = 0
            C[PHASE] = GOING_ON_EXAMINING
        if C[PHASE] == GOING_ON_EXAMINING:
            proving.prove(M, X, V, T, Q, R, B, A, F, N, fixed, frames, key, P)
            C[RESULT] = P[checks.OUTCOME]
            if C[RESULT] != DONE:
                return
            has_gone = _show_gone(M, R, L)
            C[PHASE] = PASSING_ON if has_gone and C[ONLY_EXAMINES] == 0 else EXAMINING
        if C[PHASE] == PASSING_ON:
            C[RESULT] = _begin(M, past_W, past_Z, C[RULE_STEPS])
            if C[RESULT] != DONE:
                return
            C[PHASE] = GOING_ON_PASSING_ON
        if C[PHASE] == GOING_ON_PASSING_ON:
            C[RESULT] = rounds.go_on(M, X, V, T, passing_on, past_D, past_N, own[:0], own[:0], past_Z)
            if C[RESULT] != DONE:
                return
            C[PHASE] = REMOVING
        if C[PHASE] == REMOVING:
            C[RESULT] = _remove(M, X, R, L, own, every, G, C)
            if C[RESULT] != DONE:
                return
            C[PHASE] = EXAMINING
