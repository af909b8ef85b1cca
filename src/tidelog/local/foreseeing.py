"""Rules for changes are made for all relations of a unit that have changed so far, and serve for changes of any of them.

Updates of many relations change ever other ones together, and rules made for just these would hardly ever be found again. Where
a relation that is foreseen has not changed, the table of what came or went of it is empty, and its rules find nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass

import numpy as np

from tidelog.local.core import CoreRule
from tidelog.local.deltas import Deltas
from tidelog.local.state import State
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
        for name, came in self._tables.keys() & self._state.filled:
            if name not in (now.plus if came else now.minus):
                table = self._tables[name, came]
                table.refill(np.empty((0, table.arity), np.int32))
                self._state.filled.discard((name, came))
