"""The knowledge base of the local engine: all facts in this process."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

from tidelog.arguments import NO_RULES, texts_of_rules
from tidelog.changes import Change, LoadReport
from tidelog.core.limits import Watch
from tidelog.core.rule_report import rule_report
from tidelog.core.schema import Schema
from tidelog.errors import TidelogError, fail
from tidelog.local.encoded_facts import EncodedUpdate
from tidelog.local.equality.telling import arities_of, planned_with_rules
from tidelog.local.explaining.made import Made
from tidelog.local.given_facts import Given, given_facts
from tidelog.local.lookahead.look_ahead import LookAhead, NextUpdate
from tidelog.local.reasoning.ontology_kb import OntologyKnowledgeBase
from tidelog.local.recovery import recover
from tidelog.local.transaction import Transaction
from tidelog.local.update_reader import CheckedUpdate, UpdateReader, with_facts
from tidelog.options import options_given
from tidelog.program.changes.rule_changes import NO_CHANGE, RuleChange, plan_change
from tidelog.program.explicit import as_facts
from tidelog.streams.update import Update, as_update, updates_of
from tidelog.surface.keywords import naming_options
from tidelog.surface.logs import log_update
from tidelog.text_limits import check_length

if TYPE_CHECKING:
    from tidelog.explain.changed.answer import ChangedFact
    from tidelog.files.reading import Options
    from tidelog.files.text.delimited import Header
    from tidelog.kb import FactsGiven
    from tidelog.values import Value

    _Stream = tuple[LookAhead, Update, NextUpdate]
    _Request = CheckedUpdate | EncodedUpdate | tuple[Given, Given, Given]


class LocalKnowledgeBase(OntologyKnowledgeBase):
    """A knowledge base in this process."""

    _ahead: LookAhead | None = None
    """What is known of the next update of a stream."""

    # --- facts in --------------------------------------------------------------------------------------------------------

    @naming_options
    def load(  # options that users give by name
        self,
        relation: str,
        source: object,
        *,
        format: str | None = None,  # noqa: A002
        columns: Mapping[str | int, str] | None = None,
        header: Header = "auto",
        delimiter: str | None = None,
        encoding: str | None = None,
        null: str | Iterable[str] | None = None,
        defaults: Mapping[str | int, object] | None = None,
        upsert: bool = False,
        options: Mapping[str, str] | None = None,
        rejects: object = None,
    ) -> LoadReport:
        """As `KnowledgeBase` says."""
        if refused := options_given(options=options, rejects=rejects):
            fix = 'leave it out, or choose engine="spark"'
            raise fail("TL074", f"the local engine takes no {', '.join(refused)} to load", fix=fix)
        with self._sharing:
            how: Options = {"format": format, "columns": columns, "header": header, "defaults": defaults}
            how |= {"delimiter": delimiter, "encoding": encoding, "null": null}
            report = self._load(self._schema.name_of(relation), source, how, upsert=upsert)
        self._deliver()
        return report

    def _load(self, relation: str, source: object, how: Options, *, upsert: bool) -> LoadReport:
        if (found := self._rdf_of(relation, source, how["format"], upsert=upsert)) is not None:
            return found
        if upsert:
            self._schema.key_of(relation)
        loaded = self.read_source(source, relation, self._schema.relation(relation), **how)
        self._collect_terms()
        described = loaded.rows, loaded.description
        return self.load_columns(relation, loaded.columns, *described, upsert=upsert, names=loaded.names)

    def _collect_terms(self) -> None:
        """Before a change: let the engine drop unused terms, if it has many; nothing that holds ids may be left then.

        It comes before a change and not after it, so that Ctrl-C stops all of it.  Limits are those of the change itself.
        """
        engine = self._started
        if engine is None or not engine.may_collect_terms:
            return
        if engine.unfinished is not None:
            recover(engine)
        reader: UpdateReader | None = self.__dict__.pop("_update_reader", None)
        if self._ahead is not None:
            self._ahead.forget()
        engine.collect_terms(Watch(show=self._progress))
        if reader is not None:
            reader.abandon()

    # --- changes ---------------------------------------------------------------------------------------------------------

    @naming_options
    def update(
        self,
        insert: FactsGiven = (),
        delete: FactsGiven = (),
        upsert: FactsGiven = (),
        *,
        remove_rules: str | Iterable[str] = NO_RULES,
        add_rules: str | Iterable[str] = NO_RULES,
    ) -> Change:
        """Add, remove and replace explicit facts, deletions first, and derive what follows.  All of it happens, or nothing.

        A fact is a tuple of the relation's name and the arguments: `("edge", "a", "b")`.  Facts may also come by relation,
        `insert={"edge": df}`, as whatever `load` takes, or as tuples without the name; and as a result, `delete=kb["edge"]`.
        An upsert takes the place of the explicit facts that have its key; of two with one key, the last counts.  Rules may go
        and come in the same update.
        """
        with self._sharing:
            parts = given_facts(insert), given_facts(delete), given_facts(upsert)
            change = self._update(*parts, remove_rules, add_rules)
        if self._subscribers is not None:
            self._subscribers.deliver()
        return change

    def _update(
        self,
        insert: Given,
        delete: Given,
        upsert: Given,
        remove_rules: str | Iterable[str],
        add_rules: str | Iterable[str],
        *,
        update_id: str | int | None = None,
    ) -> Change:
        started = perf_counter()
        if self._started is not None and self._started.may_collect_terms:
            self._collect_terms()
        if self._ahead is not None:
            self._ahead.forget()
        if remove_rules is not NO_RULES or add_rules is not NO_RULES:
            remove_rules, add_rules = texts_of_rules(remove_rules), texts_of_rules(add_rules)
        if self._journal is not None:
            insert, delete, upsert = (self._update_reader.tuples(part, self._schema) for part in (insert, delete, upsert))
            insert, delete, upsert, remove_rules, add_rules = self._journal.take(insert, delete, upsert, remove_rules, add_rules)
        if not remove_rules and not add_rules:
            return self._apply(self._update_reader.read(self._schema, insert, delete, upsert), started, update_id=update_id)
        if self._has_same_as:
            insert, upsert = (list(self._update_reader.tuples(part, self._schema)) for part in (insert, upsert))
            self._tell(arities_of((*insert, *upsert), self._schema))
        planned = self._planned(remove_rules, add_rules)
        inserted, deleted = with_facts(planned, insert, delete)
        return self._apply((inserted, deleted, upsert), started, planned=planned, update_id=update_id)

    @naming_options
    def what_if(
        self,
        insert: FactsGiven = (),
        delete: FactsGiven = (),
        upsert: FactsGiven = (),
        *,
        remove_rules: str | Iterable[str] = NO_RULES,
        add_rules: str | Iterable[str] = NO_RULES,
    ) -> Change:
        """The change that an update would make, with what it costs; nothing changes, and nothing is saved."""
        from tidelog.local.insight.supposing import Supposed, rules_of, supposing

        def seen(supposed: Supposed) -> Change:
            result, difference = supposed.result, supposed.planned.difference
            rules = rule_report(difference, result.visits) if difference is not None else None
            return self._change_of(result, self._schema, supposed.schema, result.change_statistics(supposed.seconds), rules)

        with self._sharing:
            parts = given_facts(insert), given_facts(delete), given_facts(upsert)
            return supposing(self, parts, rules_of(self, remove_rules, add_rules), seen)

    def _would_hold(self, inserted: tuple[tuple[Any, ...], ...], relation: str, values: tuple[Value, ...]) -> bool:
        from tidelog.local.insight.supposing import would_hold

        with self._sharing:
            return would_hold(self, inserted, relation, values)

    def apply(self, update: Update, next_update: NextUpdate = lambda: None) -> Change:
        """Apply one update of a stream, with marks from the one before, and marks for the next one."""
        update = as_update(update)
        with self._sharing:
            change = self._apply_one(update, next_update)
        self._deliver()
        return change

    def _apply_one(self, update: Update, next_update: NextUpdate) -> Change:
        started = perf_counter()
        has_marks = self._marking is not False and self._algorithm not in ("counting", "rematerialise") and not self._has_same_as
        if update.remove_rules or update.add_rules or not (self._ahead or has_marks):
            rules = update.remove_rules, update.add_rules
            return self._update(update.insert, update.delete, update.upsert, *rules, update_id=update.id)
        self._collect_terms()
        if self._journal is not None:
            self._journal.take(update.insert, update.delete, update.upsert)
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

    def _apply(
        self,
        asked: _Request,
        started: float,
        stream: _Stream | None = None,
        planned: RuleChange = NO_CHANGE,
        update_id: str | int | None = None,
    ) -> Change:
        """Apply an update in one transaction; in a stream, with marks from the one before, and for the next one.

        Facts that come with a change of rules are checked against the rules as they will be.
        """
        engine, before = self._maintained(), self._schema
        try:
            with engine.begin(self._watch()) as transaction:
                schema = before if planned is NO_CHANGE else self._change_rules(transaction, planned)
                if isinstance(asked, tuple):
                    asked = self._update_reader.read(schema, *asked)
                encoded = asked.encode() if isinstance(asked, CheckedUpdate) else asked
                if planned is NO_CHANGE:
                    schema = self._telling(transaction, schema, {name: rows.shape[1] for name, rows in encoded.added()})
                for name, rows in encoded.added():
                    if name not in schema.program.relations:
                        schema = schema.knowing(name, rows.shape[1])
                if stream is None:
                    transaction.run(encoded)
                else:
                    stream[0].run(transaction, encoded, *stream[1:])
                if self._journal is not None:
                    transaction.record(self._journal.record, self._journal.retract)
                forgotten = _forgotten(planned, schema) if planned is not NO_CHANGE else ()
                result = transaction.commit(forgotten, None if schema is before else self._publishing(schema))
        except BaseException:
            if stream is not None:
                stream[0].forget()
            raise
        if self._subscribers:
            self._note(result, before, schema, update_id if stream is None else stream[1].id)
        rules = rule_report(planned.difference, result.visits) if planned.difference is not None else None
        statistics = result.change_statistics(perf_counter() - started)
        log_update(statistics, rules)
        if self._profile is not None:
            from tidelog.local.insight.profiling import record

            record(self._profile, "update" if rules is None else "rule change", result, statistics, schema, before)
        if planned.difference is not None:
            self._silence.look(engine, schema, result.statistics, planned.difference.added)
            added = [rule for number in planned.difference.added if (rule := schema.rules.get(number)) is not None]
            self._undefined.add(added, schema)
        elif self._silence.looks > 0:
            self._silence.look(engine, schema, result.statistics)
        change = self._change_of(result, before, schema, statistics, rules)
        change.explainer = partial(
            _explained, Made(weakref.ref(self), engine.commits, planned.difference, result.difference, engine.state.terms)
        )
        return change

    def _publishing(self, schema: Schema) -> Callable[[], None] | None:
        return None if schema is self._schema else partial(self._take_over, schema, self.loads)

    def _planned(self, remove_rules: str | Iterable[str], add_rules: str | Iterable[str]) -> RuleChange:
        if self._schema.live is None:
            self._schema = replace(self._schema, live=self._schema.live_rules())
        removed, added = texts_of_rules(remove_rules), texts_of_rules(add_rules)
        check_length("".join((*removed, *added)), "the text of the rules", self._limit_text)
        plan = partial(plan_change, self._schema.live_rules(), removed, others=self._schema.loaded)
        return planned_with_rules(self._schema, plan, added)

    def _change_rules(self, transaction: Transaction, planned: RuleChange) -> Schema:
        """Replace the rules, and the schema that they have from now on."""
        if planned is NO_CHANGE:
            return self._schema
        if planned.difference is not None:
            transaction.change_rules(planned.difference)
        return self._schema.changed(planned, self._engine.has_explicit)

    def replay(self, updates: Iterable[Update]) -> None:
        """Apply updates whose changes nobody wants to know: what follows is derived once, from what they leave behind."""
        with self._sharing:
            if not self._engine.has_derived:
                self._replay(updates_of(updates))
                return
        super().replay(updates)

    def _replay(self, updates: Iterable[Update]) -> None:
        engine = self._engine
        for update in updates:
            self._collect_terms()
            if self._has_same_as:
                self._tell(arities_of((*as_facts(update.insert), *as_facts(update.upsert)), self._schema))
            planned = NO_CHANGE
            if self._journal is not None:
                self._journal.take(update.insert, update.delete, update.upsert, update.remove_rules, update.add_rules)
            if update.remove_rules or update.add_rules:
                planned = self._planned(update.remove_rules, update.add_rules)
            with engine.begin(self._watch()) as transaction:
                schema = self._change_rules(transaction, planned)
                inserted, deleted = with_facts(planned, update.insert, update.delete)
                encoded = self._update_reader.read(schema, inserted, deleted, update.upsert).encode()
                for name, rows in encoded.added():
                    schema = schema.knowing(name, rows.shape[1])
                transaction.delete(encoded)
                transaction.insert(encoded.added())
                if self._journal is not None:
                    transaction.record(self._journal.record, self._journal.retract)
                transaction.commit(_forgotten(planned, schema), self._publishing(schema))


def _explained(made: Made, change: Change, fact: object) -> ChangedFact:
    """Why a fact came or went with a change."""
    from tidelog.local.explaining.reversal import Reversal

    return Reversal(made, change).explain(fact)


def _forgotten(planned: RuleChange, schema: Schema) -> Collection[str]:
    """The relations that nobody knows after a change of rules."""
    difference = planned.difference
    return () if difference is None else [name for name in difference.forgotten if name not in schema.loaded]
