"""The triples that match a pattern, found by indexes: what libraries ask that go from one triple to the next.

A join plan for each such question would take longer than the answer.  SPARQL queries are joins of the kernel instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tidelog.core.arrays import Int32s, Rows
from tidelog.core.schema import Schema
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.engine import LocalEngine
from tidelog.local.explaining.access import numbers_with
from tidelog.local.storage.tables import Table
from tidelog.local.triples.triple_rows import TRIPLE
from tidelog.sparql.evaluation.dataset import dataset_of
from tidelog.values import IRI, RDF_TYPE, Kind, Value, from_python

Pattern = Sequence[Value | None]
"""Subject, predicate, object and, where facts say in which graph they are, the graph; None matches everything."""


class _Part(NamedTuple):
    """The facts of one relation that are triples of a pattern."""

    relation: str
    rows: Rows
    fixed: dict[int, str]
    """The places of a triple that the relation's name says, as IRIs."""


class TriplePatterns:
    """Questions about the triples of one state."""

    def __init__(self, engine: LocalEngine, schema: Schema, *, graphs: bool) -> None:
        self.terms = engine.dictionary
        """Values by their ids."""
        self._engine, self._width = engine, 3 + graphs
        self._dataset = dataset_of(schema, graphs=graphs)

    def rows(self, pattern: Pattern) -> Rows:
        """The triples that match, each once, as rows of ids."""
        found = [self._triples(part) for part in self._parts(pattern)]
        if not found:
            return np.empty((0, self._width), np.int32)
        rows = np.concatenate(found)
        return np.unique(rows, axis=0) if self._may_repeat and len(found) > 1 else rows

    def count(self) -> int:
        """How many triples there are."""
        if self._may_repeat:
            return len(self.rows((None,) * self._width))
        dataset = self._dataset
        return sum(
            self._number(part) for part in (*dataset.properties, *dataset.classes, *([TRIPLE] if dataset.has_triples else []))
        )

    def explicit_facts(self, pattern: Pattern) -> list[tuple[Any, ...]]:
        """The explicit facts whose triples match, each with the name of its relation first."""
        found: list[tuple[Any, ...]] = []
        for part in self._parts(pattern):
            rows = part.rows[self._engine.are_explicit(part.relation, part.rows)]
            columns = [self.terms.objects_of(np.ascontiguousarray(ids)).tolist() for ids in rows.T]
            found += zip((part.relation,) * len(rows), *columns, strict=True) if len(rows) else ()
        return found

    # --- relations -------------------------------------------------------------------------------------------------------

    @property
    def _may_repeat(self) -> bool:
        """Whether two facts may be one triple."""
        dataset = self._dataset
        others = bool(dataset.properties or dataset.classes)
        return (dataset.has_triples and others) or (RDF_TYPE in dataset.properties and bool(dataset.classes))

    def _number(self, name: str) -> int:
        """How many facts of a relation are triples."""
        held = self._engine.stored(name)
        if isinstance(held, VirtualRelation) and self.terms.have_kind(Kind.IRI, held.lefts).all():
            return len(held)
        return 0 if held is None else len(self._those_of_iris(name, held.rows))

    def _parts(self, pattern: Pattern) -> Iterator[_Part]:
        """The facts of each relation that match, if their subject is an IRI."""
        subject, predicate, target, *graph = pattern
        dataset = self._dataset
        for name in self._named(predicate, dataset.properties):
            yield self._part(name, (subject, target, *graph), {1: name})
        if predicate is None or predicate.content == IRI(RDF_TYPE):
            for name in self._named(target, dataset.classes):
                yield self._part(name, (subject, *graph), {1: RDF_TYPE, 2: name})
        if dataset.has_triples:
            yield self._part(TRIPLE, pattern, {})

    @staticmethod
    def _named(wanted: Value | None, names: frozenset[str]) -> Sequence[str]:
        if wanted is None:
            return sorted(names)
        name = wanted.content.text if isinstance(wanted.content, IRI) else ""
        return (name,) if name in names else ()

    def _part(self, name: str, wanted: Pattern, fixed: dict[int, str]) -> _Part:
        columns = tuple(at for at, value in enumerate(wanted) if value is not None)
        held, key = self._engine.stored(name), self.terms.encode([value for value in wanted if value is not None])
        rows = np.empty((0, len(wanted)), np.int32)
        if held is not None and not columns:
            rows = held.rows
        elif isinstance(held, Table):
            numbers = list(numbers_with(held, columns, tuple(key.tolist())))
            rows = held.all_rows[numbers] if numbers else rows
        elif held is not None:
            rows = _pairs(held, columns, key)
        return _Part(name, self._those_of_iris(name, rows), fixed)

    def _those_of_iris(self, name: str, rows: Rows) -> Rows:
        """The rows that are triples: subjects and predicates are IRIs."""
        if not len(rows):
            return rows
        good = self.terms.have_kind(Kind.IRI, rows[:, 0])
        if name == TRIPLE:
            good = good & self.terms.have_kind(Kind.IRI, rows[:, 1])
        return rows if good.all() else rows[good]

    def _triples(self, part: _Part) -> Rows:
        """The facts of a relation as triples."""
        others = iter(part.rows.T)
        columns = []
        for at in range(self._width):
            if at in part.fixed:
                own = int(self.terms.encode([from_python(IRI(part.fixed[at]))])[0])
                columns.append(np.full(len(part.rows), own, np.int32))
            else:
                columns.append(next(others))
        return np.column_stack(columns)


def _pairs(held: VirtualRelation, columns: tuple[int, ...], key: Int32s) -> Rows:
    """The pairs of a closed relation with one end, or with both."""
    if len(columns) == 2:
        pair = key.reshape(1, 2)
        return pair[held.contains(pair)]
    is_back = columns == (1,)
    others = held.related(int(key[0]), is_back=is_back)
    same = np.full(len(others), key[0], np.int32)
    return np.column_stack((others, same) if is_back else (same, others))
