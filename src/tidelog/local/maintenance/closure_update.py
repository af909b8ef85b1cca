"""An update of a virtual relation: from the deltas of the relations that a module reads to its next version."""

from __future__ import annotations

import time

from tidelog.core.rules import Closure
from tidelog.core.statistics import Round
from tidelog.local.closure.adjacency import Pairs
from tidelog.local.closure.changes import change_of
from tidelog.local.closure.closure_diff import VirtualChange
from tidelog.local.closure.incremental import EdgeDelta, next_version
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.maintenance.delta.deltas import NOTHING, Delta, Deltas
from tidelog.local.maintenance.update_context import UpdateContext
from tidelog.local.storage.state import State


def update_closure(name: str, closure: Closure, state: State, deltas: Deltas, evaluation: Evaluation) -> VirtualChange:
    """Bring a transitive relation up to date; its version before, and after."""
    started, edge, before = time.perf_counter(), closure.module.edge, state.virtual[name]
    evaluation.watch.progress.working_on = name
    starts = _difference(closure.given, deltas)
    steps = _difference(edge, deltas) if edge is not None else None

    if before.make_room():
        state.set_virtual(name, before)

    def given() -> tuple[Pairs, Pairs | None]:
        return state.stored(closure.given).rows, state.stored(edge).rows if edge is not None else None

    after = next_version(before, starts, steps, given, evaluation.watch.poll)
    state.set_virtual(name, after)
    seconds = time.perf_counter() - started
    evaluation.statistics.rounds.append(Round(evaluation.unit, closure.module.rules[0], 0, 0, 0, seconds))
    return change_of(before, after, starts, steps)


def record_closure(name: str, closure: Closure, before: VirtualRelation, context: UpdateContext) -> None:
    """Record the delta of a relation that was closed in turn with other rules, once that of its external facts is recorded."""
    after = context.state.virtual[name]
    if after is not before:
        starts = _difference(closure.given, context.deltas)
        context.deltas.of[name] = Delta(virtual=change_of(before, after, starts))


def _difference(name: str, deltas: Deltas) -> EdgeDelta:
    if name not in deltas:
        return EdgeDelta(NOTHING, NOTHING)
    return EdgeDelta(deltas.of[name].inserted_rows(), deltas.of[name].deleted_rows())
