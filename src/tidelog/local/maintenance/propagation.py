"""Propagation: one update visits the units in order; each turns the deltas of what it reads into deltas of what it derives.

Whatever a unit is made of, its interface is the same. So rules with any algorithm, aggregates and transitive relations work
together without knowing of one another, and negation is nothing but a delta with the other sign.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterable, Mapping
from heapq import heapify, heappop
from typing import Any

import numpy as np

from tidelog.core.rule_report import Visit
from tidelog.core.rules import Aggregation, Closure, Unit
from tidelog.core.units import Structure, UnitChange
from tidelog.local.closure.changes import change_of
from tidelog.local.maintenance.aggregates.aggregate_update import maintain_aggregate
from tidelog.local.maintenance.closure_update import bound_ends, update_closure
from tidelog.local.maintenance.delta.deltas import Delta, concatenated
from tidelog.local.maintenance.rematerialisation import (
    announce,
    close_anew,
    materialise,
    materialise_first,
    rematerialise,
    rematerialise_stored,
    start_over,
)
from tidelog.local.maintenance.rule_maintenance import NO_CHANGE, RuleMaintenance
from tidelog.local.maintenance.unit_runtime import UnitRuntime
from tidelog.local.maintenance.update_context import UpdateContext

_SHARE_TO_AGGREGATE = 0.25
"""Of the bindings of an aggregate, the share that may change before all groups are aggregated again."""
_PAIRS, _PAIRS_A_ROW = 1 << 18, 4
"""If more pairs of a closed relation have come or gone, and more than so many a row of a unit, it is derived anew instead."""
_MANY, _MOST = 1_000, 0.5
"""So many rows, and more than such a share of all that a unit reads, must be new for it to be evaluated as a whole."""


class Propagation:
    """The way of one update through the units of a program."""

    def __init__(
        self,
        context: UpdateContext,
        runtime_of: Callable[[int], UnitRuntime],
        unit_changes: Mapping[int, UnitChange] | None = None,
        became_stored: Iterable[str] = (),
    ) -> None:
        """`unit_changes` are the units whose rules have changed; `became_stored`, relations that were virtual before."""
        self.context, self._runtime_of = context, runtime_of
        self._unit_changes, self._became_stored = unit_changes or {}, set(became_stored)
        self._may_skip_listing = context.algorithm == "auto" and not context.changes_rules
        self._visited: dict[int, UnitRuntime] = {}
        self._structure: Structure | None = None
        """Which rules read a relation, if all units are visited here."""

    def materialise_all(self, structure: Structure) -> None:
        """Derive everything from explicit facts."""
        progress = self.context.evaluation.watch.progress
        progress.units = len(structure.units)
        for number in structure.numbers_in_order():
            progress.unit = number
            self.materialise(number)

    def materialise(self, number: int) -> None:
        """Derive a unit from explicit facts."""
        started, runtime = time.perf_counter(), self._enter(number)
        materialise(runtime, self.context)
        if self.context.records_visits:
            self.context.visits.append(
                Visit(runtime.unit, is_evaluated=True, seconds=time.perf_counter() - started, number=number)
            )

    def run(self, structure: Structure) -> None:
        """Visit every unit that reads what has changed, or whose own explicit facts or rules have, from the bottom to the top."""
        context, order, self._structure = self.context, structure.order, structure
        context.evaluation.watch.progress.units = len(structure.units)
        changed: Iterable[str] = self.begin(structure.deriver)
        waiting: list[tuple[Any, int]] = []  # a heap, filled without comprehensions, which are calls: small updates notice
        for name in (*context.changes.deleted, *context.changes.inserted):
            if name in structure.deriver:
                waiting.append((order[structure.deriver[name]], structure.deriver[name]))  # noqa: PERF401
        for number, change in self._unit_changes.items():
            if change.is_affected:
                waiting.append((order[number], number))
        last, readers, deltas = None, structure.readers, context.deltas.of
        while True:
            for name in changed:
                for reader in readers.get(name, ()):
                    if last is None or order[reader] > last:
                        waiting.append((order[reader], reader))  # noqa: PERF401
            if not waiting:
                return
            heapify(waiting)
            last, number = heappop(waiting)
            while waiting and waiting[0][1] == number:
                heappop(waiting)
            unit = structure.units[number]
            self.visit(number)
            names = (*unit.relations, *unit.operators)
            changed = [name for name in names if name in deltas and name in readers and context.deltas.differs(name)]

    def begin(self, derived: Container[str]) -> list[str]:
        """Record the deltas of relations without rules; which of them have changed."""
        context, changes = self.context, self.context.changes
        began, deleted, lost = changes.began, changes.deleted, changes.lost
        for name in began:
            if name not in derived and name not in deleted and name not in lost:
                context.deltas.grew(name, began[name])
        for name in deleted:
            if name not in derived and name not in lost:
                begin = began[name] if name in began else context.state.tables[name].end
                context.record_change(name, begin, concatenated(deleted[name]))
        for name in lost:
            if name not in derived:
                begin = began.get(name, context.state.tables[name].end)
                rows = np.concatenate([lost[name], *deleted[name]]) if name in deleted else lost[name]
                context.record_change(name, begin, rows)
        return list(context.deltas.of)

    def is_affected(self, number: int, unit: Unit) -> bool:
        """Whether what a unit reads, its explicit facts or its rules have changed."""
        deltas, changes = self.context.deltas, self.context.changes
        return (
            any(name in deltas for name in unit.uses)
            or any(name in changes.deleted or name in changes.inserted for name in unit.relations)
            or self._unit_changes.get(number, NO_CHANGE).is_affected
        )

    def visit(self, number: int) -> None:
        """Bring the relations of a unit up to date."""
        self.context.evaluation.watch.progress.unit = number
        runtime = self._enter(number)
        if not self.context.records_visits:
            self._apply(runtime, NO_CHANGE)
            return
        change = self._unit_changes.get(number, NO_CHANGE)
        started = time.perf_counter()
        self.context.has_rematerialised = False
        self._apply(runtime, change)
        is_evaluated = self.context.has_rematerialised or change.is_affected
        self.context.visits.append(Visit(runtime.unit, is_evaluated, time.perf_counter() - started, number))

    def rematerialise_all(self, structure: Structure) -> None:
        """Derive everything anew from explicit facts and from what is derived anew below."""
        context = self.context
        for number in structure.numbers_in_order():
            started, runtime = time.perf_counter(), self._enter(number)
            if closures := _closures(runtime.unit):
                for name in closures:
                    close_anew(runtime, context, name)
            else:
                rematerialise(runtime, context)
            context.visits.append(Visit(runtime.unit, is_evaluated=True, seconds=time.perf_counter() - started, number=number))

    def trim(self) -> None:
        """After the update: let the units that were visited forget plans and delta rules, if they have many."""
        for runtime in self._visited.values():
            runtime.trim()

    def _enter(self, number: int) -> UnitRuntime:
        runtime = self._visited[number] = self._runtime_of(number)
        self.context.evaluation.enter(number, runtime.plans)
        return runtime

    def _apply(self, runtime: UnitRuntime, change: UnitChange) -> None:
        unit, context = runtime.unit, self.context
        if not unit.operators and not unit.stages and context.algorithm != "rematerialise" and change is NO_CHANGE:
            if not self._is_evaluated_as_a_whole(runtime):
                RuleMaintenance(runtime, context).run()
            return
        if closures := _closures(unit):
            with context.phase("closures"):
                for name in closures:
                    self._close(runtime, name, change)
            return
        converted = {name for name in unit.relations if name in self._became_stored} if change.is_affected else set()
        why = self._reason_to_rematerialise(unit, change, converted)
        if why is not None:
            context.chosen.setdefault("rematerialise", why)
            announce(runtime, context, why)
            rematerialise_stored(runtime, context, converted)
        elif change.is_affected and not change.before and not any(name in context.changes.deleted for name in unit.relations):
            materialise_first(runtime, context)
        elif change.is_affected or not (self._is_evaluated_as_a_whole(runtime) or self._aggregates(runtime)):
            RuleMaintenance(runtime, context, change).run()

    def _is_evaluated_as_a_whole(self, runtime: UnitRuntime) -> bool:
        """Evaluate a unit as if all had been loaded, if most of what it reads is new and it holds little; whether it did."""
        context, unit, tables = self.context, runtime.unit, self.context.state.tables
        new, deltas = 0, context.deltas.of
        for name in unit.uses:
            if name in deltas:
                new += deltas[name].gained
                pairs = deltas[name].virtual
                if pairs is not None and self._may_skip_listing and not pairs.are_at_most(_pairs_to_list(runtime)):
                    start_over(runtime, context, f"too many pairs of `{name}` have come or gone")
                    return True
        if new < _MANY or context.algorithm == "counting":
            return False
        held = sum([len(tables[name]) for name in unit.relations if name in tables])
        if new <= _MOST * sum([len(tables[name]) for name in unit.uses if name in tables]) or held >= new:
            return False
        if not held and not unit.modules:
            materialise_first(runtime, context)
        elif context.algorithm == "auto":
            context.chosen.setdefault("rematerialise", "most of what is read is new")
            rematerialise(runtime, context)
        else:
            return False
        return True

    def _reason_to_rematerialise(self, unit: Unit, change: UnitChange, converted: set[str]) -> str | None:
        """Why a unit is to be rematerialised, whatever has changed; None if it is to be maintained."""
        if self.context.algorithm == "rematerialise" and (not change.is_affected or change.before or unit.stages or converted):
            return "as asked for"
        if converted:
            return f"`{min(converted)}` is stored in another way now"
        if change.is_affected and unit.modules:
            return "rules have changed that recur through closed relations"
        return "an aggregate's groups come from its own recursion" if unit.stages else None

    def _close(self, runtime: UnitRuntime, name: str, change: UnitChange) -> None:
        """Bring a virtual relation up to date."""
        context, closure = self.context, runtime.unit.operators[name]
        assert isinstance(closure, Closure)
        context.chosen.setdefault("modules", f"`{name}` is transitive")
        if change.is_affected:
            if change.before:
                announce(runtime, context, f"the rules that make `{name}` transitive have changed")
            close_anew(runtime, context, name)
            return
        if context.algorithm == "rematerialise":
            context.evaluation.from_scratch(runtime.unit)
            made = change_of(context.undo.virtual[name], context.state.virtual[name])
        else:
            made = update_closure(name, closure, context.state, context.deltas, context.evaluation)
        if self._structure is not None and not context.changes_rules:
            made.bound = bound_ends(name, self._structure, runtime)
        context.deltas.of[name] = Delta(virtual=made)

    def _aggregates(self, runtime: UnitRuntime) -> bool:
        """Bring the results of aggregates up to date; False if the unit has none."""
        context, operators = self.context, runtime.unit.operators
        found = [(name, operator) for name, operator in operators.items() if isinstance(operator, Aggregation)]
        if not found:
            return False
        if context.changes_rules and context.algorithm == "auto" and len(found) == 1 and self._is_mostly_new(found[0][1]):
            rematerialise(runtime, context)
            return True
        with context.phase("aggregates"):
            for name, operator in found:
                inserted, deleted = maintain_aggregate(name, operator, runtime, context.deltas)
                context.deltas.changed(name, inserted, deleted)
        return True

    def _is_mostly_new(self, aggregation: Aggregation) -> bool:
        """Whether so many bindings have changed that it is quicker to aggregate all of them."""
        delta = self.context.deltas.of.get(aggregation.inner)
        if delta is None:
            return False
        return delta.gained + delta.lost > _SHARE_TO_AGGREGATE * len(self.context.state.tables[aggregation.inner])


def _closures(unit: Unit) -> list[str]:
    """The virtual relations of a unit that has no other rules."""
    return [] if unit.rules else [name for name, operator in unit.operators.items() if isinstance(operator, Closure)]


def _pairs_to_list(runtime: UnitRuntime) -> int:
    """How many pairs of a closed relation that have come or gone are listed for a unit."""
    return max(_PAIRS, _PAIRS_A_ROW * runtime.row_count())
