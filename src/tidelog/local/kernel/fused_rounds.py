"""Rules that run together, round after round, in one call: most updates take microseconds.

It is the loop of `evaluation.seminaive`, for small deltas. A large delta goes back to Python, which plans again for each round.
`Z` is the progress of a run, which can stop whenever a table is full or the budget is used up.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel import layout, terms
from tidelog.local.kernel.build import hot, part, plan_runner
from tidelog.local.kernel.join import run
from tidelog.local.kernel.memory import int32s, int64_matrix, int64s
from tidelog.local.kernel.plan_table import restart, run_state
from tidelog.local.kernel.rows.row_order import is_tail_long
from tidelog.local.kernel.rows.row_times import note_time
from tidelog.local.kernel.table_rows import extend_index

# A set of rules: the addresses and lengths of its tables.
PLANS, ENTRIES, ENTRY_COUNT, SIZES, SIZE_COUNT, INDEXES, INDEX_COUNT = range(7)
OWN, OWN_COUNT, INPUTS, INPUT_COUNT, BEGINS, BEGIN_COUNT, PROGRESS, INSTANCES, INSTANCE_LENGTH = range(7, 16)
RULES_WIDTH = 16
# PLANS       a row for each plan;  ENTRIES: the plans that take part, below;  SIZES: the sizes they were made for, below
# INDEXES     int32: the indexes that plans need, entry after entry
# OWN         int32: tables that the rules fill until a fixpoint;  INPUTS: other tables that they read
# BEGINS      int64: where the delta of each of these tables begins, or -1 if it has none; empty if they are marked already
# PROGRESS    Z, below
# INSTANCES   int32: of plans that stop at instances, what their slots are (`maintenance.ranked.lost_instances`)

# An entry: a plan that takes part.
PLAN, DELTA_OF, HEAD, INDEXES_FROM, INDEXES_TO, FOUND_COUNT, NEW_COUNT = range(7)
ENTRY_WIDTH = 7
# DELTA_OF    the table whose delta it joins, or -1: it runs in the first round only
# INDEXES_…   the indexes that it needs, in INDEXES
# FOUND_COUNT instances that were found since Python last read it;  NEW_COUNT: facts that were new

# A size: the rows of a table, or of its delta, when the plans were made.
WATCHED, IS_DELTA, SIZE = range(3)
SIZE_WIDTH = 3

# Z: the progress of a run.
OUTCOME, CULPRIT_AT, STEPS, ENTRY, HAS_STARTED, ROUND, IS_ONCE, HAS_BEGUN, UNDEFINED_COUNT, RUNS_LEFT = range(10)
ROUNDS_WIDTH = 10
GROW_INDEX, PLAN_ANEW, TOO_LARGE = range(100, 103)
"""Why it stopped: an index has no room or is far behind; the plans were made for other sizes; a delta is large."""
_LARGE = 1 << 15
_OTHER, _FLOOR = 4, 64
"""Plans are made again if a size differs by that factor, and by more than a few rows."""
_RUNS = 64
_SMALL = 1 << 10
"""An index of so few rows can keep its kind, hashed or direct, when it is filled again."""


@hot
def progress_of(rules: Int64s) -> Int64s:
    """The progress of a run of a set of rules."""
    return int64s(rules[PROGRESS], ROUNDS_WIDTH)


@part
def _compare_sizes(M: Int64s, rules: Int64s) -> int:
    """Whether the plans serve: DONE if sizes are about what the plans were made for, else PLAN_ANEW or TOO_LARGE."""
    sizes = int64_matrix(rules[SIZES], rules[SIZE_COUNT], SIZE_WIDTH)
    for i in range(len(sizes)):
        table, is_delta = sizes[i, WATCHED], sizes[i, IS_DELTA] != 0
        size = M[table, layout.ALL] - M[table, layout.OLD] if is_delta else M[table, layout.ALL] - M[table, layout.TOMBSTONES]
        if is_delta and size > _LARGE:
            return np.int64(TOO_LARGE)
        now, then = size + _FLOOR, sizes[i, SIZE] + _FLOOR
        if now > _OTHER * then or then > _OTHER * now:
            return np.int64(PLAN_ANEW)
    return np.int64(layout.DONE)


@part
def extend_indexes(M: Int64s, X: Int64s, T: Int64s, numbers: Int32s) -> int:
    """Bring indexes up to date; -1, or the first one that Python has to extend."""
    for i in range(len(numbers)):
        index = np.int64(numbers[i])
        upto = M[X[index, layout.TABLE], layout.ALL]
        if X[index, layout.RANGE_COLUMN] != 0:
            if is_tail_long(X, index, upto):
                return index
        elif X[index, layout.UPTO] < upto:
            room = X[index, layout.HEAD_COUNT] >= (T[terms.COUNT] if X[index, layout.IS_DIRECT] != 0 else 2 * upto)
            is_to_be_chosen = X[index, layout.UPTO] == 0 and upto > _SMALL  # how its keys are found
            if not room or is_to_be_chosen or upto - X[index, layout.UPTO] > 2 * _LARGE:
                return index
            extend_index(M, X, index, upto)
    return np.int64(-1)


@part
def _next_round(M: Int64s, rules: Int64s) -> int:
    """Make new facts the delta; DONE if there are none, PAUSED if there are some, TOO_LARGE if there are many."""
    own, inputs, Z = int32s(rules[OWN], rules[OWN_COUNT]), int32s(rules[INPUTS], rules[INPUT_COUNT]), progress_of(rules)
    if Z[ROUND] == 0:
        for i in range(len(inputs)):
            M[inputs[i], layout.OLD] = M[inputs[i], layout.ALL]
    for i in range(len(own)):
        if M[own[i], layout.COUNT] - M[own[i], layout.ALL] > _LARGE:
            return np.int64(TOO_LARGE)
    result = np.int64(layout.DONE)
    for i in range(len(own)):
        M[own[i], layout.OLD] = M[own[i], layout.ALL]
        M[own[i], layout.ALL] = M[own[i], layout.COUNT]
        if M[own[i], layout.OLD] < M[own[i], layout.ALL]:
            result = np.int64(layout.PAUSED)
    Z[ROUND] += result == layout.PAUSED
    Z[ENTRY] = 0
    return result


@part
def _run_entry(M: Int64s, X: Int64s, VR: Int64s, T: Int64s, rules: Int64s) -> int:
    """Run or continue the current entry, unless its delta is empty; DONE, or why it stopped."""
    Z = progress_of(rules)
    entry = int64_matrix(rules[ENTRIES], rules[ENTRY_COUNT], ENTRY_WIDTH)[Z[ENTRY]]
    delta, head = entry[DELTA_OF], entry[HEAD]
    plan = int64_matrix(rules[PLANS], rules[ENTRY_COUNT], layout.PLAN_WIDTH)[entry[PLAN]]
    is_continued = Z[HAS_STARTED] != 0
    if not is_continued:
        if (delta < 0 and Z[ROUND] > 0) or (delta >= 0 and M[delta, layout.OLD] >= M[delta, layout.ALL]):
            Z[ENTRY] += 1
            return np.int64(layout.DONE)
        numbers = int32s(rules[INDEXES], rules[INDEX_COUNT])
        index = extend_indexes(M, X, T, numbers[entry[INDEXES_FROM] : entry[INDEXES_TO]])
        if index >= 0:
            Z[CULPRIT_AT] = index
            return np.int64(GROW_INDEX)
        restart(plan, Z[STEPS])
        Z[HAS_STARTED] = 1
    state = run_state(plan)
    before = M[head, layout.COUNT]
    status = run(M, X, VR, T, plan)
    entry[NEW_COUNT] += M[head, layout.COUNT] - before
    note_time(M, head, before, is_continued)
    if status != layout.DONE:
        Z[CULPRIT_AT] = state[layout.CULPRIT]
        state[layout.BUDGET] = Z[STEPS]
        return status
    entry[FOUND_COUNT] += state[layout.DERIVATIONS]
    Z[UNDEFINED_COUNT] += state[layout.UNDEFINED]
    Z[HAS_STARTED] = 0
    Z[ENTRY] += 1
    Z[RUNS_LEFT] -= 1
    return np.int64(layout.PAUSED) if Z[RUNS_LEFT] <= 0 else np.int64(layout.DONE)


@part
def begin_once(M: Int64s, rules: Int64s, steps: int) -> int:
    """Reset a set of rules that runs one round; DONE, or why it cannot run."""
    Z = progress_of(rules)
    undefined = Z[UNDEFINED_COUNT]
    Z[:] = 0
    Z[UNDEFINED_COUNT] = undefined
    Z[STEPS] = steps
    Z[IS_ONCE] = 1
    return _compare_sizes(M, rules)


@part
def continue_rounds(M: Int64s, X: Int64s, VR: Int64s, T: Int64s, rules: Int64s) -> int:
    """Run entries from the current one on, then, unless the rules run once, further rounds; DONE, or why it stopped."""
    Z = progress_of(rules)
    Z[RUNS_LEFT] = _RUNS
    status = np.int64(layout.DONE)
    while status == layout.DONE:
        if Z[ENTRY] < rules[ENTRY_COUNT]:
            status = _run_entry(M, X, VR, T, rules)
        elif Z[IS_ONCE] != 0:
            break
        else:
            status = _next_round(M, rules)
            if status == layout.DONE:
                break
            if status == layout.PAUSED:  # there is another round
                status = np.int64(layout.DONE)
    return status


@plan_runner
def run_rounds(M: Int64s, X: Int64s, VR: Int64s, T: Int64s, rules: Int64s) -> None:
    """Run all entries on the deltas that there are, then, unless the rules run once, on new facts until a fixpoint."""
    Z, status = progress_of(rules), np.int64(layout.DONE)
    if Z[HAS_BEGUN] == 0:
        own, inputs = int32s(rules[OWN], rules[OWN_COUNT]), int32s(rules[INPUTS], rules[INPUT_COUNT])
        begins = int64s(rules[BEGINS], rules[BEGIN_COUNT])
        for i in range(len(begins)):
            table = own[i] if i < len(own) else inputs[i - len(own)]
            M[table, layout.ALL] = M[table, layout.COUNT]
            M[table, layout.OLD] = begins[i] if begins[i] >= 0 else M[table, layout.COUNT]
        status = _compare_sizes(M, rules)
        Z[HAS_BEGUN] = status == layout.DONE
    Z[OUTCOME] = continue_rounds(M, X, VR, T, rules) if status == layout.DONE else status
