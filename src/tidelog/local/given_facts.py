"""The facts of an update as whole relations: `insert={"edge": df}`, `delete=kb["q"]`; read into rows without a tuple for each.

Whatever `load` takes may stand for the facts of a relation, and so may results: these are rows of ids already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tidelog.arguments import wrong
from tidelog.core.arrays import Rows, distinct_rows
from tidelog.core.schema import Schema
from tidelog.errors import TidelogError, fail
from tidelog.facts import Facts
from tidelog.functions.signatures import ANY
from tidelog.local.encoded_facts import Fact
from tidelog.local.storage.dictionary import Dictionary
from tidelog.program.relations import Relation

if TYPE_CHECKING:
    from tidelog.files.columns import Loaded, MixedColumn, TypedColumn

ReadSource = Callable[[object, str, Relation | None], "Loaded"]
"""Reads a source for a relation of that name."""


@dataclass(frozen=True, slots=True)
class GivenFacts:
    """The facts of one part of an update, some as tuples, and some as sources by relation."""

    tuples: Sequence[Fact] = ()
    sources: Mapping[str, object] = field(default_factory=dict)

    def and_tuples(self, more: Sequence[Fact]) -> GivenFacts:
        """These and some more."""
        return GivenFacts((*self.tuples, *more), self.sources) if more else self


Given: TypeAlias = Iterable[Fact] | GivenFacts


def given_facts(given: Any) -> Given:
    """A part of an update as users give it: tuples with the name of the relation first, or sources by relation, or a result."""
    if type(given) is list or type(given) is tuple:
        return given
    if isinstance(given, Facts):
        if given.is_answer:
            fix = 'give the relation that they are facts of: `{"edge": kb.query(…)}`'
            raise wrong("a list of facts: answers to a query belong to no relation", given.name, fix)
        return GivenFacts((), {given.name: given})
    if not isinstance(given, Mapping):
        return given  # type: ignore[no-any-return]
    tuples: list[Fact] = []
    sources: dict[str, object] = {}
    for name, source in given.items():
        if not isinstance(name, str):
            raise wrong("the name of a relation", name, 'give a string: `insert={"edge": df}`')
        if isinstance(source, list | tuple | set | frozenset | Iterator):
            tuples += (_fact(name, row) for row in source)
        else:
            sources[name] = source
    return GivenFacts(tuples, sources)


def _fact(name: str, row: object) -> Fact:
    if not isinstance(row, tuple | list):
        fix = f'give a tuple of its arguments, without the name: `{{"{name}": [("a", "b")]}}`'
        raise fail("TL072", f"{row!r} is not a fact of `{name}`", fix=fix)
    return (name, *row)


@dataclass(frozen=True, slots=True)
class RowReader:
    """Reads the sources of an update as rows of ids."""

    terms: Dictionary
    read: ReadSource

    def rows(self, sources: Mapping[str, object], schema: Schema) -> tuple[dict[str, Rows], list[Fact]]:
        """The rows of each relation, in their order; and facts that have to be looked at one by one, since their types differ."""
        found: dict[str, Rows] = {}
        others: list[Fact] = []
        for given, source in sources.items():
            name = schema.name_of(given)
            known = schema.relation(name)
            rows = self._rows_of_facts(source, name, known) if isinstance(source, Facts) else None
            if rows is None and isinstance(source, Facts):
                others += ((name, *fact) for fact in source)
                continue
            if rows is None:
                loaded = self.read(source, name, known)
                rows = encoded_columns(self.terms, loaded.columns, loaded.rows)
            schema.knowing(name, rows.shape[1])  # or an error: that cannot be its name, it has another arity, it is not declared
            found[name] = np.concatenate([found[name], rows]) if name in found else rows
        return found, others

    def _rows_of_facts(self, facts: Facts, name: str, known: Relation | None) -> Rows | None:
        """A result as rows of ids; None if some values are not of the kinds that the relation declares."""
        if known is not None and known.arity != len(facts.columns):
            raise _other_arity(name, known.arity, len(facts.columns))
        rows = facts.rows_of(self.terms)
        if rows is None:
            return None
        for at in range(rows.shape[1] if known is not None else 0):
            declared = known.declared_type(at) if known is not None else ANY
            if declared != ANY and not all(self.terms.have_kind(kind, rows[:, at]).all() for kind in declared):
                return None
        return rows

    def tuples(self, given: Given, schema: Schema) -> Iterable[Fact]:
        """All facts as tuples, for a journal."""
        if not isinstance(given, GivenFacts):
            return given
        found, others = self.rows(given.sources, schema)
        facts = [*given.tuples, *others]
        for name, rows in found.items():
            columns = [f"c{at}" for at in range(rows.shape[1])]
            facts += ((name, *fact) for fact in Facts(name, columns, rows, self.terms))
        return facts


def _other_arity(name: str, expected: int, found: int) -> TidelogError:
    return fail("TL020", f"`{name}` has {expected} arguments, and these facts have {found}")


def loaded_facts(facts: Facts, name: str, known: Relation | None) -> Loaded:
    """A result as a source of facts, value by value."""
    from tidelog.files.columns import Loaded, MixedColumn
    from tidelog.functions.conform import conform
    from tidelog.values import from_python

    if known is not None and known.arity != len(facts.columns):
        raise _other_arity(name, known.arity, len(facts.columns))
    columns = [[from_python(value) for value in column] for column in zip(*facts, strict=True)]
    for at, values in enumerate(columns):
        declared = known.declared_type(at) if known is not None else ANY
        fitting = [value if declared == ANY else conform(next(iter(declared)), value) for value in values]
        if None in fitting:
            misfit = values[fitting.index(None)]
            message = (
                f"argument {at + 1} of a fact of `{facts.name}` is of type {misfit.kind}, and `{name}` takes another one there"
            )
            raise fail("TL040", message, fix="declare other types, or query for the facts that fit")
        columns[at] = [value for value in fitting if value is not None]
    described = f"{name}: {len(facts):,} rows from the facts of {facts.name}"
    mixed = tuple(MixedColumn(column) for column in columns or [[] for _ in facts.columns])
    return Loaded(name, mixed, len(facts), described, None if known is not None and known.is_declared else facts.columns)


def merged_rows(*some: Mapping[str, Rows]) -> dict[str, Rows]:
    """Rows by relation from several places, each row once."""
    names = dict.fromkeys(name for one in some for name in one)
    return {name: distinct_rows(np.concatenate([one[name] for one in some if name in one])) for name in names}


def encoded_columns(terms: Dictionary, columns: Iterable[TypedColumn | MixedColumn], rows: int) -> Rows:
    """Columns that were read, as rows of ids."""
    from tidelog.files.columns import MixedColumn

    ids = [
        terms.encode(column.values) if isinstance(column, MixedColumn) else terms.encode_column(column.kind, column.values)
        for column in columns
    ]
    return np.column_stack(ids) if ids else np.empty((rows, 0), np.int32)
