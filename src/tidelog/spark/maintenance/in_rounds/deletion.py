"""Over-deletion of a unit in rounds, a set at a time, by times of insertion.

Deletion goes forward from the deltas below: a fact that has lost a rule instance is *suspected*; if another instance proves it,
it stays, else it is over-deleted, and what it was used for is suspected in turn. What is over-deleted and still follows from the
rest is rederived later (`rederivation`). The question is which instances prove anything, since facts may support each other in a
circle. B/F (Motik, Nenov, Piro, Horrocks, 2015) searches for proofs backwards, fact by fact; a set at a time that comes to
checking nearly everything. Here the times of insertion tell: an instance whose facts of the same unit are all older than its head
cannot be part of a circle (as rounds do in Zhao, Subotic, Raghothaman, Scholz, "Towards Elastic Incrementalization for Datalog",
2021). Every derived fact has such an instance, so only a fact that loses one is suspected; where none is left the fact is
over-deleted, as in DRed.

Suspects are checked in the order of their times, so that hardly any is checked twice; an instance is searched only among facts
that are older than a suspect, or newer than what was deleted. Relations are immutable, so the state before the update is still
there (`pre_update_state`), and lost instances are searched in it alone: each literal with a delta takes its turn, the others are
as they were before. Suspects and deleted facts have one more column for their times, so that nothing looks for them twice.
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
from tidelog.spark.data.frames import FrameRelation
from tidelog.spark.data.novelty import TINY
from tidelog.spark.data.sets import Delta, Sets
from tidelog.spark.evaluation.rounds import Rounds
from tidelog.spark.evaluation.rule_joins import BEFORE
from tidelog.spark.maintenance.in_rounds.pre_update_state import FrameChanges, PreUpdateState
from tidelog.syntax.tree import Atom, Comparison, Literal, Negation, Term, Variable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SHARE = 0.5
"""When more of a unit than that is over-deleted, it is derived anew."""
_FEW_PROOFS, _FEW_SUSPECTS = 8, 2_000
"""Where fewer suspects than one of so many were proved, over-deletion and rederivation cost less, unless they are few."""
_TIME, _NONE = Variable("#time"), Variable("#none")

Found = dict[str, tuple[list["DataFrame | Int32s"], int]]
"""Suspects by relation, and from how many facts they were found."""


@dataclass(slots=True)
class Deletion:
    """One unit, and the deltas of all that it reads."""

    unit: Unit
    rounds: Rounds
    sets: Sets
    past: PreUpdateState
    changes: FrameChanges
    counters: Counters
    removed: tuple[CoreRule, ...] = ()
    """Removed rules; the unit has those from before that stay."""
    _waiting: dict[str, list[tuple[FrameRelation, int]]] = field(default_factory=dict)
    """Suspects, and up to which time they have been checked."""
    _deleted: dict[str, list[FrameRelation]] = field(default_factory=dict)
    _excluded: dict[str, FrameRelation] = field(default_factory=dict)
    """What is over-deleted, as far as it can concern later suspects."""
    _last: dict[str, tuple[int, bool]] = field(default_factory=dict)
    """How many suspects there were in the last round, and whether the search for proofs was worth it."""

    @property
    def lost(self) -> int:
        """How many deletions there are: below (under negation, insertions), of explicit facts, of instances of removed rules."""
        given = self.changes.given
        explicit = sum(given[name].deleted.count for name in self.unit.relations if name in given)
        return explicit + sum(facts.count for _, _, facts in self._losing()) + sum(map(self._instances, self.removed))

    @property
    def is_worth_it(self) -> bool:
        """Whether removed rules cannot have derived most of the facts."""
        return not self._is_most(sum(map(self._instances, self.removed)))

    def _is_most(self, count: int) -> bool:
        return count > max(TINY, _SHARE * sum(self.changes.before[name].count for name in self.unit.relations))

    def overdelete(self, patience: float) -> dict[str, FrameRelation]:
        """Delete what has lost an instance, or is explicit no more, and has no other proof; within so many seconds."""
        began, after = time.perf_counter(), 0
        self._wait(self._first_suspects())
        for until in self.past.shares():
            while suspects := self._due(until):
                new: dict[str, FrameRelation] = {}
                for name, some in suspects.items():
                    if (going := self._unproved(name, some, until)).count:
                        new[name] = going
                for name, going in new.items():
                    self._deleted.setdefault(name, []).append(going)
                    self._excluded[name] = self.sets.fused(
                        [*([self._excluded[name]] if name in self._excluded else []), going], going
                    )
                if self._is_most(sum(some.count for parts in self._deleted.values() for some in parts)):
                    raise TooExpensiveError("more than half of the facts would be over-deleted")
                if time.perf_counter() - began > patience:
                    raise TooExpensiveError("maintaining the deletions took too long", is_over_time=True)
                for name, going in new.items():
                    self.past.narrow(name, [going, *(part for part, _ in self._waiting.get(name, ()))], self._excluded)
                self._wait(self._suspects_of(new, after))
                self.rounds.watch.poll()
            after = until
        return {name: self._remove(name, parts) for name, parts in self._deleted.items()}

    def _unproved(self, name: str, suspects: FrameRelation, until: int) -> FrameRelation:
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

    def _remove(self, name: str, parts: list[FrameRelation]) -> FrameRelation:
        relation = self.rounds.relations[name]
        facts = self.sets.one_segment([part.untimed() for part in parts], relation)
        relation.remove(facts, self.sets.lineage, self.sets.spark)
        self.counters.overdeleted += facts.count
        return facts

    # --- suspects --------------------------------------------------------------------------------------------------------

    def _wait(self, found: Found) -> None:
        for name, (some, start) in found.items():
            suspects = self.sets.distinct(some, self.past.whole(name), start)
            if suspects.count:
                self._waiting.setdefault(name, []).append((suspects, 0))

    def _due(self, until: int) -> dict[str, FrameRelation]:
        """The suspects up to a time that have not been checked; the others wait."""
        waiting, self._waiting, due = self._waiting, {}, {}
        for name, parts in waiting.items():
            without = [others for others in (self.changes.explicit.get(name), self._excluded.get(name)) if others is not None]
            if some := [(part, since) for part, since in parts if since < until]:
                facts = self.sets.between(some, until, without, self.past.whole(name))
                if facts.count:
                    due[name] = facts
            if not self.past.is_end(until):
                self._waiting[name] = [(part, max(since, until)) for part, since in parts]
        return due

    def _first_suspects(self) -> Found:
        found: Found = {}
        for name in self.unit.relations:
            if name in self.changes.given and (deleted := self.changes.given[name].deleted).count:
                args = tuple(Variable(f"V{at}") for at in range(deleted.width))
                self._suspect(found, CoreRule(Atom(name, args), (Atom("#given", args),), 0, ""), 0, deleted, deleted.count)
        for rule, at, facts in self._losing():
            self._suspect(found, rule, at, facts, facts.count * self._matches(rule))
        for rule in self.removed:
            self._suspect(found, rule, None, None, self._instances(rule))
        return found

    def _matches(self, rule: CoreRule) -> int:
        """How many facts of the unit one fact is joined with, estimated: as many as there are for a value."""
        return max((self.past.for_a_value(literal.predicate) for literal in rule.body if self._is_own(literal)), default=1)

    def _instances(self, rule: CoreRule) -> int:
        """How many instances a rule had, estimated from its smallest atom."""
        counts = [self.changes.before[literal.predicate].count for literal in rule.body if isinstance(literal, Atom)]
        return min(counts, default=1) * self._matches(rule)

    def _losing(self) -> Iterator[tuple[CoreRule, int, FrameRelation]]:
        """Rules with the position of an atom that has lost facts, and these; for a negated atom, one in front of the body."""
        for rule in self.unit.rules:
            for at, literal in enumerate(rule.body):
                if isinstance(literal, Atom) and (d := self._lower(literal)) and d.deleted.count:
                    yield rule, at, d.deleted
                elif isinstance(literal, Negation) and (d := self._lower(literal.atom)) and d.inserted.count:
                    yield replace(rule, body=(rename_apart(literal.atom, rule), *rule.body)), 0, d.inserted

    def _suspects_of(self, new: Mapping[str, FrameRelation], after: int) -> Found:
        found: Found = {}
        for rule in self.unit.rules:
            for at, literal in enumerate(rule.body):
                if isinstance(literal, Atom) and (going := new.get(literal.predicate)) is not None:
                    self.counters.suspected += going.count
                    self._suspect(found, rule, at, going, going.count, after)
        return found

    def _suspect(
        self, found: Found, rule: CoreRule, lost_at: int | None, lost: FrameRelation | None, start: int, after: int = 0
    ) -> None:
        """Add the heads that lose a proof: of instances with lost facts at a position of the body, or of a removed rule."""
        requested = self.past.of(rule.head.predicate, after)
        body: list[Literal] = []
        seen: list[FrameRelation | None] = []
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
        is_looked_up = lost is not None and lost.rows_in_driver is not None and self.sets.lineage.has_files
        if requested.rows_in_driver is None and tests and not is_lost_here and not is_looked_up and rule.head.args:
            # Spark does not use the cached columns of a frame that one job reads twice: so there are two jobs.
            instance = Atom("#instance", (*rule.head.args, *(test.left for test in tests)))
            some = self._joined(replace(rule, head=instance, body=tuple(body)), seen, self.changes.before, lost_at, start)
            facts = self.sets.distinct([some], FrameRelation(len(instance.args), requested.by), start)
            body, seen, lost_at, start = [instance], [facts], 0, facts.count
        head = Atom("#suspect", (*_args(rule.head), _TIME))
        variant = replace(rule, head=head, body=(Atom(rule.head.predicate, head.args), *body, *tests))
        first = None if lost_at is None else lost_at + 1
        some = self._joined(variant, [requested, *seen, *(None for _ in tests)], self.changes.before, first, start)
        parts, before = found.get(rule.head.predicate, ([], 0))
        found[rule.head.predicate] = [*parts, some], before + start

    # --- proofs ----------------------------------------------------------------------------------------------------------

    def _proofs(self, name: str, suspects: FrameRelation, until: int) -> list[DataFrame | Int32s]:
        """The suspects that have an instance left whose facts of this unit are older."""
        proofs: list[DataFrame | Int32s] = []
        for rule in self.unit.rules:
            if rule.head.predicate != name:
                continue
            head = Atom("#suspect", (*_args(rule.head), _TIME))
            seen: list[tuple[Literal, FrameRelation | None]] = [(head, suspects)]
            for at, literal in enumerate(rule.body):
                if self._is_own(literal):
                    timed, test = _timely(literal, at)
                    seen += [(timed, self.past.of(literal.predicate, until=until)), (test, None)]
                    if literal.predicate in self._excluded:
                        seen.append((Negation(literal), self._excluded[literal.predicate]))
                else:
                    seen += [(literal, None), *self._only_old(rule, literal)]
            variant = replace(rule, head=head, body=tuple(literal for literal, _ in seen))
            proofs.append(self._joined(variant, [facts for _, facts in seen], self.rounds.relations, 0, suspects.count))
        return proofs

    def _only_old(self, rule: CoreRule, literal: Literal) -> Iterator[tuple[Literal, FrameRelation]]:
        """Tests that leave out new facts of a literal: they prove nothing, since deletion goes along old instances."""
        if isinstance(literal, Atom) and (d := self._lower(literal)) and d.inserted.count:
            yield Negation(literal), d.inserted
        elif isinstance(literal, Negation) and (d := self._lower(literal.atom)) and d.deleted.count:
            yield Negation(rename_apart(literal.atom, rule)), d.deleted

    # --- rules -----------------------------------------------------------------------------------------------------------

    def _joined(
        self,
        rule: CoreRule,
        seen: list[FrameRelation | None],
        elsewhere: Mapping[str, FrameRelation],
        first: int | None,
        start: int,
    ) -> DataFrame | Int32s:
        """What a rule derives whose literals read sets, or else relations by their names."""

        def relation_at(at: int, predicate: str) -> FrameRelation:
            return found if (found := seen[at]) is not None else self.past.at_hand(elsewhere[predicate])

        return self.rounds.joined(rule, relation_at, first, start)

    def _is_own(self, literal: Literal) -> TypeGuard[Atom]:
        return isinstance(literal, Atom) and literal.predicate in self.unit.relations

    def _lower(self, atom: Atom) -> Delta | None:
        return None if atom.predicate in self.unit.relations else self.changes.deltas.get(atom.predicate)


def _args(atom: Atom) -> tuple[Term, ...]:
    """The arguments of an atom as its frame has them: one that is always 0, if there are none."""
    return atom.args or (_NONE,)


def _timely(literal: Atom, at: int) -> tuple[Atom, Comparison]:
    """An atom of the unit itself with its time, which must be before that of the head."""
    time = Variable(f"#time {at}")
    return Atom(literal.predicate, (*_args(literal), time)), Comparison(BEFORE, time, _TIME)
