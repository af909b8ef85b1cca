"""Migration: when rules change, explicit facts move to where the new rules keep them.

Where facts are stored follows from the rules.  Explicit facts of a relation with rules have a table of their own beside the
relation; those of a relation without rules are the relation; those of a virtual one are in `#given`.  What rules have derived
stays until its unit is visited (`maintenance.propagation`): before that, it is what removed rules derived from.

Together with `core.units`, this is Algorithms 2 to 4 of ZodiacEdge (Xu, Curé, 2023) in intent: see `rule_changes`.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tidelog.core.arrays import Rows
from tidelog.core.rules import given_name, is_visible
from tidelog.core.units import Structure, StructureChange
from tidelog.local.maintenance.delta.deltas import ExplicitChanges
from tidelog.local.storage.state import State
from tidelog.local.storage.tables import Table
from tidelog.local.storage.undo_log import UndoLog


class Migration:
    """The tables of a state under one change of rules."""

    def __init__(self, change: StructureChange, state: State, undo: UndoLog, *, counts: bool) -> None:
        """With `counts`, the tables of relations with rules must find rows by number."""
        self.change, self.state, self.undo, self.counts = change, state, undo, counts
        self.obsolete: list[Table] = []
        """Tables that nobody needs once the update is committed."""

    # --- the beginning ---------------------------------------------------------------------------------------------------

    def move_facts(self, changes: ExplicitChanges, *, is_derived: bool) -> None:
        """Move explicit facts to where they now belong; delete derived facts where no rule is left.

        If nothing has been derived yet, there are explicit facts only.
        """
        state, before, after = self.state, self.change.before, self.change.after
        core = after.core
        for name in self.change.new_relations:
            if name not in core.given:
                state.ensure_table(name, core.arities[name])
        for name in self.change.became_virtual:
            self._put_explicit(given_name(name), self._take_explicit(name, before))
            if not is_derived:
                self._discard(name)
        for name in self.change.became_stored:
            given = self._take_explicit(given_name(name), before)
            state.ensure_table(name, 2)
            self._discard(given_name(name))
            if name not in after.deriver and is_derived:
                table, held = state.tables[name], state.virtual[name].rows
                table.insert(given)
                changes.lost[name] = held[~table.contains(held)]
                del state.virtual[name]
            else:
                self._put_explicit(name, given)
        moved = {*self.change.became_virtual, *self.change.became_stored}
        moved |= {given_name(name) for name in moved}
        for unit in self.change.dropped.values():
            for name in unit.relations:
                if name not in after.deriver and name not in moved:
                    self._keep_explicit_only(name, changes, is_derived=is_derived)
        for number in self.change.units:
            for name in after.units[number].relations:
                if name not in before.deriver and name not in moved and name in state.tables and is_visible(name):
                    self._put_explicit(name, state.tables[name].rows)
                if name in state.tables:
                    state.tables[name].counters = None  # what was recursive may not be so any more
                    if self.counts:
                        state.tables[name].use_hash_table()

    def _take_explicit(self, name: str, before: Structure) -> Rows:
        """The explicit facts of a relation that is to be stored in another way."""
        table = self.state.take_explicit(name) if name in before.deriver else self.state.tables.get(name)
        if table is None:
            return np.empty((0, 2), np.int32)
        if name in before.deriver:
            self.obsolete.append(table)
        return table.rows

    def _put_explicit(self, name: str, rows: Rows) -> None:
        """Add explicit facts to a relation."""
        if not len(rows):
            return
        if name in self.change.after.deriver:
            self.state.explicit_table(name).insert(rows)
        self.state.tables[name].insert(rows)

    def _keep_explicit_only(self, name: str, changes: ExplicitChanges, *, is_derived: bool) -> None:
        """A relation has no rules any more: its explicit facts are all there is."""
        state = self.state
        if not is_visible(name):
            return  # only the rule had it; it may still be read, and is dropped in the end
        explicit = state.take_explicit(name)
        if is_derived:
            table = state.tables[name]
            self.undo.truncate(table)
            held = self.undo.rows_before(table)
            if explicit is not None:
                table.insert(explicit.rows)
                held = held[~table.contains(held)]
            if len(held):
                changes.lost[name] = held
        if explicit is not None:
            self.obsolete.append(explicit)

    def _discard(self, name: str) -> None:
        self.obsolete.append(self.state.take_table(name))

    # --- the end ---------------------------------------------------------------------------------------------------------

    def commit(self, forgotten: Iterable[str]) -> None:
        """Release what belonged to removed rules, and some relations that nobody knows any more."""
        state, after = self.state, self.change.after
        internal = {name for unit in self.change.dropped.values() for name in unit.relations if name.startswith("#")}
        names = {name for name in internal if name not in after.core.arities}.union(forgotten)
        for name in names:
            state.answered.pop(name, None)
            if name in state.tables:
                self._discard(name)
            if (explicit := state.take_explicit(name)) is not None:
                self.obsolete.append(explicit)
        state.drop_delta_tables(names)
        for table in self.obsolete:
            state.store.release(table)

    def rollback(self) -> None:
        """After the state has been rolled back: release what belonged to relations that have not come."""
        self.state.drop_delta_tables(self.change.new_relations)
