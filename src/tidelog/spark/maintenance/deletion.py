"""What a unit in rounds loses when relations below it change, or the user takes facts back.

Deletion goes forward from what is lost, a set at a time: a fact that has lost an instance is suspected; if another instance
proves it, it stays, else it goes, and what it was used for is suspected in turn. What has gone and still follows from the rest
comes back later (`rederivation`). The question is which instances prove anything, since facts may support each other in a circle.
B/F (Motik, Nenov, Piro, Horrocks, 2015) looks for proofs backwards, fact by fact; a set at a time that comes to looking at nearly
everything. Here the time at which facts came tells: an instance whose facts of the same unit all came before the fact itself
cannot be part of a circle (as rounds do in Zhao, Subotic, Raghothaman, Scholz, "Towards Elastic Incrementalization for Datalog",
2021). Every fact that is not the user's has such an instance, so only who loses one is suspected; where none is left the fact
goes, as in DRed.

Suspects that came first are looked at first, so that hardly any is looked at twice, and of all facts only those are asked for
that came before them, or after what has gone. Relations are never changed but copied, so the state before the update is there as
it was (`past`), and instances that are lost are looked for in it alone: each literal that has changed takes its turn, the others
are as they were. Suspects, and what goes, have one more column for their times, so that nobody has to look for them twice.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeGuard

from tidelog.changes import Counters
from tidelog.core.arrays import Int32s
from tidelog.core.limits import TooExpensiveError
from tidelog.core.rules import CoreRule, Unit, rename_apart
from tidelog.spark.data.frames import Relation
from tidelog.spark.data.sets import Difference, Sets
from tidelog.spark.evaluation.novelty import TINY
from tidelog.spark.evaluation.rounds import Rounds
from tidelog.spark.evaluation.rule_joins import BEFORE
from tidelog.spark.maintenance.pre_update_state import PreUpdateState
from tidelog.syntax.tree import Atom, Comparison, Literal, Negation, Term, Variable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SHARE = 0.5
"""When more of a unit than that has gone, it is derived anew."""
_FEW_PROOFS, _FEW_SUSPECTS = 8, 2_000
"""Where fewer suspects than one of so many were proved, it costs less to let them go and bring some back, unless they are few."""
_TIME, _NONE = Variable("#time"), Variable("#none")

Found = dict[str, tuple[list["DataFrame | Int32s"], int]]
"""Facts that were found, by relation, and from how many others."""


@dataclass(slots=True)
class Deletion:
    """One unit, and all that has changed below it."""

    unit: Unit
    rounds: Rounds
    sets: Sets
    past: PreUpdateState
    before: Mapping[str, Relation]
    """All relations as they were."""
    explicit: Mapping[str, Relation]
    """What the user has given of relations with rules, as it is now."""
    given: Mapping[str, Difference]
    """What the user has given or taken back of them."""
    differences: Mapping[str, Difference]
    """Of relations that are what they will be."""
    counters: Counters
    removed: tuple[CoreRule, ...] = ()
    """Rules that have gone; the unit has those that were there and stay."""
    _waiting: dict[str, list[tuple[Relation, int]]] = field(default_factory=dict)
    """Suspects, and up to which time they have been looked at."""
    _gone: dict[str, list[Relation]] = field(default_factory=dict)
    _asked: dict[str, Relation] = field(default_factory=dict)
    """What has gone, as far as it can matter to suspects from here on."""
    _last: dict[str, tuple[int, bool]] = field(default_factory=dict)
    """How many suspects there were in the last round, and whether it was worth it to look for proofs."""

    @property
    def lost(self) -> int:
        """How many facts were lost below, or came where their absence was asked for, or were taken back, or lost a rule."""
        taken_back = sum(self.given[name].deleted.count for name in self.unit.relations if name in self.given)
        return taken_back + sum(facts.count for _, _, facts in self._losing()) + sum(map(self._instances, self.removed))

    @property
    def is_worth_it(self) -> bool:
        """Whether rules that have gone cannot have given most of what there was."""
        return not self._is_most(sum(map(self._instances, self.removed)))

    def _is_most(self, count: int) -> bool:
        return count > max(TINY, _SHARE * sum(self.before[name].count for name in self.unit.relations))

    def gone(self, patience: float) -> dict[str, Relation]:
        """Take away what has lost an instance, or was the user's and is not any more, and is not proved otherwise."""
        began, after = time.perf_counter(), 0
        self._wait(self._lost_below())
        for until in self.past.shares():
            while suspects := self._due(until):
                new: dict[str, Relation] = {}
                for name, some in suspects.items():
                    if (going := self._unproved(name, some, until)).count:
                        new[name] = going
                for name, going in new.items():
                    self._gone.setdefault(name, []).append(going)
                    self._asked[name] = self.sets.fused([*([self._asked[name]] if name in self._asked else []), going], going)
                if self._is_most(sum(some.count for parts in self._gone.values() for some in parts)):
                    raise TooExpensiveError("more than half of what there was would have gone, to be looked for again")
                if time.perf_counter() - began > patience:
                    raise TooExpensiveError("to follow what has gone was taking longer", is_over_time=True)
                for name, going in new.items():
                    self.past.narrow(name, [going, *(part for part, _ in self._waiting.get(name, ()))], self._asked)
                self._wait(self._lost_with(new, after))
                self.rounds.watch.poll()
            after = until
        return {name: self._taken_away(name, parts) for name, parts in self._gone.items()}

    def _unproved(self, name: str, suspects: Relation, until: int) -> Relation:
        """The suspects that go: those that nothing proves, or all, where few were proved before and they become fewer."""
        size, is_worth_it = self._last.get(name, (0, True))
        if is_worth_it or suspects.count >= size or suspects.count <= _FEW_SUSPECTS:
            self.counters.checked += suspects.count
            going = self.sets.without(suspects, self._proofs(name, suspects, until))
            proved = suspects.count - going.count
            self.counters.forward += proved
            self._last[name] = suspects.count, proved * _FEW_PROOFS >= suspects.count
            return going
        self._last[name] = suspects.count, False
        return suspects

    def _taken_away(self, name: str, parts: list[Relation]) -> Relation:
        relation = self.rounds.relations[name]
        facts = self.sets.one_piece([part.untimed() for part in parts], relation)
        relation.remove(facts, self.sets.lineage, self.sets.spark)
        self.counters.overdeleted += facts.count
        return facts

    # --- suspects --------------------------------------------------------------------------------------------------------

    def _wait(self, found: Found) -> None:
        for name, (some, start) in found.items():
            suspects = self.sets.distinct(some, self.past.whole(name), start)
            if suspects.count:
                self._waiting.setdefault(name, []).append((suspects, 0))

    def _due(self, until: int) -> dict[str, Relation]:
        """The suspects that came by a time and have not been looked at; the others go on waiting."""
        waiting, self._waiting, due = self._waiting, {}, {}
        for name, parts in waiting.items():
            without = [others for others in (self.explicit.get(name), self._asked.get(name)) if others is not None]
            if some := [(part, since) for part, since in parts if since < until]:
                facts = self.sets.between(some, until, without, self.past.whole(name))
                if facts.count:
                    due[name] = facts
            if not self.past.is_end(until):
                self._waiting[name] = [(part, max(since, until)) for part, since in parts]
        return due

    def _lost_below(self) -> Found:
        found: Found = {}
        for name in self.unit.relations:
            if name in self.given and (deleted := self.given[name].deleted).count:
                args = tuple(Variable(f"V{at}") for at in range(deleted.width))
                self._suspect(found, CoreRule(Atom(name, args), (Atom("#given", args),), 0, ""), 0, deleted, deleted.count)
        for rule, at, facts in self._losing():
            self._suspect(found, rule, at, facts, facts.count * self._met(rule))
        for rule in self.removed:
            self._suspect(found, rule, None, None, self._instances(rule))
        return found

    def _met(self, rule: CoreRule) -> int:
        """How many facts of the unit one will meet, more or less: as many as there are for a value."""
        return max((self.past.for_a_value(literal.predicate) for literal in rule.body if self._is_own(literal)), default=1)

    def _instances(self, rule: CoreRule) -> int:
        """How many instances a rule had, at a guess: few facts of one atom are all that counts."""
        counts = [self.before[literal.predicate].count for literal in rule.body if isinstance(literal, Atom)]
        return min(counts, default=1) * self._met(rule)

    def _losing(self) -> Iterator[tuple[CoreRule, int, Relation]]:
        """Rules with an atom that has lost facts."""
        for rule in self.unit.rules:
            for at, literal in enumerate(rule.body):
                if isinstance(literal, Atom) and (d := self._lower(literal)) and d.deleted.count:
                    yield rule, at, d.deleted
                elif isinstance(literal, Negation) and (d := self._lower(literal.atom)) and d.inserted.count:
                    yield replace(rule, body=(rename_apart(literal.atom, rule), *rule.body)), 0, d.inserted

    def _lost_with(self, new: Mapping[str, Relation], after: int) -> Found:
        found: Found = {}
        for rule in self.unit.rules:
            for at, literal in enumerate(rule.body):
                if isinstance(literal, Atom) and (going := new.get(literal.predicate)) is not None:
                    self.counters.suspected += going.count
                    self._suspect(found, rule, at, going, going.count, after)
        return found

    def _suspect(
        self, found: Found, rule: CoreRule, lost_at: int | None, lost: Relation | None, start: int, after: int = 0
    ) -> None:
        """Note the heads of instances that could prove them and are lost with facts at a place of a rule's body, or with it."""
        requested = self.past.of(rule.head.predicate, after)
        body: list[Literal] = []
        seen: list[Relation | None] = []
        tests: list[Comparison] = []
        for at, literal in enumerate(rule.body):
            facts = lost if at == lost_at else None
            if self._is_own(literal):
                timed, test = _timely(literal, at)
                body.append(timed)
                seen.append(facts or self.past.of(literal.predicate))
                tests.append(test)
            else:
                body.append(literal)
                seen.append(facts)
        is_lost_here = lost_at is not None and self._is_own(rule.body[lost_at])
        if requested.held is None and tests and not is_lost_here and rule.head.args:
            # Spark does not find what it keeps as columns if one job asks for it twice: so there are two.
            instance = Atom("#instance", (*rule.head.args, *(test.left for test in tests)))
            some = self._joined(replace(rule, head=instance, body=tuple(body)), seen, self.before, lost_at, start)
            facts = self.sets.distinct([some], Relation(len(instance.args), requested.by), start)
            body, seen, lost_at, start = [instance], [facts], 0, facts.count
        head = Atom("#suspect", (*_args(rule.head), _TIME))
        variant = replace(rule, head=head, body=(Atom(rule.head.predicate, head.args), *body, *tests))
        first = None if lost_at is None else lost_at + 1
        some = self._joined(variant, [requested, *seen, *(None for _ in tests)], self.before, first, start)
        parts, before = found.get(rule.head.predicate, ([], 0))
        found[rule.head.predicate] = [*parts, some], before + start

    # --- proofs ----------------------------------------------------------------------------------------------------------

    def _proofs(self, name: str, suspects: Relation, until: int) -> list[DataFrame | Int32s]:
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
                    seen += [self.past.of(literal.predicate, until=until), None]
                    if literal.predicate in self._asked:
                        body.append(Negation(literal))
                        seen.append(self._asked[literal.predicate])
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
        if isinstance(literal, Atom) and (d := self._lower(literal)) and d.inserted.count:
            yield Negation(literal), d.inserted
        elif isinstance(literal, Negation) and (d := self._lower(literal.atom)) and d.deleted.count:
            yield Negation(rename_apart(literal.atom, rule)), d.deleted

    # --- rules -----------------------------------------------------------------------------------------------------------

    def _joined(
        self, rule: CoreRule, seen: list[Relation | None], elsewhere: Mapping[str, Relation], first: int | None, start: int
    ) -> DataFrame | Int32s:
        """What a rule derives whose literals see sets, or else relations by their names."""

        def relation_at(at: int, predicate: str) -> Relation:
            return found if (found := seen[at]) is not None else self.past.at_hand(elsewhere[predicate])

        return self.rounds.joined(rule, relation_at, first, start)

    def _is_own(self, literal: Literal) -> TypeGuard[Atom]:
        return isinstance(literal, Atom) and literal.predicate in self.unit.relations

    def _lower(self, atom: Atom) -> Difference | None:
        return None if atom.predicate in self.unit.relations else self.differences.get(atom.predicate)


def _args(atom: Atom) -> tuple[Term, ...]:
    """The arguments of an atom as its frame has them: one that is always 0, if there are none."""
    return atom.args or (_NONE,)


def _timely(literal: Atom, at: int) -> tuple[Atom, Comparison]:
    """An atom of the unit itself, whose facts must have come before the head."""
    time = Variable(f"#time {at}")
    return Atom(literal.predicate, (*_args(literal), time)), Comparison(BEFORE, time, _TIME)
