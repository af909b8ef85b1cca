"""Rederivation of a unit in rounds: what was over-deleted and still follows from the rest is inserted again.

This is the second step of DRed (Gupta, Mumick, Subrahmanian, 1993), a set at a time: first what has an instance among the facts
that are left, then, round by round, what has one with a fact that was rederived. Candidates are over-deleted facts only, so the
whole relation is never read. A rederived fact gets a new time, since its older proof may be what was deleted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tidelog.changes import Counters
from tidelog.core.arrays import Int32s
from tidelog.core.rules import CoreRule, Unit
from tidelog.spark.data.frames import DRIVER_ROWS, FrameRelation
from tidelog.spark.data.sets import WORTH_FETCHING, Sets
from tidelog.spark.evaluation.rounds import Rounds
from tidelog.spark.maintenance.in_rounds.pre_update_state import PreUpdateState
from tidelog.syntax.tree import Atom, Literal, Negation, atoms

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(slots=True)
class Rederivation:
    """One unit after over-deletion."""

    unit: Unit
    rounds: Rounds
    sets: Sets
    past: PreUpdateState
    rest: dict[str, FrameRelation]
    """What is over-deleted and not rederived."""
    counters: Counters
    _lower: dict[str, FrameRelation] = field(default_factory=dict)
    """Relations of other units, in the driver."""

    def run(self) -> None:
        """Insert what follows from the facts that are left; `rest` is what remains deleted."""
        new = self._at_once()
        while new:
            for name, facts in new.items():
                self.counters.inserted += facts.count
                self.rest[name] = self.sets.outside(self.rest[name], facts)
                self.rounds.add_new(name, facts, self.sets)
            self.rounds.watch.poll()
            new = self._with(self._fetched(new))

    def _at_once(self) -> dict[str, FrameRelation]:
        """One-step rederivation: what has an instance among the facts that are left."""
        found: dict[str, list[DataFrame | Int32s]] = {}
        for rule in self.unit.rules:
            if (rest := self.rest.get(rule.head.predicate)) is not None:
                self.counters.rederived += rest.count
                found.setdefault(rule.head.predicate, []).append(self._joined(rule, rest, None, rest.count))
        return self._distinct(found)

    def _with(self, new: Mapping[str, FrameRelation]) -> dict[str, FrameRelation]:
        """What has an instance with a fact that was rederived."""
        found: dict[str, list[DataFrame | Int32s]] = {}
        for rule in self.unit.rules:
            rest = self.rest.get(rule.head.predicate)
            for at, literal in enumerate(rule.body):
                if rest is not None and rest.count and isinstance(literal, Atom) and literal.predicate in new:
                    facts = new[literal.predicate]
                    self.counters.rederived += facts.count
                    found.setdefault(rule.head.predicate, []).append(self._joined(rule, facts, at, facts.count))
        return self._distinct(found)

    def _distinct(self, found: Mapping[str, list[DataFrame | Int32s]]) -> dict[str, FrameRelation]:
        sets = {name: self.sets.distinct(some, self.rounds.relations[name], DRIVER_ROWS) for name, some in found.items()}
        return {name: facts for name, facts in sets.items() if facts.count}

    def _joined(self, rule: CoreRule, start: FrameRelation, start_at: int | None, count: int) -> DataFrame | Int32s:
        """Over-deleted heads of instances that hold; starting from the heads, or from rederived facts in the body."""
        seen: list[tuple[Literal, FrameRelation | None]] = [(rule.head, self.rest[rule.head.predicate])]
        first = 0
        for at, literal in enumerate(rule.body):
            if at == start_at:
                first = len(seen)
                seen.append((literal, start))
            elif isinstance(literal, Atom) and literal.predicate in self.unit.relations:
                seen.append((literal, self.past.whole(literal.predicate).untimed()))
                if literal.predicate in self.rest:
                    seen.append((Negation(literal), self.rest[literal.predicate]))
            else:
                seen.append((literal, None))

        def relation_at(at: int, predicate: str) -> FrameRelation:
            return found if (found := seen[at][1]) is not None else self._lower.get(predicate) or self.rounds.relations[predicate]

        return self.rounds.joined(replace(rule, body=tuple(literal for literal, _ in seen)), relation_at, first, count)

    def _fetched(self, new: Mapping[str, FrameRelation]) -> Mapping[str, FrameRelation]:
        """Fetch all that rounds read to the driver, where that is little and few facts were rederived."""
        lower = {atom.predicate for rule in self.unit.rules for atom, _ in atoms(rule.body)} - set(self.unit.relations)
        read = [*self.rest.values(), *(self.rounds.relations[name] for name in lower)]
        is_many = sum(facts.count for facts in new.values()) > DRIVER_ROWS or sum(facts.count for facts in read) > WORTH_FETCHING
        if is_many or self.rounds.lineage.has_files:
            return new
        for name in lower - self._lower.keys():
            self._lower[name] = self.sets.at_hand(self.rounds.relations[name])
        self.rest = {name: self.sets.at_hand(facts) for name, facts in self.rest.items()}
        return {name: self.sets.at_hand(facts) for name, facts in new.items()}
