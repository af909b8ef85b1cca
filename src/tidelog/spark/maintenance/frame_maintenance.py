"""Units in rounds under change: what each derived relation gains and loses when those below it do.

What goes is found first (`deletion`); then what has gone and still follows from the rest comes back (`rederivation`), and at last
comes what is new. Where more than a share of a unit has gone, or following it takes as long as deriving the unit did, it is
derived anew. Aggregates are folded again for the groups that are touched; transitive relations that tasks close, and aggregates
whose groups come from their own recursion, are derived anew.
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
from tidelog.core.rules import Aggregation, Closure, CoreRule, Unit, rename_apart, is_visible
from tidelog.spark.data.frames import Relation, few_facts
from tidelog.spark.data.sets import Difference, Sets
from tidelog.spark.evaluation.rounds import RelationAt, Rounds, seeing, seeing_first
from tidelog.spark.maintenance.aggregate_rounds import refolded
from tidelog.spark.maintenance.deletion import Deletion
from tidelog.spark.maintenance.pre_update_state import PreUpdateState
from tidelog.spark.maintenance.rederivation import Rederivation
from tidelog.syntax.tree import Atom, Negation

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_LEAST_PATIENCE, _PATIENCE = 2.0, 1.0
"""Deletion gives up after so many seconds, or so many times as long as it took to derive the component."""

Found = tuple[list["DataFrame | Int32s"], int]
"""Facts that were found, and from how many others."""


@dataclass(frozen=True, slots=True)
class OtherRules:
    """How the rules of a unit differ from those before."""

    added: frozenset[int] = frozenset()
    """Where those stand in the program that are new."""
    removed: tuple[CoreRule, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)


@dataclass(slots=True)
class FrameMaintenance:
    """One update of the units that are in rounds."""

    rounds: Rounds
    sets: Sets
    before: Mapping[str, Relation]
    """All relations as they were."""
    explicit: Mapping[str, Relation]
    """What the user has given of relations with rules, as it is now."""
    given: Mapping[str, Difference]
    """What the user has given or taken back of them."""
    differences: dict[str, Difference]
    """Of relations that are what they will be."""
    close: Callable[[str, Closure], None]
    """Fills a transitive relation."""
    seconds_of: Callable[[str], float]
    """What it took to derive the component of a relation."""
    given_up: dict[str, int]
    """For relations how many facts were lost when it was not worth it to follow them; kept from update to update."""
    algorithm: str = "auto"
    others: dict[tuple[str, ...], OtherRules] = field(default_factory=dict)
    """For the relations of units whose rules have changed."""
    chosen: dict[str, str] = field(default_factory=dict)
    """The algorithms that took part, each with the reason that it was first chosen for."""
    counters: Counters = field(default_factory=Counters)
    seconds: dict[str, float] = field(default_factory=dict)
    """By phase, under the names that the local engine has for them."""

    def is_touched(self, unit: Unit) -> bool:
        """Whether anything that a unit reads, or that was given of it, or one of its rules has changed."""
        is_given = any(name in self.given for name in unit.relations)
        return is_given or unit.relations in self.others or any(self.differences.get(name) for name in unit.uses)

    def apply(self, unit: Unit) -> None:
        """Make a unit's relations what they now are."""
        folded = [(name, special) for name, special in unit.operators.items() if isinstance(special, Aggregation)]
        if self.algorithm == "rematerialise":
            self._start_over(unit, "as asked for")
        elif unit.stages:
            self._start_over(unit, "an aggregate's groups come from its own recursion")
        elif any(isinstance(special, Closure) for special in unit.operators.values()):
            self._start_over(unit, f"`{unit.owner}` is transitive, and each task closes its share at once")
        elif folded:
            with self._phase("aggregates"):
                for name, special in folded:
                    self._changed(name, *refolded(self.rounds, self.sets, self.differences[special.inner], name, special))
        else:
            try:
                self._maintain(unit)
            except TooExpensiveError as reason:
                self._start_over(unit, str(reason))

    # --- rules -----------------------------------------------------------------------------------------------------------

    def _maintain(self, unit: Unit) -> None:
        others = self.others.get(unit.relations, OtherRules())
        before = replace(unit, rules=tuple(rule for rule in unit.rules if rule.origin not in others.added))
        with self._phase("deletion"):
            gone = self._delete(before, others.removed)
        with self._phase("insertion"):
            self._insert(unit, others.added, gone)

    def _insert(self, unit: Unit, added: frozenset[int], gone: Mapping[str, Relation]) -> None:
        """Derive what is new, and note what came and went in all."""
        recorded = self.rounds.recorded = {}
        changed = {name: d.inserted for name, d in self.differences.items() if d.inserted.count and name in unit.uses}
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
            self._changed(name, inserted, gone.get(name, few_facts(np.empty((0, like.width), np.int32))))

    def _changed(self, name: str, inserted: Relation, deleted: Relation) -> None:
        """Note what came and what went; what did both is no difference."""
        difference = Difference(self.sets.outside(inserted, deleted), self.sets.outside(deleted, inserted))
        if difference:
            self.differences[name] = difference

    # --- what goes -------------------------------------------------------------------------------------------------------

    def _delete(self, unit: Unit, removed: tuple[CoreRule, ...]) -> dict[str, Relation]:
        """Take away what has gone, and bring back what follows from rules that stay; unless that takes, or took, too long."""
        with PreUpdateState(unit, self.sets, self.before, self.rounds.terms.count) as past:
            known = self.before, self.explicit, self.given, self.differences
            deletion = Deletion(unit, self.rounds, self.sets, past, *known, self.counters, removed)
            lost = deletion.lost
            if not lost:
                return {}
            if self.given_up.get(unit.owner, lost + 1) <= lost:
                self.given_up[unit.owner] *= 2  # so that it is tried again some time
                raise TooExpensiveError("to follow what has gone took longer when as much had gone before")
            if not deletion.is_worth_it:
                raise TooExpensiveError("a rule has gone that may have given more than half of what there was")
            self.chosen.setdefault("by time", "facts have gone")
            try:
                gone = deletion.gone(max(_LEAST_PATIENCE, _PATIENCE * self.seconds_of(unit.owner)))
            except TooExpensiveError as error:
                if error.is_over_time:
                    self.given_up[unit.owner] = lost
                raise
            for name, facts in gone.items():
                self._forget(name, facts.count)
            past.widen()
            rederivation = Rederivation(unit, self.rounds, self.sets, past, gone, self.counters)
            rederivation.run()
            return rederivation.rest

    def _forget(self, name: str, count: int) -> None:
        if is_visible(name):
            self.rounds.watch.progress.facts -= count

    def _lower(self, unit: Unit, atom: Atom) -> Difference | None:
        return None if atom.predicate in unit.relations else self.differences.get(atom.predicate)

    # --- what comes ------------------------------------------------------------------------------------------------------

    def _gained(self, unit: Unit, added: frozenset[int]) -> dict[str, Found]:
        """What the user has given, what changes below have brought, and what new rules give."""
        rounds, found = self.rounds, dict[str, Found]()
        for name in unit.relations:
            if name in self.given and self.given[name].inserted.count:
                _note(found, name, self._candidates(self.given[name].inserted), self.given[name].inserted.count)
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
                    uses.append((variant, seeing_first(d.deleted, rounds.relations), 0, d.deleted.count))
            for variant, sees, first, start in uses:
                _note(found, rule.head.predicate, rounds.joined(variant, sees, first, start), start)
        return found

    def _candidates(self, facts: Relation) -> DataFrame | Int32s:
        held = facts.held
        return held if held is not None else facts.frame(self.sets.spark)

    # --- from nothing ----------------------------------------------------------------------------------------------------

    def _start_over(self, unit: Unit, why: str) -> None:
        """Derive a unit anew, from what the user gave."""
        self.chosen.setdefault("rematerialise", why)
        relations = self.rounds.relations
        for name in unit.relations:
            old = self.before[name]
            self._forget(name, relations[name].count)
            relations[name] = self.explicit[name].copy() if name in self.explicit else Relation(old.width, old.by)
        closures = [(name, special) for name, special in unit.operators.items() if isinstance(special, Closure)]
        with self._phase("closures" if closures else "starting over"):
            for name, special in closures:
                self.close(name, special)
            if not closures:
                self.rounds.evaluate(unit)
            for name in unit.relations:
                self._changed(name, relations[name], self.before[name])

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
