"""The knowledge base of the local engine: all facts in this process."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from tidelog.changes import Change, ChangeStatistics, FactsByRelation, Part, RuleChanges
from tidelog.core.limits import Limits, Watch
from tidelog.core.rule_report import rule_report
from tidelog.core.schema import Schema
from tidelog.core.statistics import Statistics
from tidelog.errors import TidelogError, fail
from tidelog.facts import Facts
from tidelog.kb import KnowledgeBase, LoadReport, column_names
from tidelog.local.encoded_facts import EncodedUpdate, Fact
from tidelog.local.engine import LocalEngine
from tidelog.local.kernel.build import announce_compilation
from tidelog.local.lookahead.look_ahead import LookAhead, NextUpdate
from tidelog.local.recovery import recover
from tidelog.local.storage.tables import Table
from tidelog.local.transaction import Transaction, UpdateResult
from tidelog.local.update_reader import CheckedUpdate, UpdateReader
from tidelog.options import options_given
from tidelog.program.changes.rule_changes import NO_CHANGE, RuleChange, plan_change
from tidelog.program.queries import check_query
from tidelog.program.relations import Relation
from tidelog.values import Kind

if TYPE_CHECKING:
    from tidelog.files.columns import MixedColumn, TypedColumn
    from tidelog.files.text.delimited import Header
    from tidelog.streams.update import Update

    _Stream = tuple[LookAhead, Update, NextUpdate]
    _Request = CheckedUpdate | EncodedUpdate | tuple[Iterable[Fact], Iterable[Fact], Iterable[Fact]]


class LocalKnowledgeBase(KnowledgeBase):
    """A knowledge base in this process."""

    _started: LocalEngine | None = None
    _ahead: LookAhead | None = None
    """What is known of the next update of a stream."""

    @property
    def statistics(self) -> Statistics:
        """What the last evaluation did, rule by rule and round by round."""
        found = self._maintained().statistics
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
        from tidelog.files.reading import read

        if refused := options_given(options=options, columns=columns, rejects=rejects):
            fix = 'leave it out, or choose engine="spark"'
            raise fail("TL074", f"the local engine takes no {', '.join(refused)} to load", fix=fix)
        key = self._schema.key_of(relation) if upsert else ()
        loaded = read(source, relation, self.relations.get(relation), format=format, header=header, defaults=defaults)
        schema = self._schema.knowing(relation, len(loaded.columns))
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
            report = LoadReport(relation, loaded.rows, new, loaded.description, replaced=replaced)
            transaction.commit((), partial(self._take_over, schema, [*self.loads, report]))
        return report

    def _take_over(self, schema: Schema, loads: list[LoadReport]) -> None:
        """What an update leaves to the knowledge base; it may be called twice."""
        self._schema, self.loads = schema, loads

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
        started = perf_counter()
        if self._ahead is not None:
            self._ahead.forget()
        if not remove_rules and not add_rules:
            return self._apply(self._update_reader.read(self._schema, insert, delete, upsert), started)
        planned = self._planned(remove_rules, add_rules)
        inserted, deleted = _with_facts(planned, insert, delete)
        return self._apply((inserted, deleted, upsert), started, planned=planned)

    def apply(self, update: Update, next_update: NextUpdate = lambda: None) -> Change:
        """Apply one update of a stream, with marks from the one before, and marks for the next one."""
        started = perf_counter()
        if update.remove_rules or update.add_rules:
            return self._update_with(update)
        if self._ahead is None:
            if self._marking is False or self._algorithm in ("counting", "rematerialise"):
                return super().apply(update, next_update)
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
                result = transaction.commit(_forgotten(planned, schema), self._publishing(schema))
        except BaseException:
            if stream is not None:
                stream[0].forget()
            raise
        rules = rule_report(planned.difference, result.visits) if planned.difference is not None else None
        return self._change_of(result, before, schema, result.change_statistics(perf_counter() - started), rules)

    def _publishing(self, schema: Schema) -> Callable[[], None] | None:
        return None if schema is self._schema else partial(self._take_over, schema, self.loads)

    def _change_of(
        self, result: UpdateResult, before: Schema, after: Schema, statistics: ChangeStatistics, rules: RuleChanges | None
    ) -> Change:
        difference = result.difference

        def facts(part: Part, *, inserted: bool) -> dict[str, Facts]:
            known = {name: after.relation(name) or before.program.relations[name] for name in difference}
            return {name: self._shown(known[name], difference.rows(name, part, inserted=inserted)) for name in known}

        return Change(
            FactsByRelation(lambda part: facts(part, inserted=True)),
            FactsByRelation(lambda part: facts(part, inserted=False)),
            statistics,
            rules=rules,
        )

    def _planned(self, remove_rules: str | Iterable[str], add_rules: str | Iterable[str]) -> RuleChange:
        if self._schema.live is None:
            self._schema = replace(self._schema, live=self._schema.live_rules())
        return plan_change(self._schema.live_rules(), _texts(remove_rules), _texts(add_rules), self._schema.loaded)

    def _change_rules(self, transaction: Transaction, planned: RuleChange) -> Schema:
        """Replace the rules, and the schema that they have from now on."""
        if planned is NO_CHANGE:
            return self._schema
        if planned.difference is not None:
            transaction.change_rules(planned.difference)
        return self._schema.changed(planned, self._engine.has_explicit)

    def replay(self, updates: Iterable[Update]) -> None:
        """Apply updates whose changes nobody wants to know: what follows is derived once, from what they leave behind."""
        engine = self._engine
        if engine.has_derived:
            super().replay(updates)
            return
        for update in updates:
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
                transaction.commit(_forgotten(planned, schema), self._publishing(schema))

    # --- facts out -------------------------------------------------------------------------------------------------------

    def __getitem__(self, relation: str) -> Facts:
        held = self._held(relation)
        return self._shown(self.relations[relation], held.version() if isinstance(held, Table) else held)

    def count(self, relation: str) -> int:
        """How many facts a relation has."""
        return len(self._held(relation))

    def query(self, text: str) -> Facts:
        """All bindings of the variables of a query, such as `path(a, X), X != b`, each once."""
        query = check_query(text, self.relations, self.program.prefixes)
        engine = self._maintained()
        rows = engine.query(query.body, query.names, self._watch())
        return Facts(text.strip(), query.names, rows, engine.state.terms, noun="answer")

    def _held(self, relation: str) -> Any:
        self._check_known(relation)
        return self._maintained().stored(relation)

    def _shown(self, known: Relation, held: Any) -> Facts:
        kinds = [column.type if isinstance(column.type, Kind) else None for column in known.columns or ()]
        return Facts(known.name, column_names(known), held, self._engine.state.terms, kinds)

    # --- the engine ------------------------------------------------------------------------------------------------------

    @property
    def _engine(self) -> LocalEngine:
        """The engine with the facts of the program's text; started when it is first needed, since that takes a moment."""
        if self._started is None:
            announce_compilation()
            engine = LocalEngine(self.program, modules=self._modules, algorithm=self._algorithm)
            for name, rows in UpdateReader(engine.dictionary, self._schema).rows_of(self.program.facts).items():
                engine.add(name, rows)
            self._started = engine
        return self._started

    @cached_property
    def _update_reader(self) -> UpdateReader:
        return UpdateReader(self._engine.state.terms, self._schema)

    @cached_property
    def _all_limits(self) -> Limits:
        return Limits(*self._limits)

    def _watch(self) -> Watch:
        return Watch(self._all_limits, self._progress)

    def _maintained(self) -> LocalEngine:
        """The engine when everything that follows has been derived."""
        engine = self._started or self._engine
        if engine.unfinished is not None:
            recover(engine)
        if not engine.is_maintained:
            engine.maintain(self._watch())
        return engine


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
