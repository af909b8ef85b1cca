"""Maintenance of units in rounds: the deltas of what a unit derives from the deltas of what it reads.

Deletions come first: over-deletion (`deletion`), then rederivation (`rederivation`); insertions follow, semi-naively. Where more
than a share of a unit would be over-deleted, or maintenance takes as long as deriving the unit did, it is derived anew.
Aggregates are computed again for the groups that have changed; transitive relations that tasks close, and aggregates whose groups
come from their own recursion, are derived anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from tidelog.changes import Counters
from tidelog.core.arrays import Int32s
from tidelog.core.limits import TooExpensiveError
from tidelog.core.rules import Aggregation, Closure, CoreRule, Unit, is_visible, rename_apart
from tidelog.spark.data.frames import FrameRelation, facts_in_driver
from tidelog.spark.data.sets import Delta, Sets
from tidelog.spark.evaluation.key_split import Split
from tidelog.spark.evaluation.rounds import RelationAt, Rounds, seeing
from tidelog.spark.maintenance.in_rounds.deletion import Deletion
from tidelog.spark.maintenance.in_rounds.key_maintenance import KeyMaintenance
from tidelog.spark.maintenance.in_rounds.pre_update_state import FrameChanges, PreUpdateState, RuleDelta
from tidelog.spark.maintenance.in_rounds.rederivation import Rederivation
from tidelog.syntax.tree import Atom, Negation, Variable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


_LEAST_PATIENCE, _PATIENCE = 2.0, 1.0
"""Deletion is too expensive after so many seconds, or so many times as long as it took to derive the component."""

Found = tuple[list["DataFrame | Int32s"], int]
"""Candidates, and from how many facts they were derived."""


@dataclass(slots=True)
class FrameMaintenance:
    """One update of the units that are evaluated in rounds."""

    rounds: Rounds
    sets: Sets
    changes: FrameChanges
    close: Callable[[str, Closure], None]
    """Derives a transitive relation."""
    derive: Callable[[Unit, Rounds], None]
    """Derives a unit of rules."""
    split_of: Callable[[Unit], Split | None]
    """How tasks derive a unit by keys, if they do."""
    by_keys: KeyMaintenance
    seconds_of: Callable[[str], float]
    """How long it took to derive the component of a relation."""
    too_expensive: dict[str, int]
    """By owner of a unit, how many deletions were too expensive to maintain; kept from update to update."""
    algorithm: str = "auto"
    rule_deltas: dict[tuple[str, ...], RuleDelta] = field(default_factory=dict)
    """For units whose rules have changed, by their relations."""
    chosen: dict[str, str] = field(default_factory=dict)
    """The algorithms that took part, each with the reason that it was first chosen for."""
    counters: Counters = field(default_factory=Counters)
    seconds: dict[str, float] = field(default_factory=dict)
    """By phase, under the names that the local engine has for them."""

    @property
    def deltas(self) -> dict[str, Delta]:
        """The deltas of relations that are up to date."""
        return self.changes.deltas

    def is_touched(self, unit: Unit) -> bool:
        """Whether anything that a unit reads, its explicit facts or its rules have changed."""
        is_given = any(name in self.changes.given for name in unit.relations)
        return is_given or unit.relations in self.rule_deltas or any(self.deltas.get(name) for name in unit.uses)

    def apply(self, unit: Unit) -> None:
        """Bring the relations of a unit up to date."""
        aggregates = [(name, operator) for name, operator in unit.operators.items() if isinstance(operator, Aggregation)]
        if self.algorithm == "rematerialise":
            self._rematerialise(unit, "as asked for")
        elif unit.stages:
            self._rematerialise(unit, "an aggregate's groups come from its own recursion")
        elif closure := next(((name, o) for name, o in unit.operators.items() if isinstance(o, Closure)), None):
            self._apply_keys(unit, lambda: self.by_keys.closure(unit, *closure))
        elif (how := self.split_of(unit)) is not None:
            self._apply_keys(unit, lambda: self.by_keys.unit(unit, how))
        elif aggregates:
            with self._phase("aggregates"):
                for name, operator in aggregates:
                    self._record(name, *maintain_aggregate(self.rounds, self.sets, self.deltas[operator.inner], name, operator))
        else:
            try:
                self._maintain(unit)
            except TooExpensiveError as reason:
                self._rematerialise(unit, str(reason))

    # --- keys ------------------------------------------------------------------------------------------------------------

    def _apply_keys(self, unit: Unit, differences: Callable[[], Mapping[str, Delta]]) -> None:
        """Derive what follows for the keys that an update touches, and take over what differs."""
        self.chosen.setdefault("by keys", f"the facts of `{unit.owner}` are derived key by key")
        with self._phase("keys"):
            found = differences()
        with self._phase("storage"):
            for name, delta in found.items():
                relation = self.rounds.relations[name]
                relation.remove(delta.deleted, self.sets.lineage, self.sets.spark)
                self._uncount(name, delta.deleted.count - delta.inserted.count)
                self.sets.add(relation, delta.inserted)
                self.counters.inserted += delta.inserted.count
                if delta:
                    self.deltas[name] = delta
        self.rounds.watch.poll()

    # --- rules -----------------------------------------------------------------------------------------------------------

    def _maintain(self, unit: Unit) -> None:
        rules = self.rule_deltas.get(unit.relations, RuleDelta())
        before = replace(unit, rules=tuple(rule for rule in unit.rules if rule.origin not in rules.added))
        with self._phase("deletion"):
            deleted = self._delete(before, rules.removed)
        with self._phase("insertion"):
            self._insert(unit, rules.added, deleted)

    def _insert(self, unit: Unit, added: frozenset[int], deleted: Mapping[str, FrameRelation]) -> None:
        """Derive what is new, and record the deltas of the unit."""
        recorded = self.rounds.recorded = {}
        changed = {name: d.inserted for name, d in self.deltas.items() if d.inserted.count and name in unit.uses}
        found = self._gained(unit, added)
        new = self.rounds.operators(unit, changed)
        self.rounds.watch.progress.round = 0
        for name, (some, start) in found.items():
            if (fresh := self.rounds.added(name, some, start)) is not None:
                new[name] = fresh
        self.rounds.saturate(unit, new)
        self.rounds.recorded = None
        for name in unit.relations:
            like = self.rounds.relations[name]
            inserted = self.sets.fused(recorded.get(name, ()), like)
            self.counters.inserted += inserted.count
            self._record(name, inserted, deleted.get(name, facts_in_driver(np.empty((0, like.width), np.int32))))

    def _record(self, name: str, inserted: FrameRelation, deleted: FrameRelation) -> None:
        """Record a delta, without facts that are both deleted and inserted."""
        if delta := Delta(self.sets.outside(inserted, deleted), self.sets.outside(deleted, inserted)):
            self.deltas[name] = delta

    # --- deletion --------------------------------------------------------------------------------------------------------

    def _delete(self, unit: Unit, removed: tuple[CoreRule, ...]) -> dict[str, FrameRelation]:
        """Over-delete and rederive; what is deleted in the end.  Raises an error if that takes, or took before, too long."""
        with PreUpdateState(unit, self.sets, self.changes.before, self.rounds.terms.count) as past:
            deletion = Deletion(unit, self.rounds, self.sets, past, self.changes, self.counters, removed)
            lost = deletion.lost
            if not lost:
                return {}
            if self.too_expensive.get(unit.owner, lost + 1) <= lost:
                self.too_expensive[unit.owner] *= 2  # so that it is tried again some time
                raise TooExpensiveError("maintaining as many deletions took too long before")
            if not deletion.is_worth_it:
                raise TooExpensiveError("a removed rule may have derived more than half of the facts")
            self.chosen.setdefault("by time", "facts were deleted")
            try:
                overdeleted = deletion.overdelete(max(_LEAST_PATIENCE, _PATIENCE * self.seconds_of(unit.owner)))
            except TooExpensiveError as error:
                if error.is_over_time:
                    self.too_expensive[unit.owner] = lost
                raise
            for name, facts in overdeleted.items():
                self._uncount(name, facts.count)
            past.widen()
            rederivation = Rederivation(unit, self.rounds, self.sets, past, overdeleted, self.counters)
            rederivation.run()
            return rederivation.rest

    def _uncount(self, name: str, count: int) -> None:
        if is_visible(name):
            self.rounds.watch.progress.facts -= count

    def _lower(self, unit: Unit, atom: Atom) -> Delta | None:
        return None if atom.predicate in unit.relations else self.deltas.get(atom.predicate)

    # --- insertion -------------------------------------------------------------------------------------------------------

    def _gained(self, unit: Unit, added: frozenset[int]) -> dict[str, Found]:
        """Candidates: new explicit facts, what the deltas of lower units derive, and what new rules derive."""
        rounds, found = self.rounds, dict[str, Found]()
        for name in unit.relations:
            if name in self.changes.given and self.changes.given[name].inserted.count:
                _note(found, name, self._candidates(self.changes.given[name].inserted), self.changes.given[name].inserted.count)
        for rule in unit.rules:
            if rule.origin in added:
                _note(found, rule.head.predicate, *rounds.derived(rule))
                continue
            uses: list[tuple[CoreRule, RelationAt, int, int]] = []
            for at, literal in enumerate(rule.body):
                if isinstance(literal, Atom) and (d := self._lower(unit, literal)) and d.inserted.count:
                    uses.append((rule, seeing(at, d.inserted, rounds.relations), at, d.inserted.count))
                elif isinstance(literal, Negation) and (d := self._lower(unit, literal.atom)) and d.deleted.count:
                    variant = _with(rename_apart(literal.atom, rule), rule)
                    uses.append((variant, seeing(0, d.deleted, rounds.relations), 0, d.deleted.count))
            for variant, sees, first, start in uses:
                _note(found, rule.head.predicate, rounds.joined(variant, sees, first, start), start)
        return found

    def _candidates(self, facts: FrameRelation) -> DataFrame | Int32s:
        held = facts.rows_in_driver
        return held if held is not None else facts.frame(self.sets.spark)

    # --- rematerialisation -----------------------------------------------------------------------------------------------

    def _rematerialise(self, unit: Unit, why: str) -> None:
        """Derive a unit anew from its explicit facts."""
        self.chosen.setdefault("rematerialise", why)
        relations = self.rounds.relations
        for name in unit.relations:
            old = self.changes.before[name]
            self._uncount(name, relations[name].count)
            relations[name] = (
                self.changes.explicit[name].copy() if name in self.changes.explicit else FrameRelation(old.width, old.by)
            )
        closures = [(name, operator) for name, operator in unit.operators.items() if isinstance(operator, Closure)]
        with self._phase("closures" if closures else "starting over"):
            for name, operator in closures:
                self.close(name, operator)
            if not closures:
                self.derive(unit, self.rounds)
            for name in unit.relations:
                self._record(name, relations[name], self.changes.before[name])

    @contextmanager
    def _phase(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started


def _note(found: dict[str, Found], name: str, some: DataFrame | Int32s, start: int) -> None:
    parts, before = found.get(name, ([], 0))
    found[name] = [*parts, some], before + start


def _with(first: Atom, rule: CoreRule) -> CoreRule:
    """A rule with one more atom in front of its body."""
    return replace(rule, body=(first, *rule.body))


def maintain_aggregate(
    rounds: Rounds, sets: Sets, delta: Delta, name: str, operator: Aggregation
) -> tuple[FrameRelation, FrameRelation]:
    """The results of changed groups now (inserted), and before (deleted)."""
    columns = tuple(Variable(f"V{at}") for at in range(rounds.relations[operator.inner].width))
    groups = columns[: operator.groups]
    inner, folded = Atom(operator.inner, columns), Atom(name, (*groups, Variable("result")))
    parts = [part for part in (delta.inserted, delta.deleted) if part.count]
    if groups:
        head = CoreRule(Atom("#touched", groups), (inner,), 0, "")
        some = [rounds.joined(head, lambda _at, _name, p=part: p, 0, part.count) for part in parts]  # type: ignore[misc]
        start = sum(part.count for part in parts)
        touched = sets.distinct(some, facts_in_driver(np.empty((0, len(groups)), np.int32)), start)
    else:
        touched = facts_in_driver(np.zeros((1, 1), np.int32))

    def of_groups(atom: Atom) -> FrameRelation:
        rule = CoreRule(atom, (Atom("#touched", groups), atom), 0, "")
        found = rounds.joined(rule, seeing(0, touched, rounds.relations), 0, touched.count)
        return sets.distinct([found], rounds.relations[atom.predicate], touched.count)

    old = of_groups(folded)
    rounds.relations[name].remove(old, sets.lineage, sets.spark)
    recorded = rounds.recorded = {}
    bindings = of_groups(inner)
    if bindings.count:
        rounds.fold(name, operator, bindings)
    rounds.recorded = None
    return sets.fused(recorded.get(name, ()), rounds.relations[name]), old
