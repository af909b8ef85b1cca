"""What the engine keeps for one unit between updates: plans, delta rules, helper tables and costs.

The runtime of a unit owns all of it. Helper tables are named after the unit's number, so no two units share one, and retiring a
unit drops its runtime as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tidelog.core.rules import CoreRule, Unit, positive_atoms
from tidelog.local.evaluation.fused_rules import Entry, FusedRules
from tidelog.local.maintenance.costs import Costs
from tidelog.local.planning.plan_cache import PlanCache
from tidelog.local.storage.state import State
from tidelog.local.storage.tables import Table
from tidelog.syntax.tree import Atom, Literal

T = TypeVar("T")
_MOST_RULES, _MORE_A_RELATION = 1_000, 64
"""So many delta rules and plans are kept, and so many more for each relation: updates of many relations need ever other ones."""


class UnitRuntime:
    """Everything that is kept for a unit."""

    def __init__(self, tag: str, unit: Unit, state: State) -> None:
        """`tag` tells the unit from all others; names of its helper tables contain it."""
        self.tag, self.unit, self.state = tag, unit, state
        self.plans, self.costs = PlanCache(), Costs()
        self._rules: dict[Hashable, CoreRule] = {}
        self._fused: dict[tuple[tuple[int, int | None], ...], FusedRules] = {}
        self._kept: dict[tuple[type, Hashable], Any] = {}
        self._tables: dict[str, None] = {}

    # --- rules -----------------------------------------------------------------------------------------------------------

    def rule(self, key: Hashable, make: Callable[[], CoreRule]) -> CoreRule:
        """A rule that is made once, so that its plan is found again."""
        known = self._rules.get(key)
        if known is None:
            known = self._rules[key] = make()
        return known

    def variant(self, rule: CoreRule, what: Hashable, body: Iterable[Literal], head: Atom | None = None) -> CoreRule:
        """A rule with another body, and perhaps another head; the same object each time."""
        return self.rule((rule.serial, what), lambda: replace(rule, head=head or rule.head, body=tuple(body)))

    def fused(self, entries: Sequence[Entry]) -> FusedRules:
        """Rules that run once in one call of the kernel; the same object for the same rules."""
        key = tuple((rule.serial, at) for rule, at in entries)
        known = self._fused.get(key)
        if known is None:
            known = self._fused[key] = FusedRules(self.state, self.plans, entries)
        return known

    @cached_property
    def read_positively(self) -> frozenset[str]:
        """The relations that the unit reads, not only under negation."""
        return frozenset(name for rule in self.unit.rules for _, name in positive_atoms(rule))

    # --- helper tables ---------------------------------------------------------------------------------------------------

    def table_name(self, role: str, name: str) -> str:
        """The name of a helper table beside a relation, for rules that join it."""
        return f"#{role} {self.tag} {name}"

    def table(self, role: str, name: str, arity: int, rows: NDArray[np.int32] | None = None) -> Table:
        """A helper table beside a relation: empty, or with some rows."""
        helper = self.table_name(role, name)
        self._tables[helper] = None
        return self.state.helper(helper, arity, rows)

    # --- what algorithms keep --------------------------------------------------------------------------------------------

    def kept(self, kind: type[T], key: Hashable = None) -> T | None:
        """What an algorithm has kept of a type, if anything."""
        found: T | None = self._kept.get((kind, key))
        return found

    def keep(self, thing: T, key: Hashable = None) -> T:
        """Keep something for the next update, one of each type and key."""
        self._kept[type(thing), key] = thing
        return thing

    # --- its life --------------------------------------------------------------------------------------------------------

    def row_count(self) -> int:
        """How many rows the unit, and what it reads, have."""
        tables = self.state.tables
        return sum([len(tables[name]) for name in {*self.unit.uses, *self.unit.relations} if name in tables])

    def with_unit(self, unit: Unit) -> UnitRuntime:
        """The runtime of the same unit with fewer rules, for one update; it shares the costs, and takes over plans."""
        other = UnitRuntime(f"{self.tag}-", unit, self.state)
        other.costs = self.costs
        other.plans.inherit(self.plans, unit.rules)
        return other

    def moved_to(self, state: State) -> UnitRuntime:
        """The runtime of the same unit over another state with the same facts: all that it keeps are the costs."""
        other = UnitRuntime(self.tag, self.unit, state)
        other.costs = self.costs
        return other

    def inherit(self, before: Iterable[UnitRuntime]) -> None:
        """Take over what is known of the units that the relations belonged to before rules changed."""
        others = list(before)
        self.costs = Costs.of_all(other.costs for other in others)
        for other in others:
            self.plans.inherit(other.plans, self.unit.rules)

    def trim(self) -> None:
        """Between two updates: forget plans and delta rules if they are many.  What is needed again is made again."""
        kept = len(self._rules) + len(self.plans)
        if kept > _MOST_RULES and kept > _MOST_RULES + _MORE_A_RELATION * (len(self.unit.uses) + len(self.unit.relations)):
            self.forget()

    def retire(self) -> None:
        """Release everything: the unit is there no more."""
        self.forget()
        self.state.drop_helpers(self._tables)
        self._tables = {}

    def forget(self) -> None:
        """Forget everything that is made again when it is needed."""
        self.plans.clear()
        self._rules, self._fused, self._kept = {}, {}, {}
