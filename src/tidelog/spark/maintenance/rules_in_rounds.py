"""Rules that come and go where units are in rounds: these keep their facts, and follow.

The engine with other rules (`adopting`) takes over what a component had, with all that its aggregates and functions had for rules
that stay. Then its units are maintained as in any update (`maintenance`): what a rule gave that has gone is suspected, what a new
rule gives is new, and what other components gain and lose by it is handed on. A component is derived anew if it has other
relations than before, if it was or is in the kernel, which is quick, or if tasks close it; those who read it see how it differs.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from tidelog.core.limits import Watch
from tidelog.core.rule_report import Visit
from tidelog.core.rules import Closure, CoreRule, Part, Unit, is_visible
from tidelog.program.hypergraph import Component
from tidelog.program.live_rules import LiveRules, RuleDifference
from tidelog.spark.data.sets import Difference, Sets
from tidelog.spark.evaluation.placement import Where
from tidelog.spark.evaluation.rounds import Rounds
from tidelog.spark.maintenance.frame_maintenance import FrameMaintenance, OtherRules
from tidelog.syntax.tree import Atom, Literal, Negation

if TYPE_CHECKING:
    from tidelog.spark.engine import SparkEngine


class RulesInRounds:
    """One change of rules, from one engine to another."""

    def __init__(
        self, new: SparkEngine, old: SparkEngine, difference: RuleDifference, reached: set[str], watch: Watch, algorithm: str
    ) -> None:
        self._new, self._old, self._difference, self._reached = new, old, difference, reached
        self._is_wanted = algorithm != "rematerialise"
        self._components = {component.predicates: component for component in old.program.graph.components}
        self._names = _names_that_stay(difference, old, new)
        self._before = {self._name(name): relation.copy() for name, relation in old.exchange.relations.items()}
        self._explicit = {self._name(name): relation.copy() for name, relation in old.exchange.explicit.items()}
        self._compared: set[str] = set()
        self.followed: set[str] = set()
        """Relations of components that kept their facts; all others that rules reach were derived anew."""
        self.visits: list[Visit] = []
        self.kept = [piece for held in (*self._before.values(), *self._explicit.values()) for piece, _ in held.pieces]
        """What the old engine needs if it has to go on."""
        old.lineage.protect(self.kept)
        exchange = new.exchange
        rounds = Rounds(new.spark, new.lineage, exchange.terms, exchange.relations, watch)
        new.given_up.update(old.given_up)
        self.frames = FrameMaintenance(
            rounds,
            Sets(new.spark, new.lineage),
            self._before,
            exchange.explicit,
            {},
            {},
            lambda name, special: new.close_relation(name, special, new.where_of(name)),
            old.seconds_of,
            new.given_up,
        )

    def apply(self, component: Component) -> bool:
        """Let a component follow the rules, if it can; whether it did."""
        if not self._can_follow(component):
            return False
        units = self._new.frame_units(component)
        self.followed |= {*component.predicates}
        self._take_over(units)
        self._new.take_over(component, next(p for p in self._old.placements if p.relations == component.predicates))
        self._new.bring_inputs(component)
        for unit in units:
            other = self._other_rules(unit)
            if other:
                self.frames.others[unit.relations] = other
            self._compare(unit.uses - set(unit.relations))
            if self.frames.is_touched(unit):
                started = time.perf_counter()
                self.frames.apply(unit)
                self.visits.append(Visit(unit, is_evaluated=bool(other), seconds=time.perf_counter() - started))
        return True

    def _can_follow(self, component: Component) -> bool:
        was, new, old = self._components.get(component.predicates), self._new, self._old
        if not self._is_wanted or was is None or old.where_of(was.predicates[0]) is not Where.ROUNDS:
            return False
        units = new.frame_units(component)
        if any(isinstance(special, Closure) for unit in units for special in unit.operators.values()):
            return False
        # What is partitioned by the columns that rules hand on is looked for by them.
        known = {name: self._before[name].by for unit in units for name in unit.relations if name in self._before}
        return all(new.exchange.pivots.get(name, ()) == by for name, by in known.items())

    def _take_over(self, units: Iterable[Unit]) -> None:
        """Have the facts of units as they were, and none of relations that only new rules have."""
        exchange = self._new.exchange
        for name in {name for unit in units for name in unit.relations}:
            if name in self._before:
                exchange.relations[name] = self._before[name].copy()
            else:
                self._before[name] = exchange.to_spark(name, self._new.arity(name)).copy()
            if name in self._explicit:
                exchange.explicit[name] = self._explicit[name].copy()
            if is_visible(name):
                self.frames.rounds.watch.progress.facts += exchange.relations[name].count

    def _compare(self, names: Iterable[str]) -> None:
        """Know how relations of components differ that have been derived anew."""
        sets, differences = self.frames.sets, self.frames.differences
        for name in names:
            if name in self._reached and name in self._before and name not in self.followed | self._compared:
                self._compared.add(name)
                now, was = self._new.exchange.relations[name], self._before[name]
                if difference := Difference(sets.outside(now, was), sets.outside(was, now)):
                    differences[name] = difference

    # --- rules -----------------------------------------------------------------------------------------------------------

    def _other_rules(self, unit: Unit) -> OtherRules:
        difference = self._difference
        numbers = _numbers(difference.after)
        added = {rule.origin for rule in unit.rules if numbers[rule.origin] in difference.added}
        parts = _parts(self._old, difference.before)
        last = [parts[number].rules[-1] for number in difference.removed if number in parts]  # the others are of names that go
        removed = [self._as_it_was(rule) for rule in last if rule.head.predicate in unit.relations]
        return OtherRules(frozenset(added), tuple(removed))

    def _as_it_was(self, rule: CoreRule) -> CoreRule:
        """A rule that has gone, over the relations that its aggregates and functions had."""

        def renamed(atom: Atom) -> Atom:
            return replace(atom, predicate=self._name(atom.predicate))

        def named(literal: Literal) -> Literal:
            if isinstance(literal, Atom):
                return renamed(literal)
            return replace(literal, atom=renamed(literal.atom)) if isinstance(literal, Negation) else literal

        return replace(rule, body=tuple(map(named, rule.body)))

    def _name(self, name: str) -> str:
        """What a relation is called that there was: those of rules that have gone get names that nothing else has."""
        return self._names.get(name, f"#gone {name}") if name.startswith("#") else name


def _numbers(live: LiveRules) -> tuple[int, ...]:
    """The numbers of rules by where they stand in the program."""
    return tuple(live.components.rules)


def _parts(engine: SparkEngine, live: LiveRules) -> Mapping[int, Part]:
    numbers = _numbers(live)
    return {numbers[at]: part for at, part in engine.frame_core.parts.items()}


def _names_that_stay(difference: RuleDifference, old: SparkEngine, new: SparkEngine) -> dict[str, str]:
    """What internal relations of rules that stay are called, which have numbers in their names."""
    before, after = _parts(old, difference.before), _parts(new, difference.after)
    pairs = [zip(part.arities, after[number].arities, strict=True) for number, part in before.items() if number in after]
    return {one: other for some in pairs for one, other in some}
