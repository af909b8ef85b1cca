"""Rules that run together, round after round, in one call: what an update needs most often is over in microseconds.

It is the loop of `local.materialise`, for changes that are small; what is large goes back to Python, which plans anew for each
round. `Z` says where a run stands, so that it can stop whenever a table is full or the budget is used up.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel import terms
from tidelog.local.kernel.build import kernel, part
from tidelog.local.kernel.layout import (
    ALL,
    BUDGET,
    COUNT,
    CULPRIT,
    DERIVATIONS,
    DONE,
    HEAD_COUNT,
    IS_DIRECT,
    OLD,
    PAUSED,
    STATE_WIDTH,
    TABLE,
    TOMBSTONES,
    UNDEFINED,
    UPTO,
)
from tidelog.local.kernel.memory import int64s
from tidelog.local.kernel.plan_table import STATE, restart, run_plan
from tidelog.local.kernel.table_rows import extend_index

# D: an entry, which is a plan that takes part.
PLAN, DELTA_OF, HEAD, INDEXES_FROM, INDEXES_TO, FOUND_COUNT, NEW_COUNT = range(7)
ENTRY_WIDTH = 7
# DELTA_OF    the table whose delta it joins, or -1: it runs in the first round only
# INDEXES_…   the indexes that it needs, in N
# FOUND_COUNT instances that were found since Python last took note of it;  NEW_COUNT: facts that were new

# W: a table that was looked at when plans were made.
WATCHED, IS_DELTA, SIZE = range(3)
# SIZE        how many rows it had, or its delta

# Z: where a run stands.
OUTCOME, CULPRIT_AT, STEPS, ENTRY, HAS_STARTED, ROUND, IS_ONCE, HAS_BEGUN, UNDEFINED_COUNT, RUNS_LEFT = range(10)
ROUNDS_WIDTH = 10
GROW_INDEX, PLAN_ANEW, TOO_LARGE = range(100, 103)
"""Why it stopped: an index has no room or much to catch up with; sizes are not what plans were made for; a delta is large."""
_LARGE = 1 << 15
_OTHER, _FLOOR = 4, 64
"""Plans are made anew where sizes differ by that factor, and not just by a few rows."""
_RUNS = 64
_SMALL = 1 << 10
"""An index of so few rows is as good as it was when it is filled again."""


@part
def fits(M: Int64s, W: Int64s) -> int:
    """Whether sizes are about what they were when the plans were made; DONE, PLAN_ANEW or TOO_LARGE."""
    for i in range(len(W)):
        table = W[i, WATCHED]
        size = M[table, ALL] - M[table, OLD] if W[i, IS_DELTA] != 0 else M[table, ALL] - M[table, TOMBSTONES]
        if W[i, IS_DELTA] != 0 and size > _LARGE:
            return np.int64(TOO_LARGE)
        now, then = size + _FLOOR, W[i, SIZE] + _FLOOR
        if now > _OTHER * then or then > _OTHER * now:
            return np.int64(PLAN_ANEW)
    return np.int64(DONE)


@part
def extend_indexes(M: Int64s, X: Int64s, T: Int64s, N: Int32s, begin: int, end: int) -> int:
    """Bring the indexes of a plan up to date; -1, or the one that Python must see to."""
    for i in range(begin, end):
        index = np.int64(N[i])
        upto = M[X[index, TABLE], ALL]
        if X[index, UPTO] < upto:
            room = X[index, HEAD_COUNT] >= (T[terms.COUNT] if X[index, IS_DIRECT] != 0 else 2 * upto)
            is_to_be_chosen = X[index, UPTO] == 0 and upto > _SMALL  # how its keys are found
            if not room or is_to_be_chosen or upto - X[index, UPTO] > 2 * _LARGE:
                return index
            extend_index(M, X, index, upto)
    return np.int64(-1)


@part
def _next_round(M: Int64s, own: Int32s, inputs: Int32s, Z: Int64s) -> int:
    """Let what is new be the delta; DONE if nothing is, PAUSED if something is, TOO_LARGE if it is much."""
    if Z[ROUND] == 0:
        for i in range(len(inputs)):
            M[inputs[i], OLD] = M[inputs[i], ALL]
    for i in range(len(own)):
        if M[own[i], COUNT] - M[own[i], ALL] > _LARGE:
            return np.int64(TOO_LARGE)
    result = np.int64(DONE)
    for i in range(len(own)):
        M[own[i], OLD] = M[own[i], ALL]
        M[own[i], ALL] = M[own[i], COUNT]
        if M[own[i], OLD] < M[own[i], ALL]:
            result = np.int64(PAUSED)
    Z[ROUND] += result == PAUSED
    Z[ENTRY] = 0
    return result


@part
def _run_entry(M: Int64s, X: Int64s, V: Int64s, T: Int64s, Q: Int64s, D: Int64s, N: Int32s, Z: Int64s) -> int:
    """Run the entry in hand, if it has anything to look at; DONE, or why it stopped."""
    d = D[Z[ENTRY]]
    delta, head = d[DELTA_OF], d[HEAD]
    if Z[HAS_STARTED] == 0:
        if (delta < 0 and Z[ROUND] > 0) or (delta >= 0 and M[delta, OLD] >= M[delta, ALL]):
            Z[ENTRY] += 1
            return np.int64(DONE)
        index = extend_indexes(M, X, T, N, d[INDEXES_FROM], d[INDEXES_TO])
        if index >= 0:
            Z[CULPRIT_AT] = index
            return np.int64(GROW_INDEX)
        restart(Q, d[PLAN], Z[STEPS])
        Z[HAS_STARTED] = 1
    S = int64s(Q[d[PLAN], STATE], STATE_WIDTH)
    before = M[head, COUNT]
    status = run_plan(M, X, V, T, Q, d[PLAN])
    d[NEW_COUNT] += M[head, COUNT] - before
    if status != DONE:
        Z[CULPRIT_AT] = S[CULPRIT]
        S[BUDGET] = Z[STEPS]
        return status
    d[FOUND_COUNT] += S[DERIVATIONS]
    Z[UNDEFINED_COUNT] += S[UNDEFINED]
    Z[HAS_STARTED] = 0
    Z[ENTRY] += 1
    Z[RUNS_LEFT] -= 1
    return np.int64(PAUSED) if Z[RUNS_LEFT] <= 0 else np.int64(DONE)


@part
def go_on(
    M: Int64s, X: Int64s, V: Int64s, T: Int64s, Q: Int64s, D: Int64s, N: Int32s, own: Int32s, inputs: Int32s, Z: Int64s
) -> int:
    """Run entries from the one in hand on, then, unless once is enough, on what is new; DONE, or why it stopped."""
    Z[RUNS_LEFT] = _RUNS
    status = np.int64(DONE)
    while status == DONE:
        if Z[ENTRY] < len(D):
            status = _run_entry(M, X, V, T, Q, D, N, Z)
        elif Z[IS_ONCE] != 0:
            break
        else:
            status = _next_round(M, own, inputs, Z)
            if status == DONE:
                break
            if status == PAUSED:  # there is another round
                status = np.int64(DONE)
    return status


@kernel
def run_rounds(
    M: Int64s,
    X: Int64s,
    V: Int64s,
    T: Int64s,
    Q: Int64s,
    D: Int64s,
    W: Int64s,
    N: Int32s,
    own: Int32s,
    inputs: Int32s,
    begins: Int64s,
    Z: Int64s,
) -> None:
    """Run all entries on the deltas that there are, then, unless once is enough, on what is new, until nothing is.

    `begins` says where the delta of each table begins, or -1: it has none; where it is empty, tables have been told before.
    """
    status = np.int64(DONE)
    if Z[HAS_BEGUN] == 0:
        for i in range(len(begins)):
            table = own[i] if i < len(own) else inputs[i - len(own)]
            M[table, ALL] = M[table, COUNT]
            M[table, OLD] = begins[i] if begins[i] >= 0 else M[table, COUNT]
        status = fits(M, W)
        Z[HAS_BEGUN] = status == DONE
    Z[OUTCOME] = go_on(M, X, V, T, Q, D, N, own, inputs, Z) if status == DONE else status
