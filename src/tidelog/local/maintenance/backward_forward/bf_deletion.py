"""The deletions of one unit by Backward/Forward: Python's side of the compiled loop (`bf_loop`), with all that it stops for."""

from __future__ import annotations

from tidelog.local.evaluation import seminaive
from tidelog.local.kernel import fused_rounds as rounds
from tidelog.local.kernel import layout
from tidelog.local.maintenance.backward_forward import bf_loop, proving
from tidelog.local.maintenance.backward_forward import unit_layout as unit
from tidelog.local.maintenance.backward_forward.unit_tables import UnitTables
from tidelog.local.maintenance.deletion import Deletion
from tidelog.local.maintenance.delta.rule_sets import DeletionRules

_SEEDING = (bf_loop.SEED, bf_loop.SEEDING)
_APPLYING_RULES = (*_SEEDING, bf_loop.PROPAGATE, bf_loop.PROPAGATING)


class BackwardForward(Deletion):
    """Delete only what has no proof."""

    roles = ("deleted", "suspect", "checked", "proved")
    _tables: UnitTables

    def run(self, rules: DeletionRules) -> None:
        """Algorithm 1: one call of the kernel, and more where it stops for something that only Python can do."""
        tables = self._tables = self._unit_tables()
        fused = [some for some in (rules.losing_fused, rules.propagating_fused) if some is not None]
        for some in fused:
            some.ensure_planned()
        tables.begin_loop(rules.losing_fused, rules.propagating_fused, seminaive.STEP_BUDGET)
        state, progress, evaluation = self.state, tables.progress, self.evaluation
        while True:
            progress[unit.STEPS_LEFT] = seminaive.STEP_BUDGET
            bf_loop.delete_unproved(state.store.M, state.store.X, state.V, state.terms.header, tables.U)
            outcome, phase = progress.item(unit.RESULT), progress.item(unit.PHASE)
            if outcome == layout.DONE:
                break
            if phase in _APPLYING_RULES:
                self._handle_rule_stop(outcome, rules, is_seeding=phase in _SEEDING)
            else:
                self._handle_stop(outcome)
            self.left = tables.removed_counts()  # of this stop, too: whoever gives up has to know all of them
            evaluation.watch.poll()
            self.check_deadline(self.suspect_count if outcome == bf_loop.MANY_AFFECTED else 0)
        for some in fused:
            some.note(evaluation)

    def _unit_tables(self) -> UnitTables:
        """The kernel's view of the unit, ready for this update."""
        tables = self.runtime.kept(UnitTables)
        if tables is None or not tables.begin():
            tables = self.runtime.keep(UnitTables(self.runtime, self.helpers))
            tables.begin()
        return tables

    def _handle_rule_stop(self, outcome: int, rules: DeletionRules, *, is_seeding: bool) -> None:
        """Do what rules have stopped for; where the kernel cannot run them, apply them from here."""
        fused = rules.losing_fused if is_seeding else rules.propagating_fused
        if fused is None or outcome == rounds.TOO_LARGE:
            self.evaluation.apply_deltas(rules.losing if is_seeding else rules.propagating)
            self._tables.progress[unit.PHASE] = bf_loop.SEEDED if is_seeding else bf_loop.REMOVE
        else:
            fused.handle_stop(outcome, self.evaluation)
        self._tables.register_indexes()  # new plans may have new indexes

    def _handle_stop(self, outcome: int) -> None:
        """Do what the kernel has stopped for."""
        tables, culprit = self._tables, self._tables.progress.item(unit.CULPRIT)
        if outcome == layout.GROW_TABLE:
            self.state.store.tables[culprit].grow()
        elif outcome == rounds.GROW_INDEX:
            tables.extend_indexes(self.evaluation.watch.poll)
        elif outcome == layout.GROW_TERMS:
            self.state.terms.grow()
        elif outcome == proving.GROW_STACK:
            tables.grow_stack()
        elif outcome == bf_loop.PREPARE_REMOVAL:
            tables.tables[culprit].prepare_removal()
            tables.register_indexes()
        elif outcome == bf_loop.REMOVE_NULLARY:
            table, disproved = tables.tables[culprit], self.deleted[tables.names[culprit]]
            table.remove(disproved.rows)
            table.mark_delta()
            tables.relations[culprit, unit.REMOVED] = disproved.end

    def rederive(self) -> None:
        """No rederivation needed; collect the counters."""
        words, counters = self._tables.progress.tolist(), self.counters
        counters.checked = words[unit.CHECKED_FACTS]
        counters.backward = words[unit.BACKWARD_INSTANCES]
        counters.forward = words[unit.FORWARD_INSTANCES]
        counters.affected = words[unit.AFFECTED_FACTS] - self.first_suspects
        counters.proved = words[unit.PROVED_FACTS]
