"""Deletion in one unit: facts that have lost an instance are suspects; what an algorithm deletes makes others suspect.

The loop is the same for DRed and counting (`OverDeletion`); B/F has its own in the kernel. Facts that are deleted in a round are
still joined in it, and leave their relations at its end, so that no rule instance is used in two rounds (the inverse of
semi-naive evaluation). What a lower relation has lost is joined from `#minus R`, since it has left the relation already
(`DeltaRules.lost`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from time import thread_time
from typing import NamedTuple

import numpy as np

from tidelog.changes import Counters
from tidelog.core.arrays import Int32s, Rows
from tidelog.core.limits import TooExpensiveError
from tidelog.core.rules import CoreRule, positive_atoms
from tidelog.local.evaluation.fused_rules import Entry, FusedRules, can_fuse
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.kernel import table_rows as kernel
from tidelog.local.maintenance.delta.delta_rules import DeltaRules
from tidelog.local.maintenance.delta.deltas import Deltas
from tidelog.local.maintenance.delta.rule_sets import Changed, Coverage, DeletionRules
from tidelog.local.maintenance.unit_runtime import UnitRuntime
from tidelog.local.storage.store import Store
from tidelog.local.storage.tables import Table
from tidelog.local.storage.undo_log import UndoLog
from tidelog.syntax.tree import Atom, Literal, Negation, atoms

A_SUSPECT = 1e-6
"""Seconds that a suspect takes, at least."""


class Deadline(NamedTuple):
    """When a deletion gives up (`thread_time`)."""

    soonest: float
    """Not before."""
    halfway: float
    """If it cannot tell how much is left."""
    latest: float
    """If more than a little is left."""
    anew: float
    """What starting over will take, in seconds."""


class Deletion(ABC):
    """The deletions of one unit in one update."""

    roles: tuple[str, ...] = ("deleted", "suspect")
    """The helper tables beside each relation."""

    def __init__(
        self,
        runtime: UnitRuntime,
        deltas: Deltas,
        evaluation: Evaluation,
        undo: UndoLog,
        removed: Sequence[CoreRule] = (),
        heads: Sequence[str] = (),
    ) -> None:
        """`removed` are rules that the unit had before the update, and `heads` relations that may lose facts all the same."""
        self.runtime, self.unit, self.state = runtime, runtime.unit, runtime.state
        self.deltas, self.evaluation, self.undo = deltas, evaluation, undo
        self.delta_rules, self.removed = DeltaRules(runtime, deltas), removed
        self.own = set(self.unit.relations)
        self.counters = Counters()
        self.helpers = self._helper_tables(heads)
        self.deleted, self.suspects = self.helpers["deleted"], self.helpers["suspect"]
        self.left: dict[str, int] = {}
        """How many of the deleted facts have left their relations."""

    def delete(self, seeds: Mapping[str, Rows]) -> dict[str, Table]:
        """Delete what does not follow any more; all that was deleted, by relation, some of which may be rederived.

        `seeds` are facts that are not explicit any more.  What follows from rederived facts is for the caller to derive.
        """
        self.first_suspects = 0
        for name, rows in seeds.items():
            self.first_suspects += self.suspects[name].insert(rows[self.state.table(name).contains(rows)])
        rules = self._deletion_rules()
        if rules.has_unchanged_keys:
            for rule in self.delta_rules.unchanged_keys((*self.unit.rules, *self.removed)):
                self.evaluation.apply_once([rule])
                self.state.table(rule.head.predicate).mark_delta()
        before = self.evaluation.statistics.derivations
        if self.removed:
            lost = [(v, rule) for rule in self.removed for v in self.delta_rules.lost(rule, is_removed=True)]
            self.evaluation.apply_once([self._suspecting(v, rule) for v, rule in lost])
        self.left = dict.fromkeys(self.deleted, 0)
        self.run(rules)
        between = self.evaluation.statistics.derivations
        self.rederive()
        self.counters.suspected = between - before
        self.counters.rederived = self.evaluation.statistics.derivations - between
        return {name: table for name, table in self.deleted.items() if len(table)}

    # --- what algorithms do each in their own way ------------------------------------------------------------------------

    @abstractmethod
    def run(self, rules: DeletionRules) -> None:
        """Delete what does not follow any more, until nothing is suspected."""

    @abstractmethod
    def rederive(self) -> None:
        """Bring back deleted facts that still follow, and collect counters."""

    # --- giving up -------------------------------------------------------------------------------------------------------

    @property
    def suspect_count(self) -> int:
        """How many facts have been suspected so far."""
        return sum(map(len, self.suspects.values()))

    deadline: Callable[[], Deadline] | None = None
    """When to give up; called once."""
    _deadline: Deadline | None = None

    def check_deadline(self, suspects: int = 0) -> None:
        """Raise if deletion has taken too long, or will: one lost fact may have brought many suspects."""
        if self.deadline is None:
            return
        if self._deadline is None:
            self._deadline = self.deadline()
        if self.is_to_give_up(self._deadline, thread_time(), suspects):
            raise TooExpensiveError("to follow each of the facts that have gone was taking longer", is_over_time=True)

    def is_to_give_up(self, deadline: Deadline, now: float, suspects: int) -> bool:
        """Whether it has taken so long, or will for the suspects that there are, that starting over is the better choice."""
        return now + A_SUSPECT * suspects > deadline.halfway

    def removed_rows(self) -> dict[str, Rows]:
        """The facts that have left their relations so far."""
        return {name: table.rows[: self.left[name]].copy() for name, table in self.deleted.items()}

    # --- rules -----------------------------------------------------------------------------------------------------------

    def _deletion_rules(self) -> DeletionRules:
        """The rules for changes of these relations, and of others that changed before."""
        deltas, runtime = self.deltas, self.runtime
        names = [(name, deltas.plus(name), deltas.minus(name)) for name in self.unit.uses if name in deltas.of]
        key: tuple[object, ...] = (type(self),)
        known = runtime.kept(DeletionRules, key)
        if known is not None and known.last == names:
            known.coverage.empty_all_but(known.now)
            return known
        now = Changed(frozenset(name for name, plus, _ in names if plus), frozenset(name for name, _, minus in names if minus))
        if known is None or not now <= known.coverage.changed:
            covered = now if known is None else now | known.coverage.changed
            if covered.has_many_rules(self.unit.rules, self.own):
                key, covered = (*key, now), now
                known = runtime.kept(DeletionRules, key)
            if known is None or not now <= known.coverage.changed:
                known = runtime.keep(self._make_rules(Coverage(self.state, covered)), key)
        known.last, known.now = names, now
        known.coverage.empty_all_but(now)
        return known

    def _make_rules(self, coverage: Coverage) -> DeletionRules:
        """The rules for changes of certain relations."""
        made, changed = DeltaRules(self.runtime, coverage.as_deltas()), coverage.changed
        names = changed.plus | changed.minus
        rules = [rule for rule in self.unit.rules if any(atom.predicate in names for atom, _ in atoms(rule.body))]
        result = DeletionRules(
            coverage,
            any(True for _ in made.unchanged_keys((*rules, *self.removed))),
            [(self._suspecting(variant, rule), None) for rule in rules for variant in made.lost(rule)],
            self._propagating(made),
        )
        if can_fuse(self.unit):
            result.losing_fused = self._fused_losing(result.losing)
            result.propagating_fused = self._fused(result.propagating)
        return result

    def _fused_losing(self, losing: list[Entry]) -> FusedRules:
        """The rules for what other units have lost, in one call of the kernel."""
        return FusedRules(self.state, self.runtime.plans, losing)

    def _fused(self, propagating: list[Entry]) -> FusedRules:
        """The rules for what is deleted in the unit, in one call of the kernel."""
        return self.runtime.fused(propagating)

    def _propagating(self, made: DeltaRules) -> list[Entry]:
        """The rules for what is deleted in the unit itself."""
        rules = self.unit.rules
        return [self._at(rule, at, name, made) for rule in rules for at, name in positive_atoms(rule) if name in self.deleted]

    def _at(self, rule: CoreRule, at: int, name: str, made: DeltaRules) -> Entry:
        """A rule with the deleted facts of a relation in the place of one of its atoms, and where that stands now."""
        atom, unchanged = rule.body[at], [self._beside(literal, made) for literal in rule.body]
        assert isinstance(atom, Atom)
        for place, other in positive_atoms(rule):
            if place < at and other in self.deleted:  # what is deleted in the same round is joined at that place
                literal = rule.body[place]
                assert isinstance(literal, Atom)
                unchanged[place] = (literal, Negation(Atom(self.runtime.table_name("deleted", other), literal.args)))
        unchanged[at] = (Atom(self.runtime.table_name("deleted", name), atom.args),)
        body = [literal for kept in unchanged for literal in kept]
        variant = self.runtime.variant(rule, ("deleted", at, *map(len, unchanged)), body)
        return self._suspecting(variant, rule), sum(map(len, unchanged[:at]))

    def _beside(self, literal: Literal, made: DeltaRules) -> tuple[Literal, ...]:
        """What stands beside a deleted fact in an instance: only what was there before the update can have used that fact."""
        return made.unchanged(literal)

    def _suspecting(self, rule: CoreRule, _origin: CoreRule) -> CoreRule:
        """A rule, made from another one, that suspects its head, if it is there."""
        head = Atom(self.runtime.table_name("suspect", rule.head.predicate), rule.head.args)
        return self.runtime.variant(rule, "suspecting", (*rule.body, rule.head), head)

    def _apply(self, entries: list[Entry], fused: FusedRules | None) -> None:
        """Apply some rules once, in one call of the kernel if that is possible."""
        if fused is None or not fused.run(self.evaluation):
            self.evaluation.apply_deltas(entries)

    def _helper_tables(self, heads: Sequence[str]) -> dict[str, dict[str, Table]]:
        """Empty tables beside each relation that the unit has rules for, by role."""
        known = self.runtime.kept(_HelperTables, type(self))
        if known is None:
            names = dict.fromkeys((*(rule.head.predicate for rule in (*self.unit.rules, *self.removed)), *heads))
            virtual, table = self.state.virtual, self.runtime.table
            arities = {name: 2 if name in virtual else self.state.table(name).arity for name in names}
            tables = {role: {name: table(role, name, arities[name]) for name in names} for role in self.roles}
            read = [name for name in dict.fromkeys((*self.unit.relations, *self.unit.uses)) if name not in self.state.virtual]
            made = _HelperTables(self.state.store, tables, [self.state.tables[name] for name in read])
            known = self.runtime.keep(made, type(self))
        known.empty()
        return known.tables


class OverDeletion(Deletion):
    """Algorithms that delete some suspects without a proof that they must go, and rederive in the end: DRed and counting."""

    def run(self, rules: DeletionRules) -> None:
        """Suspect what has lost an instance; delete suspects, suspect what depends on those, until nothing is suspected."""
        self._apply(rules.losing, rules.losing_fused)
        left = self.left
        self.check_deadline(self.suspect_count)
        while self.overdelete():
            self.check_deadline()
            new = [name for name, table in self.deleted.items() if table.end > left[name]]
            if not new:
                break
            ends = {name: table.end for name, table in self.deleted.items()}
            if rules.propagating:
                for name, table in self.deleted.items():
                    table.mark_delta(left[name])
                self._apply(rules.propagating, rules.propagating_fused)
            for name in new:
                if name not in self.state.virtual:
                    self.state.table(name).remove(self.deleted[name].rows[left[name] : ends[name]])
                    self.state.table(name).mark_delta()
                left[name] = ends[name]

    @abstractmethod
    def overdelete(self) -> bool:
        """Delete some suspects; False if there were none."""


class _HelperTables:
    """Tables beside the relations of a unit, emptied all at once."""

    def __init__(self, store: Store, tables: dict[str, dict[str, Table]], read: Iterable[Table]) -> None:
        """`read` are the tables of all relations that the unit reads and derives."""
        self.tables, self._store = tables, store
        self._read: Int32s = np.array([table.number for table in read], np.int32)
        self._all = [table for by_name in tables.values() for table in by_name.values()]
        self._numbers: Int32s = np.array([table.number for table in self._all], np.int32)
        self._indexes: Int32s = np.empty(0, np.int32)

    def empty(self) -> None:
        """Empty them, and let rules see all rows of the relations."""
        count = 0
        for table in self._all:
            count += len(table.indexes) + len(table.orders)
        if count != len(self._indexes):
            numbers = [index.number for table in self._all for index in table.all_indexes]
            self._indexes = np.array(numbers, np.int32)
        kernel.empty_tables(self._store.M, self._store.X, self._numbers, self._indexes, self._read)
