"""A change of rules where units are evaluated in rounds: they keep their facts, and are maintained.

The engine with the new rules copies what a component had, with all that its aggregates and functions had for rules that stay.
Then its units are maintained as in any update (`frame_maintenance`): what a removed rule derived is over-deleted and rederived,
what a new rule derives is inserted, and the deltas are propagated to other components. A component is derived anew if it has
other relations than before, if it was or is in the kernel, which is quick, or if tasks close it; its readers get the delta.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from tidelog.changes import Counters
from tidelog.core.limits import Watch
from tidelog.core.rule_report import Visit
from tidelog.core.rules import Closure, CoreRule, Part, Unit, is_visible
from tidelog.program.changes.live_rules import LiveRules, RuleDifference
from tidelog.program.hypergraph import Component
from tidelog.spark.data.sets import Delta, Sets
from tidelog.spark.evaluation.placement import Where
from tidelog.spark.evaluation.rounds import Rounds
from tidelog.spark.maintenance.in_rounds.frame_maintenance import FrameMaintenance
from tidelog.spark.maintenance.in_rounds.key_maintenance import KeyMaintenance
from tidelog.spark.maintenance.in_rounds.pre_update_state import FrameChanges, RuleDelta
from tidelog.syntax.tree import Atom, Literal, Negation

if TYPE_CHECKING:
    from tidelog.spark.engine import SparkEngine


class RulesInRounds:
    """One change of rules, from an old engine to a new one."""

    def __init__(self, new: SparkEngine, old: SparkEngine, difference: RuleDifference, affected: set[str], watch: Watch) -> None:
        self._new, self._old, self._difference, self._affected = new, old, difference, affected
        self._is_wanted = new.algorithm != "rematerialise"
        self._components = {component.predicates: component for component in old.program.graph.components}
        self._names = _names_that_stay(difference, old, new)
        self._before = {self._name(name): relation.copy() for name, relation in old.exchange.relations.items()}
        self._explicit = {self._name(name): relation.copy() for name, relation in old.exchange.explicit.items()}
        self._compared: set[str] = set()
        self.maintained: set[str] = set()
        """Relations of components that kept their facts; all other affected ones were derived anew."""
        self.visits: list[Visit] = []
        self.protected = [segment for held in (*self._before.values(), *self._explicit.values()) for segment, _ in held.segments]
        """What the old engine reads, should the change be rolled back."""
        old.lineage.protect(self.protected)
        exchange = new.exchange
        rounds = Rounds(new.spark, new.lineage, exchange.terms, exchange.relations, watch)
        new.too_expensive.update(old.too_expensive)
        sets, changes = Sets(new.spark, new.lineage), FrameChanges(self._before, exchange.explicit)
        self.frames = FrameMaintenance(
            rounds,
            sets,
            changes,
            lambda name, closure: new.by_tasks.close_relation(name, closure, new.where_of(name)),
            lambda unit, rounds: rounds.evaluate(unit),  # what tasks derive by keys is derived anew
            lambda _: None,
            KeyMaintenance(rounds, sets, changes, counters := Counters(), {}, new.room),
            old.seconds_of,
            new.too_expensive,
            counters=counters,
        )

    def maintain(self, component: Component) -> bool:
        """Maintain a component under the new rules, if that is possible; whether it was."""
        if not self._can_be_maintained(component):
            return False
        units = self._new.frame_units(component)
        self.maintained |= {*component.predicates}
        self._copy(units)
        self._new.reuse(component, next(p for p in self._old.placed.placements if p.relations == component.predicates))
        self._new.inputs_to_spark(component)
        for unit in units:
            other = self._rule_delta(unit)
            if other:
                self.frames.rule_deltas[unit.relations] = other
            self._compare(unit.uses - set(unit.relations))
            if self.frames.is_touched(unit):
                started = time.perf_counter()
                self.frames.apply(unit)
                self.visits.append(Visit(unit, is_evaluated=bool(other), seconds=time.perf_counter() - started))
        return True

    def _can_be_maintained(self, component: Component) -> bool:
        was, new, old = self._components.get(component.predicates), self._new, self._old
        if not self._is_wanted or was is None or old.where_of(was.predicates[0]) is not Where.ROUNDS:
            return False
        units = new.frame_units(component)
        if any(isinstance(operator, Closure) for unit in units for operator in unit.operators.values()):
            return False
        # Facts are partitioned by the columns that rules pass on (`pivots`), which new rules may change.
        known = {name: self._before[name].by for unit in units for name in unit.relations if name in self._before}
        return all(new.exchange.pivots.get(name, ()) == by for name, by in known.items())

    def _copy(self, units: Iterable[Unit]) -> None:
        """Copy the facts of units from the old engine; relations that only new rules have are empty."""
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
        """Record the deltas of relations that were derived anew."""
        sets, deltas = self.frames.sets, self.frames.deltas
        for name in names:
            if name in self._affected and name in self._before and name not in self.maintained | self._compared:
                self._compared.add(name)
                now, was = self._new.exchange.relations[name], self._before[name]
                if delta := Delta(sets.outside(now, was), sets.outside(was, now)):
                    deltas[name] = delta

    # --- rules -----------------------------------------------------------------------------------------------------------

    def _rule_delta(self, unit: Unit) -> RuleDelta:
        difference = self._difference
        numbers = _numbers(difference.after)
        added = {rule.origin for rule in unit.rules if numbers[rule.origin] in difference.added}
        parts = _parts(self._old, difference.before)
        last = [
            parts[number].rules[-1] for number in difference.removed if number in parts
        ]  # the others derive internal relations
        removed = [self._as_it_was(rule) for rule in last if rule.head.predicate in unit.relations]
        return RuleDelta(frozenset(added), tuple(removed))

    def _as_it_was(self, rule: CoreRule) -> CoreRule:
        """A removed rule, over the relations that its aggregates and functions had."""

        def renamed(atom: Atom) -> Atom:
            return replace(atom, predicate=self._name(atom.predicate))

        def named(literal: Literal) -> Literal:
            if isinstance(literal, Atom):
                return renamed(literal)
            return replace(literal, atom=renamed(literal.atom)) if isinstance(literal, Negation) else literal

        return replace(rule, body=tuple(map(named, rule.body)))

    def _name(self, name: str) -> str:
        """The new name of an old relation; internal relations of removed rules get names of their own."""
        return self._names.get(name, f"#gone {name}") if name.startswith("#") else name


def _numbers(live: LiveRules) -> tuple[int, ...]:
    """The numbers of rules by their positions in the program."""
    return tuple(live.components.rules)


def _parts(engine: SparkEngine, live: LiveRules) -> Mapping[int, Part]:
    numbers = _numbers(live)
    return {numbers[at]: part for at, part in engine.frame_core.parts.items()}


def _names_that_stay(difference: RuleDifference, old: SparkEngine, new: SparkEngine) -> dict[str, str]:
    """Old to new names of the internal relations of rules that stay; they have numbers in their names."""
    before, after = _parts(old, difference.before), _parts(new, difference.after)
    pairs = [zip(part.arities, after[number].arities, strict=True) for number, part in before.items() if number in after]
    return {one: other for some in pairs for one, other in some}
