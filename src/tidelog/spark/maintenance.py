"""Units in rounds under change: what each derived relation gains and loses when those below it do.

Deletion is DRed's (Gupta, Mumick, Subrahmanian, "Maintaining views incrementally", 1993), a set at a time: everything with an
instance that is lost goes, round after round; then what still follows from the rest comes back, together with what is new. Two
departures. Relations are never changed but copied, so the state before the update is there as it was, and an instance that is
lost is looked for in it alone: each literal that has changed takes its turn, the others are as they were. And where more than a
share of a unit has gone, it is derived anew, since that is what DRed would come to. Aggregates are folded again for the groups
that are touched; transitive relations, and aggregates whose groups come from their own recursion, are derived anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from tidelog.changes import Counters
from tidelog.local.core import Closure, CoreRule, Folding, Unit
from tidelog.local.deltas import apart
from tidelog.local.kernel.memory import Int32s
from tidelog.local.materialise import is_seen
from tidelog.spark.frames import Relation, few_facts
from tidelog.spark.novelty import TINY
from tidelog.spark.rounds import RelationAt, Rounds
from tidelog.spark.sets import Sets
from tidelog.syntax.tree import Atom, Negation, Variable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SHARE = 0.5
"""When more of a unit than that has gone, it is derived anew."""

Found = tuple[list["DataFrame | Int32s"], int]
"""Facts that were found, and from how many others."""


@dataclass(slots=True)
class Difference:
    """What came to a relation, and what went."""

    came: Relation
    went: Relation

    def __bool__(self) -> bool:
        return self.came.count > 0 or self.went.count > 0


class TooManyError(Exception):
    """More has gone than is worth following."""


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
    algorithm: str = "auto"
    chosen: dict[str, str] = field(default_factory=dict)
    """The algorithms that took part, each with the reason that it was first chosen for."""
    counters: Counters = field(default_factory=Counters)

    def is_touched(self, unit: Unit) -> bool:
        """Whether anything that a unit reads, or that was given of it, has changed."""
        return any(self.differences.get(name) for name in unit.uses) or any(name in self.given for name in unit.relations)

    def apply(self, unit: Unit) -> None:
        """Make a unit's relations what they now are."""
        folded = [(name, special) for name, special in unit.specials.items() if isinstance(special, Folding)]
        if self.algorithm == "rematerialise":
            self._start_over(unit, "as asked for")
        elif unit.stages:
            self._start_over(unit, "an aggregate's groups come from its own recursion")
        elif any(isinstance(special, Closure) for special in unit.specials.values()):
            self._start_over(unit, f"`{unit.owner}` is transitive, and each task closes its share at once")
        elif folded:
            for name, special in folded:
                self._refold(name, special)
        else:
            try:
                self._maintain(unit)
            except TooManyError:
                self._start_over(unit, "more than half of what there was would have gone, to be looked for again")

    # --- rules -----------------------------------------------------------------------------------------------------------

    def _maintain(self, unit: Unit) -> None:
        gone = self._delete(unit)
        recorded = self.rounds.recorded = {}
        changed = {name: d.came for name, d in self.differences.items() if d.came.count and name in unit.uses}
        found = self._gained(unit, gone)
        new = self.rounds.specials(unit, changed)
        self.rounds.watch.progress.round = 0
        for name, (some, start) in found.items():
            if (added := self.rounds.added(name, some, start)) is not None:
                new[name] = added
        self.rounds.saturate(unit, new)
        self.rounds.recorded = None
        for name in unit.relations:
            like = self.rounds.relations[name]
            added = self.sets.together(recorded.get(name, ()), like)
            self.counters.inserted += added.count
            self._changed(name, added, gone.get(name, few_facts(np.empty((0, like.width), np.int32))))

    def _changed(self, name: str, came: Relation, went: Relation) -> None:
        """Note what came and what went; what did both is no difference."""
        difference = Difference(self.sets.outside(came, went), self.sets.outside(went, came))
        if difference:
            self.differences[name] = difference

    # --- what goes -------------------------------------------------------------------------------------------------------

    def _delete(self, unit: Unit) -> dict[str, Relation]:
        """Take away everything that has lost an instance, or was the user's and is not any more."""
        rounds, gone = self.rounds, dict[str, list[Relation]]()
        found: dict[str, Found] = {}
        for name in unit.relations:
            if name in self.given and self.given[name].went.count:
                _note(found, name, self._candidates(self.given[name].went), self.given[name].went.count)
        for rule, sees, first, start in self._losing(unit):
            _note(found, rule.head.predicate, rounds.joined(rule, sees, first, start), start)
        if found:
            self.chosen.setdefault("dred", "facts have gone")
        held = sum(self.before[name].count for name in unit.relations)
        while found:
            new: dict[str, Relation] = {}
            for name, (some, start) in found.items():
                going = self.sets.inside(self.sets.distinct(some, rounds.relations[name], start), rounds.relations[name])
                if name in self.explicit:
                    going = self.sets.outside(going, self.explicit[name])
                if going.count:
                    rounds.relations[name].remove(going, self.sets.lineage, self.sets.spark)
                    gone.setdefault(name, []).append(going)
                    new[name] = going
                    self.counters.overdeleted += going.count
                    self._forget(name, going.count)
            if sum(some.count for parts in gone.values() for some in parts) > max(TINY, _SHARE * held):
                raise TooManyError
            found = {}
            for rule in unit.rules:
                for at, literal in enumerate(rule.body):
                    if isinstance(literal, Atom) and literal.predicate in new:
                        start = new[literal.predicate].count
                        self.counters.suspected += start
                        sees = _seeing(at, new[literal.predicate], self.before)
                        _note(found, rule.head.predicate, rounds.joined(rule, sees, at, start), start)
            rounds.watch.look()
        return {name: self.sets.together(parts, rounds.relations[name]) for name, parts in gone.items()}

    def _forget(self, name: str, count: int) -> None:
        if is_seen(name):
            self.rounds.watch.progress.facts -= count

    def _losing(self, unit: Unit) -> Iterator[tuple[CoreRule, RelationAt, int, int]]:
        """Rules with what they see, for the instances that changes below have taken away."""
        for rule in unit.rules:
            for at, literal in enumerate(rule.body):
                if isinstance(literal, Atom) and (d := self._lower(unit, literal)) and d.went.count:
                    yield rule, _seeing(at, d.went, self.before), at, d.went.count
                elif isinstance(literal, Negation) and (d := self._lower(unit, literal.atom)) and d.came.count:
                    yield _with(apart(literal.atom, rule), rule), _seeing_first(d.came, self.before), 0, d.came.count

    def _lower(self, unit: Unit, atom: Atom) -> Difference | None:
        return None if atom.predicate in unit.relations else self.differences.get(atom.predicate)

    # --- what comes ------------------------------------------------------------------------------------------------------

    def _gained(self, unit: Unit, gone: Mapping[str, Relation]) -> dict[str, Found]:
        """What the user has given, what changes below have brought, and what has gone and still follows."""
        rounds, found = self.rounds, dict[str, Found]()
        for name in unit.relations:
            if name in self.given and self.given[name].came.count:
                _note(found, name, self._candidates(self.given[name].came), self.given[name].came.count)
        for rule in unit.rules:
            uses: list[tuple[CoreRule, RelationAt, int, int]] = []
            for at, literal in enumerate(rule.body):
                if isinstance(literal, Atom) and (d := self._lower(unit, literal)) and d.came.count:
                    uses.append((rule, _seeing(at, d.came, rounds.relations), at, d.came.count))
                elif isinstance(literal, Negation) and (d := self._lower(unit, literal.atom)) and d.went.count:
                    variant = _with(apart(literal.atom, rule), rule)
                    uses.append((variant, _seeing_first(d.went, rounds.relations), 0, d.went.count))
            if (lost := gone.get(rule.head.predicate)) is not None:
                uses.append((_with(rule.head, rule), _seeing_first(lost, rounds.relations), 0, lost.count))
                self.counters.rederived += lost.count
            for variant, sees, first, start in uses:
                _note(found, rule.head.predicate, rounds.joined(variant, sees, first, start), start)
        return found

    def _candidates(self, facts: Relation) -> DataFrame | Int32s:
        held = facts.held
        return held if held is not None else facts.frame(self.sets.spark)

    # --- aggregates ------------------------------------------------------------------------------------------------------

    def _refold(self, name: str, special: Folding) -> None:
        """Fold the groups again in which something came or went."""
        rounds, change = self.rounds, self.differences[special.inner]
        columns = tuple(Variable(f"V{at}") for at in range(rounds.relations[special.inner].width))
        groups = columns[: special.groups]
        inner, folded = Atom(special.inner, columns), Atom(name, (*groups, Variable("result")))
        parts = [part for part in (change.came, change.went) if part.count]
        start = sum(part.count for part in parts)
        if groups:
            head = CoreRule(Atom("#touched", groups), (inner,), 0, "")
            some = [rounds.joined(head, lambda _at, _name, p=part: p, 0, part.count) for part in parts]  # type: ignore[misc]
            touched = self.sets.distinct(some, few_facts(np.empty((0, len(groups)), np.int32)), start)
        else:
            touched = few_facts(np.zeros((1, 1), np.int32))
        asked = Atom("#touched", groups)

        def of_groups(atom: Atom) -> Relation:
            rule = CoreRule(atom, (asked, atom), 0, "")
            relation = rounds.relations[atom.predicate]
            sees = _seeing(0, touched, rounds.relations)
            return self.sets.distinct([rounds.joined(rule, sees, 0, touched.count)], relation, touched.count)

        old = of_groups(folded)
        rounds.relations[name].remove(old, self.sets.lineage, self.sets.spark)
        recorded = rounds.recorded = {}
        bindings = of_groups(inner)
        if bindings.count:
            rounds.fold(name, special, bindings)
        rounds.recorded = None
        self._changed(name, self.sets.together(recorded.get(name, ()), rounds.relations[name]), old)

    # --- from nothing ----------------------------------------------------------------------------------------------------

    def _start_over(self, unit: Unit, why: str) -> None:
        """Derive a unit anew, from what the user gave."""
        self.chosen.setdefault("rematerialise", why)
        relations = self.rounds.relations
        for name in unit.relations:
            old = self.before[name]
            self._forget(name, relations[name].count)
            relations[name] = self.explicit[name].copy() if name in self.explicit else Relation(old.width, old.by)
        closures = [(name, special) for name, special in unit.specials.items() if isinstance(special, Closure)]
        for name, special in closures:
            self.close(name, special)
        if not closures:
            self.rounds.evaluate(unit)
        for name in unit.relations:
            self._changed(name, relations[name], self.before[name])


def _note(found: dict[str, Found], name: str, some: DataFrame | Int32s, start: int) -> None:
    parts, before = found.get(name, ([], 0))
    found[name] = [*parts, some], before + start


def _with(first: Atom, rule: CoreRule) -> CoreRule:
    """A rule with one more atom in front of its body."""
    return replace(rule, body=(first, *rule.body))


def _seeing(place: int, there: Relation, elsewhere: Mapping[str, Relation]) -> RelationAt:
    """One atom sees a set, the others see relations by their names."""
    return lambda at, name: there if at == place else elsewhere[name]


def _seeing_first(there: Relation, elsewhere: Mapping[str, Relation]) -> RelationAt:
    return _seeing(0, there, elsewhere)
