"""Published versions: what all relations held after an update, for readers in any thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tidelog.core.arrays import Int64s
from tidelog.core.schema import Schema
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.engine import LocalEngine
from tidelog.local.kernel import layout
from tidelog.local.storage.dictionary import Dictionary
from tidelog.local.storage.versions import TableVersion


@dataclass(frozen=True, slots=True)
class Published:
    """All relations after one update; immutable."""

    number: int
    """How many versions were published before it."""
    schema: Schema
    arities: Mapping[str, int]
    tables: Mapping[str, TableVersion]
    virtual: Mapping[str, VirtualRelation]
    terms: Dictionary
    term_count: int
    """How many values of the dictionary this version may use."""

    def held(self, relation: str) -> TableVersion | VirtualRelation:
        """The facts of a relation."""
        return self.virtual[relation] if relation in self.virtual else self.tables[relation]


class Publisher:
    """Publishes the state of an engine: the cost follows the relations that have changed."""

    def __init__(self, engine: LocalEngine, schema: Schema) -> None:
        self._sources = engine.state.tables
        self._words = _words_of(engine)
        self.current = self._complete(engine, schema, 0)
        """The version that was published last."""

    def publish(self, engine: LocalEngine, schema: Schema) -> None:
        """Let readers see the state as it is now; one assignment switches all relations at once."""
        state, before, words = engine.state, self.current, _words_of(engine)
        if state.tables is not self._sources or state.terms is not before.terms:
            self._sources, self._words = state.tables, words
            self._by_number = {table.number: name for name, table in state.tables.items()}
            self.current = self._complete(engine, schema, before.number + 1)
            return
        known = self._words[: len(words)]
        changed = np.flatnonzero((words[: len(known)] != known).any(axis=1)).tolist() + list(range(len(known), len(words)))
        tables = dict(before.tables)
        for number in changed:
            if (name := self._by_number.get(number)) is not None:
                tables[name] = state.tables[name].version()
        self._words = words
        self.current = Published(
            before.number + 1, schema, engine.core.arities, tables, dict(state.virtual), state.terms, len(state.terms)
        )

    def _complete(self, engine: LocalEngine, schema: Schema, number: int) -> Published:
        state = engine.state
        self._by_number = {table.number: name for name, table in state.tables.items()}
        tables = {name: table.version() for name, table in state.tables.items()}
        return Published(number, schema, engine.core.arities, tables, dict(state.virtual), state.terms, len(state.terms))


def _words_of(engine: LocalEngine) -> Int64s:
    """What changes with the rows of a table.  Versions keep buffers alive, so another buffer has another address."""
    words: Int64s = engine.state.store.M[:, (layout.COUNT, layout.TOMBSTONES, layout.ROWS)]
    return words
