"""A replica: tables with indexes of the relations that queries read, apart from those that the writer changes.

A relation is copied when a query reads it first.  From then on the difference between two published versions is applied, forwards
or, for a snapshot that somebody has kept, backwards: a query costs what lies between its version and that of the last one, and
what it does itself.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from tidelog.core.arrays import Rows
from tidelog.core.limits import Watch
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.engine import answers
from tidelog.local.recovery import Work
from tidelog.local.sharing.forks import tell_of_forks
from tidelog.local.sharing.inquiry import Inquiry, InquiryPlans
from tidelog.local.sharing.published import Published
from tidelog.local.storage.budget import DROPPED
from tidelog.local.storage.dictionary import Dictionary
from tidelog.local.storage.state import State
from tidelog.local.storage.versions import TableVersion
from tidelog.program.queries import Query
from tidelog.program.same_as import REPRESENTATIVE
from tidelog.syntax.tree import atoms


class Replica:
    """The relations that queries have read, as of one published version; one query at a time."""

    def __init__(self) -> None:
        self.state = State()
        self._lock = threading.Lock()
        self._asking: set[int] = set()
        """The threads that ask a query, or wait for their turn."""
        self._of: Published | None = None
        self.unfinished: Work | None = None
        self._copied: dict[str, TableVersion] = {}
        self._closures: dict[str, VirtualRelation] = {}
        self._term_count = 0
        self._plans = InquiryPlans()
        tell_of_forks(self)

    def query(self, published: Published, query: Query, watch: Watch) -> tuple[Rows, Dictionary]:
        """The answers to a query in a version, and the dictionary that says what their ids mean."""
        thread = threading.get_ident()
        if thread in self._asking:  # a progress display or a signal handler asks in the middle of a query
            return Replica().query(published, query, watch)
        self._asking.add(thread)
        try:
            with self._lock:
                return self._query(published, query, watch)
        finally:
            self._asking.discard(thread)

    def _query(self, published: Published, query: Query, watch: Watch) -> tuple[Rows, Dictionary]:
        try:
            self._advance(published, _read_by(query) & {*published.tables, *published.virtual})
            rows = answers(self, published.arities, query.body, query.names, watch)
        except BaseException:
            self._of = None  # begin anew: something may be half done
            raise
        return rows, self.state.terms

    @contextmanager
    def inquiry(self, published: Published, watch: Watch) -> Iterator[Inquiry]:
        """Several questions about a version."""
        thread = threading.get_ident()
        if thread in self._asking:
            with Replica().inquiry(published, watch) as other:
                yield other
            return
        self._asking.add(thread)
        try:
            with self._lock:
                try:
                    self._advance(published, ())
                    with Inquiry(self, watch, self._plans, lambda names: self._copy_known(names, published)) as inquiry:
                        yield inquiry
                except BaseException:
                    self._of = None  # begin anew: something may be half done
                    raise
        finally:
            self._asking.discard(thread)

    def _copy_known(self, names: Iterable[str], published: Published) -> None:
        for name in names:
            if name in published.virtual or name in published.tables:
                self._copy(name, published)

    def forked(self) -> None:
        """Begin anew what another thread was doing here."""
        if self._lock.locked() and threading.get_ident() not in self._asking:
            self._lock, self._of = threading.Lock(), None
        self._asking &= {threading.get_ident()}

    def __del__(self) -> None:
        if hasattr(self, "state"):  # else an exception has kept it from being made
            self.state.abandon()  # tables and their store name each other: without this they would wait for a collection

    def is_near(self, published: Published) -> bool:
        """Whether to go to a version, and not to copy the relations that have been copied so far: it is new, or less work."""
        copied, before = list(self._copied.items()), self._of
        if before is None or before.number <= published.number:
            return True
        if before.terms is not published.terms:
            return False
        rows = sum(len(version) for _, version in copied)
        return 2 * sum(version.distance(published.tables.get(name)) for name, version in copied) <= rows + _FEW

    def _advance(self, published: Published, names: Iterable[str]) -> None:
        """Bring some relations to a version, and the dictionary."""
        before = self._of
        if before is None or before.terms is not published.terms:
            self._term_count = published.term_count
            DROPPED.note(self.state.budget.in_use)
            self.state.abandon()
            self.state, self._copied, self._closures = State(published.terms.clone(self._term_count)), {}, {}
            self.unfinished = None
        elif before is not published:
            # answers that were handed out keep the old dictionary, with the values that their queries have computed; the new one
            # has all values of rows that are still to be removed, so it never gets smaller
            self._term_count = max(self._term_count, published.term_count)
            self.state.terms = self.state.store.terms = published.terms.clone(self._term_count)
            self.state.terms.budget = self.state.budget
        self._of = published
        for name in names:
            self._copy(name, published)

    def _copy(self, name: str, published: Published) -> None:
        state, version = self.state, published.held(name)
        if not isinstance(version, TableVersion):
            if self._closures.get(name) is not version:
                self._drop_table(name)
                state.set_virtual(name, version.for_reader(state.virtual.get(name)))
                self._closures[name] = version
            return
        if self._closures.pop(name, None) is not None:
            del state.virtual[name]
        before = self._copied.get(name)
        if before is version:
            return
        if before is not None and version.numbers_like(before):
            table, (removed, inserted) = state.table(name), version.difference(before)
            table.remove(removed)
            table.insert(inserted)
            table.compact()
        else:
            self._drop_table(name)
            state.ensure_table(name, version.arity).insert(version.rows)
        state.table(name).mark_delta()
        self._copied[name] = version

    def _drop_table(self, name: str) -> None:
        self._copied.pop(name, None)
        if name in self.state.tables:
            DROPPED.note(self.state.tables[name].nbytes)
            self.state.store.release(self.state.take_table(name))


def _read_by(query: Query) -> set[str]:
    return {REPRESENTATIVE, *(atom.predicate for atom, _ in atoms(query.body))}


_FEW = 1000
"""Rows that are no reason for another copy."""
