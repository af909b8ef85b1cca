"""One update as a transaction: explicit facts and rules change, what follows is maintained; all of it happens, or nothing.

A transaction owns the update from its rows to its result: the undo logs, the change of rules, the deltas, and everything that
is counted. It has one step, unless facts that the next update deletes are to be told from the others (`lookahead`): then each
step has an undo log of its own, and a rollback runs them in reverse. A transaction that is left without `commit` is rolled back.

The point of no return is one assignment, in `commit`. What comes before it is undone, what comes after it is done, even if an
exception comes in between (`recovery`): all steps of both can be repeated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping
from time import perf_counter

from tidelog.core.arrays import Rows
from tidelog.core.limits import Watch
from tidelog.core.statistics import Statistics
from tidelog.local.encoded_facts import EncodedUpdate
from tidelog.local.equality.equating import equate
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.maintenance.delta.deltas import Delta, ExplicitChanges, MarkedStep
from tidelog.local.maintenance.delta.differences import Backwards, Difference, Differences
from tidelog.local.maintenance.propagation import Propagation
from tidelog.local.maintenance.update_context import FirstSuspects, UpdateContext, UpdateResult
from tidelog.local.program_state import ProgramState
from tidelog.local.recovery import Work
from tidelog.local.rule_changes.migration import Migration
from tidelog.local.storage.undo_log import UndoLog
from tidelog.program.changes.live_rules import RuleDifference
from tidelog.program.same_as import REPRESENTATIVE

_ONLY_INSERTION = {"insertion"}
"""The phases of an update that removes no row of any table."""


class Transaction(Work):
    """One update of a program's state."""

    _engine: ProgramState

    def __init__(self, engine: ProgramState, watch: Watch) -> None:
        super().__init__(engine, watch)
        self._structure, self._had_derived = engine.structure, engine.has_derived
        self._pending = engine.changes.copy() if engine.changes else None
        self._migration: Migration | None = None
        self._undo_logs = [UndoLog(engine.state)]
        self._steps: list[Difference] = []
        self._propagation: Propagation | None = None
        self._undone: Mapping[str, Rows] = {}
        self._is_decided = self._has_set_deltas = False
        self._forgotten: Iterable[str] = ()
        self._publish: Callable[[], object] | None = None
        self._retract: Callable[[], object] | None = None
        self._counted: UpdateContext | None = None
        """Whose counts are those of the transaction: the first step's, to which those of others are added."""
        self.added = self.removed = self.without_effect = 0
        self.shortest_step = math.inf
        """In seconds."""

    def _begin(self) -> None:
        self._engine.state.budget.limit = self.watch.limits.memory
        if self._engine.algorithm == "counting" and self._engine.is_maintained:
            self._engine.count_derivations(self.watch)

    @property
    def undo(self) -> UndoLog:
        """The undo log of the step in hand."""
        return self._undo_logs[-1]

    # --- explicit facts and rules ----------------------------------------------------------------------------------------

    def change_rules(self, difference: RuleDifference) -> None:
        """Replace the rules; what follows from them is derived by `maintain`, if anything has been derived before."""
        engine = self._engine
        change = engine.structure.changed(difference, modules=engine.modules, only_whole=engine.only_whole)
        self._migration = Migration(change, engine.state, self.undo, counts=engine.algorithm == "counting")
        engine.structure = change.after
        self._migration.move_facts(engine.changes, is_derived=engine.has_derived)
        for number, unit in change.units.items():
            before = dict.fromkeys(change.before.deriver[other.relations[0]] for other in unit.before)
            engine.runtime(number).inherit(engine.runtimes[old] for old in before if old in engine.runtimes)
            self._forget_times(number)

    def _forget_times(self, number: int) -> None:
        """Where relations of several units become one unit: nobody knows which facts of two relations came first."""
        assert self._migration is not None
        state, change = self._engine.state, self._migration.change
        names = change.after.units[number].relations
        if len({change.before.deriver.get(name) for name in names}) > 1:
            for name in names:
                if name in state.tables:
                    state.tables[name].forget_times()

    def run(self, update: EncodedUpdate) -> None:
        """Delete, insert and maintain, in one step."""
        if update.deleted or update.upserted:
            self.delete(update)
        self.insert(update.added())
        self.maintain()

    def delete(self, update: EncodedUpdate) -> None:
        """Remove the explicit facts that an update deletes, and those that its upserts replace."""
        engine = self._engine
        for name, rows in update.deleted.items():
            left = rows if not self._undone else self._not_undone(name, rows)
            count = engine.remove(name, left) if len(left) else 0
            self.removed += count
            self.without_effect += len(left) - count
        for name, rows in update.upserted.items():
            self.removed += engine.remove(name, engine.rows_with_key(name, update.keys[name], rows))

    def _not_undone(self, name: str, rows: Rows) -> Rows:
        """Facts that have not been removed with a step that was undone."""
        undone = self._undone.get(self._engine.core.explicit_name(name))
        return rows if undone is None else rows[~self._engine.state.isin_rows(rows, undone)]

    def insert(self, facts: Iterable[tuple[str, Rows]]) -> None:
        """Add explicit facts."""
        for name, rows in facts:
            count = self._engine.add(name, rows)
            self.added += count
            self.without_effect += len(rows) - count

    # --- maintenance -----------------------------------------------------------------------------------------------------

    def maintain(self, marks: FirstSuspects | None = None) -> Differences:
        """Derive what follows so far, and what it has changed: one step, or several where rules make individuals equal."""
        if REPRESENTATIVE not in self._engine.core.arities:
            return self._step(marks)
        return equate(self._engine, self._step, self.go_on, None if self._migration is None else self._migration.change)

    def go_on(self) -> None:
        """Begin another step."""
        self._undo_logs.append(UndoLog(self._engine.state))

    def _step(self, marks: FirstSuspects | None = None) -> Differences:
        started, engine = perf_counter(), self._engine
        if self.watch.counts_facts:
            self.watch.progress.facts = engine.visible_count()
        propagation = self.begin_step(marks)
        if engine.has_derived:
            propagation.run(engine.structure)
        else:
            propagation.materialise_all(engine.structure)
        made = self.end_step(marks)
        self.shortest_step = min(self.shortest_step, perf_counter() - started)
        return made

    def begin_step(self, marks: FirstSuspects | None = None) -> Propagation:
        """Begin to propagate deltas."""
        context, runtime = self._new_context(), self._engine.runtime
        context.marks = marks
        change = self._migration.change if self._migration is not None and not self._steps else None
        changed = () if change is None else (change.units, change.became_stored)
        self._propagation = Propagation(context, runtime, *changed)
        return self._propagation

    def _new_context(self) -> UpdateContext:
        engine = self._engine
        evaluation, undo = Evaluation(engine.state, self.watch, Statistics()), self._undo_logs[-1]
        changes_rules = self._migration is not None and engine.has_derived and not self._steps
        context = UpdateContext(evaluation, undo, engine.changes, engine.algorithm, changes_rules=changes_rules)
        context.records_visits = changes_rules or engine.is_profiled
        return context

    def end_step(self, marks: FirstSuspects | None = None) -> Differences:
        """All units have been visited: take over the deltas and what was counted."""
        engine, propagation = self._engine, self._units
        context = propagation.context
        self.watch.poll()
        context.deltas.end()
        made = Differences(engine.structure.core, engine.structure.deriver, context.deltas.of, context.changes)
        self._steps.append(made)
        engine.has_derived, engine.changes = True, ExplicitChanges()
        engine.version += 1
        if self._migration is not None and len(self._steps) == 1:
            self._migration.obsolete += context.replaced_tables
        if marks is not None:
            context.counters.add(marks.finish())
        self._count(context)
        return made

    def _count(self, context: UpdateContext) -> None:
        """Take over what a step has counted and measured; most updates have one step, and nothing to add up."""
        if self._counted is None:
            self._counted = context
        else:
            self._counted.add(context)

    @property
    def counted(self) -> UpdateContext:
        """What all steps so far have counted and measured."""
        if self._counted is None:
            self._counted = self._new_context()
        return self._counted

    # --- units one by one, for an owner that evaluates others elsewhere ---------------------------------------------------

    def materialise(self, numbers: Iterable[int]) -> None:
        """Derive some units from scratch; their tables hold explicit facts, and nothing else."""
        propagation, engine = self.begin_step(), self._engine
        for number in numbers:
            unit = engine.structure.units[number]
            for name in unit.relations:
                if name not in unit.operators and len(table := engine.state.tables[name]):
                    engine.state.explicit_table(name).insert(table.rows)
            propagation.materialise(number)
        self._count(propagation.context)

    def begin_units(self, derived: Container[str]) -> list[str]:
        """Begin to maintain units one by one; which relations have a delta by now.  `derived` are those with units here."""
        return self.begin_step().begin(derived)

    def is_affected(self, number: int) -> bool:
        """Whether the changes so far affect a unit."""
        return self._units.is_affected(number, self._engine.structure.units[number])

    def visit(self, number: int) -> None:
        """Maintain a unit."""
        self._units.visit(number)

    def delta(self, relation: str) -> Delta | None:
        """The delta of a relation so far."""
        return self._units.context.deltas.of.get(relation)

    def set_delta(self, relation: str, inserted: Rows, deleted: Rows) -> None:
        """Apply the delta of a relation that is derived elsewhere."""
        context, self._has_set_deltas = self._units.context, True
        table = context.state.tables[relation]
        begin = table.end
        if len(deleted):
            table.remove(deleted)
        table.insert(inserted)
        if len(deleted):
            context.deltas.changed(relation, inserted, deleted)
        else:
            context.deltas.grew(relation, begin)

    @property
    def _units(self) -> Propagation:
        assert self._propagation is not None, "begin_units comes first"
        return self._propagation

    # --- steps of a stream that looks ahead ------------------------------------------------------------------------------

    def undo_step(self, step: MarkedStep, difference: Difference) -> None:
        """Delete the marked facts and their consequences."""
        step.undo(self._engine.state)
        self._steps.append(Backwards(difference))
        self.counted.chosen["marks"] = "the consequences of marked facts were deleted with them"
        self.counted.counters.explicit_marks += step.explicit
        self.counted.counters.implicit_marks += step.implicit
        self.removed += step.explicit
        self._undone = step.given

    def maintain_apart(self, later: Mapping[str, Rows], marks: FirstSuspects | None = None) -> tuple[MarkedStep, Differences]:
        """Derive what follows so far; then insert other facts, and derive what follows from them: a step of its own."""
        if self._engine.changes:
            self.maintain(marks)
            self.go_on()
        self.insert(later.items())
        given, last = self._engine.new_explicit_rows(), self.maintain()
        return MarkedStep(given, last.deltas, frozenset(self._units.context.reordered)), last

    @property
    def step_deltas(self) -> list[Mapping[str, Delta]]:
        """The deltas of each step so far."""
        return [step.deltas for step in self._steps if isinstance(step, Differences)]

    # --- the end ---------------------------------------------------------------------------------------------------------

    def record(self, write: Callable[[], object], retract: Callable[[], object]) -> None:
        """Write it to a journal, as the last step before `commit`.  `retract` takes that back; it may be called twice."""
        self._retract = retract
        write()

    def commit(self, forgotten: Iterable[str] = (), publish: Callable[[], object] | None = None) -> UpdateResult:
        """Make it final, and release what belonged to removed rules and to forgotten relations; what it has done.

        `publish` takes effect with everything else; it may be called more than once.
        """
        result = self._result()
        self._forgotten, self._publish = forgotten, publish
        self._engine.commits += 1
        self._is_decided = True
        self._finish()
        self._close()
        return result

    def preview(self) -> UpdateResult:
        """What `commit` would say; it stays when the transaction is rolled back."""
        for delta in (delta for deltas in self.step_deltas for delta in deltas.values()):
            delta.settle()
        return self._result()

    def _result(self) -> UpdateResult:
        return UpdateResult.of(self._steps, self.counted, self.added, self.removed, self.without_effect)

    def _finish(self) -> None:
        """Do what is left to do once the transaction is decided."""
        engine = self._engine
        engine.state.budget.limit = None
        if self._publish is not None:
            self._publish()
        if self.removed or self._has_set_deltas or self.counted.seconds.keys() != _ONLY_INSERTION:
            for undo in self._undo_logs:
                undo.compact_tables()
        if self._propagation is not None:
            self._propagation.trim()
            engine.statistics = self.counted.evaluation.statistics
        if self._migration is not None:
            self._migration.commit(self._forgotten)
            engine.retire(self._migration.change.dropped)

    def rollback(self) -> None:
        """Restore everything."""
        engine = self._engine
        engine.state.budget.limit = None
        while self._undo_logs:
            self._undo_logs[-1].rollback()
            self._undo_logs.pop()
        engine.changes, engine.has_derived = self._pending or ExplicitChanges(), self._had_derived
        engine.structure = self._structure
        engine.version += 1
        if self._migration is not None:
            self._migration.rollback()
            engine.retire(self._migration.change.units)
        if engine.state.budget.was_reached:
            engine.state.trim()
        if self._retract is not None:
            self._retract()

    def _end(self) -> None:
        engine = self._engine
        if not self.is_clean:
            engine.mend()
        if self._is_decided:
            self._finish()
        else:
            self.rollback()
        if not self.is_clean:
            engine.state.release_unowned()
