"""Transitive relations under change: from the differences of what a module reads to the next version of its relation."""

from __future__ import annotations

import time

from tidelog.local.adjacency import Pairs
from tidelog.local.closures import Difference, updated
from tidelog.local.core import Closure
from tidelog.local.deltas import NOTHING, Deltas
from tidelog.local.materialise import Evaluation, Round
from tidelog.local.state import State
from tidelog.local.virtual_changes import VirtualChange


def reclose(name: str, special: Closure, state: State, deltas: Deltas, evaluation: Evaluation) -> VirtualChange:
    """Make a transitive relation what it now is; what it was, and is."""
    started, edge, before = time.perf_counter(), special.module.edge, state.virtual[name]
    evaluation.watch.progress.working_on = name
    starts = _difference(special.given, deltas)
    steps = _difference(edge, deltas) if edge is not None else None

    if before.make_room():
        state.set_virtual(name, before)

    def given() -> tuple[Pairs, Pairs | None]:
        return state.stored(special.given).rows, state.stored(edge).rows if edge is not None else None

    after = updated(before, starts, steps, given, evaluation.watch.look)
    state.set_virtual(name, after)
    seconds = time.perf_counter() - started
    evaluation.statistics.rounds.append(Round(evaluation.unit, special.module.rules[0], 0, 0, 0, seconds))
    return VirtualChange(before, after, starts, steps)


def _difference(name: str, deltas: Deltas) -> Difference:
    if name not in deltas:
        return Difference(NOTHING, NOTHING)
    return Difference(deltas.of[name].rows_that_came(), deltas.of[name].rows_that_went())
