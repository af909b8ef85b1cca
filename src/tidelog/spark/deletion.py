"""What a unit in rounds loses when relations below it change, or the user takes facts back.

Deletion goes forward from what is lost, a set at a time: a fact that has lost an instance is suspected; if another instance
proves it, it stays, else it goes, and what it was used for is suspected in turn. What has gone and still follows from the rest
comes back later (`maintenance`). The question is which instances prove anything, since facts may support each other in a circle.
B/F (Motik, Nenov, Piro, Horrocks, 2015) looks for proofs backwards, fact by fact; a set at a time that comes to looking at nearly
everything. Here the time at which facts came tells: an instance whose facts of the same unit all came before the fact itself
cannot be part of a circle (as rounds do in Zhao, Subotic, Raghothaman, Scholz, "Towards Elastic Incrementalization for Datalog",
2021). Every fact that is not the user's has such an instance, so only who loses one is suspected; where none is left the fact
goes, as in DRed.

Relations are never changed but copied, so the state before the update is there as it was, and instances that are lost are looked
for in it alone: each literal that has changed takes its turn, the others are as they were. Suspects, and what goes, have one more
column for their times, so that nobody has to look for them twice.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeGuard

import numpy as np
from pyspark.sql import functions as f

from tidelog.changes import Counters
from tidelog.local.core import CoreRule, Unit
from tidelog.local.deltas import apart
from tidelog.local.kernel.memory import Int32s
from tidelog.spark.frames import Relation, columns, few_facts, frame_of_rows, rows_of_table
from tidelog.spark.novelty import TINY
from tidelog.spark.rounds import Rounds
from tidelog.spark.rules import BEFORE
from tidelog.spark.sets import Difference, Sets
from tidelog.syntax.tree import Atom, Comparison, Literal, Negation, Term, Variable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SHARE = 0.5
"""When more of a unit than that has gone, it is derived anew."""
_WORTH_FETCHING = 500_000
"""So many facts are brought to the driver to spare it one scan of all after the other."""
_TIME, _NONE = Variable("#time"), Variable("#none")

Found = dict[str, tuple[list["DataFrame | Int32s"], int]]
"""Facts that were found, by relation, and from how many others."""


class GivenUpError(Exception):
    """To follow what has gone is not worth it, for a reason."""


class TakesLongerError(GivenUpError):
    """It has taken as long as to start over would."""


@dataclass(slots=True)
class Deletion:
    """One unit, and all that has changed below it."""

    unit: Unit
    rounds: Rounds
    sets: Sets
    before: Mapping[str, Relation]
    """All relations as they were."""
    explicit: Mapping[str, Relation]
    """What the user has given of relations with rules, as it is now."""
    given: Mapping[str, Difference]
    """What the user has given or taken back of them."""
    differences: Mapping[str, Difference]
    """Of relations that are what they will be."""
    counters: Counters
    _timed: dict[str, Relation] = field(default_factory=dict)
    """The unit's relations as they were, with times."""

    @property
    def lost(self) -> int:
        """How many facts were lost below, or came where their absence was asked for, or were taken back."""
        taken_back = sum(self.given[name].went.count for name in self.unit.relations if name in self.given)
        return taken_back + sum(facts.count for _, _, facts in self._losing())

    def gone(self, patience: float) -> dict[str, Relation]:
        """Take away what has lost an instance, or was the user's and is not any more, and is not proved otherwise."""
        began, found = time.perf_counter(), self._lost_below()
        held = sum(self.before[name].count for name in self.unit.relations)
        gone: dict[str, Relation] = {}
        while found:
            new: dict[str, Relation] = {}
            for name, (some, start) in found.items():
                suspects = self.sets.distinct(some, self._as_it_was(name), start)
                for others in (self.explicit.get(name), gone.get(name)):
                    suspects = suspects if others is None else self.sets.outside(suspects, others)
                if not suspects.count:
                    continue
                self.counters.checked += suspects.count
                going = self.sets.without(suspects, self._proofs(name, suspects, gone))
                self.counters.forward += suspects.count - going.count
                if going.count:
                    new[name] = going
            for name, going in new.items():
                gone[name] = self.sets.together([*([gone[name]] if name in gone else []), going], going)
            if sum(some.count for some in gone.values()) > max(TINY, _SHARE * held):
                raise GivenUpError("more than half of what there was would have gone, to be looked for again")
            if time.perf_counter() - began > patience:
                raise TakesLongerError("to follow what has gone was taking longer")
            self._narrow(new)
            found = self._lost_with(new)
            self.rounds.watch.look()
        for name, going in gone.items():
            gone[name] = going.untimed()
            self.rounds.relations[name].remove(gone[name], self.sets.lineage, self.sets.spark)
            self.counters.overdeleted += going.count
        return gone

    def _as_it_was(self, name: str) -> Relation:
        if name not in self._timed:
            relation = self.rounds.relations[name]  # it has not changed yet
            relation.gather(self.sets.lineage)
            self._timed[name] = relation.timed()
        return self._timed[name]

    def _narrow(self, new: Mapping[str, Relation]) -> None:
        """Fetch all that can matter from here on, if that is little: what has the keys of what goes, where rules hand them on."""
        for name, going in new.items():
            by, rows, whole = self.before[name].by, going.held, self._as_it_was(name)
            if not by or rows is None or whole.held is not None or self.unit.relations != (name,):
                continue
            keys = np.unique(rows[:, [int(column[1:]) for column in by]], axis=0)
            if len(keys) * self._for_a_value(name) <= _WORTH_FETCHING:
                asked = frame_of_rows(self.sets.spark, keys).toDF(*by)
                facts = whole.frame(self.sets.spark).join(f.broadcast(asked), list(by), "left_semi")
                self._timed[name] = few_facts(rows_of_table(facts.select(*columns(whole.width)).toArrow()))

    def _for_a_value(self, name: str) -> int:
        """How many facts a relation has for each value, more or less."""
        return max(1, self.before[name].count // max(1, self.rounds.terms.count))

    # --- suspects --------------------------------------------------------------------------------------------------------

    def _lost_below(self) -> Found:
        found: Found = {}
        for name in self.unit.relations:
            if name in self.given and (went := self.given[name].went).count:
                args = tuple(Variable(f"V{at}") for at in range(went.width))
                self._suspect(found, CoreRule(Atom(name, args), (Atom("#given", args),), 0, ""), 0, went, went.count)
        for rule, at, facts in self._losing():
            # How many facts there are for a value tells how many a lost one will meet.
            met = max((self._for_a_value(literal.predicate) for literal in rule.body if self._is_own(literal)), default=1)
            self._suspect(found, rule, at, facts, facts.count * met)
        return found

    def _losing(self) -> Iterator[tuple[CoreRule, int, Relation]]:
        """Rules with an atom that has lost facts."""
        for rule in self.unit.rules:
            for at, literal in enumerate(rule.body):
                if isinstance(literal, Atom) and (d := self._lower(literal)) and d.went.count:
                    yield rule, at, d.went
                elif isinstance(literal, Negation) and (d := self._lower(literal.atom)) and d.came.count:
                    yield replace(rule, body=(apart(literal.atom, rule), *rule.body)), 0, d.came

    def _lost_with(self, new: Mapping[str, Relation]) -> Found:
        found: Found = {}
        for rule in self.unit.rules:
            for at, literal in enumerate(rule.body):
                if isinstance(literal, Atom) and (going := new.get(literal.predicate)) is not None:
                    self.counters.suspected += going.count
                    self._suspect(found, rule, at, going, going.count)
        return found

    def _suspect(self, found: Found, rule: CoreRule, lost_at: int, lost: Relation, start: int) -> None:
        """Note the heads of a rule's instances that are lost with facts at a place of its body, if these could prove them."""
        head = Atom("#suspect", (*_args(rule.head), _TIME))
        body: list[Literal] = [Atom(rule.head.predicate, head.args)]
        seen: list[Relation | None] = [self._as_it_was(rule.head.predicate)]
        first = 0
        for at, literal in enumerate(rule.body):
            first = len(body) if at == lost_at else first
            if self._is_own(literal):
                facts = lost if at == lost_at else self._as_it_was(literal.predicate)
                body += _timely(literal, at)
                seen += [facts, None]
            else:
                body.append(literal)
                seen.append(lost if at == lost_at else None)
        variant = replace(rule, head=head, body=tuple(body))
        some = self._joined(variant, seen, self.before, first, start)
        parts, before = found.get(rule.head.predicate, ([], 0))
        found[rule.head.predicate] = [*parts, some], before + start

    # --- proofs ----------------------------------------------------------------------------------------------------------

    def _proofs(self, name: str, suspects: Relation, gone: Mapping[str, Relation]) -> list[DataFrame | Int32s]:
        """The suspects for which an instance is left whose facts, as far as they are of this unit, came before."""
        proofs: list[DataFrame | Int32s] = []
        for rule in self.unit.rules:
            if rule.head.predicate != name:
                continue
            head = Atom("#suspect", (*_args(rule.head), _TIME))
            body: list[Literal] = [head]
            seen: list[Relation | None] = [suspects]
            for at, literal in enumerate(rule.body):
                if self._is_own(literal):
                    body += _timely(literal, at)
                    seen += [self._as_it_was(literal.predicate), None]
                    if literal.predicate in gone:
                        body.append(Negation(literal))
                        seen.append(gone[literal.predicate])
                else:
                    body.append(literal)
                    seen.append(None)
                    for test, facts in self._only_old(rule, literal):
                        body.append(test)
                        seen.append(facts)
            variant = replace(rule, head=head, body=tuple(body))
            proofs.append(self._joined(variant, seen, self.rounds.relations, 0, suspects.count))
        return proofs

    def _only_old(self, rule: CoreRule, literal: Literal) -> Iterator[tuple[Literal, Relation]]:
        """Tests that leave out new instances of a literal: they prove nothing yet, since what goes is followed along old ones."""
        if isinstance(literal, Atom) and (d := self._lower(literal)) and d.came.count:
            yield Negation(literal), d.came
        elif isinstance(literal, Negation) and (d := self._lower(literal.atom)) and d.went.count:
            yield Negation(apart(literal.atom, rule)), d.went

    # --- rules -----------------------------------------------------------------------------------------------------------

    def _joined(
        self, rule: CoreRule, seen: list[Relation | None], elsewhere: Mapping[str, Relation], first: int, start: int
    ) -> DataFrame | Int32s:
        """What a rule derives whose literals see sets, or else relations by their names."""

        def relation_at(at: int, predicate: str) -> Relation:
            return found if (found := seen[at]) is not None else elsewhere[predicate]

        return self.rounds.joined(rule, relation_at, first, start)

    def _is_own(self, literal: Literal) -> TypeGuard[Atom]:
        return isinstance(literal, Atom) and literal.predicate in self.unit.relations

    def _lower(self, atom: Atom) -> Difference | None:
        return None if atom.predicate in self.unit.relations else self.differences.get(atom.predicate)


def _args(atom: Atom) -> tuple[Term, ...]:
    """The arguments of an atom as its frame has them: one that is always 0, if there are none."""
    return atom.args or (_NONE,)


def _timely(literal: Atom, at: int) -> list[Literal]:
    """An atom of the unit itself, whose facts must have come before the head."""
    time = Variable(f"#time {at}")
    return [Atom(literal.predicate, (*_args(literal), time)), Comparison(BEFORE, time, _TIME)]
