"""The local engine: explicit facts in, everything that follows from them out, unit by unit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop
from time import thread_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tidelog.changes import Counters
from tidelog.core.arrays import Rows
from tidelog.core.limits import Watch
from tidelog.core.rewriting import core_of
from tidelog.core.rule_report import Visit
from tidelog.core.rules import Core, is_visible
from tidelog.core.statistics import Statistics
from tidelog.core.units import Structure
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.evaluation.query_answers import answers
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.lookahead.marking import Marks
from tidelog.local.maintenance import counting
from tidelog.local.maintenance.cost_model import costs_of, rows_of
from tidelog.local.maintenance.differences import Differences
from tidelog.local.maintenance.propagation import ExplicitChanges, Maintenance
from tidelog.local.rule_changes.migration import RuleUpdate
from tidelog.local.rule_changes.rule_propagation import RuleMaintenance
from tidelog.local.storage.state import State, UndoLog
from tidelog.local.storage.tables import Table
from tidelog.program.live_rules import RuleDifference
from tidelog.program.program import Program
from tidelog.syntax.tree import Literal


class LocalEngine:
    """A program and its facts in this process."""

    def __init__(
        self,
        program: Program,
        *,
        modules: bool = True,
        algorithm: str = "auto",
        derived: tuple[Structure, State] | None = None,
    ) -> None:
        """With the algorithm `rematerialise` every unit that a change touches is derived anew.

        `derived` is what somebody else has derived from the program, to go on from.
        """
        self._modules, self._algorithm = modules, algorithm
        self.structure, self.state = derived or (Structure.of(core_of(program, modules=modules)), State())
        if derived is None:
            self.state.prepare(self.core)
        for name, table in self.state.tables.items():
            if algorithm == "counting" and name in self._derived:
                table.uses_bits = False  # counters need the number of a row
        self._is_derived = derived is not None
        """Whether everything has been derived once."""
        self._changes = ExplicitChanges()
        self.maintenance_count = 0
        """How often everything has been derived that followed."""
        self.statistics = Statistics()
        self.chosen: dict[str, str] = {}
        """The algorithms that took part in the last settling, and why each was chosen."""
        self.counters, self.seconds = Counters(), dict[str, float]()
        """What it did, and how long each phase took."""
        self._rule_update: RuleUpdate | None = None
        self.visits: list[Visit] = []
        """The units whose turn came, if rules have changed."""

    @property
    def core(self) -> Core:
        """The program in core form."""
        return self.structure.core

    @property
    def _derived(self) -> Mapping[str, int]:
        """The stored relations that have rules, or are filled by something special."""
        return self.structure.deriver

    # --- explicit facts --------------------------------------------------------------------------------------------------

    def begin_update(self, watch: Watch) -> None:
        """Before facts of an update are added and removed: count the derivations of facts where that is needed."""
        if self._algorithm == "counting":
            evaluation = Evaluation(self.state, watch, Statistics())
            for unit in self.structure.in_order():
                if unit.rules and not unit.stages and not counting.is_counted(unit, self.state):
                    counting.count_all(unit, self.state, evaluation)

    def add(self, relation: str, rows: Rows) -> int:
        """Add explicit facts; how many were not explicit before.  Nothing is derived until `maintain`."""
        name = self.core.stored_name(relation)
        table = self.state.ensure_table(name, rows.shape[1])
        if name not in self._derived:
            self._changes.began.setdefault(name, table.end)
            return table.insert(rows)
        explicit = self.state.explicit_table(name)
        if not self._is_derived:
            table.insert(rows)
            return explicit.insert(rows)
        begin = explicit.end
        added = explicit.insert(rows)
        if added:
            self._changes.inserted.setdefault(name, []).append(explicit.rows_from(begin).copy())
        return added

    def remove(self, relation: str, rows: Rows, undo: UndoLog) -> int:
        """Remove explicit facts; how many there were.  What does not follow any more is found by `maintain`."""
        name = self.core.stored_name(relation)
        if name not in self.state.tables or not len(rows):
            return 0
        table = self.state.explicit_table(name) if name in self._derived else self.state.table(name)
        going = rows if len(rows) == 1 else np.ascontiguousarray(rows[table.contains(rows)])
        if len(going) and undo.remove(table, going):
            if self._is_derived:
                self._changes.deleted.setdefault(name, []).append(going)
            elif name in self._derived:
                undo.remove(self.state.table(name), going)
            return len(going)
        return 0

    def given_rows(self) -> dict[str, Rows]:
        """The facts that have become explicit since everything was last derived, by the relation that stores them."""
        given = {name: self.state.table(name).appended_since(begin) for name, begin in self._changes.began.items()}
        given |= {name: np.concatenate(rows) for name, rows in self._changes.inserted.items()}
        return {name: rows for name, rows in given.items() if len(rows)}

    @property
    def has_changes(self) -> bool:
        """Whether explicit facts have come or gone since everything was last derived."""
        return bool(self._changes)

    def can_be_taken_back(self, names: Iterable[str]) -> bool:
        """Whether what a step has done to some relations can be taken back: functions that were asked would not know."""
        return self._algorithm != "counting" and not any(self.structure.has_requests(name) for name in names)

    def are_explicit(self, relation: str, rows: Rows) -> NDArray[np.bool_]:
        """For each row whether it is an explicit fact."""
        name = self.core.stored_name(relation)
        tables = self.state.explicit if name in self._derived else self.state.tables
        if name not in tables or tables[name].arity != rows.shape[1]:
            return np.zeros(len(rows), np.bool_)
        return tables[name].contains(rows)

    def rows_with_key(self, relation: str, columns: Sequence[int], rows: Rows) -> Rows:
        """The explicit facts that have the key of one of some rows and are none of these rows; no two of them have one key."""
        name = self.core.stored_name(relation)
        if name not in self.state.tables or not len(rows):
            return rows[:0]
        table = self.state.explicit_table(name) if name in self._derived else self.state.table(name)
        found = table.rows_with_keys(columns, rows[:, columns])
        kept = self.state.helper(f"#known {table.arity}", table.arity, rows)
        return found[~kept.contains(found)] if len(found) else found

    # --- deriving --------------------------------------------------------------------------------------------------------

    @property
    def has_derived(self) -> bool:
        """Whether everything that followed from some facts has been derived, even if more have come since."""
        return self._is_derived

    @property
    def is_maintained(self) -> bool:
        """Whether everything that follows has been derived."""
        return self._is_derived and not self._changes

    def maintain(self, watch: Watch, undo: UndoLog | None = None, marks: Marks | None = None) -> Differences:
        """Derive what follows from facts added and removed; all of it, or, if anything stops it, nothing.

        The result says what changed.  Whoever passes an undo log calls `compact_tables` when no rollback can follow any more.
        """
        own = undo or UndoLog(self.state)
        statistics = Statistics()
        if watch.counts_facts:
            watch.progress.facts = sum(len(table) for name, table in self.state.tables.items() if is_visible(name))
        with watch.deferring_interrupts():
            try:
                evaluation = Evaluation(self.state, watch, statistics)
                maintenance = self._maintenance(evaluation, own, marks)
                self._go_through(evaluation, maintenance)
                watch.poll()
            except BaseException:
                if undo is None:  # else whoever brought the way back goes it, once
                    own.rollback()
                raise
        maintenance.deltas.end()
        differences = Differences(self.core, self._derived, maintenance.deltas.of, self._changes)
        self._is_derived, self._changes = True, ExplicitChanges()
        self.maintenance_count += 1
        self.statistics = statistics
        self.chosen = maintenance.chosen
        self.counters, self.seconds = maintenance.counters, maintenance.seconds
        self.visits = maintenance.visits if isinstance(maintenance, RuleMaintenance) else []
        if marks is not None:
            self.counters.add(marks.finish())
        if undo is None:
            compact_tables(self.state, own)
        return differences

    def _maintenance(self, evaluation: Evaluation, undo: UndoLog, marks: Marks | None) -> Maintenance:
        given = self.state, evaluation, undo, self._changes, self._algorithm
        return Maintenance(*given, marks) if self._rule_update is None else RuleMaintenance(*given, self._rule_update)

    def _go_through(self, evaluation: Evaluation, maintenance: Maintenance) -> None:
        progress, structure = evaluation.watch.progress, self.structure
        units, order = structure.units, structure.order
        progress.units = len(units)
        if not self._is_derived:
            for number, unit in enumerate(structure.in_order()):
                progress.unit = evaluation.unit = number
                spent = thread_time()
                evaluation.from_scratch(unit)
                costs_of(unit, self.state).derived(thread_time() - spent, rows_of(unit, self.state))
            return
        changed: Iterable[str] = maintenance.begin(self._derived)
        waiting: list[tuple[Any, int]] = []  # a heap: units from the bottom to the top
        last = None
        for name in (*self._changes.deleted, *self._changes.inserted):
            if name in structure.deriver:
                number = structure.deriver[name]
                waiting.append((order[number], number))
        if self._rule_update is not None:
            waiting += [(order[number], number) for number in self._rule_update.units_at_work]
        while changed or waiting:
            for name in changed:
                for reader in structure.readers.get(name, ()):
                    if last is None or order[reader] > last:
                        waiting.append((order[reader], reader))
            if not waiting:
                return
            heapify(waiting)
            last, number = heappop(waiting)
            while waiting and waiting[0][1] == number:
                heappop(waiting)
            progress.unit = evaluation.unit = number
            unit = units[number]
            maintenance.apply(unit)
            changed = [name for name in (*unit.relations, *unit.operators) if name in maintenance.deltas]

    def forget_changes(self) -> None:
        """After going back: there is nothing left to derive."""
        self._changes = ExplicitChanges()

    # --- rules that come and go ------------------------------------------------------------------------------------------

    def begin_rule_change(self, difference: RuleDifference, undo: UndoLog) -> None:
        """Take up other rules; what follows from them is derived by `maintain`, if anything has been derived before."""
        change = self.structure.changed(difference, modules=self._modules)
        self._rule_update = RuleUpdate(change, self.state, undo, counts=self._algorithm == "counting")
        self.structure = change.after
        self._rule_update.move_facts(self._changes, is_derived=self._is_derived)

    def end_rule_change(self, forgotten: Iterable[str]) -> None:
        """All has been derived: let go of what the rules before needed, and of some relations."""
        if self._rule_update is not None:
            self._rule_update.commit(forgotten)
            self._rule_update = None

    def cancel_rule_change(self) -> None:
        """After going back: the rules are what they were."""
        if self._rule_update is not None:
            self.structure = self._rule_update.change.before
            self._rule_update.cancel()
            self._rule_update = None

    def has_explicit(self, relation: str) -> bool:
        """Whether the user has given any fact of a relation, and not taken it back."""
        name = self.core.stored_name(relation)
        table = self.state.explicit.get(name) if name in self._derived else self.state.tables.get(name)
        return table is not None and len(table) > 0

    # --- reading ---------------------------------------------------------------------------------------------------------

    def stored(self, relation: str) -> Table | VirtualRelation | None:
        """What holds the facts of a relation, or None if there is no such relation."""
        if relation in self.state.virtual or relation in self.state.tables:
            return self.state.stored(relation)
        return None

    def query(self, body: tuple[Literal, ...], names: Iterable[str], watch: Watch) -> Rows:
        """All bindings of the named variables that make a body true, each once."""
        return answers(self.state, self.core.arities, body, names, watch)


def compact_tables(state: State, undo: UndoLog) -> None:
    """Give back what removed rows took, where that is much."""
    for number in undo.removed:
        table = state.store.tables[number]
        if table.compact():
            for name in state.answered:
                if state.tables[name] is table:
                    state.answered[name] = table.end
