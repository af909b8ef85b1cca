"""Deletions by rank in one call: the lines of `in_plain_python`, for one unit.

Rules over the deltas of lower units give the facts that have lost an instance (`SEED`). They are queued by the tick of their rows
(`QUEUE`), and those of the first tick looked at (`LOOK`). Rules over the facts that have no support give more facts to look at
(`PROPAGATE`), and these facts leave their relations (`REMOVE`); and so on, until the queue is empty. Then what has left and still
follows from the rest comes back (`REDERIVE`). `Z[PHASE]` says where the loop stopped, as in `bf_loop`, whose parts it uses.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int64s
from tidelog.local.kernel import fused_rounds as rounds
from tidelog.local.kernel import layout
from tidelog.local.kernel.build import part, plan_runner
from tidelog.local.kernel.layout import ALL, ARITY, BITS, COUNT, DONE, OLD, PAUSED, UPTO
from tidelog.local.kernel.memory import int32s
from tidelog.local.kernel.rows.pair_rows import is_numbered, number_pairs
from tidelog.local.kernel.rows.row_removal import row_number
from tidelog.local.kernel.rows.row_times import first_tick, last_tick
from tidelog.local.kernel.table_rows import insert, rows_of, shorten_table
from tidelog.local.maintenance.backward_forward import bf_loop, proving
from tidelog.local.maintenance.backward_forward import unit_layout as unit
from tidelog.local.maintenance.ranked import support
from tidelog.local.maintenance.ranked.lost_instances import continue_losing
from tidelog.local.maintenance.ranked.suspect_queue import OF, ROW, TICK, pop, push, queue_of

PREPARE, SEED, SEEDING, COLLECT, QUEUE, LOOK, PROPAGATE, PROPAGATING, REMOVE, REDERIVE, REDERIVING, FINISHED = range(12)
GROW_QUEUE = 310  # none of the reasons of `bf_loop`
_MANY = 128
"""With so many facts to look at, each is looked at when it comes, and only those without support are queued."""
_ROUNDS = 64
"""Ticks before the loop is paused, so that limits and Ctrl-C are looked at."""


@part
def _prepare(M: Int64s, X: Int64s, T: Int64s, U: Int64s) -> int:
    """Bring the indexes up to date that a look needs; DONE, or why Python has to."""
    relations, Z = unit.relations_of(U), unit.progress_of(U)
    if extend_all(M, X, T, U) >= 0:
        return np.int64(rounds.GROW_INDEX)
    for k in range(len(relations)):
        first, table = relations[k, unit.BY_FIRST_COLUMN], relations[k, unit.TABLE]
        number_pairs(M, table)
        if M[table, BITS] != 0 and not is_numbered(M, table) and (first < 0 or X[first, UPTO] != M[table, COUNT]):
            Z[unit.CULPRIT] = k
            return np.int64(bf_loop.PREPARE_REMOVAL)
    return np.int64(DONE)


@part
def extend_all(M: Int64s, X: Int64s, T: Int64s, U: Int64s) -> int:
    """Enter all rows into the indexes that backward plans read; -1, or one that Python has to extend."""
    return rounds.extend_indexes(M, X, T, int32s(U[unit.READ_INDEXES], U[unit.READ_INDEX_COUNT]))  # type: ignore[no-any-return]


@part
def _collect(M: Int64s, U: Int64s) -> int:
    """The facts that have lost an instance, from the first to the last; how many there are."""
    relations, count = unit.relations_of(U), np.int64(0)
    for k in range(len(relations)):
        relations[k, unit.NEXT_AFFECTED], relations[k, unit.LAST_AFFECTED] = 0, M[relations[k, unit.AFFECTED], COUNT]
        count += relations[k, unit.LAST_AFFECTED]
    unit.progress_of(U)[unit.AFFECTED_FACTS] += count
    return count


@part
def _next_affected(M: Int64s, X: Int64s, U: Int64s) -> bool:
    """Begin to look at the next fact that has lost an instance, unless it came before the fact of its body; False at the end."""
    relations, Z = unit.relations_of(U), unit.progress_of(U)
    for k in range(len(relations)):
        r = relations[k]
        rows, arity = rows_of(M, r[unit.AFFECTED]), M[r[unit.AFFECTED], ARITY]
        while r[unit.NEXT_AFFECTED] < r[unit.LAST_AFFECTED]:
            base = r[unit.NEXT_AFFECTED] * arity
            row = row_number(M, X, r[unit.TABLE], r[unit.BY_FIRST_COLUMN], rows[base : base + arity])
            r[unit.NEXT_AFFECTED] += 1
            if row >= 0 and last_tick(M, r[unit.TABLE], row) >= Z[unit.NOW]:
                Z[unit.LOOKED_OF], Z[unit.LOOKED_ROW] = k, row
                return True
    return False


@part
def _queue_affected(M: Int64s, X: Int64s, VR: Int64s, T: Int64s, U: Int64s) -> int:
    """Queue the facts that have lost an instance; if there are many, only those without support. DONE, or why it stopped."""
    relations, Z = unit.relations_of(U), unit.progress_of(U)
    while True:
        if Z[unit.LOOKED_OF] < 0:
            if Z[unit.QUEUED] == U[unit.QUEUE_ROOM]:
                return np.int64(GROW_QUEUE)
            if not _next_affected(M, X, U):
                break
            if Z[unit.HAS_BEGUN] != 0:
                support.begin_look(U, Z[unit.LOOKED_OF], Z[unit.LOOKED_ROW], np.int64(0))
        status = np.int64(support.FALLS)
        if Z[unit.HAS_BEGUN] != 0:
            Z[unit.STEPS_LEFT] -= 1
            if Z[unit.STEPS_LEFT] < 0:
                return np.int64(PAUSED)
            status = support.look(M, X, VR, T, U)
        if status == support.FALLS:
            k, row = Z[unit.LOOKED_OF], Z[unit.LOOKED_ROW]
            push(U, first_tick(M, relations[k, unit.TABLE], row), row, k, Z[unit.HAS_BEGUN] != 0)
        elif status != support.STANDS:
            return status
        Z[unit.LOOKED_OF] = -1
    for k in range(len(relations)):
        shorten_table(M, relations[k, unit.AFFECTED], 0)
        M[relations[k, unit.AFFECTED], OLD] = M[relations[k, unit.AFFECTED], ALL] = 0
    return np.int64(DONE)


@part
def _take_next(U: Int64s) -> None:
    """Begin to look at the fact in front of the queue; it may be there more than once."""
    queue, Z = queue_of(U), unit.progress_of(U)
    k, row, falls = queue[0, OF] >> 1, queue[0, ROW], np.int64(0)
    while Z[unit.QUEUED] > 0 and queue[0, OF] >> 1 == k and queue[0, ROW] == row:
        falls |= queue[0, OF] & 1
        pop(U)
    support.begin_look(U, k, row, falls)


@part
def _look_at_first(M: Int64s, X: Int64s, VR: Int64s, T: Int64s, U: Int64s) -> int:
    """Look at the queued facts of the first tick, and of the next ones until a fact has no support; DONE, or why it stopped."""
    relations, Z, has_fallen = unit.relations_of(U), unit.progress_of(U), False
    for k in range(len(relations)):
        has_fallen = has_fallen or relations[k, unit.REMOVED] < M[relations[k, unit.DISPROVED], COUNT]
    while Z[unit.LOOKED_OF] >= 0 or Z[unit.QUEUED] > 0:
        Z[unit.STEPS_LEFT] -= 1
        if Z[unit.STEPS_LEFT] < 0:
            return np.int64(PAUSED)
        if Z[unit.LOOKED_OF] < 0:
            tick = queue_of(U)[0, TICK]
            if tick != Z[unit.NOW] and has_fallen:
                break
            Z[unit.NOW] = tick
            _take_next(U)
        disproved = relations[Z[unit.LOOKED_OF], unit.DISPROVED]
        if proving.room_in(M, disproved) < 1:
            Z[unit.CULPRIT] = disproved
            return np.int64(layout.GROW_TABLE)
        status = np.int64(support.FALLS) if Z[unit.FALLS_ANYWAY] != 0 else support.look(M, X, VR, T, U)
        if status == support.FALLS:
            insert(M, disproved, support.looked_at(M, U))
            has_fallen = True
        elif status != support.STANDS:
            return status
        Z[unit.LOOKED_OF] = -1
    return np.int64(DONE)


@part
def _begin_rederivation(M: Int64s, U: Int64s) -> int:
    """Begin to rederive what has left its relation; DONE, or why Python has to."""
    relations = unit.relations_of(U)
    for k in range(len(relations)):
        M[relations[k, unit.DISPROVED], OLD], M[relations[k, unit.DISPROVED], ALL] = 0, M[relations[k, unit.DISPROVED], COUNT]
    return bf_loop.begin_rules(M, U, unit.REDERIVATION_RULES)  # type: ignore[no-any-return]


@part
def _has_removed(U: Int64s) -> bool:
    """Whether any fact has left its relation."""
    relations = unit.relations_of(U)
    for k in range(len(relations)):
        if relations[k, unit.REMOVED] > 0:
            return True
    return False


@part
def _after_look(M: Int64s, U: Int64s) -> int:
    """The phase that follows a look at facts."""
    if bf_loop.mark_disproved(M, U):
        return np.int64(PROPAGATE)
    return np.int64(REDERIVE if _has_removed(U) else FINISHED)


@plan_runner
def delete_unsupported(M: Int64s, X: Int64s, VR: Int64s, T: Int64s, U: Int64s) -> None:
    """Delete what has no support and does not come back, until done or something stops it: `Z[RESULT]` says what."""
    Z, status, left = unit.progress_of(U), np.int64(DONE), _ROUNDS
    while status == DONE and Z[unit.PHASE] != FINISHED:
        phase, following = Z[unit.PHASE], Z[unit.PHASE] + 1
        if phase == PREPARE:
            status = _prepare(M, X, T, U)
        elif phase == SEED:
            status = bf_loop.begin_rules(M, U, unit.SEED_RULES)
        elif phase == SEEDING:
            status = continue_losing(M, X, VR, T, U, unit.SEED_RULES)
        elif phase == COLLECT:
            status = _prepare(M, X, T, U)
            if status == DONE:
                Z[unit.HAS_BEGUN] = _collect(M, U) > _MANY
                left -= 1
                if left < 0:
                    Z[unit.PHASE], status = QUEUE, np.int64(PAUSED)
        elif phase == QUEUE:
            status = _queue_affected(M, X, VR, T, U)
        elif phase == LOOK:
            status = _look_at_first(M, X, VR, T, U)
            if status == DONE:
                following = _after_look(M, U)
        elif phase == PROPAGATE:
            status = bf_loop.begin_rules(M, U, unit.PROPAGATION_RULES)
        elif phase == PROPAGATING:
            status = continue_losing(M, X, VR, T, U, unit.PROPAGATION_RULES)
        elif phase == REMOVE:
            status, following = bf_loop.remove_disproved(M, X, U), np.int64(COLLECT)
        elif phase == REDERIVE:
            status = _begin_rederivation(M, U)
        else:
            status = rounds.continue_rounds(M, X, VR, T, unit.rules_of(U, unit.REDERIVATION_RULES))
        if status == DONE:
            Z[unit.PHASE] = following
    Z[unit.RESULT] = status
