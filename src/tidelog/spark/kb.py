"""The knowledge base on Spark: facts from files, tables and DataFrames, updates of facts and rules, and updates of a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from tidelog.arguments import texts_of_rules
from tidelog.changes import LoadReport
from tidelog.core.rule_report import rule_report
from tidelog.errors import TidelogError, fail
from tidelog.files.matching import check_mapping
from tidelog.local.engine import EncodedUpdate
from tidelog.options import options_given
from tidelog.program.changes.live_rules import RuleDifference
from tidelog.program.changes.rule_changes import NO_CHANGE, RuleChange, plan_change
from tidelog.rdf.left_out import tell_of_left_out
from tidelog.redaction import keeping_secrets
from tidelog.spark.data.spark_facts import SparkChange
from tidelog.spark.engine import SparkEngine
from tidelog.spark.explaining import Explaining
from tidelog.spark.maintenance.rule_changes.comparison import Comparison, ComposedDeltas, Snapshot
from tidelog.spark.maintenance.rule_changes.reuse import affected_relations, reuse_unaffected, visits
from tidelog.spark.maintenance.rule_changes.rules_in_kernel import OverBudgetError, RuleUpdateInKernel, is_possible
from tidelog.spark.maintenance.rule_changes.rules_in_rounds import RulesInRounds
from tidelog.spark.maintenance.stream_in_kernel import StreamInKernel
from tidelog.spark.maintenance.update import SparkUpdate
from tidelog.spark.maintenance.update_keys import Given, UpdateKeys, encoded_update, merged, read_update
from tidelog.spark.maintenance.update_result import UpdateResult
from tidelog.spark.session.lineage import lost_blocks_explained
from tidelog.spark.session.users_session import described, users_session
from tidelog.streams.update import Update, as_update
from tidelog.surface.keywords import naming_options
from tidelog.surface.logs import log_loads, log_update
from tidelog.surface.subscriptions import found_in
from tidelog.text_limits import check_length

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidelog.changes import Change
    from tidelog.files.text.delimited import Header
    from tidelog.spark.ingest import Ingested, Rejects


class SparkKnowledgeBase(Explaining):
    """A knowledge base whose facts may be more than one process can hold."""

    _stream: StreamInKernel | None = None

    # --- loading ---------------------------------------------------------------------------------------------------------

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
        rejects: Rejects | None = None,
        where: str | None = None,
    ) -> LoadReport:
        """Add the facts of files, a Spark table or a DataFrame (`where`: a condition in Spark's SQL); the rest are rejects."""
        from tidelog.spark.ingest import Rejects, SourceOptions, ingest

        if refused := options_given(encoding=encoding, null=null, upsert=upsert or None):
            fix = "give the rows to `update(upsert=…)`" if upsert else "leave it out"
            raise fail("TL074", f'engine="spark" takes no {", ".join(refused)} to load', fix=fix)
        check_mapping(columns)
        if any(not isinstance(given, str) for given in columns or ()):
            raise fail("TL074", 'engine="spark" takes no positions in columns', fix="give the names that the source has")
        options = {**(options or {}), **({"sep": delimiter} if delimiter is not None else {})}
        names = {str(given): meant for given, meant in (columns or {}).items()}
        relation, private = self._schema.name_of(relation), self.spark
        how = SourceOptions(format, header, options, names, defaults or {}, where)
        with keeping_secrets(options), described(private, f"load {relation}"):
            ingested = ingest(
                private,
                source,
                relation,
                self.relations.get(relation),
                how,
                rejects=Rejects() if rejects is None else rejects,
                lineage=self._started_engine.lineage,
                tables=users_session(private),
            )
        return self._add(ingested)

    @naming_options
    def load_rdf(
        self,
        source: object,
        *,
        format: str | None = None,  # noqa: A002
        triples: bool | None = None,
        graphs: bool = False,
        base: str | None = None,
        rejects: Rejects | None = None,
    ) -> list[LoadReport]:
        """Add the triples of N-Triples or Turtle files to the relations that the program names by their IRIs."""
        from tidelog.spark.ingest import Rejects, ingest_rdf

        if refused := options_given(triples=triples, graphs=graphs or None, base=base):
            raise fail("TL074", f'engine="spark" takes no {", ".join(refused)} to load_rdf', fix="leave it out")
        rejects = rejects if rejects is not None else Rejects()
        lineage = self._started_engine.lineage
        with described(self.spark, "load triples"):
            found = ingest_rdf(self.spark, source, format=format, rejects=rejects, lineage=lineage)  # type: ignore[arg-type]
        reports: list[LoadReport] = []
        counts = found.counts() if set(self.relations) != {"triple"} else {}
        tell_of_left_out(counts, self.relations, self.program.printer)
        for name, arity in (*counts, ("triple", 3)):
            relation = self.relations.get(name)
            if relation is not None and relation.arity == arity:
                reports.append(self._add(found.ingested(relation, rejects=rejects)))
        return reports

    def _add(self, found: Ingested) -> LoadReport:
        relation, rows, engine = found.relation, found.rows, self._started_engine
        self._local_copy = None
        self._know(relation, self.relations[relation].arity if relation in self.relations else found.width)
        if not engine.has_derived:
            self._version = replace(self._version, inputs=(*self._version.inputs, (relation, found.kept, rows)))
        engine.add(relation, found.kept, rows, self.relations[relation].arity)
        self.loads.append(LoadReport(relation, rows, rows, found.description, found.rejected))
        log_loads(self.loads[-1:])
        return self.loads[-1]

    # --- updates of facts ------------------------------------------------------------------------------------------------

    @naming_options
    def update(
        self,
        insert: Given = (),
        delete: Given = (),
        upsert: Given = (),
        *,
        remove_rules: str | Iterable[str] = (),
        add_rules: str | Iterable[str] = (),
    ) -> SparkChange:
        """Add, remove and replace explicit facts, deletions first, and derive what follows.  All of it happens, or nothing.

        Facts are tuples of the relation's name and the arguments, `("edge", "a", "b")`; or, by relation, whatever `load` takes:
        `insert={"edge": df}`.  If rules change, the relations that depend on them are maintained, or derived anew.
        """
        return self._changed(insert, delete, upsert, remove_rules, add_rules)

    def _changed(
        self,
        insert: Given,
        delete: Given,
        upsert: Given,
        remove_rules: str | Iterable[str],
        add_rules: str | Iterable[str],
        update_id: str | int | None = None,
    ) -> SparkChange:
        if self._stream is not None:
            self._stream.ahead.forget()
        parts = {"delete": delete, "insert": insert, "upsert": upsert}
        removed, added = texts_of_rules(remove_rules), texts_of_rules(add_rules)
        with described(self.spark, "update" if update_id is None else f"update {update_id}"):
            done = self._change_rules(parts, removed, added) if removed or added else self._update(parts)
        return self._named(done, update_id)

    def _named(self, change: SparkChange, update_id: str | int | None = None) -> SparkChange:
        """A change whose facts are found by prefixed names, too, and by those of relations that have not changed."""
        change.inserted.name_of = change.deleted.name_of = self._schema.name_of
        change.inserted.relations = change.deleted.relations = self._schema.relations
        log_update(change.stats, change.rules)
        if self._subscribers:
            self._subscribers.note(found_in(change), update_id)
            self._subscribers.deliver()
        return change

    def _update(self, parts: dict[str, Given], planned: RuleChange = NO_CHANGE) -> SparkChange:
        started = perf_counter()
        given, engine = self._read_update(parts, planned), self._engine_within_budget()
        with self._all_or_nothing():
            done, unknown = self._apply(engine, given)
        engine.lineage.sweep(engine.exchange.in_use())
        return UpdateResult(done, dict(self.relations), unknown, perf_counter() - started).change(self._as_frame)

    def _apply(
        self, engine: SparkEngine, given: dict[str, UpdateKeys], protected: Sequence[DataFrame] = ()
    ) -> tuple[SparkUpdate, int]:
        """Run an update; and how many of the facts to delete are of relations that are not known."""
        with lost_blocks_explained(), SparkUpdate(engine, self._watch(), protected) as update:
            update.apply(self._of_known_relations(given))
        return update, self._unknown(given)

    def _engine_within_budget(self) -> SparkEngine:
        """The maintained engine; evaluated anew if the updates before made a unit in the kernel too large for it."""
        engine = self._maintained_engine()
        if not engine.exceeds_budget:
            return engine
        with self._all_or_nothing():
            self.restore(list(self.explicit_facts()), engine.exchange.terms)
            reuse_unaffected(self._started_engine, engine, set())
            return self._maintained_engine()

    # --- requests --------------------------------------------------------------------------------------------------------

    def _read_update(self, parts: dict[str, Given], planned: RuleChange = NO_CHANGE) -> dict[str, UpdateKeys]:
        """What an update does to facts, with those that stand among its rules."""
        among_rules: dict[str, Given] = {
            "delete": [(name, *values) for name, values in planned.delete],
            "insert": [(name, *values) for name, values in planned.insert],
        }
        schema = self._schema
        return merged(*(read_update(some, schema, self._read_whole) for some in (parts, among_rules)))

    def _of_known_relations(self, given: dict[str, UpdateKeys]) -> dict[str, UpdateKeys]:
        """What an update does to known relations; those that it inserts facts of are known from now on."""
        for name, facts in given.items():
            if facts.insert or facts.upsert or name in self.relations:
                self._know(name, facts.arity)
        return {name: facts for name, facts in given.items() if name in self.relations}

    def _unknown(self, given: dict[str, UpdateKeys]) -> int:
        return sum(rows for name, facts in given.items() if name not in self.relations for _, rows in facts.delete)

    def _read_whole(self, relation: str, source: object) -> Ingested:
        """Facts for an update, in which nothing may be rejected."""
        from tidelog.spark.ingest import Rejects, ingest

        lineage, known = self._started_engine.lineage, self.relations.get(relation)
        found = ingest(self.spark, source, relation, known, rejects=Rejects(), lineage=lineage, tables=users_session(self.spark))
        if found.rejected:
            message = f"{found.rejected:,} rows for `{relation}` do not fit, so nothing is changed"
            raise fail("TL072", message, fix="load them with rejects, or repair them")
        return found

    # --- updates of a stream ---------------------------------------------------------------------------------------------

    def apply(self, update: Update, next_update: Callable[[], Update | None] = lambda: None) -> Change:
        """One update of a stream; where everything is in the kernel, it looks ahead to the next one."""
        update = as_update(update)
        is_marking = self._marking is not False and self._algorithm not in ("counting", "rematerialise")
        engine = self._engine_within_budget()
        if update.add_rules or update.remove_rules or not is_marking or not engine.is_in_kernel:
            rules = update.remove_rules, update.add_rules
            return self._changed(update.insert, update.delete, update.upsert, *rules, update.id)
        if self._stream is None or not self._stream.serves(engine):
            self._stream = StreamInKernel(engine, self._read_ahead, always=self._marking is True)
        with self._all_or_nothing():
            encoded = self._stream.ahead.given(update)
            if encoded is None or encoded.relations != len(self._schema.loaded):
                encoded = self._encoded(update)
            for name, rows in encoded.added():
                self._know(name, rows.shape[1])
                engine.ensure_stored(name, rows.shape[1])
            done = self._stream.apply(update, next_update, encoded, self._watch())
        return self._named(done.change(dict(self.relations), self._as_frame), update.id)

    def _encoded(self, update: Update) -> EncodedUpdate:
        """The request of an update of a stream, as rows of the kernel."""
        given = self._read_update({"delete": update.delete, "insert": update.insert, "upsert": update.upsert})
        engine = self._maintained_engine()
        for name in given.keys() & self.relations.keys():
            engine.ensure_stored(name, given[name].arity)
        return encoded_update(engine.exchange.local_rows, given, len(self._schema.loaded))

    def _read_ahead(self, update: Update) -> EncodedUpdate | None:
        """The same before its turn; None if it has an error, which is raised in its turn."""
        try:
            return self._encoded(update)
        except TidelogError:
            return None

    # --- updates of rules ------------------------------------------------------------------------------------------------

    def _change_rules(self, parts: dict[str, Given], remove: list[str], add: list[str]) -> SparkChange:
        """Remove and add rules, and facts with them."""
        engine = self._engine_within_budget()
        self._schema = replace(self._schema, live=self._schema.live_rules())
        check_length("".join((*remove, *add)), "the text of the rules", self._limit_text)
        planned = plan_change(self._schema.live_rules(), remove, add, self._schema.loaded)
        if planned.difference is None:
            with self._all_or_nothing():
                self._schema = self._schema.changed(planned, engine.local.has_explicit)
                return self._update(parts, planned)
        for name, known in {**self.relations, **planned.relations}.items():
            engine.ensure_stored(name, known.arity)
        if is_possible(engine):
            try:
                with self._all_or_nothing():
                    return self._change_in_kernel(engine, parts, planned, planned.difference)
            except OverBudgetError:
                pass  # what the rules derive is too large for the kernel: on Spark, then
        with self._all_or_nothing():
            return self._change_on_spark(engine, parts, planned, planned.difference)

    def _change_in_kernel(
        self, engine: SparkEngine, parts: dict[str, Given], planned: RuleChange, difference: RuleDifference
    ) -> SparkChange:
        """Where everything is in the kernel, the local engine maintains it under the new rules."""
        started, known = perf_counter(), {**self.relations, **planned.relations}
        unknown = 0

        def read() -> tuple[dict[str, UpdateKeys], list[str]]:
            nonlocal unknown
            self._schema = self._schema.changed(planned, engine.local.has_explicit)
            found = self._read_update(parts, planned)
            requested = self._of_known_relations(found)
            unknown = self._unknown(found)
            return requested, [name for name in difference.forgotten if name not in self._schema.loaded]

        with RuleUpdateInKernel(engine, self._watch()) as update:
            update.change(difference, read)
        result = UpdateResult(update, {**known, **self.relations}, unknown, perf_counter() - started)
        return result.change(self._as_frame, rule_report(difference, update.in_kernel.visits))

    def _change_on_spark(
        self, engine: SparkEngine, parts: dict[str, Given], planned: RuleChange, difference: RuleDifference
    ) -> SparkChange:
        """A new engine reuses what the rules do not affect, and maintains the rest in rounds, or derives it anew."""
        started, relations = perf_counter(), {**self.relations, **planned.relations}
        affected = affected_relations(difference)
        explicit = list(self.explicit_facts())
        self._schema = self._schema.changed(planned, lambda _: False)  # `restore` knows those with explicit facts
        self.restore(explicit, engine.exchange.terms)
        renewed, watch = self._started_engine, self._watch()
        reuse_unaffected(renewed, engine, affected)
        in_rounds = RulesInRounds(renewed, engine, difference, affected, watch)
        self._version = replace(self._version, has_begun=True)
        with lost_blocks_explained():
            renewed.evaluate(watch, in_rounds.maintain)
        self._version = replace(self._version, inputs=())
        done, unknown = self._apply(renewed, self._read_update(parts, planned), in_rounds.protected)
        renewed.lineage.sweep((*engine.exchange.in_use(), *renewed.exchange.in_use()))  # the change reads what was before
        anew = affected - in_rounds.maintained
        before, after = (
            Snapshot.of(one, [(name, known.arity) for name, known in some.items() if name in anew])
            for one, some in ((engine, relations), (renewed, self.relations))
        )
        given = ({name: facts.copy() for name, facts in one.exchange.explicit.items()} for one in (engine, renewed))
        composed = ComposedDeltas(in_rounds.maintained, in_rounds.frames, done.frames.deltas, *given)
        result = UpdateResult(done, {**relations, **self.relations}, unknown, perf_counter() - started)
        rules = rule_report(difference, [*in_rounds.visits, *visits(renewed, anew)])
        return result.change_with(Comparison(before, after, self.spark), anew, composed, self._as_frame, rules)
