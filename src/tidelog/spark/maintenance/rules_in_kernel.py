"""One update on Spark in which rules come and go, where everything is in the kernel: the local engine maintains that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from tidelog.core.limits import LimitReachedError, Watch
from tidelog.core.rule_report import Visit
from tidelog.core.units import Structure
from tidelog.local.rule_changes.migration import RuleUpdate
from tidelog.local.rule_changes.rule_propagation import RuleMaintenance
from tidelog.program.hypergraph import Component
from tidelog.program.live_rules import RuleDifference
from tidelog.program.program import Program
from tidelog.spark.evaluation.placement import BYTES_A_FACT, Placement, Where
from tidelog.spark.evaluation.rule_joins import pivots
from tidelog.spark.maintenance.update import Updating
from tidelog.spark.maintenance.update_keys import UpdateKeys
from tidelog.spark.session.interruption import without_interruption

if TYPE_CHECKING:
    from tidelog.spark.engine import SparkEngine


_OF_THE_RULES = ("program", "structure", "frame_core", "derived_in_kernel", "where", "placements")


class OutgrownError(Exception):
    """What new rules derive does not fit the budget of the kernel."""


def is_possible(engine: SparkEngine) -> bool:
    """Whether all is in the kernel."""
    return engine.forced in ("auto", Where.KERNEL) and engine.is_in_kernel


class RuleUpdating(Updating):
    """One update of an engine whose rules change."""

    def __init__(self, engine: SparkEngine, watch: Watch, algorithm: str, difference: RuleDifference) -> None:
        super().__init__(engine, watch, algorithm)
        self._difference, self._before_rules = difference, _remembered(engine)
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
        """Do it all, or nothing; what is given is read when the rules are what they will be."""
        engine, started = self.engine, perf_counter()
        try:
            with without_interruption():
                self._update.move_facts(self.changes, is_derived=True)
                _take_up(engine, self._difference.after.program, self._update.change.after)
            self._within_budget(given())
        except BaseException:
            self._rollback()
            _have_again(engine, self._before_rules)
            self._update.cancel()
            raise
        _note_placements(engine, perf_counter() - started)

    def forget(self, names: set[str]) -> None:
        """Let go of what the rules before needed, and of some relations."""
        with without_interruption():
            self._update.commit(names)
            self.engine.note_kernel()

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
                raise OutgrownError from error
            raise
        finally:
            self.watch.limits = limits

    def _apply(self, component: Component) -> None:
        self.watch.progress.unit = component.number
        for unit in self.engine.kernel_units(component):
            if id(unit) in self._at_work or self._is_touched_in_kernel(unit.uses, unit.relations):
                with without_interruption():
                    self.kernel.apply(unit)
                self._sync([*unit.relations, *unit.operators])


def _remembered(engine: SparkEngine) -> Mapping[str, Any]:
    """What other rules change of an engine, all of which is replaced and never changed in place."""
    return {name: getattr(engine, name) for name in _OF_THE_RULES}


def _have_again(engine: SparkEngine, remembered: Mapping[str, Any]) -> None:
    """Let an engine have the rules that there were."""
    for name, value in remembered.items():
        setattr(engine, name, value)
    engine.exchange.pivots = pivots(engine.frame_core)


def _take_up(engine: SparkEngine, program: Program, structure: Structure) -> None:
    """Let an engine have other rules, all in the kernel."""
    engine.exchange.read.clear()  # the kernel has it all, and may have changed it, perhaps by other names
    engine.program, engine.structure = program, structure
    engine.frame_core = engine.core_for_frames(program)
    engine.exchange.pivots = pivots(engine.frame_core)
    engine.derived_in_kernel = set(structure.deriver)
    engine.where = dict.fromkeys((name for part in program.graph.components for name in part.predicates), Where.KERNEL)
    engine.note_kernel()


def _note_placements(engine: SparkEngine, seconds: float) -> None:
    """Say where everything is, and what the change took where there is something new."""
    known = {placed.relations: placed for placed in engine.placements}
    why, size = "rules came or went, and the kernel had all that they read", engine.exchange.size
    engine.placements = [
        known.get(part.predicates)
        or Placement(part.predicates, Where.KERNEL, why, seconds=seconds, facts=sum(map(size, part.predicates)))
        for part in engine.program.graph.components
    ]
