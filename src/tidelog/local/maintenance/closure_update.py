"""An update of a virtual relation: from the deltas of the relations that a module reads to its next version."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from tidelog.core.rules import Closure
from tidelog.core.statistics import Round
from tidelog.core.units import Structure
from tidelog.local.closure.adjacency import Pairs
from tidelog.local.closure.bound_ends import BoundEnds
from tidelog.local.closure.changes import change_of
from tidelog.local.closure.closure_diff import VirtualChange
from tidelog.local.closure.incremental import EdgeDelta, next_version
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.maintenance.delta.deltas import NOTHING, Delta, Deltas
from tidelog.local.maintenance.unit_runtime import UnitRuntime
from tidelog.local.maintenance.update_context import UpdateContext
from tidelog.local.storage.state import State
from tidelog.program.same_as import REPRESENTATIVE
from tidelog.syntax.tree import Constant, atoms


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
    if before.is_counted and not after.is_counted:
        count = len(before)
        after.recount = lambda version: change_of(before, version, starts, steps).count(count)
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


@dataclass(frozen=True, slots=True)
class _Readers:
    """How rules read a closed relation, as long as the structure is the same."""

    structure: Structure
    bound: BoundEnds | None


def bound_ends(name: str, structure: Structure, runtime: UnitRuntime) -> BoundEnds | None:
    """The constants with which all rules read a relation; None if some read it without."""
    known = runtime.kept(_Readers)
    if known is None or known.structure is not structure:
        known = runtime.keep(_Readers(structure, _bound_ends(name, structure, runtime.state)))
    return known.bound


def _bound_ends(name: str, structure: Structure, state: State) -> BoundEnds | None:
    ends: tuple[set[int], set[int]] = set(), set()
    for unit in (structure.units[number] for number in structure.readers.get(name, ())):
        if unit.operators or unit.stages or REPRESENTATIVE in structure.core.arities:
            return None
        for atom in (atom for rule in unit.rules for atom, _ in atoms(rule.body) if atom.predicate == name):
            side = next((at for at, arg in enumerate(atom.args) if isinstance(arg, Constant)), None)
            if side is None:
                return None
            constant = atom.args[side]
            assert isinstance(constant, Constant)
            ends[side].add(int(state.terms.encode([constant.value])[0]))
    lefts, rights = (np.array(sorted(some), np.int32) for some in ends)
    return BoundEnds(lefts, rights)


def _difference(name: str, deltas: Deltas) -> EdgeDelta:
    if name not in deltas:
        return EdgeDelta(NOTHING, NOTHING)
    return EdgeDelta(deltas.of[name].inserted_rows(), deltas.of[name].deleted_rows())
