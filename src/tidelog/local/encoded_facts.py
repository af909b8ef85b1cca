"""Reads the facts of an update into rows of ids.

Tuples of strings and integers for known relations take a fast path: one by one through the dictionary's id caches or, if they
are many, column by column.  All other facts take the full check of `program.explicit`, which reports everything that is wrong in
one error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

import numpy as np

from tidelog.errors import TidelogError
from tidelog.functions.signatures import ANY
from tidelog.local.storage.dictionary import Dictionary
from tidelog.program.explicit import as_facts
from tidelog.program.program import GroundFact
from tidelog.program.relations import Relation
from tidelog.values import Kind, Value, from_python

_MANY = 64
"""Larger updates are read column by column."""
_A_FEW = 4
"""In at most so many facts, new values are encoded one by one; in more, all at once."""
Fact = tuple[object, ...]
Columns = tuple[dict[type, dict[Any, int]], ...]
"""For each column of a relation the id caches of the Python types that fit it without conversion."""


@dataclass(slots=True)
class EncodedFacts:
    """The facts of an update, ready to be encoded as rows."""

    terms: Dictionary
    ids: dict[str, dict[tuple[int, ...], None]]
    others: Iterable[GroundFact]
    """Checked facts that are not encoded yet."""
    tables: dict[str, Any] = field(default_factory=dict)
    """Rows of facts that were read column by column."""

    def rows(self) -> dict[str, Any]:
        """The distinct facts as rows of ids, by relation."""
        if not self.ids and not self.others and not self.tables:
            return {}
        for name, values in self.others:
            self.ids.setdefault(name, {})[tuple(self.terms.encode(values).tolist())] = None
        result = {name: np.array(list(rows), np.int32) for name, rows in self.ids.items()}
        for name, table in self.tables.items():
            result[name] = np.unique(np.concatenate([result[name], table]), axis=0) if name in result else table
        return result


@dataclass(slots=True)
class EncodedUpdate:
    """An update as rows of ids, by relation."""

    deleted: dict[str, Any]
    inserted: dict[str, Any]
    upserted: dict[str, Any]
    """Of several with one key, the last."""
    keys: dict[str, tuple[int, ...]]
    """Of the relations of upserts, the columns that are their keys."""
    relations: int
    """How many relations were known that the program does not mention."""

    def added(self) -> Iterable[tuple[str, Any]]:
        """All facts that will be explicit."""
        return (*self.inserted.items(), *self.upserted.items())

    def all_added(self) -> dict[str, Any]:
        """The same, by relation."""
        both = self.inserted.keys() & self.upserted.keys()
        joined = {name: np.concatenate([self.inserted[name], self.upserted[name]]) for name in both}
        return {**self.inserted, **self.upserted, **joined}


class FactReader:
    """Reads and checks facts of a program's relations."""

    def __init__(
        self,
        terms: Dictionary,
        relation: Callable[[str], Relation | None],
        check: Callable[[Iterable[Fact]], list[GroundFact]],
        name_of: Callable[[str], str] = str,
    ) -> None:
        """`relation` finds relations by name; `check` is the full check of facts, and raises; `name_of` expands prefixes."""
        self._terms, self._relation, self._check, self._name_of = terms, relation, check, name_of
        self._columns: dict[str, Columns] = {}
        self._nothing = EncodedFacts(terms, {}, ())

    def forget_columns(self) -> None:
        """Drop cached columns, since relations may have changed."""
        self._columns.clear()

    def read(self, facts: Iterable[Fact]) -> EncodedFacts:
        """Check all facts before anything changes; the fast path for plain facts, the full check for others."""
        if type(facts) is not list and type(facts) is not tuple:
            facts = as_facts(facts)
        if not facts:
            return self._nothing
        if len(facts) > _MANY:
            return self._read_many(facts)
        ids = self._read_uniform(facts) if len(facts) > _A_FEW else None
        if ids is not None:
            return EncodedFacts(self._terms, ids, ())
        ids = {}
        others = self._read_few(facts, ids, learns=len(facts) <= _A_FEW)
        if len(facts) > _A_FEW and others:
            self._learn(others)
            others = self._read_few(others, ids, learns=True)
        return EncodedFacts(self._terms, ids, self._check(others) if others else (), {})

    def _read_uniform(self, facts: Sequence[Fact]) -> dict[str, dict[tuple[int, ...], None]] | None:
        """Read facts of one relation with one type per column; None if they are not such facts."""
        if set(map(type, facts)) != {tuple} or len(set(map(len, facts))) > 1 or not facts[0]:
            return None
        names, *columns = zip(*facts, strict=True)
        name = names[0]
        if type(name) is not str or names.count(name) < len(names):
            return None
        fitting = self._columns.get(name) or self._prepared_columns(name)
        if not columns or fitting is None or len(fitting) != len(columns):
            return None
        rows: list[list[int]] = []
        for known, column in zip(fitting, columns, strict=True):
            cache = known.get(type(column[0]))
            if cache is None or len(set(map(type, column))) > 1:
                return None
            found = list(map(cache.get, column))
            if None in found:
                with suppress(OverflowError, UnicodeError):  # the full check reports it
                    self._terms.encode_uniform([value for value, known_id in zip(column, found, strict=True) if known_id is None])
                found = list(map(cache.get, column))
                if None in found:
                    return None
            rows.append(found)  # type: ignore[arg-type]  # no None is left
        return {name: dict.fromkeys(zip(*rows, strict=True))}

    def _read_few(self, facts: Sequence[Fact], ids: dict[str, dict[tuple[int, ...], None]], *, learns: bool) -> list[Fact]:
        """Read facts into ids by relation; returns those off the fast path and, unless it `learns`, those with new values."""
        others: list[Fact] = []
        for fact in facts:
            row = self._quick_row(fact, learns=learns)
            if row is None:
                others.append(fact)
            else:
                ids.setdefault(fact[0], {})[row] = None  # type: ignore[arg-type]  # a string, or there would be no row
        return others

    def _learn(self, facts: Iterable[Fact]) -> None:
        """Add the integers and strings of some facts to the dictionary, all at once."""
        values_of: dict[type, dict[Any, None]] = {int: {}, str: {}}
        for fact in facts:
            if type(fact) is tuple:
                for value in fact[1:]:
                    if type(value) in values_of:
                        values_of[type(value)][value] = None
        for values in values_of.values():
            if values:
                with suppress(OverflowError, UnicodeError):  # the full check reports it
                    self._terms.encode_uniform(list(values))

    def _read_many(self, facts: Sequence[Fact]) -> EncodedFacts:
        """Read many facts, column by column where each column has one type that fits it."""
        given: dict[str, list[Fact]] = {}
        others: list[Fact] = []
        for fact in facts:
            if type(fact) is tuple and fact and type(name := fact[0]) is str:
                given.setdefault(name, []).append(fact)
            else:
                others.append(fact)
        groups: dict[str, list[Fact]] = {}
        for name, group in given.items():
            meant = self._name_of(name)
            groups.setdefault(meant, []).extend(group if meant == name else [(meant, *fact[1:]) for fact in group])
        tables: dict[str, list[Fact]] = {}
        for name, group in groups.items():
            if self._is_plain(name, group):
                tables[name] = group
            else:
                others += group
        try:
            encoded = self._encoded(tables)
        except (OverflowError, UnicodeError):  # the full check reports it
            encoded, others = {}, list(facts)
        return EncodedFacts(self._terms, {}, self._check(others) if others else [], encoded)

    def _is_plain(self, name: str, facts: list[Fact]) -> bool:
        """Whether each column of some facts has one type that fits it without conversion."""
        columns = self._columns.get(name) or self._prepared_columns(name)
        if not columns or set(map(len, facts)) != {len(columns) + 1}:
            return False
        for at, known in enumerate(columns, 1):
            types = set(map(type, map(itemgetter(at), facts)))
            if len(types) != 1 or not types <= known.keys():
                return False
        return True

    def _encoded(self, tables: Mapping[str, list[Fact]]) -> dict[str, Any]:
        """Distinct rows of plain facts by relation; all values of a type are encoded at once, since relations may be small."""
        values: dict[type, list[Any]] = {int: [], str: []}
        places: dict[str, list[tuple[type, int, int]]] = {}
        for name, facts in tables.items():
            distinct = list(dict.fromkeys(facts))
            places[name] = []
            for at, value in enumerate(distinct[0][1:], 1):
                alike = values[type(value)]
                places[name].append((type(value), len(alike), len(alike) + len(distinct)))
                alike += map(itemgetter(at), distinct)
        ids = {kind: self._terms.encode_uniform(alike) for kind, alike in values.items() if alike}
        return {name: np.column_stack([ids[kind][begin:end] for kind, begin, end in columns]) for name, columns in places.items()}

    def _quick_row(self, fact: Fact, *, learns: bool) -> tuple[int, ...] | None:
        """The ids of a plain fact's arguments: strings and integers that fit the columns of a known relation; else None."""
        if type(fact) is not tuple or not fact or type(name := fact[0]) is not str:
            return None
        columns = self._columns.get(name)
        if columns is None and (columns := self._prepared_columns(name)) is None:
            return None
        if len(columns) != len(fact) - 1:
            return None
        row, terms = [], self._terms
        for known, value in zip(columns, fact[1:], strict=True):
            ids = known.get(type(value))
            if ids is None:
                return None
            if value in ids:
                row.append(ids[value])
            elif not learns:
                return None
            elif type(value) is int and (found := terms.encode_int(value)) is not None:
                row.append(found)
            elif (fitting := _value(value)) is None:
                return None
            else:
                row.append(terms.encode_one(fitting))
        return tuple(row)

    def _prepared_columns(self, name: str) -> Columns | None:
        """The id caches of each column of a relation; None if it is unknown."""
        relation = self._relation(name)
        if relation is None:
            return None
        types, caches = {Kind.INT: int, Kind.STRING: str}, self._terms.id_caches
        declared = [relation.declared_type(at) for at in range(relation.arity)]
        self._columns[name] = tuple(
            {types[kind]: caches[kind] for kind in types if declares == ANY or kind in declares} for declares in declared
        )
        return self._columns[name]


def _value(thing: object) -> Value | None:
    """The value of a Python object; None if there is none, which the full check reports."""
    try:
        return from_python(thing)
    except TidelogError:
        return None
