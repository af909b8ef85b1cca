"""A program in core form with its facts: what a transaction changes, and what is kept for each unit between updates."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Rows
from tidelog.core.limits import Watch
from tidelog.core.rewriting import core_of
from tidelog.core.rules import Core, FunctionCalls, is_visible
from tidelog.core.statistics import Statistics
from tidelog.core.units import Structure
from tidelog.local.encoded_facts import EncodedUpdate
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.maintenance import counting
from tidelog.local.maintenance.delta.deltas import ExplicitChanges
from tidelog.local.maintenance.unit_runtime import UnitRuntime
from tidelog.local.recovery import Work
from tidelog.local.storage.budget import DROPPED
from tidelog.local.storage.state import State
from tidelog.local.storage.tables import Table
from tidelog.local.storage.term_collection import is_due, without_unused_terms
from tidelog.program.program import Program


class ProgramState:
    """The units of a program, their facts and runtimes, and what has happened to explicit facts since they were maintained."""

    commits = 0
    """How many transactions have been committed."""

    def __init__(
        self,
        program: Program,
        *,
        modules: bool = True,
        only_whole: bool = False,
        algorithm: str = "auto",
        rules: Sequence[int] | None = None,
    ) -> None:
        """With the algorithm `rematerialise` every unit that a change reaches is derived anew.

        With `modules`, transitive relations are closed; with `only_whole`, not those that another rule recurs through. `rules`
        are the numbers of the program's rules, if rules have changed before.
        """
        self.modules, self.only_whole, self.algorithm = modules, only_whole, algorithm
        core = core_of(program, modules=modules, only_whole=only_whole)
        if rules is not None:
            core.parts = {number: core.parts[at] for at, number in enumerate(rules) if at in core.parts}
        self.structure, self.state = Structure.of(core), State()
        self.state.prepare(self.core)
        for name, table in self.state.tables.items():
            if algorithm == "counting" and name in self.derived:
                table.uses_bits = False  # counters need the number of a row
        self.runtimes: dict[int, UnitRuntime] = {}
        self.has_derived = False
        """Whether everything that followed from some facts has been derived, even if more have been added since."""
        self.changes = ExplicitChanges()
        """What has happened to explicit facts since everything was last derived."""
        self.version = 0
        """How often everything that followed has been derived."""
        self.statistics = Statistics()
        """What the last evaluation did."""
        self.unfinished: Work | None = None
        """An update or a query that has not ended."""
        self.is_profiled = False
        """Whether transactions record what each unit and each deletion took."""

    @property
    def core(self) -> Core:
        """The program in core form."""
        return self.structure.core

    @property
    def derived(self) -> Container[str]:
        """The stored relations that have rules, or are filled by an operator."""
        return self.structure.deriver

    def clone(self) -> Self:
        """An independent copy, when everything that follows has been derived; plans are made again when they are needed."""
        assert self.is_maintained
        result = type(self).__new__(type(self))
        result.modules, result.only_whole, result.algorithm = self.modules, self.only_whole, self.algorithm
        result.structure = self.structure
        result.state, result.runtimes = self.state.clone(), {}
        result.has_derived, result.changes = True, ExplicitChanges()
        result.version, result.statistics, result.unfinished = self.version, self.statistics, None
        result.is_profiled = False
        return result

    # --- units -----------------------------------------------------------------------------------------------------------

    def runtime(self, number: int) -> UnitRuntime:
        """What is kept for a unit."""
        known = self.runtimes.get(number)
        if known is None:
            known = self.runtimes[number] = UnitRuntime(str(number), self.structure.units[number], self.state)
        return known

    def retire(self, numbers: Iterable[int]) -> None:
        """Drop what is kept for units that are there no more."""
        for number in numbers:
            if number in self.runtimes:
                self.runtimes[number].retire()
                del self.runtimes[number]

    def mend(self) -> None:
        """After an exception at any point: mend the state, and drop what is kept for units, which is made again when needed."""
        self.state.repair()
        for runtime in self.runtimes.values():
            runtime.forget()

    # --- explicit facts --------------------------------------------------------------------------------------------------

    def add(self, relation: str, rows: Rows) -> int:
        """Add explicit facts; how many were not explicit before.  Nothing is derived until `maintain`."""
        name = self.structure.core.explicit_name(relation)
        table = self.state.ensure_table(name, rows.shape[1])
        if name not in self.structure.deriver:
            self.changes.began.setdefault(name, table.end)
            return table.insert(rows)
        explicit = self.state.explicit_table(name)
        if not self.has_derived:
            table.insert(rows)
            return explicit.insert(rows)
        begin = explicit.end
        added = explicit.insert(rows)
        if added:
            self.changes.inserted.setdefault(name, []).append(explicit.rows_from(begin).copy())
        return added

    def remove(self, relation: str, rows: Rows) -> int:
        """Remove explicit facts; how many there were.  What does not follow any more is found by `maintain`."""
        name = self.core.explicit_name(relation)
        if name not in self.state.tables or not len(rows):
            return 0
        table = self._explicit(name)
        going = rows if len(rows) == 1 else np.ascontiguousarray(rows[table.contains(rows)])
        if len(going) and table.remove(going):
            if self.has_derived:
                self.changes.deleted.setdefault(name, []).append(going)
            elif name in self.derived:
                self.state.table(name).remove(going)
            return len(going)
        return 0

    def _explicit(self, name: str) -> Table:
        return self.state.explicit_table(name) if name in self.derived else self.state.table(name)

    def new_explicit_rows(self) -> dict[str, Rows]:
        """The facts that have become explicit since everything was last derived, by the relation that stores them."""
        new = {name: self.state.table(name).appended_since(begin) for name, begin in self.changes.began.items()}
        new |= {name: np.concatenate(rows) for name, rows in self.changes.inserted.items()}
        return {name: rows for name, rows in new.items() if len(rows)}

    def are_explicit(self, relation: str, rows: Rows) -> NDArray[np.bool_]:
        """For each row whether it is an explicit fact."""
        name = self.core.explicit_name(relation)
        tables = self.state.explicit if name in self.derived else self.state.tables
        if name not in tables or tables[name].arity != rows.shape[1]:
            return np.zeros(len(rows), np.bool_)
        return tables[name].contains(rows)

    def has_explicit(self, relation: str) -> bool:
        """Whether a relation has any explicit fact."""
        name = self.core.explicit_name(relation)
        table = self.state.explicit.get(name) if name in self.derived else self.state.tables.get(name)
        return table is not None and len(table) > 0

    def rows_with_key(self, relation: str, columns: Sequence[int], rows: Rows) -> Rows:
        """The explicit facts that have the key of one of some rows and are none of these rows; no two of them have one key."""
        name = self.core.explicit_name(relation)
        if name not in self.state.tables or not len(rows):
            return rows[:0]
        found = self._explicit(name).rows_with_keys(columns, rows[:, columns])
        return found[~self.state.isin_rows(found, rows)] if len(found) else found

    def explicit_among(self, other: EncodedUpdate) -> dict[str, Rows]:
        """The facts that another update deletes or replaces and does not bring back, and that are there, by stored relation."""
        found = dict[str, Rows]()
        for name, rows in other.deleted.items():
            found[name] = rows[self.are_explicit(name, rows)]
        for name, rows in other.upserted.items():
            replaced = self.rows_with_key(name, other.keys[name], rows)
            found[name] = np.concatenate([found[name], replaced]) if name in found else replaced
        added = other.all_added()
        for name in found.keys() & added.keys():
            found[name] = found[name][~self.state.isin_rows(found[name], added[name])]
        return {self.core.explicit_name(name): rows for name, rows in found.items()}

    # --- terms -----------------------------------------------------------------------------------------------------------

    @property
    def may_collect_terms(self) -> bool:
        """Whether so many terms are new that it may pay to look for unused ones, and no changes wait that hold ids."""
        return is_due(self.state) and (not self.changes or not self.has_derived)

    def collect_terms(self, watch: Watch) -> bool:
        """Drop the terms that nothing uses, if they are most of all; whether it did, for then all values have other ids.

        Only an owner that holds no ids may ask for it.  Anything that stops it leaves everything as it was.
        """
        operators = (operator for unit in self.structure.units.values() for operator in unit.operators.items())
        requests = {name: calls.requested for name, calls in operators if isinstance(calls, FunctionCalls)}
        with watch.deferring_interrupts():
            state = without_unused_terms(self.state, requests, watch.poll)
        if state is None:
            return False
        runtimes = {number: runtime.moved_to(state) for number, runtime in self.runtimes.items()}
        state_before, runtimes_before, self.runtimes = self.state, self.runtimes, {}  # no runtimes fit either state
        self.state = state
        self.runtimes = runtimes
        for runtime in runtimes_before.values():
            runtime.forget()
        size = state_before.budget.in_use
        state_before.abandon()
        del state_before, runtimes_before
        DROPPED.note(size)
        return True

    # --- deriving --------------------------------------------------------------------------------------------------------

    @property
    def is_maintained(self) -> bool:
        """Whether everything that follows has been derived."""
        return self.has_derived and not self.changes

    def visible_count(self) -> int:
        """How many facts that users see are stored."""
        return sum(len(table) for name, table in self.state.tables.items() if is_visible(name))

    def count_derivations(self, watch: Watch) -> None:
        """For the algorithm `counting`: count the derivations of facts, where they are not counted yet."""
        evaluation = Evaluation(self.state, watch, Statistics())
        for number in self.structure.numbers_in_order():
            unit = self.structure.units[number]
            if unit.rules and not unit.stages and not unit.modules and not counting.is_counted(unit, self.state):
                runtime = self.runtime(number)
                evaluation.enter(number, runtime.plans)
                counting.count_all(runtime, evaluation)

    def can_undo_steps_on(self, names: Iterable[str]) -> bool:
        """Whether a step that changed some relations can be undone: functions that were called would not know."""
        return self.algorithm != "counting" and not any(self.structure.has_requests(name) for name in names)
