"""Reads updates as users give them: all facts are checked before anything happens, then encoded as rows of ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tidelog.core.arrays import Rows, last_of_each_key
from tidelog.core.schema import Schema
from tidelog.errors import Diagnostics
from tidelog.local.encoded_facts import EncodedFacts, EncodedUpdate, Fact, FactReader
from tidelog.local.given_facts import Given, GivenFacts, ReadSource, RowReader, merged_rows
from tidelog.local.storage.dictionary import Dictionary
from tidelog.program.changes.rule_changes import RuleChange
from tidelog.program.explicit import as_facts, explicit_facts
from tidelog.program.program import GroundFact
from tidelog.program.relations import Relation


@dataclass(slots=True)
class CheckedUpdate:
    """An update whose facts have been checked against a schema."""

    reader: UpdateReader
    schema: Schema
    deleted: EncodedFacts
    inserted: EncodedFacts
    upserted: EncodedFacts | None
    upserts: Sequence[Fact]
    """The facts of `upserted` as they were given."""
    tables: Mapping[str, Rows]
    """Upserts that came as whole relations."""

    def encode(self) -> EncodedUpdate:
        """The update as rows of ids; terms that are new get theirs."""
        relations = len(self.schema.loaded)
        if self.upserted is None:
            return EncodedUpdate(self.deleted.rows(), self.inserted.rows(), {}, {}, relations)
        rows = self.upserted.rows()
        for name, table in self.tables.items():
            both = np.concatenate([rows[name], table]) if name in rows else table
            rows[name] = last_of_each_key(both, self.schema.key_of(name))
        keys = {name: self.schema.key_of(name) for name in rows}
        if any(not _are_different(rows[name][:, key]) for name, key in keys.items()):  # then their order matters
            rows = self.reader.rows_of(self._last_upserts(self.reader.checked(self.upserts, self.schema)))
        return EncodedUpdate(self.deleted.rows(), self.inserted.rows(), rows, keys, relations)

    def _last_upserts(self, facts: Iterable[GroundFact]) -> Iterable[GroundFact]:
        """Of several upserts with one key, the last."""
        last: dict[object, GroundFact] = {}
        for name, values in facts:
            last[name, tuple(values[at] for at in self.schema.key_of(name))] = name, values
        return last.values()


class UpdateReader:
    """Checks and encodes the facts of updates."""

    def __init__(self, terms: Dictionary, schema: Schema, read_source: ReadSource) -> None:
        self._terms, self._schema, self._rows = terms, schema, RowReader(terms, read_source)
        self._reader = FactReader(terms, self._relation, lambda facts: self.checked(facts, self._schema), self._name_of)

    def read(self, schema: Schema, insert: Given, delete: Given, upsert: Given) -> CheckedUpdate:
        """Check the facts of an update, or raise an error that says everything that is wrong."""
        if schema is not self._schema:
            self._reader.forget_columns()
            self._schema = schema
        inserted, deleted = self._read(insert), self._read(delete)
        tables: dict[str, Rows] = {}
        if isinstance(upsert, GivenFacts):
            tables, others = self._rows.rows(upsert.sources, schema)
            upsert = [*upsert.tuples, *others]
        upserts = as_facts(upsert)
        if not upserts and not tables:
            return CheckedUpdate(self, schema, deleted, inserted, None, upserts, tables)
        upserted = self._reader.read(upserts)
        for name in {*(str(fact[0]) for fact in upserts), *tables}:
            schema.key_of(schema.name_of(name))
        return CheckedUpdate(self, schema, deleted, inserted, upserted, upserts, tables)

    def _read(self, given: Given) -> EncodedFacts:
        """The facts of one part, each once."""
        if not isinstance(given, GivenFacts):
            return self._reader.read(given)
        tables, others = self._rows.rows(given.sources, self._schema)
        tuples = self._reader.read([*given.tuples, *others])
        return EncodedFacts(self._terms, {}, (), merged_rows(tables, tuples.rows()))

    def tuples(self, given: Given, schema: Schema) -> Iterable[Fact]:
        """All facts of one part as tuples."""
        return self._rows.tuples(given, schema)

    def abandon(self) -> None:
        """End of its life: in a cycle of references, the dictionary would outlive it."""
        del self._reader, self._rows

    def rows_of(self, facts: Iterable[GroundFact]) -> dict[str, Any]:
        """Facts that have been checked, by relation, as rows."""
        return EncodedFacts(self._terms, {}, facts).rows()

    def _relation(self, name: str) -> Relation | None:
        known = self._schema.relation(name)  # of one that is unknown, the full check is made
        return None if known is not None and self._schema.is_strict and not known.is_declared else known

    def _name_of(self, given: str) -> str:
        return self._schema.name_of(given)

    def checked(self, facts: Iterable[Fact], schema: Schema) -> list[GroundFact]:
        """Facts as values, or an error that says everything that is wrong."""
        checked = explicit_facts(schema.program, facts, schema.name_of)
        arities = {name: relation.arity for name, relation in schema.loaded.items()}
        diagnostics = Diagnostics()
        for name, values in checked:
            if schema.is_strict and ((known := schema.relation(name)) is None or not known.is_declared):
                diagnostics.append(schema.undeclared(name, len(values)))
                continue
            if name.startswith("#") or not name:
                diagnostics.add("TL013", f"`{name}` cannot be the name of a relation", fix="let it begin with a letter")
            if arities.setdefault(name, len(values)) != len(values) and name not in schema.program.relations:
                diagnostics.add("TL020", f"`{name}` has {arities[name]} arguments, and a fact has {len(values)}")
        diagnostics.raise_errors()
        return checked


def _are_different(rows: Any) -> bool:
    """Whether no row is there twice."""
    return len(rows) < 2 or len(set(map(tuple, rows.tolist()))) == len(rows)


def with_facts(planned: RuleChange, *given: Given) -> list[Given]:
    """Facts to insert and to delete, with those that stand among rules."""
    found: list[Given] = []
    for facts, more in zip(given, (planned.insert, planned.delete), strict=True):
        others = [(name, *values) for name, values in more]
        found.append(facts.and_tuples(others) if isinstance(facts, GivenFacts) else [*as_facts(facts), *others])
    return found
