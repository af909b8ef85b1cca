"""The plan cache: plans of rules that run repeatedly, valid while table sizes stay similar."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace

from tidelog.core.rules import CoreRule
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.kernel import layout
from tidelog.local.planning.join_order import ROW_COUNT_SLACK, plan
from tidelog.local.planning.plan import Plan
from tidelog.local.storage.state import State
from tidelog.syntax.tree import Atom, Literal, Negation

_ANOTHER_SIZE = 4
"""A plan is valid until the rows of an atom have grown or shrunk by this factor."""


class PlanCache:
    """The plans of some rules, by rule and by the atom whose delta they join."""

    def __init__(self) -> None:
        self._plans: dict[tuple[int, int | None], tuple[Plan, list[int]]] = {}
        self._variants: dict[tuple[int, Hashable], CoreRule] = {}

    def __len__(self) -> int:
        return len(self._plans)

    def plan(self, rule: CoreRule, state: State, delta: int | None = None) -> Plan:
        """The plan of a rule; planned again where sizes differ much from those that it was planned for."""
        sizes = _sizes(rule, state, delta)
        known = self._plans.get((rule.serial, delta))
        if known is not None and known[0].can_walk(state) and _are_alike(sizes, known[1]):
            return known[0]
        made = plan(rule, state, delta)
        self._plans[rule.serial, delta] = made, sizes
        return made

    def variant(self, rule: CoreRule, what: Hashable, body: tuple[Literal, ...]) -> CoreRule:
        """A rule with another body; the same object each time, so that its plan is found again."""
        known = self._variants.get((rule.serial, what))
        if known is None:
            known = self._variants[rule.serial, what] = replace(rule, body=body)
        return known

    def inherit(self, other: PlanCache, rules: Iterable[CoreRule]) -> None:
        """Take over the plans that another cache has for some rules."""
        for rule in rules:
            for delta in (None, *range(len(rule.body))):
                if (rule.serial, delta) in other._plans:
                    self._plans[rule.serial, delta] = other._plans[rule.serial, delta]

    def clear(self) -> None:
        """Forget all plans."""
        self._plans.clear()
        self._variants.clear()


def _are_alike(sizes: list[int], before: list[int]) -> bool:
    return all(size <= _ANOTHER_SIZE * old and old <= _ANOTHER_SIZE * size for size, old in zip(sizes, before, strict=True))


def _sizes(rule: CoreRule, state: State, delta: int | None) -> list[int]:
    """How many rows the atoms of a rule see, plus some slack; of a virtual relation, its nodes."""
    sizes: list[int] = []
    for at, literal in enumerate(rule.body):
        atom = literal.atom if isinstance(literal, Negation) else literal
        if isinstance(atom, Atom):
            stored = state.stored(atom.predicate)
            span = layout.DELTA if at == delta else layout.WHOLE
            rows = stored.longest_list if isinstance(stored, VirtualRelation) else stored.length_of(span)
            sizes.append(ROW_COUNT_SLACK + rows)
    return sizes
