"""Units in rounds under change: what each derived relation gains and loses when those below it do.

Deletion goes forward from what is lost, a set at a time: a fact that has lost an instance is suspected; if another instance
proves it, it stays, else it goes, and what it was used for is suspected in turn. In the end what has gone and still follows from
the rest comes back, together with what is new. The question is which instances prove anything, since facts may support each
other in a circle. B/F (Motik, Nenov, Piro, Horrocks, 2015) looks for proofs backwards, fact by fact; a set at a time that comes
to looking at nearly everything. Here the time at which facts came tells: an instance whose facts of the same unit all came
before the fact itself cannot be part of a circle (as rounds do in Zhao, Subotic, Raghothaman, Scholz, "Towards Elastic
Incrementalization for Datalog", 2021). Where no such instance is left the fact goes, as in DRed, perhaps to come back later.

Relations are never changed but copied, so the state before the update is there as it was, and instances that are lost are looked
for in it alone: each literal that has changed takes its turn, the others are as they were. Where more than a share of a unit has
gone, or following it takes as long as deriving the unit did, it is derived anew. Aggregates are folded again for the groups
that are touched; transitive relations that tasks close, and aggregates whose groups come from their own recursion, are derived
anew.
"""

from __future__ import annotations

import time
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
from tidelog.spark.refolding import refolded
from tidelog.spark.rounds import RelationAt, Rounds, seeing, seeing_first
from tidelog.spark.rules import BEFORE
from tidelog.spark.sets import Difference, Sets
from tidelog.syntax.tree import Atom, Comparison, Literal, Negation, Term, Variable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_LEAST_PATIENCE = 2.0
"""Seconds; else deletion gives up when it has taken as long as it took to derive the component."""
_SHARE = 0.5
"""When more of a unit than that has gone, it is derived anew."""

Found = tuple[list["DataFrame | Int32s"], int]
"""Facts that were found, and from how many others."""


class GivenUpError(Exception):
    """To follow what has gone is not worth it, for a reason."""


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
                self._changed(name, *refolded(self.rounds, self.sets, self.differences[special.inner], name, special))
        else:
            try:
                self._maintain(unit)
            except GivenUpError as reason:
                self._start_over(unit, str(reason))

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
        """Take away what has lost an instance, or was the user's and is not any more, and is not proved otherwise."""
        found: dict[str, Found] = {}
        for name in unit.relations:
            if name in self.given and self.given[name].went.count:
                _note(found, name, self._candidates(self.given[name].went), self.given[name].went.count)
        for rule, sees, first, start in self._losing(unit):
            _note(found, rule.head.predicate, self.rounds.joined(rule, sees, first, start), start)
        began, lost = time.perf_counter(), sum(start for _, start in found.values())
        if self.given_up.get(unit.owner, lost + 1) <= lost:
            self.given_up[unit.owner] *= 2  # so that it is tried again some time
            raise GivenUpError("to follow what has gone took longer when as much had gone before")
        if found:
            self.chosen.setdefault("by time", "facts have gone")
        held = sum(self.before[name].count for name in unit.relations)
        gone: dict[str, Relation] = {}
        while found:
            new: dict[str, Relation] = {}
            for name, (some, start) in found.items():
                suspects = self.sets.distinct(some, self.before[name], start)  # whose instances were there, so they were, too
                for others in (self.explicit.get(name), gone.get(name)):
                    suspects = suspects if others is None else self.sets.outside(suspects, others)
                if not suspects.count:
                    continue
                self.counters.checked += suspects.count
                going = self.sets.outside(suspects, self._proved(unit, name, suspects, gone))
                self.counters.forward += suspects.count - going.count
                if going.count:
                    new[name] = going
            for name, going in new.items():
                gone[name] = self.sets.together([*([gone[name]] if name in gone else []), going], going)
            if sum(some.count for some in gone.values()) > max(TINY, _SHARE * held):
                raise GivenUpError("more than half of what there was would have gone, to be looked for again")
            if time.perf_counter() - began > max(_LEAST_PATIENCE, self.seconds_of(unit.owner)):
                self.given_up[unit.owner] = lost
                raise GivenUpError("to follow what has gone was taking longer")
            found = {}
            for rule in unit.rules:
                for at, literal in enumerate(rule.body):
                    if isinstance(literal, Atom) and literal.predicate in new:
                        start = new[literal.predicate].count
                        self.counters.suspected += start
                        sees = seeing(at, new[literal.predicate], self.before)
                        _note(found, rule.head.predicate, self.rounds.joined(rule, sees, at, start), start)
            self.rounds.watch.look()
        for name, going in gone.items():
            self.rounds.relations[name].remove(going, self.sets.lineage, self.sets.spark)
            self.counters.overdeleted += going.count
            self._forget(name, going.count)
        return gone

    def _proved(self, unit: Unit, name: str, suspects: Relation, gone: Mapping[str, Relation]) -> Relation:
        """The suspects for which an instance is left whose facts, as far as they are of this unit, came before."""
        own, before, rounds = set(unit.relations), self.before, self.rounds
        proofs: list[DataFrame | Int32s] = []
        for rule in unit.rules:
            if rule.head.predicate != name:
                continue
            body: list[Literal] = [Atom("#suspect", rule.head.args)]
            seen: list[Relation | None] = [suspects]
            if any(_is_own(literal, own) for literal in rule.body):
                body.append(Atom(name, (*_args(rule.head), _TIME)))
                seen.append(before[name].timed(by_last=False))
            for literal in rule.body:
                if not (isinstance(literal, Atom) and literal.predicate in own):
                    body.append(literal)
                    seen.append(None)
                    for test, facts in self._only_old(unit, rule, literal):
                        body.append(test)
                        seen.append(facts)
                    continue
                time = Variable(f"#time {len(body)}")
                body += [Atom(literal.predicate, (*_args(literal), time)), Comparison(BEFORE, time, _TIME)]
                seen += [before[literal.predicate].timed(by_last=True), None]
                if literal.predicate in gone:
                    body.append(Negation(literal))
                    seen.append(gone[literal.predicate])
            variant = replace(rule, body=tuple(body))

            def relation_at(at: int, predicate: str, seen: list[Relation | None] = seen) -> Relation:
                return found if (found := seen[at]) is not None else rounds.relations[predicate]

            proofs.append(rounds.joined(variant, relation_at, 0, suspects.count))
        return self.sets.distinct(proofs, suspects, suspects.count)

    def _only_old(self, unit: Unit, rule: CoreRule, literal: Literal) -> Iterator[tuple[Literal, Relation]]:
        """Tests that leave out new instances of a literal: they prove nothing yet, since what goes is followed along old ones."""
        if isinstance(literal, Atom) and (d := self._lower(unit, literal)) and d.came.count:
            yield Negation(literal), d.came
        elif isinstance(literal, Negation) and (d := self._lower(unit, literal.atom)) and d.went.count:
            yield Negation(apart(literal.atom, rule)), d.went

    def _forget(self, name: str, count: int) -> None:
        if is_seen(name):
            self.rounds.watch.progress.facts -= count

    def _losing(self, unit: Unit) -> Iterator[tuple[CoreRule, RelationAt, int, int]]:
        """Rules with what they see, for the instances that changes below have taken away."""
        for rule in unit.rules:
            for at, literal in enumerate(rule.body):
                if isinstance(literal, Atom) and (d := self._lower(unit, literal)) and d.went.count:
                    yield rule, seeing(at, d.went, self.before), at, d.went.count
                elif isinstance(literal, Negation) and (d := self._lower(unit, literal.atom)) and d.came.count:
                    yield _with(apart(literal.atom, rule), rule), seeing_first(d.came, self.before), 0, d.came.count

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
                    uses.append((rule, seeing(at, d.came, rounds.relations), at, d.came.count))
                elif isinstance(literal, Negation) and (d := self._lower(unit, literal.atom)) and d.went.count:
                    variant = _with(apart(literal.atom, rule), rule)
                    uses.append((variant, seeing_first(d.went, rounds.relations), 0, d.went.count))
            if (lost := gone.get(rule.head.predicate)) is not None:
                uses.append((_with(rule.head, rule), seeing_first(lost, rounds.relations), 0, lost.count))
                self.counters.rederived += lost.count
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
        closures = [(name, special) for name, special in unit.specials.items() if isinstance(special, Closure)]
        for name, special in closures:
            self.close(name, special)
        if not closures:
            self.rounds.evaluate(unit)
        for name in unit.relations:
            self._changed(name, relations[name], self.before[name])


_TIME = Variable("#time")


def _is_own(literal: Literal, own: set[str]) -> bool:
    return isinstance(literal, Atom) and literal.predicate in own


def _args(atom: Atom) -> tuple[Term, ...]:
    """The arguments of an atom as its frame has them: one that is always 0, if there are none."""
    return atom.args or (Variable("#none"),)


def _note(found: dict[str, Found], name: str, some: DataFrame | Int32s, start: int) -> None:
    parts, before = found.get(name, ([], 0))
    found[name] = [*parts, some], before + start


def _with(first: Atom, rule: CoreRule) -> CoreRule:
    """A rule with one more atom in front of its body."""
    return replace(rule, body=(first, *rule.body))
