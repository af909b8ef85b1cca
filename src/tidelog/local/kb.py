"""The knowledge base of the local engine: all facts in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from tidelog.changes import Change, ChangeStatistics, FactsByRelation, Part
from tidelog.core.limits import Limits, Watch
from tidelog.core.rule_report import rule_report
from tidelog.core.statistics import Statistics
from tidelog.errors import TidelogError, fail
from tidelog.facts import Facts
from tidelog.kb import KnowledgeBase, LoadReport, column_names
from tidelog.local.encoded_facts import Fact
from tidelog.local.engine import LocalEngine
from tidelog.local.kernel.build import announce_compilation
from tidelog.local.lookahead.look_ahead import LookAhead
from tidelog.local.storage.state import UndoLog
from tidelog.local.storage.tables import Table
from tidelog.local.transaction import EncodedUpdate, Transaction
from tidelog.local.update_reader import UpdateReader
from tidelog.options import options_given
from tidelog.program.live_rules import LiveRules
from tidelog.program.queries import check_query
from tidelog.program.relations import Relation
from tidelog.program.rule_changes import NO_CHANGE, RuleChange, plan_change
from tidelog.values import Kind

if TYPE_CHECKING:
    from tidelog.files.columns import MixedColumn, TypedColumn
    from tidelog.files.delimited import Header
    from tidelog.streams.update import Update

    _Stream = tuple[LookAhead, Update, Callable[[], Update | None]]


class LocalKnowledgeBase(KnowledgeBase):
    """A knowledge base in this process."""

    _started: LocalEngine | None = None
    _live: LiveRules | None = None
    _ahead: LookAhead | None = None
    """What is known of the next update of a stream."""

    @property
    def statistics(self) -> Statistics:
        """What the last evaluation did, rule by rule and round by round."""
        found = self._maintained().statistics
        if self._live is None:
            return found
        return found.renumbered({number: place for place, number in enumerate(self._live.written)})

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
        key = self._key_of(relation) if upsert else ()
        loaded = read(source, relation, self.relations.get(relation), format=format, header=header, defaults=defaults)
        self._know(relation, len(loaded.columns))
        engine, watch = self._engine, self._watch()
        if key and engine.has_derived:
            self._maintained()  # only facts that have been derived from can be taken back, not those that came since then
        with watch.deferring_interrupts():
            rows = self._encoded(loaded.columns, loaded.rows)
            watch.poll()
            replaced = 0
            if key:
                rows = _last_of_each_key(rows, key)
                replaced = engine.remove(relation, engine.rows_with_key(relation, key, rows), UndoLog(engine.state))
            new = engine.add(relation, rows)
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
            return self._apply(self._update_reader.read(insert, delete, upsert), started)
        planned = plan_change(self._live_rules, _texts(remove_rules), _texts(add_rules), self._loaded)
        inserted, deleted = _with_facts(planned, insert, delete)

        def facts() -> EncodedUpdate:  # which are checked when the rules are what they will be
            return self._update_reader.read(inserted, deleted, upsert)()

        return self._apply(facts, started, planned=planned)

    def apply(self, update: Update, next_update: Callable[[], Update | None] = lambda: None) -> Change:
        """Apply one update of a stream, with marks from the one before, and marks for the next one."""
        started = perf_counter()
        if update.remove_rules or update.add_rules:
            return self._update_with(update)
        if self._ahead is None:
            if self._marking is False or self._algorithm in ("counting", "rematerialise"):
                return super().apply(update, next_update)
            self._ahead = LookAhead(self._engine, self._read_ahead, always=self._marking is True)
        read = self._ahead.given(update)
        if read is not None and read.relations == len(self._loaded):
            known = read
            return self._apply(lambda: known, started, (self._ahead, update, next_update))
        return self._apply(
            self._update_reader.read(update.insert, update.delete, update.upsert), started, (self._ahead, update, next_update)
        )

    def _read_ahead(self, update: Update) -> EncodedUpdate | None:
        """What an update asks for before its turn; None if something is wrong with it, which will be said in its turn."""
        try:
            return self._update_reader.read(update.insert, update.delete, update.upsert)()
        except TidelogError:
            return None

    def _apply(
        self,
        requested: Callable[[], EncodedUpdate],
        started: float,
        stream: _Stream | None = None,
        planned: RuleChange = NO_CHANGE,
    ) -> Change:
        """Do what an update asks for; in a stream, with marks from the one before, and for the next one."""
        engine = self._maintained()
        watch = self._watch()
        before = self._program, self._live, dict(self._loaded)
        with watch.deferring_interrupts():
            work = Transaction(engine, watch, self._know_if_new)
            try:
                if planned is not NO_CHANGE:
                    self._take_up(planned, work.undo)
                if stream is None:
                    work.work_off(requested())
                else:
                    ahead, update, waiting = stream
                    ahead.work_off(work, requested(), update, waiting)
                differences = work.finish()
            except BaseException:
                work.rollback()
                if stream is not None:
                    stream[0].forget()
                engine.cancel_rule_change()
                self._program, self._live, self._loaded = before
                self._update_reader.forget_columns()
                raise
        self._end_rule_change(planned)
        rounds = max([done.number for done in work.statistics.rounds], default=0)
        counts = work.added, work.removed, work.without_effect, work.derivations, rounds, work.statistics.undefined
        statistics = ChangeStatistics(work.algorithm, *counts, work.counters, perf_counter() - started, work.seconds)
        relations, loaded = self._program.relations, self._loaded  # other rules bring others

        def shown(part: Part, *, inserted: bool) -> dict[str, Facts]:
            known = {name: relations.get(name) or loaded.get(name) or before[0].relations[name] for name in differences}
            return {name: self._shown(known[name], differences.rows(name, part, inserted=inserted)) for name in known}

        return Change(
            FactsByRelation(lambda part: shown(part, inserted=True)),
            FactsByRelation(lambda part: shown(part, inserted=False)),
            statistics,
            rules=rule_report(planned.difference, engine.visits) if planned.difference is not None else None,
        )

    # --- rules that come and go ------------------------------------------------------------------------------------------

    @property
    def _live_rules(self) -> LiveRules:
        """The rules, ready for some to come and go."""
        if self._live is None:
            self._live = LiveRules.of(self._program)
        return self._live

    def _take_up(self, planned: RuleChange, undo: UndoLog) -> None:
        """Let rules be what they are to be from now on."""
        self._loaded = self._loaded | planned.relations
        self._update_reader.forget_columns()
        difference = planned.difference
        if difference is None:
            return
        self._engine.begin_rule_change(difference, undo)
        known = self._program.relations
        self._live, self._program = difference.after, difference.after.program
        self._loaded = {name: relation for name, relation in self._loaded.items() if name not in self._program.relations}
        for name in difference.forgotten:
            if self._engine.has_explicit(name):
                self._loaded[name] = Relation(name, known[name].arity, has_facts=True)

    def _end_rule_change(self, planned: RuleChange) -> None:
        """Let go of what rules needed that are gone."""
        if planned.difference is not None:
            self._engine.end_rule_change(name for name in planned.difference.forgotten if name not in self._loaded)

    def replay(self, updates: Iterable[Update]) -> None:
        """Let updates happen whose changes nobody wants to know: what follows is derived from what they leave behind, once."""
        engine, watch = self._engine, self._watch()
        if engine.has_derived:
            super().replay(updates)
            return
        undo = UndoLog(engine.state)
        for update in updates:
            planned = NO_CHANGE
            if update.remove_rules or update.add_rules:
                planned = plan_change(self._live_rules, update.remove_rules, update.add_rules, self._loaded)
                self._take_up(planned, undo)
                self._end_rule_change(planned)
            coming, going = _with_facts(planned, update.insert, update.delete)
            given = self._update_reader.read(coming, going, update.upsert)()
            deleted, inserted, upserted = given.deleted, given.inserted, given.upserted
            with watch.deferring_interrupts():
                for name, rows in deleted.items():
                    engine.remove(name, rows, undo)
                for name, rows in upserted.items():
                    engine.remove(name, engine.rows_with_key(name, self._key_of(name), rows), undo)
                for name, rows in (*inserted.items(), *upserted.items()):
                    self._know(name, rows.shape[1])
                    engine.add(name, rows)
                watch.poll()

    def _know_if_new(self, name: str, arity: int) -> None:
        if self._relation(name) is None:
            self._know(name, arity)

    def _relation(self, name: str) -> Relation | None:
        return self._program.relations.get(name) or self._loaded.get(name)

    # --- facts out -------------------------------------------------------------------------------------------------------

    def __getitem__(self, relation: str) -> Facts:
        held = self._held(relation)
        return self._facts(relation, held.snapshot() if isinstance(held, Table) else held)

    def count(self, relation: str) -> int:
        """How many facts a relation has."""
        return len(self._held(relation))

    def query(self, text: str) -> Facts:
        """All bindings of the variables of a query, such as `path(a, X), X != b`, each once."""
        query = check_query(text, self.relations, self._program.prefixes)
        engine = self._maintained()
        rows = engine.query(query.body, query.names, self._watch())
        return Facts(text.strip(), query.names, rows, engine.state.terms, noun="answer")

    def _held(self, relation: str) -> Any:
        self._check_known(relation)
        return self._maintained().stored(relation)

    def _facts(self, relation: str, held: Any) -> Facts:
        return self._shown(self.relations[relation], held)

    def _shown(self, known: Relation, held: Any) -> Facts:
        kinds = [column.type if isinstance(column.type, Kind) else None for column in known.columns or ()]
        return Facts(known.name, column_names(known), held, self._engine.state.terms, kinds)

    # --- the engine ------------------------------------------------------------------------------------------------------

    @property
    def _engine(self) -> LocalEngine:
        """The engine with the facts of the program's text; started when it is first needed, since that takes a moment."""
        if self._started is None:
            announce_compilation()
            self._started = LocalEngine(self._program, modules=self._modules, algorithm=self._algorithm)
            for name, rows in self._update_reader.rows_of(self._program.facts).items():
                self._started.add(name, rows)
        return self._started

    @cached_property
    def _update_reader(self) -> UpdateReader:
        return UpdateReader(self._engine.state.terms, lambda: self._program, lambda: self._loaded, self._key_of)

    @cached_property
    def _all_limits(self) -> Limits:
        return Limits(*self._limits)

    def _watch(self) -> Watch:
        return Watch(self._all_limits, self._progress)

    def _maintained(self) -> LocalEngine:
        """The engine when everything that follows has been derived."""
        engine = self._started or self._engine
        if not engine.is_maintained:
            engine.maintain(self._watch())
        return engine


def _last_of_each_key(rows: Any, key: tuple[int, ...]) -> Any:
    """Of several rows with one key, the last."""
    if not len(rows):
        return rows
    _, at = np.unique(rows[::-1, key], axis=0, return_index=True)
    return rows[np.sort(len(rows) - 1 - at)]


def _texts(given: str | Iterable[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _with_facts(planned: RuleChange, *given: Iterable[Fact]) -> list[list[Fact]]:
    """Facts to insert and to delete, with those that stand among rules."""
    both = zip(given, (planned.insert, planned.delete), strict=True)
    return [[*facts, *((name, *values) for name, values in more)] for facts, more in both]
