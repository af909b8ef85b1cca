"""A change of rules where everything is in the kernel: the local engine maintains it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from tidelog.core.limits import LimitReachedError, Watch
from tidelog.core.rule_report import Visit
from tidelog.core.units import Structure
from tidelog.local.rule_changes.migration import RuleUpdate
from tidelog.local.rule_changes.rule_propagation import RuleMaintenance
from tidelog.program.hypergraph import Component
from tidelog.program.live_rules import RuleDifference
from tidelog.program.program import Program
from tidelog.spark.evaluation.placement import BYTES_A_FACT, PlacedProgram, Placement, Where
from tidelog.spark.maintenance.update import SparkUpdate
from tidelog.spark.maintenance.update_keys import UpdateKeys
from tidelog.spark.session.interruption import without_interruption

if TYPE_CHECKING:
    from tidelog.spark.engine import SparkEngine


class OverBudgetError(Exception):
    """What new rules derive exceeds the memory budget of the kernel."""


def is_possible(engine: SparkEngine) -> bool:
    """Whether all is in the kernel."""
    return engine.forced in ("auto", Where.KERNEL) and engine.is_in_kernel


class RuleUpdateInKernel(SparkUpdate):
    """One update of an engine whose rules change."""

    def __init__(self, engine: SparkEngine, watch: Watch, algorithm: str, difference: RuleDifference) -> None:
        super().__init__(engine, watch, algorithm)
        self._difference, self._placed, self._structure = difference, engine.placed, engine.structure
        change = engine.structure.changed(difference, modules=engine.modules)
        self._update = RuleUpdate(change, engine.state, self.undo, counts=False)
        self.rule_maintenance = RuleMaintenance(
            engine.state, self.kernel.evaluation, self.undo, self.changes, algorithm, self._update
        )
        self.kernel = self.rule_maintenance
        self._at_work = {id(change.after.units[number]) for number in self._update.units_at_work}

    @property
    def visits(self) -> list[Visit]:
        """The units whose turn came."""
        return self.rule_maintenance.visits

    def change(self, given: Callable[[], Mapping[str, UpdateKeys]]) -> None:
        """Run the update: all of it, or nothing; `given` is read under the new rules."""
        engine, started = self.engine, perf_counter()
        try:
            with without_interruption():
                self._update.move_facts(self.changes, is_derived=True)
                _install(engine, self._difference.after.program, self._update.change.after)
            self._within_budget(given())
        except BaseException:
            self._rollback()
            engine.structure = self._structure
            engine.install(self._placed)
            self._update.cancel()
            raise
        _place(engine, self._placed, perf_counter() - started)

    def forget(self, names: set[str]) -> None:
        """Release what belonged to removed rules, and some relations."""
        with without_interruption():
            self._update.commit(names)
            self.engine.update_kernel_relations()

    def _within_budget(self, given: Mapping[str, UpdateKeys]) -> None:
        engine, limits = self.engine, self.watch.limits
        allowed = engine.budget // BYTES_A_FACT
        is_own = engine.forced == "auto" and (limits.facts is None or limits.facts > allowed)
        if is_own:
            self.watch.limits = replace(limits, facts=allowed)
        try:
            self.apply(given)
        except LimitReachedError as error:
            if is_own and error.option == "facts":
                raise OverBudgetError from error
            raise
        finally:
            self.watch.limits = limits

    def _maintain(self, component: Component) -> None:
        self.watch.progress.unit = component.number
        for unit in self.engine.kernel_units(component):
            if id(unit) in self._at_work or self._is_touched_in_kernel(unit.uses, unit.relations):
                with without_interruption():
                    self.kernel.apply(unit)
                self._exchange([*unit.relations, *unit.operators])


def _install(engine: SparkEngine, program: Program, structure: Structure) -> None:
    """Let an engine evaluate other rules, all in the kernel."""
    engine.exchange.ingested.clear()  # the kernel has it all, and may have changed it, perhaps by other names
    engine.structure = structure
    where = dict.fromkeys((name for part in program.graph.components for name in part.predicates), Where.KERNEL)
    core = engine.core_for_frames(program)
    engine.install(PlacedProgram(program, core, where, derived_in_kernel=set(structure.deriver)))
    engine.update_kernel_relations()


def _place(engine: SparkEngine, before: PlacedProgram, seconds: float) -> None:
    """Record placements: those before, and for new components what the change took."""
    known = {placed.relations: placed for placed in before.placements}
    why, size = "rules have changed, and the kernel had all that they read", engine.exchange.size
    engine.placed.placements.extend(
        known.get(part.predicates)
        or Placement(part.predicates, Where.KERNEL, why, seconds=seconds, facts=sum(map(size, part.predicates)))
        for part in engine.program.graph.components
    )
