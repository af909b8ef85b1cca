"""One update on Spark in which rules come and go, where everything is in the kernel: the local engine maintains that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from tidelog.errors import TidelogError
from tidelog.local.rule_maintenance import RuleMaintenance, Visit
from tidelog.local.rule_updates import RuleUpdate
from tidelog.local.watch import Watch
from tidelog.program.hypergraph import Component
from tidelog.program.live_rules import RuleDifference
from tidelog.spark.given import GivenKeys
from tidelog.spark.interruption import without_interruption
from tidelog.spark.placement import BYTES_A_FACT, Where
from tidelog.spark.updating import Updating

if TYPE_CHECKING:
    from tidelog.spark.engine import SparkEngine


class OutgrownError(Exception):
    """What new rules derive does not fit the budget of the kernel."""


def is_possible(engine: SparkEngine) -> bool:
    """Whether all is in the kernel."""
    return engine.forced in ("auto", Where.KERNEL) and engine.is_in_kernel


class RuleUpdating(Updating):
    """One update of an engine whose rules change."""

    def __init__(self, engine: SparkEngine, watch: Watch, algorithm: str, difference: RuleDifference) -> None:
        super().__init__(engine, watch, algorithm)
        self._difference, self._before_rules = difference, engine.remembered()
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

    def change(self, given: Callable[[], Mapping[str, GivenKeys]]) -> None:
        """Do it all, or nothing; what is given is read when the rules are what they will be."""
        engine, started = self.engine, perf_counter()
        try:
            with without_interruption():
                self._update.move_facts(self.changes, is_derived=True)
                engine.take_up(self._difference.after.program, self._update.change.after)
            self._within_budget(given())
        except BaseException:
            self._go_back()
            engine.go_back(self._before_rules)
            self._update.cancel()
            raise
        engine.note_placements(perf_counter() - started)

    def forget(self, names: set[str]) -> None:
        """Let go of what the rules before needed, and of some relations."""
        with without_interruption():
            self._update.commit(names)
            self.engine.note_kernel()

    def _within_budget(self, given: Mapping[str, GivenKeys]) -> None:
        engine, limits = self.engine, self.watch.limits
        allowed = engine.budget // BYTES_A_FACT
        is_own = engine.forced == "auto" and (limits.facts is None or limits.facts > allowed)
        if is_own:
            self.watch.limits = replace(limits, facts=allowed)
        try:
            self.apply(given)
        except TidelogError as error:
            if is_own and any(problem.code == "TL070" and "facts" in (problem.message or "") for problem in error.diagnostics):
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
                self._tell([*unit.relations, *unit.specials])
