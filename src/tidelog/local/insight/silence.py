"""Warnings of rules that have found nothing, where the kinds of the values at hand are why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tidelog.core.schema import Schema
from tidelog.core.statistics import Statistics
from tidelog.functions.signatures import ANY, Type
from tidelog.local.engine import LocalEngine
from tidelog.local.storage.tables import Table
from tidelog.program.checks.values_at_hand import never_holds
from tidelog.program.same_as import OWN
from tidelog.surface.logs import warn_of
from tidelog.syntax.tree import Atom, Rule

_LOOKS = 100
"""So many updates are looked at: the facts that rules may join have come by then, in most programs with the first."""
_MOST_ROWS = 2_000_000
"""Larger relations are not looked through: their columns may hold anything."""

_OF_ANYTHING = "triple"
"""The relation of all triples: its columns may hold anything, and rules over it are about what may come."""
_EXPECTED = "inconsistent"
"""The relation of contradictions: to find none is what everybody hopes for."""


class Silence:
    """The rules that have found nothing yet, and have not been looked at."""

    def __init__(self) -> None:
        self._waiting: set[int] | None = None
        self.looks = _LOOKS
        """How many more updates are looked at."""

    def copy(self) -> Silence:
        """The same, for a copy of the knowledge base: users know what they have been told."""
        result = Silence()
        result._waiting, result.looks = None if self._waiting is None else set(self._waiting), self.looks
        return result

    def look(self, engine: LocalEngine, schema: Schema, done: Statistics, added: Iterable[int] = ()) -> None:
        """Warn of the rules that an evaluation has found no instance of, if there can be none; once of each."""
        if self._waiting is None:
            self._waiting = set(engine.core.parts)
        self._waiting.update(engine.core.parts.keys() & set(added))
        self._waiting.difference_update([one.rule for one in done.rounds if one.derivations])
        self.looks -= 1
        if not self._waiting:
            self.looks = 0
            return
        columns, printer, rules = _Columns(engine), schema.program.printer, schema.rules
        for number in sorted(self._waiting):
            if number not in rules or _is_expected(rules[number]):  # it has been removed, or finds mistakes
                self._waiting.discard(number)
            elif _has_facts(engine, rules[number]):
                self._waiting.discard(number)
                if (found := never_holds(rules[number], columns, printer)) is not None:
                    warn_of(found)


def _is_expected(rule: Rule) -> bool:
    return rule.head.predicate == _EXPECTED or (rule.name or "").startswith(OWN)


def _has_facts(engine: LocalEngine, rule: Rule) -> bool:
    """Whether no relation is empty that a rule joins."""
    held = (engine.stored(atom.predicate) for atom in rule.body if isinstance(atom, Atom))
    return all(stored is not None and (not isinstance(stored, Table) or len(stored)) for stored in held)


class _Columns(Mapping[str, tuple[Type, ...]]):
    """The kinds of values in the columns of relations, found when they are asked for."""

    def __init__(self, engine: LocalEngine) -> None:
        self._engine = engine
        self._found: dict[str, tuple[Type, ...]] = {}

    def __getitem__(self, name: str) -> tuple[Type, ...]:
        if name not in self._found:
            stored = self._engine.stored(name)
            if stored is None:
                raise KeyError(name)
            if isinstance(stored, Table) and len(stored) <= _MOST_ROWS and name != _OF_ANYTHING:
                self._found[name] = self._kinds(stored)
            else:
                self._found[name] = (ANY,) * (stored.arity if isinstance(stored, Table) else 2)
        return self._found[name]

    def _kinds(self, table: Table) -> tuple[Type, ...]:
        terms, rows = self._engine.state.terms, table.rows
        return tuple(frozenset(terms.kinds_of(rows[:, column])) for column in range(table.arity))

    def __iter__(self) -> Iterator[str]:
        return iter(self._engine.state.tables)

    def __len__(self) -> int:
        return len(self._engine.state.tables)
