"""Deletions in one unit: what has lost a derivation is suspected; what an algorithm lets go makes others suspect.

The loop is the same for all algorithms. Facts that went in a round are still joined in it, and leave their relations at its
end, so that no rule instance is used in two rounds (the inverse of semi-naive evaluation). What a lower relation has lost is
joined from a table of its own, since it has left already (`Deltas.losing`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import thread_time

import numpy as np

from tidelog.changes import Counters
from tidelog.core.arrays import Int32s, Rows
from tidelog.core.rules import CoreRule, Unit, positive_atoms
from tidelog.local.evaluation.fused_rules import Entry, FusedRules, is_possible
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.kernel import table_rows as kernel
from tidelog.local.maintenance.delta_rules import NOTHING_CHANGED, Changed, Foreseen
from tidelog.local.maintenance.deltas import Deltas
from tidelog.local.storage.state import State, UndoLog
from tidelog.local.storage.tables import Store, Table
from tidelog.syntax.tree import Atom, Negation

_A_SUSPECT = 1e-6
"""Seconds that a suspect takes, at least."""


class TooLongError(Exception):
    """Given up, for starting over should be quicker; `removed` are the facts that have left their relations."""

    def __init__(self, removed: dict[str, Rows]) -> None:
        super().__init__("starting over should be quicker")
        self.removed = removed


class Deletion(ABC):
    """The deletions of one unit in one update."""

    def __init__(
        self,
        unit: Unit,
        state: State,
        deltas: Deltas,
        evaluation: Evaluation,
        undo: UndoLog,
        removed: Sequence[CoreRule] = (),
        heads: Sequence[str] = (),
    ) -> None:
        """`removed` are rules that the unit had before the update, and `heads` relations that may lose facts all the same."""
        self.unit, self.state, self.deltas, self.evaluation, self.undo = unit, state, deltas, evaluation, undo
        self.removed, self._heads = removed, heads
        self.own = set(unit.relations)
        self.counters = Counters()
        helpers = self._helpers()
        self.gone = helpers["gone"]
        """What went, by relation."""
        self.suspects = helpers["suspect"]
        self.helpers = helpers
        self.left: dict[str, int] = {}
        """How many of the facts that went have left their relations."""

    def delete(self, seeds: Mapping[str, Rows]) -> dict[str, Table]:
        """Take away what does not follow any more; all that went, by relation, of which some may be back.

        `seeds` are facts that are not explicit any more.  What follows from facts that are back is for the caller to derive.
        """
        self.first_suspects = 0
        for name, rows in seeds.items():
            self.first_suspects += self.suspects[name].insert(rows[self.state.table(name).contains(rows)])
        prepared = self._prepared()
        if prepared.staying:
            for rule in self.deltas.staying((*self.unit.rules, *self.removed)):  # which empties their tables
                self.evaluation.apply_once([rule])
                self.state.table(rule.head.predicate).mark_delta()
        before = self.evaluation.statistics.derivations
        if self.removed:
            gone = [(v, rule) for rule in self.removed for v in self.deltas.losing(rule, self.own, is_gone=True)]
            self.evaluation.apply_once([self._suspecting(v, rule) for v, rule in gone])
        self.left = dict.fromkeys(self.gone, 0)
        self.work_off(prepared)
        between = self.evaluation.statistics.derivations
        self.finish()
        self.counters.suspected = between - before
        self.counters.rederived = self.evaluation.statistics.derivations - between
        return {name: table for name, table in self.gone.items() if len(table)}

    def work_off(self, prepared: Prepared) -> None:
        """Suspect what has lost an instance; examine suspects, suspect what depends on those that went, and so on."""
        self._run(prepared.losing, prepared.losing_fused)
        left = self.left
        self.give_up_in_time(self.suspect_count)
        while self.examine():
            self.give_up_in_time()
            new = [name for name, table in self.gone.items() if table.end > left[name]]
            if not new:
                break
            ends = {name: table.end for name, table in self.gone.items()}
            if prepared.passing_on:
                for name, table in self.gone.items():
                    table.mark_delta(left[name])
                self._run(prepared.passing_on, prepared.passing_on_fused)
            for name in new:
                self.undo.remove(self.state.table(name), self.gone[name].rows[left[name] : ends[name]])
                self.state.table(name).mark_delta()
                left[name] = ends[name]

    @property
    def suspect_count(self) -> int:
        """How many facts have been suspected so far."""
        return sum(map(len, self.suspects.values()))

    deadline: Callable[[], float] | None = None
    """When to give up (`thread_time`); asked once."""
    _gives_up_at: float | None = None

    def give_up_in_time(self, suspects: int = 0) -> None:
        """Raise if it has taken too long, or will: one lost fact may have brought many suspects."""
        if self.deadline is None:
            return
        if self._gives_up_at is None:
            self._gives_up_at = self.deadline()
        if thread_time() + _A_SUSPECT * suspects > self._gives_up_at:
            raise TooLongError({name: table.rows[: self.left[name]].copy() for name, table in self.gone.items()})

    def _helpers(self) -> dict[str, dict[str, Table]]:
        """Empty tables beside each relation that the unit has rules for, by what they are for."""
        key = (type(self), "helpers", id(self.unit))
        known: _Helpers | None = self.state.variants.get(key)
        if known is None:
            heads = dict.fromkeys((*(rule.head.predicate for rule in (*self.unit.rules, *self.removed)), *self._heads))
            arities = {name: self.state.table(name).arity for name in heads}
            tables = {role: {name: self.state.helper(f"#{role} {name}", arities[name]) for name in heads} for role in self.roles}
            read = [name for name in dict.fromkeys((*self.unit.relations, *self.unit.uses)) if name not in self.state.virtual]
            known = self.state.variants[key] = _Helpers(self.state.store, tables, [self.state.tables[name] for name in read])
        known.empty()
        return known.tables

    # --- what algorithms do each in their own way ------------------------------------------------------------------------

    def examine(self) -> bool:
        """Let some suspects go; False if there were none.  An algorithm with a loop of its own has no use for it."""
        return False

    @abstractmethod
    def finish(self) -> None:
        """Bring back what went too early."""

    # --- rules -----------------------------------------------------------------------------------------------------------

    roles: tuple[str, ...] = ("gone", "suspect")
    """What there are tables for, beside each relation."""

    def _prepared(self) -> Prepared:
        """The rules for changes of these relations, and of others that changed before."""
        deltas, variants = self.deltas, self.state.variants
        names = [(name, deltas.plus(name), deltas.minus(name)) for name in self.unit.uses if name in deltas.of]
        key: tuple[object, ...] = (type(self), id(self.unit))
        known: Prepared | None = variants.get(key)
        if known is not None and known.last == names:
            known.foreseen.empty_all_but(known.now)
            return known
        now = Changed(frozenset(name for name, plus, _ in names if plus), frozenset(name for name, _, minus in names if minus))
        if known is None or not now <= known.foreseen.changed:
            foreseen = now if known is None else now | known.foreseen.changed
            if foreseen.has_many_rules(self.unit.rules, self.own):
                key, foreseen = (*key, now), now
                known = variants.get(key)
            if known is None or not now <= known.foreseen.changed:
                known = variants[key] = self._prepare(Foreseen(self.state, foreseen))
        known.last, known.now = names, now
        known.foreseen.empty_all_but(now)
        return known

    def _prepare(self, foreseen: Foreseen) -> Prepared:
        """The rules for changes of certain relations."""
        deltas, changed = foreseen.as_deltas(), foreseen.changed
        rules = [rule for rule in self.unit.rules if not (changed.plus | changed.minus).isdisjoint(_read(rule))]
        prepared = Prepared(
            foreseen,
            any(True for _ in deltas.staying((*rules, *self.removed))),
            [(self._suspecting(variant, rule), None) for rule in rules for variant in deltas.losing(rule, self.own)],
            self._passing_on(deltas),
        )
        if is_possible(self.unit):
            prepared.losing_fused = FusedRules(self.state, prepared.losing)
            prepared.passing_on_fused = self._together(prepared.passing_on)
        return prepared

    def _passing_on(self, deltas: Deltas) -> list[Entry]:
        """The rules for what goes in the unit itself."""
        rules = self.unit.rules
        return [self._at(rule, at, name, deltas) for rule in rules for at, name in positive_atoms(rule) if name in self.gone]

    def _together(self, entries: list[Entry]) -> FusedRules:
        """Rules that run together, the same for changes of other relations if they are the same rules."""
        key = ("together", *((id(rule), at) for rule, at in entries))
        known: FusedRules | None = self.state.variants.get(key)
        if known is None:
            known = self.state.variants[key] = FusedRules(self.state, entries)
        return known

    def _run(self, entries: list[Entry], fused: FusedRules | None) -> None:
        """Apply some rules once, in one go if that is possible."""
        if fused is None or not fused.run(self.evaluation):
            self.evaluation.apply_deltas(entries)

    def _suspecting(self, rule: CoreRule, _origin: CoreRule) -> CoreRule:
        """A rule, made from another one, that suspects its head, if it is there."""
        head = Atom(f"#suspect {rule.head.predicate}", rule.head.args)
        return self.deltas.variant(rule, "suspecting", (*rule.body, rule.head), head)

    def _at(self, rule: CoreRule, at: int, name: str, deltas: Deltas) -> Entry:
        """A rule with what went of a relation in the place of one of its atoms, and where that stands now."""
        atom, stayed = rule.body[at], [deltas.stayed(literal, self.own) for literal in rule.body]
        assert isinstance(atom, Atom)
        for place, other in positive_atoms(rule):
            if place < at and other in self.gone:  # what goes in the same round has its turn at that place
                literal = rule.body[place]
                assert isinstance(literal, Atom)
                stayed[place] = (literal, Negation(Atom(f"#gone {other}", literal.args)))
        stayed[at] = (Atom(f"#gone {name}", atom.args),)
        body = [literal for kept in stayed for literal in kept]
        variant = self.deltas.variant(rule, ("gone", at, *map(len, stayed)), body)
        return self._suspecting(variant, rule), sum(map(len, stayed[:at]))


def _read(rule: CoreRule) -> Iterator[str]:
    """The names of the relations that a rule reads, perhaps more than once."""
    for literal in rule.body:
        atom = literal.atom if isinstance(literal, Negation) else literal
        if isinstance(atom, Atom):
            yield atom.predicate


@dataclass(slots=True)
class Prepared:
    """The rules of a unit's deletions, for changes of certain relations."""

    foreseen: Foreseen
    staying: bool
    """Whether `Deltas.staying` has any."""
    losing: list[Entry]
    """For instances that lower relations have taken away."""
    passing_on: list[Entry]
    """For instances that lose a fact of the unit itself."""
    losing_fused: FusedRules | None = None
    passing_on_fused: FusedRules | None = None
    last: list[tuple[str, str | None, str | None]] | None = None
    """The relations that changed the last time, with their tables ..."""
    now: Changed = NOTHING_CHANGED
    """... which say the same."""


class _Helpers:
    """Tables beside the relations of a unit, emptied all at once."""

    def __init__(self, store: Store, tables: dict[str, dict[str, Table]], read: Iterable[Table]) -> None:
        """`read` are the tables of all relations that the unit reads and derives."""
        self.tables, self._store = tables, store
        self._read: Int32s = np.array([table.number for table in read], np.int32)
        self._all = [table for by_name in tables.values() for table in by_name.values()]
        self._numbers: Int32s = np.array([table.number for table in self._all], np.int32)
        self._indexes: Int32s = np.empty(0, np.int32)

    def empty(self) -> None:
        """Let them have no rows, and rules see all rows of the relations."""
        count = 0
        for table in self._all:
            count += len(table.indexes)
        if count != len(self._indexes):
            numbers = [index.number for table in self._all for index in table.indexes.values()]
            self._indexes = np.array(numbers, np.int32)
        kernel.empty_tables(self._store.M, self._store.X, self._numbers, self._indexes, self._read)
