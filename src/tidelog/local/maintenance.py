"""One update: through the units in order, each told how the relations below it have changed, and telling how its own do.

Whatever a unit is made of, what it offers is the same: from the deltas of what it reads to the deltas of what it derives. So
rules with any algorithm, aggregates and transitive relations work together without knowing of one another, and negation is
nothing but a delta that works the other way round.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from tidelog.local.core import Calls, Closure, Folding, Unit
from tidelog.local.deltas import Delta, Deltas, Rows
from tidelog.local.dred import DRed
from tidelog.local.materialise import Evaluation, is_seen
from tidelog.local.refolding import refold
from tidelog.local.state import State, Undo
from tidelog.local.tables import Table
from tidelog.syntax.tree import Atom, Negation


@dataclass(slots=True)
class ExplicitChanges:
    """What the user has added and taken away since everything was last derived."""

    began: dict[str, int] = field(default_factory=dict)
    """Relations without rules to which rows were appended: where these begin."""
    went: dict[str, list[Rows]] = field(default_factory=dict)
    """Facts that are not explicit any more; of relations without rules, they have gone."""
    came: dict[str, list[Rows]] = field(default_factory=dict)
    """Facts of relations with rules that have become explicit; they are not in their tables yet."""

    def __bool__(self) -> bool:
        return bool(self.began or self.went or self.came)


class Maintenance:
    """One update of a state."""

    def __init__(self, state: State, evaluation: Evaluation, undo: Undo, changes: ExplicitChanges, *, starts_over: bool) -> None:
        self.state, self.evaluation, self.undo, self.changes = state, evaluation, undo, changes
        self.starts_over = starts_over
        self.deltas = Deltas(state)
        self.redone: set[str] = set()
        """Relations that were derived anew."""
        self.deleted = False
        """Whether some unit had to look for what does not follow any more."""

    def begin(self, derived: set[str]) -> None:
        """Tell the units of what happened to relations without rules."""
        for name in (*self.changes.began, *self.changes.went):
            if name not in derived:
                table = self.state.tables[name]
                began = self.changes.began.get(name, table.end)
                if name in self.changes.went:
                    self._changed(name, began, np.concatenate(self.changes.went[name]))
                else:
                    self.deltas.grew(name, began)

    def apply(self, unit: Unit) -> None:
        """Make a unit's relations what they now are."""
        explicit = {*self.changes.went, *self.changes.came}
        if not any(name in self.deltas for name in unit.uses) and explicit.isdisjoint(unit.relations):
            return
        closed = [(name, special) for name, special in unit.specials.items() if isinstance(special, Closure)]
        folded = [(name, special) for name, special in unit.specials.items() if isinstance(special, Folding)]
        if unit.stages or (self.starts_over and not closed):
            self._start_over(unit)
        elif closed:
            self.evaluation.from_scratch(unit)
            for name, _ in closed:
                self.deltas.of[name] = Delta(before=self.undo.virtual.get(name), after=self.state.virtual[name])
                self.redone.add(name)
        elif folded:
            for name, special in folded:
                self.deltas.changed(name, *refold(name, special, self.state, self.deltas, self.evaluation, self.undo))
        else:
            self._maintain(unit)

    # --- rules -----------------------------------------------------------------------------------------------------------

    def _maintain(self, unit: Unit) -> None:
        progress = self.evaluation.watch.progress
        own = {name: self.state.tables[name] for name in unit.relations}
        begin = {name: table.end for name, table in own.items()}
        facts, held = progress.facts, _seen(own)
        gone: dict[str, Table] = {}
        seeds = {name: np.concatenate(self.changes.went[name]) for name in own if name in self.changes.went}
        if seeds or self._loses(unit):
            self.deleted = True
            gone = DRed(unit, self.state, self.deltas, self.evaluation, self.undo).delete(seeds)
            begin |= {name: 0 for name in gone if not own[name].arity}  # its one row leaves no hole
        for name, table in own.items():
            for rows in self.changes.came.get(name, ()):
                table.insert(rows)
        first = [variant for rule in unit.rules for variant in self.deltas.gaining(rule, set(own))]
        before = {name: at for name, at in begin.items() if own[name].end > at}
        self.evaluation.continue_from(unit, before | self.deltas.ranges(unit.uses - set(own)), first)
        for name in own:
            if name in gone:
                self._changed(name, begin[name], gone[name].rows)
            else:
                self.deltas.grew(name, begin[name])
        progress.facts = facts + _seen(own) - held

    def _loses(self, unit: Unit) -> bool:
        """Whether a change below can take an instance of a rule away."""
        for rule in unit.rules:
            for literal in rule.body:
                if isinstance(literal, Atom) and self.deltas.minus(literal.predicate) is not None:
                    return True
                if isinstance(literal, Negation) and self.deltas.plus(literal.atom.predicate) is not None:
                    return True
        return False

    def _changed(self, name: str, begin: int, gone: Rows) -> None:
        """Note how a relation differs: rows from `begin` on are new in its table, and `gone` left it and may be back."""
        table = self.state.tables[name]
        came = table.rows_from(begin if table.arity else 0)
        if len(came):
            known = self.state.helper("#known", gone.shape[1], gone)
            came, gone = came[~known.contains(came)], gone[~table.contains(gone)]
        self.deltas.changed(name, came.copy(), gone.copy())

    # --- from nothing ----------------------------------------------------------------------------------------------------

    def _start_over(self, unit: Unit) -> None:
        """Derive a unit anew, from what the user gave."""
        progress = self.evaluation.watch.progress
        own = {name: self.state.tables[name] for name in unit.relations}
        facts, held = progress.facts, _seen(own)
        for name, table in own.items():
            self.undo.begin_anew(table)
            if name in self.state.explicit:
                table.insert(self.state.explicit[name].rows)
        for special in unit.specials.values():
            if isinstance(special, Calls):
                self.state.answered[special.asked] = 0
        progress.facts = facts + _seen(own) - held
        self.evaluation.from_scratch(unit)
        for name, table in own.items():
            self.redone.add(name)
            before = self.undo.rows_before(table)
            known = self.state.helper("#known", table.arity, before)
            came, went = table.rows[~known.contains(table.rows)], before[~table.contains(before)]
            self.deltas.changed(name, came.copy(), went)


def _seen(tables: Mapping[str, Table]) -> int:
    """How many facts that users see are in some tables."""
    return sum(len(table) for name, table in tables.items() if is_seen(name))
