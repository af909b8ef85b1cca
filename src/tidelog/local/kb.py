"""The knowledge base of the local engine: all facts in this process."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from os import PathLike
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tidelog.changes import Change, ChangeStatistics, FactsByRelation, Part, RuleChanges
from tidelog.core.limits import Limits, Watch
from tidelog.core.rule_report import rule_report
from tidelog.core.schema import Schema
from tidelog.core.statistics import Statistics
from tidelog.errors import TidelogError, fail
from tidelog.facts import Facts
from tidelog.kb import KnowledgeBase, LoadReport
from tidelog.local.encoded_facts import EncodedFacts, EncodedUpdate, Fact
from tidelog.local.engine import LocalEngine
from tidelog.local.kernel.build import announce_compilation
from tidelog.local.lookahead.look_ahead import LookAhead, NextUpdate
from tidelog.local.sharing.readers import Sharing
from tidelog.local.sharing.snapshot import Snapshot, shown
from tidelog.local.storage.tables import Table
from tidelog.local.transaction import Transaction, UpdateResult
from tidelog.local.update_reader import CheckedUpdate, UpdateReader
from tidelog.options import options_given, refuse
from tidelog.program.changes.rule_changes import NO_CHANGE, RuleChange, plan_change
from tidelog.program.queries import check_query
from tidelog.text_limits import check_length

if TYPE_CHECKING:
    from tidelog.files.columns import MixedColumn, TypedColumn
    from tidelog.files.text.delimited import Header
    from tidelog.source import Source
    from tidelog.streams.update import Update

    _Stream = tuple[LookAhead, Update, NextUpdate]
    _Request = CheckedUpdate | EncodedUpdate | tuple[Iterable[Fact], Iterable[Fact], Iterable[Fact]]


class LocalKnowledgeBase(KnowledgeBase):
    """A knowledge base in this process."""

    _started: LocalEngine | None = None
    _sharing: Sharing
    _ahead: LookAhead | None = None
    """What is known of the next update of a stream."""

    def __init__(self, rules: str | PathLike[str] | Source = "", *, writers: str = "wait", **options: Any) -> None:
        """As `KnowledgeBase`; with `writers="refuse"`, a thread that changes it while another one does gets an error."""
        refuse(writers=writers)
        self._sharing = Sharing(self, waits=writers == "wait")
        super().__init__(rules, **options)

    @property
    def statistics(self) -> Statistics:
        """What the last evaluation did, rule by rule and round by round."""
        if self._sharing.begin_reading() is None:
            try:
                self._maintained()
            finally:
                self._sharing.end_reading()
        found = self._engine.statistics
        if (live := self._schema.live) is None:
            return found
        return found.renumbered({number: place for place, number in enumerate(live.written)})

    # --- facts in --------------------------------------------------------------------------------------------------------

    def load(
        self,
        relation: str,
        source: object,
        *,
        format: str | None = None,  # noqa: A002
        header: Header = "auto",
        defaults: Mapping[str | int, object] | None = None,
        upsert: bool = False,
        options: Mapping[str, str] | None = None,
        columns: Mapping[str, str] | None = None,
        rejects: object = None,
    ) -> LoadReport:
        """Add the facts of a file, an Arrow table, or a data frame of pandas or polars to a relation.

        Nothing is derived before facts are read.  The result says what was read and which types were found.  With
        `upsert=True` each row replaces the explicit facts with its key; of two rows with one key, the last counts.
        """
        if refused := options_given(options=options, columns=columns, rejects=rejects):
            fix = 'leave it out, or choose engine="spark"'
            raise fail("TL074", f"the local engine takes no {', '.join(refused)} to load", fix=fix)
        with self._sharing:
            return self._load(relation, source, _Reading(format, header, defaults), upsert=upsert)

    def _load(self, relation: str, source: object, reading: _Reading, *, upsert: bool) -> LoadReport:
        from tidelog.files.raw import Sizes
        from tidelog.files.reading import read

        key = self._schema.key_of(relation) if upsert else ()
        sizes = Sizes(self._limit_text, self._all_limits.memory)
        loaded = read(source, relation, self.relations.get(relation), **reading._asdict(), sizes=sizes)
        schema = self._schema.knowing(relation, len(loaded.columns))
        self._collect_terms()
        engine, watch = self._engine, self._watch()
        if key and engine.has_derived:
            self._maintained()  # facts that were added since then are not in their relations yet, and could not be replaced
        with engine.begin(watch) as transaction:
            rows = self._encoded(loaded.columns, loaded.rows)
            watch.poll()
            replaced = 0
            if key:
                rows = _last_of_each_key(rows, key)
                replaced = engine.remove(relation, engine.rows_with_key(relation, key, rows))
            new = engine.add(relation, rows)
            transaction.commit()
        self._schema = schema
        self.loads.append(LoadReport(relation, loaded.rows, new, loaded.description, replaced=replaced))
        return self.loads[-1]

    def _encoded(self, columns: Iterable[TypedColumn | MixedColumn], rows: int) -> Any:
        from tidelog.files.columns import MixedColumn

        terms = self._engine.state.terms
        ids = [
            terms.encode(column.values) if isinstance(column, MixedColumn) else terms.encode_column(column.kind, column.values)
            for column in columns
        ]
        return np.column_stack(ids) if ids else np.empty((rows, 0), np.int32)

    # --- changes ---------------------------------------------------------------------------------------------------------

    def update(
        self,
        insert: Iterable[tuple[object, ...]] = (),
        delete: Iterable[tuple[object, ...]] = (),
        upsert: Iterable[tuple[object, ...]] = (),
        *,
        remove_rules: str | Iterable[str] = (),
        add_rules: str | Iterable[str] = (),
    ) -> Change:
        """Add, remove and replace explicit facts, deletions first, and derive what follows.  All of it happens, or nothing.

        A fact is a tuple of the relation's name and the arguments: `("edge", "a", "b")`.  An upsert takes the place of the
        explicit facts that have its key; of two with one key, the last counts.  Rules may go and come in the same update.
        """
        with self._sharing:
            return self._update(insert, delete, upsert, remove_rules, add_rules)

    def _update(
        self,
        insert: Iterable[tuple[object, ...]],
        delete: Iterable[tuple[object, ...]],
        upsert: Iterable[tuple[object, ...]],
        remove_rules: str | Iterable[str],
        add_rules: str | Iterable[str],
    ) -> Change:
        started = perf_counter()
        self._collect_terms()
        if self._ahead is not None:
            self._ahead.forget()
        if not remove_rules and not add_rules:
            return self._apply(self._update_reader.read(self._schema, insert, delete, upsert), started)
        planned = self._planned(remove_rules, add_rules)
        inserted, deleted = _with_facts(planned, insert, delete)
        return self._apply((inserted, deleted, upsert), started, planned=planned)

    def apply(self, update: Update, next_update: NextUpdate = lambda: None) -> Change:
        """Apply one update of a stream, with marks from the one before, and marks for the next one."""
        with self._sharing:
            return self._apply_one(update, next_update)

    def _apply_one(self, update: Update, next_update: NextUpdate) -> Change:
        started = perf_counter()
        has_marks = self._marking is not False and self._algorithm not in ("counting", "rematerialise")
        if update.remove_rules or update.add_rules or not (self._ahead or has_marks):
            return self._update(update.insert, update.delete, update.upsert, update.remove_rules, update.add_rules)
        self._collect_terms()
        if self._ahead is None:
            self._ahead = LookAhead(self._engine, self._read_ahead, always=self._marking is True)
        stream, read = (self._ahead, update, next_update), self._ahead.given(update)
        if read is not None and read.relations == len(self._schema.loaded):
            return self._apply(read, started, stream)
        return self._apply(self._update_reader.read(self._schema, update.insert, update.delete, update.upsert), started, stream)

    def _read_ahead(self, update: Update) -> EncodedUpdate | None:
        """An update before its turn; None if something is wrong with it, which is reported in its turn."""
        try:
            return self._update_reader.read(self._schema, update.insert, update.delete, update.upsert).encode()
        except TidelogError:
            return None

    def _apply(self, asked: _Request, started: float, stream: _Stream | None = None, planned: RuleChange = NO_CHANGE) -> Change:
        """Apply an update in one transaction; in a stream, with marks from the one before, and for the next one.

        Facts that come with a change of rules are checked against the rules as they will be.
        """
        engine, before = self._maintained(), self._schema
        try:
            with engine.begin(self._watch()) as transaction:
                schema = self._change_rules(transaction, planned)
                if isinstance(asked, tuple):
                    asked = self._update_reader.read(schema, *asked)
                encoded = asked.encode() if isinstance(asked, CheckedUpdate) else asked
                for name, rows in encoded.added():
                    schema = schema.knowing(name, rows.shape[1])
                if stream is None:
                    transaction.run(encoded)
                else:
                    stream[0].run(transaction, encoded, *stream[1:])
                result = transaction.commit(_forgotten(planned, schema))
        except BaseException:
            if stream is not None:
                stream[0].forget()
            raise
        self._schema = schema
        rules = rule_report(planned.difference, result.visits) if planned.difference is not None else None
        return self._change_of(result, before, schema, result.change_statistics(perf_counter() - started), rules)

    def _change_of(
        self, result: UpdateResult, before: Schema, after: Schema, statistics: ChangeStatistics, rules: RuleChanges | None
    ) -> Change:
        difference, terms = result.difference, self._engine.state.terms  # later the engine may have another dictionary

        def facts(part: Part, *, inserted: bool) -> dict[str, Facts]:
            known = {name: after.relation(name) or before.program.relations[name] for name in difference}
            return {name: shown(known[name], difference.rows(name, part, inserted=inserted), terms) for name in known}

        return Change(
            FactsByRelation(lambda part: facts(part, inserted=True)),
            FactsByRelation(lambda part: facts(part, inserted=False)),
            statistics,
            rules=rules,
        )

    def _planned(self, remove_rules: str | Iterable[str], add_rules: str | Iterable[str]) -> RuleChange:
        if self._schema.live is None:
            self._schema = replace(self._schema, live=self._schema.live_rules())
        removed, added = _texts(remove_rules), _texts(add_rules)
        check_length("".join((*removed, *added)), "the text of the rules", self._limit_text)
        return plan_change(self._schema.live_rules(), removed, added, self._schema.loaded)

    def _change_rules(self, transaction: Transaction, planned: RuleChange) -> Schema:
        """Replace the rules, and the schema that they have from now on."""
        if planned is NO_CHANGE:
            return self._schema
        if planned.difference is not None:
            transaction.change_rules(planned.difference)
        return self._schema.changed(planned, self._engine.has_explicit)

    def replay(self, updates: Iterable[Update]) -> None:
        """Apply updates whose changes nobody wants to know: what follows is derived once, from what they leave behind."""
        if self._engine.has_derived:
            super().replay(updates)
            return
        with self._sharing:
            self._replay(updates)

    def _replay(self, updates: Iterable[Update]) -> None:
        engine = self._engine
        for update in updates:
            self._collect_terms()
            planned = NO_CHANGE
            if update.remove_rules or update.add_rules:
                planned = self._planned(update.remove_rules, update.add_rules)
            with engine.begin(self._watch()) as transaction:
                schema = self._change_rules(transaction, planned)
                inserted, deleted = _with_facts(planned, update.insert, update.delete)
                encoded = self._update_reader.read(schema, inserted, deleted, update.upsert).encode()
                for name, rows in encoded.added():
                    schema = schema.knowing(name, rows.shape[1])
                transaction.delete(encoded)
                transaction.insert(encoded.added())
                transaction.commit(_forgotten(planned, schema))
            self._schema = schema

    # --- facts out -------------------------------------------------------------------------------------------------------

    def __getitem__(self, relation: str) -> Facts:
        if (view := self._sharing.begin_reading()) is not None:
            return view[relation]
        try:
            held = self._held(relation)
            held = held.version() if isinstance(held, Table) else held
            return shown(self.relations[relation], held, self._engine.state.terms)
        finally:
            self._sharing.end_reading()

    def count(self, relation: str) -> int:
        """How many facts a relation has."""
        if (view := self._sharing.begin_reading()) is not None:
            return view.count(relation)
        try:
            return len(self._held(relation))
        finally:
            self._sharing.end_reading()

    def query(self, text: str) -> Facts:
        """All bindings of the variables of a query, such as `path(a, X), X != b`, each once."""
        check_length(text, "the query", self._limit_text)
        if (view := self._sharing.begin_reading()) is not None:
            return view.query(text)
        try:
            query = check_query(text, self.relations, self.program.prefixes)
            engine = self._maintained()
            rows = engine.query(query.body, query.names, self._watch())
            return Facts(text.strip(), query.names, rows, engine.state.terms, noun="answer")
        finally:
            self._sharing.end_reading()

    def facts(self, relation: str | None = None) -> Any:
        """The facts of a relation, as tuples; of all relations, with the name of the relation first, if none is given."""
        if relation is not None:
            return self[relation]
        with self.snapshot() as view:  # all of them in one state
            return view.facts()

    def snapshot(self) -> Snapshot:
        """The state after the last update, for several questions: later updates do not show in it.

        Any thread may take one and use it.
        """
        return self._sharing.snapshot()

    def copy(self) -> LocalKnowledgeBase:
        """An independent knowledge base with the same rules and facts; nothing is derived anew."""
        with self._sharing:
            result = type(self).__new__(type(self))
            for name in ("_schema", "_limits", "_progress", "_modules", "_algorithm", "_marking", "_limit_text"):
                setattr(result, name, getattr(self, name))
            result.loads, result._sharing = list(self.loads), Sharing(result, waits=self._sharing.waits)
            result._started = self._maintained().clone()
            return result

    def _held(self, relation: str) -> Any:
        self._check_known(relation)
        return self._maintained().stored(relation)

    # --- the engine ------------------------------------------------------------------------------------------------------

    @property
    def _engine(self) -> LocalEngine:
        """The engine with the facts of the program's text; started when it is first needed, since that takes a moment."""
        if self._started is None:
            announce_compilation()
            self._started = LocalEngine(self.program, modules=self._modules, algorithm=self._algorithm)
            self._started.dictionary.longest = self._limit_text
            for name, rows in EncodedFacts(self._started.dictionary, {}, self.program.facts).rows().items():
                self._started.add(name, rows)
        return self._started

    @cached_property
    def _update_reader(self) -> UpdateReader:
        return UpdateReader(self._engine.state.terms, self._schema)

    @cached_property
    def _all_limits(self) -> Limits:
        return Limits(*self._limits)

    def _watch(self) -> Watch:
        return Watch(self._all_limits, self._progress)

    def _collect_terms(self) -> None:
        """Before a change: let the engine drop unused terms, if it has many; nothing that holds ids may be left then.

        It comes before a change and not after it, so that Ctrl-C stops all of it.  Limits are those of the change itself.
        """
        engine = self._started
        if engine is None or not engine.may_collect_terms:
            return
        reader: UpdateReader | None = self.__dict__.pop("_update_reader", None)
        if self._ahead is not None:
            self._ahead.forget()
        engine.collect_terms(Watch(show=self._progress))
        if reader is not None:
            reader.abandon()

    def _maintained(self) -> LocalEngine:
        """The engine when everything that follows has been derived."""
        engine = self._started or self._engine
        if not engine.is_maintained:
            engine.maintain(self._watch())
        return engine


class _Reading(NamedTuple):
    """How a source is read."""

    format: str | None
    header: Header
    defaults: Mapping[str | int, object] | None


def _last_of_each_key(rows: Any, key: tuple[int, ...]) -> Any:
    """Of several rows with one key, the last."""
    if not len(rows):
        return rows
    _, at = np.unique(rows[::-1, key], axis=0, return_index=True)
    return rows[np.sort(len(rows) - 1 - at)]


def _forgotten(planned: RuleChange, schema: Schema) -> Collection[str]:
    """The relations that nobody knows after a change of rules."""
    difference = planned.difference
    return () if difference is None else [name for name in difference.forgotten if name not in schema.loaded]


def _texts(given: str | Iterable[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _with_facts(planned: RuleChange, *given: Iterable[Fact]) -> list[list[Fact]]:
    """Facts to insert and to delete, with those that stand among rules."""
    both = zip(given, (planned.insert, planned.delete), strict=True)
    return [[*facts, *((name, *values) for name, values in more)] for facts, more in both]
