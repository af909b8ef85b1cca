"""Deletions by Backward/Forward in one call: Algorithm 1 of the paper, for one unit.

Rules over the deltas of lower units give the affected facts, D (`SEED`). These are checked (`proving`); rules over the facts that
were disproved give more affected facts (`PROPAGATE`); then the disproved facts leave their relations (`REMOVE`); and so on, until
there is no affected fact left. `Z[PHASE]` says where the loop stopped, so that it can continue after Python has done what it
stopped for. A phase that can stop half-way has a second name for its continuation.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int64s
from tidelog.local.kernel import fused_rounds as rounds
from tidelog.local.kernel.build import part, plan_runner
from tidelog.local.kernel.layout import ALL, ARITY, BITS, COUNT, DONE, NEWER, OLD, PAUSED, REMOVED, UPTO
from tidelog.local.kernel.memory import int32s
from tidelog.local.kernel.rows.pair_rows import is_numbered
from tidelog.local.kernel.rows.row_removal import remove_row, row_number
from tidelog.local.kernel.table_rows import rows_of
from tidelog.local.maintenance.backward_forward import proving
from tidelog.local.maintenance.backward_forward import unit_layout as unit

SEED, SEEDING, SEEDED, CHECK, CHECKING, PROPAGATE, PROPAGATING, REMOVE, FINISHED = range(9)
APPLY_RULES, MANY_AFFECTED, PREPARE_REMOVAL, REMOVE_NULLARY = range(300, 304)
"""Why it stopped, beside the reasons of `fused_rounds` and `proving`: rules need Python; there are many affected facts at the
start, and Python decides whether to check them; no room for the numbers of removed rows; an index or a link is missing; the one
fact of a relation without columns is to be removed."""
_MANY = 128
_ROUNDS = 64
"""Rounds before the loop is paused, so that limits and Ctrl-C are looked at."""


@part
def _affected_count(M: Int64s, U: Int64s) -> int:
    """How many facts are affected so far."""
    relations, result = unit.relations_of(U), np.int64(0)
    for k in range(len(relations)):
        result += M[relations[k, unit.AFFECTED], COUNT]
    return result


@part
def _has_affected(M: Int64s, U: Int64s) -> bool:
    """Whether there are affected facts whose turn has not come."""
    relations = unit.relations_of(U)
    for k in range(len(relations)):
        if relations[k, unit.NEXT_AFFECTED] < M[relations[k, unit.AFFECTED], COUNT]:
            return True
    return False


@part
def mark_disproved(M: Int64s, U: Int64s) -> bool:
    """Make the facts of S that are not in O the delta of S; whether there are any."""
    relations, result = unit.relations_of(U), False
    for k in range(len(relations)):
        disproved = relations[k, unit.DISPROVED]
        M[disproved, OLD], M[disproved, ALL] = relations[k, unit.REMOVED], M[disproved, COUNT]
        result = result or M[disproved, OLD] < M[disproved, ALL]
    return result


@part
def _can_remove(M: Int64s, X: Int64s, U: Int64s, r: Int64s) -> bool:
    """Whether the rows of a relation can be found, and taken out of the chains of all its indexes."""
    table, numbers = r[unit.TABLE], int32s(U[unit.OWN_INDEXES], U[unit.OWN_INDEX_COUNT])
    first = r[unit.BY_FIRST_COLUMN]
    if M[table, BITS] != 0 and not is_numbered(M, table) and (first < 0 or X[first, UPTO] != M[table, COUNT]):
        return False
    if M[table, REMOVED] == 0:
        return False
    for i in range(r[unit.INDEXES_FROM], r[unit.INDEXES_TO]):
        if X[numbers[i], UPTO] != 0 and X[numbers[i], NEWER] == 0:
            return False
    return True


@part
def remove_disproved(M: Int64s, X: Int64s, U: Int64s) -> int:
    """Lines 11 and 12: remove disproved facts from their relations; DONE, or why it stopped."""
    relations, Z = unit.relations_of(U), unit.progress_of(U)
    numbers, columns = int32s(U[unit.OWN_INDEXES], U[unit.OWN_INDEX_COUNT]), int32s(U[unit.ALL_COLUMNS], U[unit.COLUMN_COUNT])
    for k in range(len(relations)):
        r = relations[k]
        table, disproved = r[unit.TABLE], r[unit.DISPROVED]
        arity, end = M[disproved, ARITY], M[disproved, COUNT]
        if r[unit.REMOVED] == end:
            continue
        Z[unit.CULPRIT] = k
        if arity == 0:
            return np.int64(REMOVE_NULLARY)
        if not _can_remove(M, X, U, r):
            return np.int64(PREPARE_REMOVAL)
        rows, indexes = rows_of(M, disproved), numbers[r[unit.INDEXES_FROM] : r[unit.INDEXES_TO]]
        while r[unit.REMOVED] < end:
            base = r[unit.REMOVED] * arity
            row = row_number(M, X, table, r[unit.BY_FIRST_COLUMN], rows[base : base + arity])
            if row >= 0:
                remove_row(M, X, table, indexes, row, columns[:arity])
            r[unit.REMOVED] += 1
    return np.int64(DONE)


@part
def begin_rules(M: Int64s, U: Int64s, which: int) -> int:
    """Begin to apply a set of rules once; DONE, or why Python has to apply them."""
    if U[which] == 0:
        return np.int64(APPLY_RULES)
    return rounds.begin_once(M, unit.rules_of(U, which), unit.progress_of(U)[unit.RULE_STEPS])


@plan_runner
def delete_unproved(M: Int64s, X: Int64s, VR: Int64s, T: Int64s, U: Int64s) -> None:
    """Algorithm 1, until no affected fact is left or something stops it: `Z[RESULT]` says what."""
    Z, status, left = unit.progress_of(U), np.int64(DONE), _ROUNDS
    while status == DONE and Z[unit.PHASE] != FINISHED:
        phase, following = Z[unit.PHASE], Z[unit.PHASE] + 1
        if phase == SEED:
            status = begin_rules(M, U, unit.SEED_RULES)
        elif phase == SEEDING:
            status = rounds.continue_rounds(M, X, VR, T, unit.rules_of(U, unit.SEED_RULES))
        elif phase == SEEDED:
            if _affected_count(M, U) > _MANY:
                Z[unit.PHASE], status = CHECK, np.int64(MANY_AFFECTED)
        elif phase == CHECK:
            Z[unit.HAS_BEGUN] = 0
            left -= 1
            if not _has_affected(M, U):
                following = np.int64(FINISHED)
            elif left < 0:
                status = np.int64(PAUSED)
        elif phase == CHECKING:
            status = proving.check_affected(M, X, VR, T, U)
            if status == DONE and not mark_disproved(M, U):
                following = np.int64(CHECK)
        elif phase == PROPAGATE:
            status = begin_rules(M, U, unit.PROPAGATION_RULES)
        elif phase == PROPAGATING:
            status = rounds.continue_rounds(M, X, VR, T, unit.rules_of(U, unit.PROPAGATION_RULES))
        else:
            status, following = remove_disproved(M, X, U), np.int64(CHECK)
        if status == DONE:
            Z[unit.PHASE] = following
    Z[unit.RESULT] = status
