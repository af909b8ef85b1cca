"""The delta rules of a unit, as sets that are kept: made for all relations that have changed so far, to serve changes of any.

Updates of many relations change ever other ones together, and rules made for just these would hardly ever be used again. Where
a relation that a set covers has not changed, its table `#plus R` or `#minus R` is empty, and its rules find nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

import numpy as np

from tidelog.core.rules import CoreRule
from tidelog.local.evaluation.fused_rules import Entry, FusedRules
from tidelog.local.maintenance.delta.delta_rules import DeltaRules
from tidelog.local.maintenance.delta.deltas import Deltas
from tidelog.local.maintenance.unit_runtime import UnitRuntime
from tidelog.local.storage.state import State
from tidelog.syntax.tree import Atom, Negation

_MANY_RULES = 256
"""A rule has as many delta rules as there are sets of its literals that may have changed: so many are too many."""


@dataclass(frozen=True, slots=True)
class Changed:
    """Relations into which facts were inserted, and from which facts were deleted, or may have been."""

    plus: frozenset[str]
    minus: frozenset[str]

    def __or__(self, other: Changed) -> Changed:
        return Changed(self.plus | other.plus, self.minus | other.minus)

    def __le__(self, other: Changed) -> bool:
        return self.plus <= other.plus and self.minus <= other.minus

    def has_many_rules(self, rules: Iterable[CoreRule], own: Set[str]) -> bool:
        """Whether too many delta rules would be made from some rules for these relations."""
        count = 0
        for rule in rules:
            lost = [x for x in rule.body if isinstance(x, Atom) and x.predicate in self.minus and x.predicate not in own]
            gained = [x for x in rule.body if isinstance(x, Negation) and x.atom.predicate in self.plus]
            count += (1 << len(lost) + len(gained)) - 1
        return count > _MANY_RULES


NOTHING_CHANGED = Changed(frozenset(), frozenset())


class Coverage:
    """The relations whose changes a set of delta rules covers, and their tables."""

    def __init__(self, state: State, changed: Changed) -> None:
        self.changed, self._state = changed, state
        self._tables = {(name, True): state.helpers[f"#plus {name}"] for name in changed.plus}
        self._tables |= {(name, False): state.helpers[f"#minus {name}"] for name in changed.minus}

    def as_deltas(self) -> Deltas:
        """Deltas that have no rows, for rules to be made from them."""
        return Deltas.of_changed(self._state, self.changed.plus, self.changed.minus)

    def empty_all_but(self, now: Changed) -> None:
        """Empty the tables of all relations but those that have changed now."""
        for name, inserted in self._tables.keys() & self._state.filled:
            if name not in (now.plus if inserted else now.minus):
                table = self._tables[name, inserted]
                table.refill(np.empty((0, table.arity), np.int32))
                self._state.filled.discard((name, inserted))


@dataclass(slots=True)
class DeletionRules:
    """The rules of a unit's deletions, for changes of certain relations."""

    coverage: Coverage
    has_unchanged_keys: bool
    """Whether `DeltaRules.unchanged_keys` has any."""
    losing: list[Entry]
    """For instances that deltas of lower relations have taken away."""
    propagating: list[Entry]
    """For instances that lose a fact of the unit itself."""
    losing_fused: FusedRules | None = None
    propagating_fused: FusedRules | None = None
    last: list[tuple[str, str | None, str | None]] | None = None
    """The relations that changed the last time, with their tables ..."""
    now: Changed = NOTHING_CHANGED
    """... which say the same."""


@dataclass(slots=True)
class InsertionRules:
    """The rules of a unit for instances that changes of certain relations bring."""

    rules: list[tuple[CoreRule, CoreRule]]
    """Each with the one that it was made from."""
    by_table: frozenset[str]
    """Relations whose inserted facts they join from `#plus`; of others, these are the last rows of the relation itself."""
    coverage: Coverage | None = None
    """None if the rules are for one update only."""
    fused: FusedRules | None = None
    """All rules of the unit, these among them, in one call of the kernel."""


def without_deltas(runtime: UnitRuntime) -> InsertionRules:
    """The rules for an update that only appends to lower relations, so that ranges of rows say it all."""
    return runtime.kept(InsertionRules, "ranges") or runtime.keep(InsertionRules([], frozenset()), "ranges")


def insertion_rules(runtime: UnitRuntime, changed: Sequence[str], deltas: Deltas) -> InsertionRules:
    """Rules for instances that changes of lower relations bring, of these and of others that changed before."""
    unit, state = runtime.unit, runtime.state
    if deltas.may_join_all:  # which depends on how much has changed
        made = DeltaRules(runtime, deltas)
        rules = [(variant, rule) for rule in unit.rules for variant in made.gained(rule)]
        plus = frozenset(name for name in changed if deltas.of[name].begin is None and deltas.of[name].has_gained)
        return InsertionRules(rules, plus)
    known = runtime.kept(InsertionRules)
    inserted = [name for name in changed if deltas.of[name].begin is None and name in runtime.read_positively]
    deleted = [name for name in changed if name in unit.uses_negatively]
    now = Changed(frozenset(filter(deltas.plus, inserted)), frozenset(filter(deltas.minus, deleted)))
    if known is None or known.coverage is None or not now <= known.coverage.changed:
        before = known.coverage.changed if known is not None and known.coverage is not None else NOTHING_CHANGED
        coverage = Coverage(state, now | before)
        made = DeltaRules(runtime, coverage.as_deltas())
        rules = [(variant, rule) for rule in unit.rules for variant in made.gained(rule)]
        known = runtime.keep(InsertionRules(rules, coverage.changed.plus, coverage))
    assert known.coverage is not None
    only_grew = frozenset(name for name in changed if name in known.by_table and deltas.plus(name))
    known.coverage.empty_all_but(now | Changed(only_grew, now.minus))
    return known
