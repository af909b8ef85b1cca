"""The units of a program in evaluation order, while rules are added and removed.

This is the part of ZodiacEdge's Algorithms 2 to 4 (Xu and Curé, 2023) that decides what a rule change evaluates again: the units
of the components that `program.changes.components` merged, split, or gave other rules (`Structure.changed`).  The paper keeps
the derived facts of each hyper-node, and evaluates a hyper-node.  We keep one row per fact, and several hyper-nodes can derive
one predicate, so we evaluate units of components of predicates.

A structure is immutable; a change builds the next version, so that rollback keeps the old one.  A unit whose rules stay keeps its
number, and with it its plans and measured costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tidelog.core.closed_relations import NO_CLOSED_RELATIONS, ClosedRelations, closed_by
from tidelog.core.rewriting import part_of, units_of
from tidelog.core.rules import Core, CoreRule, FunctionCalls, Part, Unit, given_name
from tidelog.program import hypergraph
from tidelog.program.changes.components import Component, body_of
from tidelog.program.changes.live_rules import LiveRules, RuleDifference
from tidelog.program.changes.versions import new_version
from tidelog.program.modules import find_modules
from tidelog.program.same_as import REPRESENTATIVE


@dataclass(frozen=True, slots=True)
class Structure:
    """The units of a program, their order, and which unit reads or derives which relation."""

    core: Core
    units: Mapping[int, Unit]
    order: Mapping[int, Any]
    """The sort key of each unit."""
    readers: Mapping[str, tuple[int, ...]]
    """The units that read a relation."""
    deriver: Mapping[str, int]
    """The unit that derives a relation."""
    of_component: Mapping[Component, tuple[int, ...]] = field(default_factory=dict)
    """The units of each component; empty until the first rule change."""
    next_unit: int = 0
    last_name: int = 0

    @classmethod
    def of(cls, core: Core) -> Structure:
        """The structure of a program before any rule change."""
        readers: dict[str, list[int]] = {}
        for number, unit in enumerate(core.units):
            for name in unit.uses:
                readers.setdefault(name, []).append(number)
        numbers = range(len(core.units))
        return cls(
            core,
            dict(enumerate(core.units)),
            dict(zip(numbers, numbers, strict=True)),
            {name: tuple(found) for name, found in readers.items()},
            {name: number for number, unit in enumerate(core.units) for name in unit.relations},
            next_unit=len(numbers),
            last_name=core.last_name,
        )

    def numbers_in_order(self) -> list[int]:
        """The numbers of all units, in an order in which they can be evaluated."""
        return sorted(self.units, key=self.order.__getitem__)

    def has_requests(self, name: str) -> bool:
        """Whether a unit that reads or derives a relation calls functions, or requests groups from its own recursion."""
        numbers = (*self.readers.get(name, ()), *((self.deriver[name],) if name in self.deriver else ()))
        units = (self.units[number] for number in numbers)
        return any(unit.stages or any(isinstance(s, FunctionCalls) for s in unit.operators.values()) for unit in units)

    def prepared(self, live: LiveRules) -> Structure:
        """The structure with units grouped by component, which rule changes need."""
        if self.of_component:
            return self
        of = live.components.of
        grouped: dict[Component, list[int]] = {}
        for number, unit in self.units.items():
            grouped.setdefault(of[unit.owner], []).append(number)
        of_component = {component: tuple(numbers) for component, numbers in grouped.items()}
        label = live.components.label
        order = {number: (label[component], at) for component, numbers in grouped.items() for at, number in enumerate(numbers)}
        return replace(self, of_component=of_component, order=order)

    # --- rule changes ----------------------------------------------------------------------------------------------------

    def changed(self, difference: RuleDifference, *, modules: bool, only_whole: bool = False) -> StructureChange:
        """The structure after a change of rules, and how it differs from this one; `modules` as in `core_of`."""
        return _Restructuring(self, difference, use_modules=modules, only_whole=only_whole).run()


@dataclass(slots=True)
class UnitChange:
    """A unit that is new or has changed."""

    removed: tuple[CoreRule, ...]
    """Rules that derived its relations and were removed."""
    added: tuple[CoreRule, ...]
    before: tuple[Unit, ...]
    """The units that its relations belonged to."""
    has_new_operators: bool

    @property
    def is_affected(self) -> bool:
        """Whether its relations may hold other facts even if all that it reads is the same."""
        return bool(self.removed or self.added or self.has_new_operators)


@dataclass(slots=True)
class StructureChange:
    """The difference between two structures."""

    before: Structure
    after: Structure
    units: dict[int, UnitChange]
    """The units that are new or not what they were."""
    dropped: dict[int, Unit]
    """Those that are there no more, nor any with the same number, by their numbers."""
    became_virtual: list[str]
    became_stored: list[str]
    """Relations whose pairs are no longer stored, or are stored again."""
    new_relations: list[str]
    """Relations that did not exist before."""


class _Restructuring:
    """Builds the structure after a rule change, from the structure before and the difference of the rules."""

    def __init__(self, before: Structure, difference: RuleDifference, *, use_modules: bool, only_whole: bool) -> None:
        self.before, self.difference = before.prepared(difference.before), difference
        self.use_modules, self.only_whole = use_modules, only_whole
        self.live = difference.after
        self.same_as = REPRESENTATIVE in self.live.program.relations
        core = before.core
        self.core = Core(new_version(core.arities), given=new_version(core.given), parts=new_version(core.parts))
        self.units, self.of_component = new_version(self.before.units), new_version(self.before.of_component)
        self.readers, self.deriver = new_version(before.readers), new_version(before.deriver)
        self.next_unit, self.last_name = before.next_unit, before.last_name
        self.changes: dict[int, UnitChange] = {}
        self.removed_units: dict[int, Unit] = {}
        """Units of before that were removed; those that did not change are entered again."""
        self.converted: dict[str, bool] = {}
        """Relations whose storage changes: whether they are virtual now."""
        self.named: set[str] = set()
        """Relations that may be new."""

    def run(self) -> StructureChange:
        difference, live = self.difference, self.live
        for number in difference.removed:
            self._drop_part(number)
        for name in difference.forgotten:
            self.core.arities.pop(name, None)
        added = (live.components.rules[number] for number in difference.added)
        mentioned = (name for rule in added for name in (rule.head.predicate, *body_of(rule)))
        for name in (*mentioned, *difference.taken_up):  # some are declared, and no rule mentions them
            self.core.arities.setdefault(name, live.program.relations[name].arity)
            self.named.add(name)
        old, new = difference.before.components, live.components
        heads = {old.rules[number].head.predicate for number in difference.removed}
        names = heads.union(*(component.predicates for component in difference.components))
        touched = dict.fromkeys(old.of[name] for name in sorted(names) if name in old.of)
        self._remove_units(touched)
        for name in (name for component in touched for name in component.predicates if name not in new.of):
            self._convert(name, is_virtual=False)
        self._rebuild(difference.components)
        components = set(difference.components)
        if self.converted:
            readers = {number for name in self.converted for number in self.readers.get(name, ())}
            others = {new.of[self.units[number].owner] for number in readers}
            self._rewrite_aggregates(others)
            for component in others:
                self._rebuild_for_storage(component)
            components |= others
        return self._result(components)

    def _remove_units(self, components: Iterable[Component]) -> None:
        """Remove the units of some components."""
        for component in components:
            for number in self.of_component.pop(component, ()):
                unit = self.units.pop(number)
                if number in self.before.units:
                    self.removed_units[number] = unit
                self.changes.pop(number, None)
                for name in unit.uses:
                    left = tuple(other for other in self.readers[name] if other != number)
                    if left:
                        self.readers[name] = left
                    else:
                        del self.readers[name]
                for name in unit.relations:
                    del self.deriver[name]

    def _rebuild(self, components: Iterable[Component]) -> None:
        """Build the units of some components; a unit equal to one of before keeps its number and object."""
        for component in sorted(components, key=self.live.components.label.__getitem__):
            numbers: list[int] = []
            for unit in self._units_of(component):
                number = self.before.deriver.get(unit.relations[0], -1)
                if number in self.removed_units and self.removed_units[number] == unit:
                    unit = self.removed_units[number]  # noqa: PLW2901
                else:
                    number = self._next_number()
                    self.changes[number] = _compared(unit, self.before)
                self._enter(number, unit)
                numbers.append(number)
            if numbers:
                self.of_component[component] = tuple(numbers)

    def _rewrite_aggregates(self, components: Iterable[Component]) -> None:
        """Give rules another core form that aggregate a relation whose pairs are not stored any more, or are again."""
        for component in components:
            parts = {number: self.core.parts.get(number) for number in self.live.components.rules_of(component)}
            if dropped := [
                number for number, part in parts.items() if part is not None and part.aggregates_otherwise(self.converted)
            ]:
                for number in dropped:
                    self._drop_part(number)
                self._remove_units([component])
                self._rebuild([component])

    def _rebuild_for_storage(self, component: Component) -> None:
        """Give the units of a component new objects for the same rules, because plans of the old objects read other storage."""
        units = [self.units[number] for number in self.of_component[component]]
        changed = [self.changes.get(number) for number in self.of_component[component]]
        self._remove_units([component])
        other: dict[int, CoreRule] = {}
        for number in self.live.components.rules_of(component):
            if (part := self.core.parts.get(number)) is not None:
                rules = tuple(replace(rule) for rule in part.rules)
                other.update(zip((rule.serial for rule in part.rules), rules, strict=True))
                self.core.parts[number] = replace(part, rules=rules)
        numbers: list[int] = []
        for unit, change in zip(units, changed, strict=True):
            renewed = _with_rules(unit, other)
            number = self._next_number()
            self.changes[number] = _compared(renewed, self.before) if change is not None else UnitChange((), (), (unit,), False)
            self._enter(number, renewed)
            numbers.append(number)
        self.of_component[component] = tuple(numbers)

    def _next_number(self) -> int:
        self.next_unit += 1
        return self.next_unit - 1

    def _enter(self, number: int, unit: Unit) -> None:
        """Register a unit under its number."""
        self.units[number] = unit
        for name in unit.uses:
            self.readers[name] = (*self.readers.get(name, ()), number)
        for name in unit.relations:
            self.deriver[name] = number

    def _units_of(self, component: Component) -> list[Unit]:
        numbers = self.live.components.rules_of(component)
        closed = self._closed(numbers)
        for name in component.predicates:
            self._convert(name, is_virtual=name in closed.closures)
        parts: list[Part] = []
        for number in numbers:
            if number in closed.closing:
                self._drop_part(number)
                continue
            rule = self.live.components.rules[number]
            if number not in self.core.parts:
                part, self.last_name = part_of(
                    rule, number, self.last_name, self.core.given, directly=not self.only_whole, same_as=self.same_as
                )
                self.core.arities.update(part.arities)
                self.named.update(part.arities)
            else:
                part = self.core.parts[number]
            external = (closed.external[number],) if number in closed.external else ()
            self.core.parts[number] = part = part.placed(self.core.stored_name(rule.head.predicate), external)
            parts.append(part)
        return units_of(parts, closed.closures)

    def _drop_part(self, number: int) -> None:
        part = self.core.parts.pop(number, None)
        for name in part.arities if part is not None else ():
            self.core.arities.pop(name)

    def _closed(self, numbers: list[int]) -> ClosedRelations:
        """What is closed in a component, of which these are the rules."""
        components = self.live.components
        if not self.use_modules or not any(map(components.is_recursive, numbers)):
            return NO_CLOSED_RELATIONS
        rules = [components.rules[number] for number in numbers]
        names = dict.fromkeys(name for rule in rules for name in (rule.head.predicate, *sorted(body_of(rule))))
        modules = find_modules(rules, hypergraph.build(rules, tuple(names)))
        return closed_by(modules, numbers, only_whole=self.only_whole)

    def _convert(self, name: str, *, is_virtual: bool) -> None:
        """Record whether a relation is virtual now."""
        if is_virtual == (name in self.core.given):
            return
        given = given_name(name)
        if is_virtual:
            self.core.given[name] = given
            self.core.arities[given] = 2
            self.named.add(given)
        else:
            del self.core.given[name], self.core.arities[given]
        self.converted[name] = is_virtual

    def _result(self, components: set[Component]) -> StructureChange:
        new, moved = self.live.components.label, self.live.components.moved & self.live.components.label.keys()
        order = new_version(self.before.order)
        for number in self.removed_units:
            del order[number]
        for component in components.union(moved):
            for at, number in enumerate(self.of_component.get(component, ())):
                order[number] = new[component], at
        after = Structure(
            self.core, self.units, order, self.readers, self.deriver, self.of_component, self.next_unit, self.last_name
        )
        return StructureChange(
            self.before,
            after,
            self.changes,
            {number: unit for number, unit in self.removed_units.items() if self.units.get(number) is not unit},
            [name for name, is_virtual in self.converted.items() if is_virtual],
            [name for name, is_virtual in self.converted.items() if not is_virtual],
            [name for name in sorted(self.named) if name in self.core.arities and name not in self.before.core.arities],
        )


def _with_rules(unit: Unit, other: Mapping[int, CoreRule]) -> Unit:
    """A unit with other objects for its rules, by the serial numbers of those that it has."""
    stages = tuple(_with_rules(stage, other) for stage in unit.stages)
    return replace(unit, rules=tuple(other[rule.serial] for rule in unit.rules), stages=stages)


def _compared(unit: Unit, structure: Structure) -> UnitChange:
    """How a unit differs from the units that derived its relations before."""
    numbers = dict.fromkeys(structure.deriver[name] for name in unit.relations if name in structure.deriver)
    before = tuple(structure.units[number] for number in numbers)
    had = dict.fromkeys(rule for other in before for rule in other.rules if rule.head.predicate in unit.relations)
    has = dict.fromkeys(unit.rules)
    operators = {name: operator for other in before for name, operator in other.operators.items()}
    return UnitChange(
        tuple(rule for rule in had if rule not in has),
        tuple(rule for rule in has if rule not in had),
        before,
        any(operators.get(name) != operator for name, operator in unit.operators.items()),
    )
