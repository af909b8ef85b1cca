"""Rules for changes are made for all relations of a unit that have changed so far, and serve for changes of any of them.

Updates of many relations change ever other ones together, and rules made for just these would hardly ever be found again. Where
a relation that is foreseen has not changed, the table of what came or went of it is empty, and its rules find nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

import numpy as np

from tidelog.core.rules import CoreRule, Unit, positive_atoms
from tidelog.local.maintenance.deltas import Deltas
from tidelog.local.storage.state import State
from tidelog.syntax.tree import Atom, Negation

_MANY_RULES = 256
"""A rule has as many for changes as there are sets of its literals that may have changed: so many are too many."""


@dataclass(frozen=True, slots=True)
class Changed:
    """Relations of which facts came and went, or may have."""

    plus: frozenset[str]
    minus: frozenset[str]

    def __or__(self, other: Changed) -> Changed:
        return Changed(self.plus | other.plus, self.minus | other.minus)

    def __le__(self, other: Changed) -> bool:
        return self.plus <= other.plus and self.minus <= other.minus

    def has_many_rules(self, rules: Iterable[CoreRule], own: Set[str]) -> bool:
        """Whether too many rules would be made from some for these relations."""
        count = 0
        for rule in rules:
            lost = [x for x in rule.body if isinstance(x, Atom) and x.predicate in self.minus and x.predicate not in own]
            gained = [x for x in rule.body if isinstance(x, Negation) and x.atom.predicate in self.plus]
            count += (1 << len(lost) + len(gained)) - 1
        return count > _MANY_RULES


NOTHING_CHANGED = Changed(frozenset(), frozenset())


class Foreseen:
    """What has been foreseen, and the tables of facts that came and went."""

    def __init__(self, state: State, changed: Changed) -> None:
        self.changed, self._state = changed, state
        self._tables = {(name, True): state.helpers[f"#plus {name}"] for name in changed.plus}
        self._tables |= {(name, False): state.helpers[f"#minus {name}"] for name in changed.minus}

    def as_deltas(self) -> Deltas:
        """Deltas that have no rows, for rules to be made from them."""
        return Deltas.of_changed(self._state, self.changed.plus, self.changed.minus)

    def empty_all_but(self, now: Changed) -> None:
        """Let nothing have come or gone but of the relations that have changed now."""
        for name, inserted in self._tables.keys() & self._state.filled:
            if name not in (now.plus if inserted else now.minus):
                table = self._tables[name, inserted]
                table.refill(np.empty((0, table.arity), np.int32))
                self._state.filled.discard((name, inserted))


@dataclass(slots=True)
class Gaining:
    """The rules of a unit for instances that changes of certain relations bring."""

    rules: list[tuple[CoreRule, CoreRule]]
    """Each with the one that it was made from."""
    by_table: frozenset[str]
    """Relations of which they join what came from a table; of others, these are the last rows of the relation itself."""


@dataclass(slots=True)
class _Foreseeing(Gaining):
    """Those for relations that have changed so far."""

    foreseen: Foreseen
    read: frozenset[str]
    """The relations that the unit reads, not only under negation."""


def gaining(unit: Unit, changed: Sequence[str], deltas: Deltas) -> Gaining:
    """Rules for instances that changes of relations below a unit bring, of these and of others that changed before."""
    state, own = deltas.state, set(unit.relations)
    if deltas.may_take_all:  # which depends on how much has changed
        rules = [(variant, rule) for rule in unit.rules for variant in deltas.gaining(rule, own)]
        return Gaining(rules, frozenset(name for name in changed if deltas.of[name].begin is None and deltas.of[name].has_gained))
    key = ("gaining", id(unit))
    known: _Foreseeing | None = state.variants.get(key)
    read = known.read if known is not None else frozenset(name for rule in unit.rules for _, name in positive_atoms(rule))
    inserted = [name for name in changed if deltas.of[name].begin is None and name in read]
    deleted = [name for name in changed if name in unit.uses_negatively]
    now = Changed(frozenset(filter(deltas.plus, inserted)), frozenset(filter(deltas.minus, deleted)))
    if known is None or not now <= known.foreseen.changed:
        foreseen = Foreseen(state, now if known is None else now | known.foreseen.changed)
        assumed = foreseen.as_deltas()
        rules = [(variant, rule) for rule in unit.rules for variant in assumed.gaining(rule, own)]
        known = state.variants[key] = _Foreseeing(rules, foreseen.changed.plus, foreseen, read)
    only_grew = frozenset(name for name in changed if name in known.by_table and deltas.plus(name))
    known.foreseen.empty_all_but(now | Changed(only_grew, now.minus))
    return known
