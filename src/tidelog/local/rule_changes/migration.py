"""Rules that come and go in a state: tables for the relations as they are kept from now on, and the way back.

What is stored where follows from the rules.  The facts that the user gave of a relation with rules stand apart from the relation;
those of a relation without rules are the relation; those of a virtual one are in `#given`.  When rules change, they move.  What
rules have derived stays until its unit's turn comes (`rule_maintenance`): before that, it is what removed rules derived from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from tidelog.core.arrays import Rows
from tidelog.core.rules import CoreRule, Unit, is_visible
from tidelog.core.units import Structure, StructureChange
from tidelog.local.maintenance.propagation import ExplicitChanges
from tidelog.local.storage.state import State, UndoLog
from tidelog.local.storage.tables import Table


class RuleUpdate:
    """One change of rules, until it has happened, or has not."""

    def __init__(self, change: StructureChange, state: State, undo: UndoLog, *, counts: bool) -> None:
        """With `counts`, the tables of relations with rules must find rows by number."""
        self.change, self.state, self.undo, self.counts = change, state, undo, counts
        self.doomed: list[Table] = []
        """Tables that nobody will need if all goes well."""

    @property
    def units_at_work(self) -> list[int]:
        """The units whose rules are others than before."""
        return [number for number, change in self.change.units.items() if change.is_affected]

    # --- the beginning ---------------------------------------------------------------------------------------------------

    def move_facts(self, changes: ExplicitChanges, *, is_derived: bool) -> None:
        """Let explicit facts be where they now belong; facts that only rules gave go where no rule is left.

        If nothing has been derived yet, there are explicit facts only.
        """
        state, before, after = self.state, self.change.before, self.change.after
        core = after.core
        for name in self.change.new_relations:
            if name not in core.given:
                state.ensure_table(name, core.arities[name])
        for name in self.change.became_virtual:
            self._give(f"#given {name}", self._take_explicit(name, before))
            if not is_derived:
                self.doom(name)
        for name in self.change.became_stored:
            given = self._take_explicit(f"#given {name}", before)
            state.ensure_table(name, 2)
            self.doom(f"#given {name}")
            if name not in after.deriver and is_derived:
                table, held = state.tables[name], state.virtual[name].rows
                table.insert(given)
                changes.lost[name] = held[~table.contains(held)]
                state.drop_virtual(name)
            else:
                self._give(name, given)
        moved = {*self.change.became_virtual, *self.change.became_stored}
        moved |= {f"#given {name}" for name in moved}
        for unit in self.change.dropped:
            for name in unit.relations:
                if name not in after.deriver and name not in moved:
                    self._end(name, changes, is_derived=is_derived)
        for number in self.change.units:
            for name in after.units[number].relations:
                if name not in before.deriver and name not in moved and name in state.tables and is_visible(name):
                    self._give(name, state.tables[name].rows)
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
            self.doomed.append(table)
        return table.rows

    def _give(self, name: str, rows: Rows) -> None:
        """Let a relation have explicit facts."""
        if not len(rows):
            return
        if name in self.change.after.deriver:
            self.state.explicit_table(name).insert(rows)
        self.state.tables[name].insert(rows)

    def _end(self, name: str, changes: ExplicitChanges, *, is_derived: bool) -> None:
        """A relation has no rules any more: what is explicit is all there is."""
        state = self.state
        if not is_visible(name):
            return  # only the rule had it; it may still be read, and goes in the end
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
            self.doomed.append(explicit)

    def doom(self, name: str) -> None:
        """A table that nobody will read any more."""
        self.doomed.append(self.state.take_table(name))

    # --- the end ---------------------------------------------------------------------------------------------------------

    def commit(self, forgotten: Iterable[str]) -> None:
        """After everything has been derived: let go of what belonged to rules that are gone, and of forgotten relations."""
        state, after = self.state, self.change.after
        gone = {name for unit in self.change.dropped for name in unit.relations if name.startswith("#")}
        gone = {name for name in gone if name not in after.core.arities}
        names = gone.union(forgotten)
        for name in names:
            state.answered.pop(name, None)
            if name in state.tables:
                self.doom(name)
            if (explicit := state.take_explicit(name)) is not None:
                self.doomed.append(explicit)
        self._retire(self.change.dropped, after, names)
        for table in self.doomed:
            state.store.release(table)

    def cancel(self) -> None:
        """After the state has gone back: let go of what belonged to rules that have not come."""
        after = self.change.after
        self._retire([after.units[number] for number in self.change.units], self.change.before, self.change.new_relations)

    def _retire(self, units: Iterable[Unit], left: Structure, names: Iterable[str]) -> None:
        """Forget plans and helpers of units that are not left, and of relations that are there no more."""
        dead = list(units)
        alive = {id(rule) for unit in dead for name in unit.relations if name in left.deriver for rule in left.deriving(name)}
        rules = [rule for unit in dead for rule in unit.rules]
        retire(self.state, dead, rules, [rule for rule in rules if id(rule) in alive], names)


def retire(
    state: State, units: Iterable[Unit], rules: Iterable[CoreRule], staying: Iterable[CoreRule], names: Iterable[str]
) -> None:
    """Forget everything that is kept by the identity of units and rules, and the helpers of relations.

    Rules that stay in another unit keep their own plans, but not the rules that were made from them: these depend on the unit.
    """
    dead = {id(unit) for unit in units}
    for number in dead:
        state.costs.pop(number, None)
    gone = list(rules)
    dead.update(map(id, gone))
    waiting = set(dead)
    while waiting:  # rules are made from rules that are made from rules
        found = [key for key in state.variants if isinstance(key, tuple) and not waiting.isdisjoint(_numbers(key))]
        waiting = set()
        for key in found:
            match state.variants.pop(key):
                case (CoreRule(), CoreRule() as made):
                    gone.append(made)
                    waiting.add(id(made))
        waiting -= dead
        dead |= waiting
    ended = [f" {name}" for name in names]
    helpers = [name for name in state.helpers if any(map(name.endswith, ended)) or not dead.isdisjoint(_ids(name))]
    gone += [state.variants.pop(name) for name in helpers if name in state.variants]  # rules that fill helpers (`refolding`)
    state.drop_helpers(helpers)
    kept = set(map(id, staying))
    for rule in gone:
        for at in (None, *range(len(rule.body))) if id(rule) not in kept else ():
            state.plans.pop((id(rule), at), None)


def _numbers(key: tuple[object, ...]) -> Iterator[int]:
    for part in key:
        if type(part) is int:
            yield part
        elif type(part) is tuple:
            yield from _numbers(part)


def _ids(helper: str) -> Iterable[int]:
    """The identities in the name of a helper."""
    return (int(part) for part in helper.split(" ")[1:] if part.isdigit())
