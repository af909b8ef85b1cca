"""Deletions of a unit by a loop that is compiled: Python's side, with all that the loop stops for.

The loop runs in one call of the kernel, and returns early only where Python has to grow a buffer, to make a plan, to apply rules
that the kernel cannot, or to look at limits and Ctrl-C.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

from tidelog.local.evaluation import seminaive
from tidelog.local.evaluation.fused_rules import Entry, FusedRules
from tidelog.local.kernel import fused_rounds as rounds
from tidelog.local.kernel import layout
from tidelog.local.maintenance.backward_forward import bf_loop
from tidelog.local.maintenance.backward_forward import unit_layout as unit
from tidelog.local.maintenance.backward_forward.unit_tables import UnitTables
from tidelog.local.maintenance.deletion import Deletion
from tidelog.local.maintenance.delta.rule_sets import DeletionRules

RuleSet = tuple[list[Entry], FusedRules | None, int]
"""Rules that a loop applies; the same for the kernel, if it can run them; the phase that follows."""


class CompiledDeletion(Deletion):
    """Deletion by a compiled loop."""

    tables_type: type[UnitTables] = UnitTables
    tables: UnitTables
    steps_at_once = 1 << 17
    """Steps before the loop is paused, so that the clock is looked at."""

    def run(self, rules: DeletionRules) -> None:
        """One call of the kernel, and more where it stops for something that only Python can do."""
        tables = self.tables = self._unit_tables()
        sets = self.rule_sets(rules)
        for _, fused, _ in sets.values():
            if fused is not None:
                fused.ensure_planned()
        self.begin_loop(rules)
        progress, evaluation = tables.progress, self.evaluation
        while True:
            progress[unit.STEPS_LEFT] = min(self.steps_at_once, seminaive.STEP_BUDGET)
            self.call_loop()
            outcome, phase = progress.item(unit.RESULT), progress.item(unit.PHASE)
            if outcome == layout.DONE:
                break
            if phase in sets:
                self._handle_rule_stop(outcome, *sets[phase])
            else:
                self.handle_stop(outcome)
            self.left = tables.removed_counts()  # of this stop, too: whoever gives up has to know all of them
            evaluation.watch.poll()
            self.after_stop(outcome, phase)
        self.left = tables.removed_counts()
        for noted in (rules.losing_fused, rules.propagating_fused):
            if noted is not None:
                noted.note(evaluation)

    # --- what each loop does in its own way ------------------------------------------------------------------------------

    @abstractmethod
    def rule_sets(self, rules: DeletionRules) -> Mapping[int, RuleSet]:
        """The rules that the loop applies, by each phase in which it may stop in them."""

    def begin_loop(self, rules: DeletionRules) -> None:
        """Let the loop apply the rules that it can."""
        self.tables.begin_loop(rules.losing_fused, rules.propagating_fused, seminaive.STEP_BUDGET)

    @abstractmethod
    def call_loop(self) -> None:
        """Run the loop, or continue it."""

    @abstractmethod
    def after_stop(self, outcome: int, phase: int) -> None:
        """Give up if the deletion takes too long."""

    def collect_counters(self) -> list[int]:
        """Take over the counters that all loops have; all words of the loop's progress."""
        words: list[int] = self.tables.progress.tolist()
        counters = self.counters
        counters.checked = words[unit.CHECKED_FACTS]
        counters.backward = words[unit.BACKWARD_INSTANCES]
        counters.affected = words[unit.AFFECTED_FACTS] - self.first_suspects
        return words

    # --- stops -----------------------------------------------------------------------------------------------------------

    def _unit_tables(self) -> UnitTables:
        """The kernel's view of the unit, ready for this update."""
        tables = self.runtime.kept(self.tables_type)
        if tables is None or not tables.begin():
            tables = self.runtime.keep(self.tables_type(self.runtime, self.helpers))
            tables.begin()
        return tables

    def _handle_rule_stop(self, outcome: int, entries: list[Entry], fused: FusedRules | None, following: int) -> None:
        """Do what rules have stopped for; where the kernel cannot run them, apply them from here."""
        if fused is None or outcome == rounds.TOO_LARGE:
            self.evaluation.apply_deltas(entries)
            self.tables.progress[unit.PHASE] = following
        else:
            fused.handle_stop(outcome, self.evaluation)
        self.tables.register_indexes()  # new plans may have new indexes

    def handle_stop(self, outcome: int) -> None:
        """Do what the kernel has stopped for."""
        tables, culprit = self.tables, self.tables.progress.item(unit.CULPRIT)
        if outcome == layout.GROW_TABLE:
            self.state.store.tables[culprit].grow()
        elif outcome == rounds.GROW_INDEX:
            tables.extend_indexes(self.evaluation.watch.poll)
        elif outcome == layout.GROW_TERMS:
            self.state.terms.grow()
        elif outcome == bf_loop.PREPARE_REMOVAL:
            tables.tables[culprit].prepare_removal()
            tables.register_indexes()
        elif outcome == bf_loop.REMOVE_NULLARY:
            table, disproved = tables.tables[culprit], self.deleted[tables.names[culprit]]
            table.remove(disproved.rows)
            table.mark_delta()
            tables.relations[culprit, unit.REMOVED] = disproved.end
