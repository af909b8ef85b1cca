"""A change of rules where everything is in the kernel: the local engine maintains it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from tidelog.core.limits import LimitReachedError, Watch
from tidelog.program.changes.live_rules import RuleDifference
from tidelog.spark.data.exchange import BYTES_A_FACT
from tidelog.spark.evaluation.placement import PlacedProgram, Placement, Where
from tidelog.spark.maintenance.update import SparkUpdate
from tidelog.spark.maintenance.update_keys import UpdateKeys
from tidelog.spark.session.interruption import without_interruption

if TYPE_CHECKING:
    from tidelog.spark.engine import SparkEngine

Request = tuple[Mapping[str, UpdateKeys], Iterable[str]]
"""What changes of explicit facts, and which relations are forgotten."""


class OverBudgetError(Exception):
    """What new rules derive exceeds the memory budget of the kernel."""


def is_possible(engine: SparkEngine) -> bool:
    """Whether everything is in the kernel."""
    return engine.forced in ("auto", Where.KERNEL) and engine.is_in_kernel


class RuleUpdateInKernel(SparkUpdate):
    """One update of an engine whose rules change."""

    def __init__(self, engine: SparkEngine, watch: Watch) -> None:
        super().__init__(engine, watch)
        self._placed = engine.placed

    def change(self, difference: RuleDifference, read: Callable[[], Request]) -> None:
        """Change the rules, and explicit facts with them, which are read under the new rules."""
        engine, started = self.engine, perf_counter()
        with without_interruption():
            self.kernel.change_rules(difference)
            self._install(difference)
        self._within_budget(*read())
        with without_interruption():
            engine.update_kernel_relations()
            self._place(perf_counter() - started)

    def _install(self, difference: RuleDifference) -> None:
        """Make the engine evaluate the new rules, all in the kernel."""
        engine, program = self.engine, difference.after.program
        engine.exchange.ingested.clear()  # the kernel has it all, and may have changed it, perhaps by other names
        where = dict.fromkeys((name for part in program.graph.components for name in part.predicates), Where.KERNEL)
        derived = set(engine.local.structure.deriver)
        engine.install(PlacedProgram(program, engine.core_for_frames(program), where, derived_in_kernel=derived))
        engine.update_kernel_relations()

    def _within_budget(self, given: Mapping[str, UpdateKeys], forgotten: Iterable[str]) -> None:
        engine, limits = self.engine, self.watch.limits
        allowed = engine.budget // BYTES_A_FACT
        is_own = engine.forced == "auto" and (limits.facts is None or limits.facts > allowed)
        if is_own:
            self.watch.limits = replace(limits, facts=allowed)
        try:
            self.apply(given, forgotten)
        except LimitReachedError as error:
            if is_own and error.option == "facts":
                raise OverBudgetError from error
            raise
        finally:
            self.watch.limits = limits

    def _place(self, seconds: float) -> None:
        """Record placements: those before, and for new components what the change took."""
        known = {placed.relations: placed for placed in self._placed.placements}
        why, size = "rules have changed, and the kernel had all that they read", self.exchange.size
        self.engine.placed.placements.extend(
            known.get(part.predicates)
            or Placement(part.predicates, Where.KERNEL, why, seconds=seconds, facts=sum(map(size, part.predicates)))
            for part in self.engine.program.graph.components
        )

    def _rollback(self) -> None:
        super()._rollback()
        self.engine.install(self._placed)
