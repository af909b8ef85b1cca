"""A replica: tables with indexes of the relations that queries read, apart from those that the writer changes.

A relation is copied when a query reads it first.  From then on the difference between two published versions is applied: a query
costs what has changed since the last one, and what it does itself.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable

from tidelog.core.arrays import Rows
from tidelog.core.limits import Watch
from tidelog.local.engine import answers
from tidelog.local.sharing.published import Published
from tidelog.local.storage.dictionary import Dictionary
from tidelog.local.storage.state import State
from tidelog.local.storage.versions import TableVersion
from tidelog.program.queries import Query
from tidelog.syntax.tree import atoms


class Replica:
    """The relations that queries have read, as of one published version; one query at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: Published | None = None
        self._state = State()
        self._copied: dict[str, TableVersion] = {}

    def query(self, published: Published, query: Query, watch: Watch) -> tuple[Rows, Dictionary]:
        """The answers to a query in a version, and the dictionary that says what their ids mean."""
        with self._lock:
            try:
                self._advance(published, {atom.predicate for atom, _ in atoms(query.body)})
                rows = answers(self._state, published.arities, query.body, query.names, watch)
            except BaseException:
                self._of = None  # begin anew: something may be half done
                raise
            return rows, self._state.terms

    def _advance(self, published: Published, names: Iterable[str]) -> None:
        """Bring some relations to a version, and the dictionary."""
        before = self._of
        if before is None or before.terms is not published.terms or before.number > published.number:
            self._state, self._copied = State(published.terms.clone(published.term_count)), {}
        elif before.term_count != published.term_count or before.number != published.number:
            # answers that were handed out keep the old dictionary, with the values that their queries have computed
            self._state.terms = self._state.store.terms = published.terms.clone(published.term_count)
            self._state.terms.budget = self._state.budget
        self._of = published
        for name in names:
            self._copy(name, published)

    def _copy(self, name: str, published: Published) -> None:
        state, version = self._state, published.held(name)
        if not isinstance(version, TableVersion):
            if state.virtual.get(name) is not version:
                self._drop_table(name)
                state.set_virtual(name, version)
            return
        state.virtual.pop(name, None)
        before = self._copied.get(name)
        if before is version:
            return
        if before is not None and version.numbers_like(before):
            table = state.table(name)
            table.remove(version.removed_since(before))
            table.insert(version.appended_since(before))
            table.compact()
        else:
            self._drop_table(name)
            state.ensure_table(name, version.arity).insert(version.rows)
        state.table(name).mark_delta()
        self._copied[name] = version

    def _drop_table(self, name: str) -> None:
        self._copied.pop(name, None)
        if name in self._state.tables:
            self._state.store.release(self._state.take_table(name))
