"""The local engine: explicit facts in, everything that follows from them out, unit by unit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tidelog.local.core import Calls, Closure, Core, Unit, core_of
from tidelog.local.materialise import Evaluation, Statistics, is_seen
from tidelog.local.querying import answers
from tidelog.local.state import State, Undo
from tidelog.local.tables import Table
from tidelog.local.virtual import VirtualRelation
from tidelog.local.watch import Watch
from tidelog.program.program import Program
from tidelog.syntax.tree import Literal

Rows = NDArray[np.int32]


@dataclass(slots=True)
class Difference:
    """What became of a relation: rows that came and rows that went, or the virtual relation before and after."""

    came: Rows
    went: Rows
    virtual_before: VirtualRelation | None = None
    virtual_after: VirtualRelation | None = None

    def rows_that_came(self) -> Rows:
        """The rows that are there now and were not before."""
        return self.came if self.virtual_after is None else _only_in(self.virtual_after, self.virtual_before)

    def rows_that_went(self) -> Rows:
        """The rows that were there before and are not now."""
        return self.went if self.virtual_before is None else _only_in(self.virtual_before, self.virtual_after)


def _only_in(one: VirtualRelation, other: VirtualRelation | None) -> Rows:
    """The pairs of one virtual relation that another one does not have."""
    pieces = [np.stack(columns, axis=1) for columns in one.chunks()]
    if other is not None:
        pieces = [piece[~other.contains(piece)] for piece in pieces]
    return np.concatenate(pieces) if pieces else np.empty((0, 2), np.int32)


@dataclass(slots=True)
class _Changes:
    """Which relations have changed so far, and how."""

    grown: dict[str, int] = field(default_factory=dict)
    """Relations to which rows were appended: how many they had."""
    redone: set[str] = field(default_factory=set)
    """Relations that were derived anew, and are not what they were."""

    def __contains__(self, name: str) -> bool:
        return name in self.grown or name in self.redone


class LocalEngine:
    """A program and its facts in this process."""

    def __init__(self, program: Program, *, modules: bool = True, starts_over: bool = False) -> None:
        """With `starts_over` every unit that a change touches is derived anew."""
        self.program, self._starts_over = program, starts_over
        self.core: Core = core_of(program, modules=modules)
        self.state = State()
        self.state.prepare(self.core)
        self._derived = {name for unit in self.core.units for name in unit.relations}
        self._settled: dict[str, int] | None = None
        """How many rows each table had when everything had been derived; None before the first time."""
        self._replaced: set[str] = set()
        """Tables from which explicit facts were deleted since then."""
        self.statistics = Statistics()
        self.algorithm = "none"
        """How the last settling was done."""

    # --- explicit facts --------------------------------------------------------------------------------------------------

    def add(self, relation: str, rows: Rows) -> int:
        """Add explicit facts; how many were not explicit before.  Nothing is derived until `settle`."""
        name = self.core.stored_name(relation)
        table = self.state.ensure_table(name, rows.shape[1])
        if name not in self._derived:
            return table.insert(rows)
        added = self.state.explicit_table(name).insert(rows)
        table.insert(rows)
        return added

    def remove(self, relation: str, rows: Rows, undo: Undo) -> int:
        """Remove explicit facts; how many there were.  The units above are derived anew by `settle`."""
        name = self.core.stored_name(relation)
        if name not in self.state.tables or not len(rows):
            return 0
        table = self.state.explicit_table(name) if name in self._derived else self.state.table(name)
        going = _table_of(rows, self.state)
        kept = table.rows[~going.contains(table.rows)].copy()
        self.state.store.release(going)
        removed = len(table) - len(kept)
        if removed:
            undo.begin_anew(table)
            table.insert(kept)
            self._replaced.add(name)
        return removed

    # --- deriving --------------------------------------------------------------------------------------------------------

    @property
    def is_settled(self) -> bool:
        """Whether everything that follows has been derived."""
        return self._settled is not None and not self._replaced and self._settled == self._lengths()

    def _lengths(self) -> dict[str, int]:
        return {name: len(table) for name, table in self.state.tables.items()}

    def settle(self, watch: Watch, undo: Undo | None = None, *, compare: bool = True) -> dict[str, Difference]:
        """Derive what follows from facts added and removed; all of it, or, if anything stops it, nothing.

        The result says what came and what went, unless nobody wants to compare.
        """
        own = undo or Undo(self.state)
        statistics = Statistics()
        watch.progress.facts = sum(len(table) for name, table in self.state.tables.items() if is_seen(name))
        before, replaced = self._settled, set(self._replaced)
        with watch.guarding():
            try:
                changes = self._propagate(watch, own, statistics)
                differences = self._differences(changes, own) if compare else {}
                watch.look()
            except BaseException:
                own.go_back()
                self._settled, self._replaced = before, replaced
                raise
        self._settled, self._replaced = self._lengths(), set()
        self.statistics = statistics
        self.algorithm = self._how(changes)
        return differences

    def forget_changes(self) -> None:
        """After going back: there is nothing left to derive."""
        self._replaced = set()

    def _how(self, changes: _Changes) -> str:
        if self._replaced or changes.redone:
            return f"rematerialise: {', '.join(sorted(n for n in changes.redone if not n.startswith('#')))}"
        return "semi-naive"

    def _propagate(self, watch: Watch, undo: Undo, statistics: Statistics) -> _Changes:
        changes = _Changes(redone=set(self._replaced))
        settled = self._settled or {}
        for name, table in self.state.tables.items():
            if len(table) > settled.get(name, 0) and name not in changes.redone:
                changes.grown[name] = settled.get(name, 0)
        evaluation = Evaluation(self.state, watch, statistics)
        watch.progress.units = len(self.core.units)
        for number, unit in enumerate(self.core.units):
            watch.progress.unit = evaluation.unit = number
            self._evaluate(unit, evaluation, changes, undo)
        return changes

    def _evaluate(self, unit: Unit, evaluation: Evaluation, changes: _Changes, undo: Undo) -> None:
        is_first = self._settled is None
        touched = is_first or any(name in changes for name in (*unit.uses, *unit.relations))
        if not touched:
            return
        closes = any(isinstance(special, Closure) for special in unit.specials.values())
        starts_over = (
            is_first
            or self._starts_over
            or closes
            or any(name in changes.redone for name in (*unit.uses, *unit.relations))
            or any(name in changes for name in unit.uses_negatively)
        )
        if not starts_over:
            before = {name: changes.grown[name] for name in (*unit.uses, *unit.relations) if name in changes.grown}
            lengths = {name: len(self.state.tables[name]) for name in unit.relations}
            evaluation.continue_from(unit, before)
            for name, length in lengths.items():
                if len(self.state.tables[name]) > length:
                    changes.grown.setdefault(name, length)
            return
        if not is_first:
            self._begin_anew(unit, undo, evaluation.watch)
        evaluation.from_scratch(unit)
        for name in unit.relations:
            changes.grown.pop(name, None)
            changes.redone.add(name)

    def _begin_anew(self, unit: Unit, undo: Undo, watch: Watch) -> None:
        """Leave of a unit's facts only those that the user gave."""
        for name in unit.relations:
            if name in self.state.virtual:
                continue
            if is_seen(name):
                watch.progress.facts -= len(self.state.tables[name])
            undo.begin_anew(self.state.tables[name])
            if name in self.state.explicit:
                self.state.tables[name].insert(self.state.explicit[name].rows)
                watch.progress.facts += len(self.state.tables[name]) if is_seen(name) else 0
        for special in unit.specials.values():
            if isinstance(special, Calls):
                self.state.answered[special.asked] = 0

    # --- what has changed ------------------------------------------------------------------------------------------------

    def _differences(self, changes: _Changes, undo: Undo) -> dict[str, Difference]:
        """For each relation that users see what came and what went."""
        result: dict[str, Difference] = {}
        nothing = np.empty((0, 2), np.int32)
        for name, length in changes.grown.items():
            if not name.startswith("#"):
                table = self.state.tables[name]
                result[name] = Difference(table.rows[length:].copy(), table.rows[:0])
        for name in changes.redone:
            if name in self.state.virtual:
                result[name] = Difference(nothing, nothing, undo.virtual.get(name), self.state.virtual[name])
            elif not name.startswith("#"):
                result[name] = self._replacement(self.state.tables[name], undo)
        return result

    def _replacement(self, table: Table, undo: Undo) -> Difference:
        before = undo.rows_before(table)
        old = _table_of(before, self.state)
        came = table.rows[~old.contains(table.rows)].copy()
        went = before[~table.contains(before)]
        self.state.store.release(old)
        return Difference(came, went)

    # --- reading ---------------------------------------------------------------------------------------------------------

    def stored(self, relation: str) -> Table | VirtualRelation | None:
        """What holds the facts of a relation, or None if there is no such relation."""
        if relation in self.state.virtual or relation in self.state.tables:
            return self.state.stored(relation)
        return None

    def query(self, body: tuple[Literal, ...], names: Iterable[str], watch: Watch) -> Rows:
        """All bindings of the named variables that make a body true, each once."""
        return answers(self.state, self.core.arities, body, names, watch)


def _table_of(rows: Rows, state: State) -> Table:
    """A table of some rows, for asking what is in it."""
    table = state.store.new_table(rows.shape[1])
    table.insert(rows)
    return table
