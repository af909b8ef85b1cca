"""The knowledge base on Spark: the same questions, answered from DataFrames."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tidelog.errors import TidelogError, fail
from tidelog.facts import Facts
from tidelog.kb import KnowledgeBase, LoadReport
from tidelog.local.rule_reports import rule_report
from tidelog.local.updating import Given as RowsGiven
from tidelog.program.live_rules import LiveRules, RuleDifference
from tidelog.program.rule_changes import NO_CHANGE, RuleChange, plan_change
from tidelog.source import Source
from tidelog.spark import rule_updating
from tidelog.spark.adopting import adopt, reached, visits
from tidelog.spark.changes import SparkChange
from tidelog.spark.comparing import Comparison, Everything
from tidelog.spark.engine import SparkEngine
from tidelog.spark.exchange import Keys
from tidelog.spark.facts import SparkFacts
from tidelog.spark.given import Given, GivenKeys, given_keys, merged
from tidelog.spark.keeping import KeptFacts, explicit_facts
from tidelog.spark.keys import key_of
from tidelog.spark.lineage import Lineage, lost_blocks_explained
from tidelog.spark.looking_ahead import StreamInKernel, rows_given
from tidelog.spark.placement import Placement, Where
from tidelog.spark.results import Done, facts_of
from tidelog.spark.session import close as close_session
from tidelog.spark.session import machine_memory, session
from tidelog.spark.shipping import Shipping
from tidelog.spark.updating import Updating

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tidelog.changes import Change
    from tidelog.spark.ingest import Ingested, Rejects
    from tidelog.spark.terms import SparkDictionary
    from tidelog.streams.update import Update

_CHANGED_BY_RULES = ("_loaded", "_live", "_program", "_read", "_on_spark", "_has_program_facts", "_has_begun")
_PLACEMENTS = ("auto", *(where.value for where in Where))


class SparkKnowledgeBase(KnowledgeBase):
    """A knowledge base whose facts may be more than one process can hold."""

    def __init__(
        self,
        rules: str | PathLike[str] | Source = "",
        *,
        spark: SparkSession | None = None,
        placement: str = "auto",
        memory_budget: int | None = None,
        lineage: str | None = None,
        lineage_folder: str | PathLike[str] | None = None,
        **shared: Any,
    ) -> None:
        """As with the local engine; and a Spark session (one is started if none is given, and a given one is never altered).

        `placement` forces where everything is evaluated; `memory_budget` is how many bytes the kernel may take in this process
        (a quarter of the machine's memory); `lineage` is `local` or `reliable`, which needs a folder that all machines reach.
        """
        if placement not in _PLACEMENTS:
            raise fail("TL074", f"there is no placement={placement!r}", fix=f"choose one of {', '.join(_PLACEMENTS)}")
        self._given_session, self._placement, self._lineage = spark, placement, lineage
        self._lineage_folder = lineage_folder
        self._budget = memory_budget if memory_budget is not None else machine_memory() // 4
        self._on_spark: SparkEngine | None = None
        self._has_begun = False
        self._has_program_facts = True
        self._live: LiveRules | None = None
        self._stream: StreamInKernel | None = None
        self._read: list[tuple[str, Keys, int]] = []
        self._outdated: list[Shipping] = []
        super().__init__(rules, **shared)

    # --- facts in --------------------------------------------------------------------------------------------------------

    def load(
        self,
        relation: str,
        source: object,
        *,
        format: str | None = None,  # noqa: A002
        header: Any = "auto",
        options: dict[str, str] | None = None,
        columns: dict[str, str] | None = None,
        rejects: Rejects | None = None,
        **others: Any,
    ) -> LoadReport:
        """Add the facts of files, a Spark table or a DataFrame to a relation; rows that do not fit are rejects."""
        from tidelog.spark.ingest import Rejects, ingest

        if others:
            fix = "leave it out" if "upsert" not in others else "give the rows to `update(upsert=…)`"
            raise fail("TL074", f'engine="spark" takes no {", ".join(others)} to load', fix=fix)
        with _keeping_secrets(options or {}):
            ingested = ingest(
                self.spark,
                source,
                relation,
                self.relations.get(relation),
                format=format,
                header=header,
                options=options,
                columns=columns,
                rejects=rejects if rejects is not None else Rejects(),
                lineage=self._started_engine.lineage,
            )
        return self._add(ingested)

    def load_rdf(self, source: object, *, format: str | None = None, rejects: Rejects | None = None) -> list[LoadReport]:  # noqa: A002
        """Add the triples of N-Triples or Turtle files to the relations that the program names by their IRIs."""
        from tidelog.spark.ingest import Rejects, ingest_rdf

        rejects = rejects if rejects is not None else Rejects()
        lineage = self._started_engine.lineage
        triples = ingest_rdf(self.spark, source, format=format, rejects=rejects, lineage=lineage)  # type: ignore[arg-type]
        reports: list[LoadReport] = []
        has_others = any(name != "triple" for name in self.relations)
        for name, arity in (*(triples.counts() if has_others else ()), ("triple", 3)):
            relation = self.relations.get(name)
            if relation is not None and relation.arity == arity:
                reports.append(self._add(triples.ingested(relation, rejects=rejects)))
        return reports

    def _add(self, found: Ingested) -> LoadReport:
        relation, rows = found.relation, found.rows
        width = len([name for name in found.frame.columns if name.startswith("k")])
        self._know(relation, self.relations[relation].arity if relation in self.relations else width)
        if not self._started_engine.has_derived:
            self._read.append((relation, found.kept, rows))
        self._started_engine.add(relation, found.kept, rows, self.relations[relation].arity)
        self.loads.append(LoadReport(relation, rows, rows, found.description, found.rejected))
        return self.loads[-1]

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
        `insert={"edge": df}`.  If rules come or go, what they reach is derived anew, or maintained where all is in the kernel.
        """
        if self._stream is not None:
            self._stream.ahead.forget()
        parts = {"delete": delete, "insert": insert, "upsert": upsert}
        if remove_rules or add_rules:
            return self._change_rules(parts, remove_rules, add_rules)
        return self._update(parts)

    def _work_off(self, update: Update, waiting: Callable[[], Update | None]) -> Change:
        """One update of a stream; where all is in the kernel, with what is known of the next one."""
        is_marking = self._marking is not False and self._algorithm not in ("counting", "rematerialise")
        engine = self._settled_engine()
        if update.add_rules or update.remove_rules or not is_marking or not engine.is_in_kernel:
            return self._done(update)
        if self._stream is None or not self._stream.serves(engine):
            self._stream = StreamInKernel(engine, self._read_ahead, self._algorithm, always=self._marking is True)
        known, self._loaded = self._loaded, dict(self._loaded)
        try:
            worked = self._stream.work_off(
                update, waiting, lambda: self._rows_of(update), self._watch(), self._know, len(self._loaded)
            )
        except BaseException:
            self._loaded = known
            raise
        return worked.change(dict(self.relations), self._as_frame)

    def _rows_of(self, update: Update) -> RowsGiven:
        """What an update of a stream asks for."""
        given = self._given({"delete": update.delete, "insert": update.insert, "upsert": update.upsert})
        for name in given.keys() & self.relations.keys():
            self._settled_engine().bring(name, given[name].arity)
        return rows_given(self._settled_engine(), given, len(self._loaded))

    def _read_ahead(self, update: Update) -> RowsGiven | None:
        """The same before its turn; None if something is wrong with it, which will be said in its turn."""
        try:
            return self._rows_of(update)
        except TidelogError:
            return None

    def _update(self, parts: dict[str, Given], planned: RuleChange = NO_CHANGE) -> SparkChange:
        started = perf_counter()
        given, engine, known = self._given(parts, planned), self._settled_engine(), self._loaded
        try:
            done, unknown = self._apply(engine, given)
        except BaseException:
            self._loaded = known
            raise
        return Done(done, dict(self.relations), unknown, perf_counter() - started).change(self._as_frame)

    def _given(self, parts: dict[str, Given], planned: RuleChange = NO_CHANGE) -> dict[str, GivenKeys]:
        """What an update does to facts, with those that stand among rules."""
        among_rules: dict[str, Given] = {
            "delete": [(name, *values) for name, values in planned.delete],
            "insert": [(name, *values) for name, values in planned.insert],
        }
        found = [
            given_keys(some, self.program, self.relations.get, self._key_of, self._read_whole) for some in (parts, among_rules)
        ]
        return merged(*found)

    def _apply(self, engine: SparkEngine, given: dict[str, GivenKeys]) -> tuple[Updating, int]:
        """Do what was asked for; and of how many facts that were to go nobody has heard."""
        done = Updating(engine, self._watch(), self._algorithm)
        with lost_blocks_explained():
            done.apply(self._known(given))
        return done, self._unknown(given)

    def _known(self, given: dict[str, GivenKeys]) -> dict[str, GivenKeys]:
        """The relations that there are, now that some are given facts of."""
        self._loaded = dict(self._loaded)
        for name, facts in given.items():
            if facts.insert or facts.upsert or name in self.relations:
                self._know(name, facts.arity)
        return {name: facts for name, facts in given.items() if name in self.relations}

    def _unknown(self, given: dict[str, GivenKeys]) -> int:
        return sum(rows for name, facts in given.items() if name not in self.relations for _, rows in facts.delete)

    # --- rules that come and go ------------------------------------------------------------------------------------------

    def _change_rules(self, parts: dict[str, Given], remove: str | Iterable[str], add: str | Iterable[str]) -> SparkChange:
        """Let rules go and come, and facts with them."""
        engine = self._settled_engine()
        texts = [[given] if isinstance(given, str) else list(given) for given in (remove, add)]
        self._live = self._live or LiveRules.of(self._program)
        planned = plan_change(self._live, texts[0], texts[1], self._loaded)
        saved = {name: getattr(self, name) for name in _CHANGED_BY_RULES}
        try:
            self._loaded = self._loaded | planned.relations
            if planned.difference is None:
                return self._update(parts, planned)
            for name, known in self.relations.items():
                engine.bring(name, known.arity)
            if rule_updating.is_possible(engine):
                try:
                    return self._change_in_kernel(engine, parts, planned, planned.difference)
                except rule_updating.OutgrownError:
                    for name, value in saved.items():
                        setattr(self, name, value)
                    self._loaded = self._loaded | planned.relations
            return self._change_on_spark(engine, parts, planned, planned.difference)
        except BaseException:
            for name, value in saved.items():
                setattr(self, name, value)
            raise

    def _take_up(self, difference: RuleDifference) -> None:
        self._live, self._program = difference.after, difference.after.program
        self._loaded = {name: known for name, known in self._loaded.items() if name not in self._program.relations}

    def _change_in_kernel(
        self, engine: SparkEngine, parts: dict[str, Given], planned: RuleChange, difference: RuleDifference
    ) -> SparkChange:
        """Where all is in the kernel, the local engine follows the rules."""
        started, known = perf_counter(), dict(self.relations)
        done = rule_updating.RuleUpdating(engine, self._watch(), self._algorithm, difference)
        unknown = 0

        def given() -> dict[str, GivenKeys]:
            nonlocal unknown
            self._take_up(difference)
            tables = engine.state.tables
            for name in difference.forgotten:
                if name in tables and len(tables[name]):
                    self._know(name, known[name].arity)
            found = self._given(parts, planned)
            asked = self._known(found)
            unknown = self._unknown(found)
            return asked

        done.change(given)
        done.forget({name for name in difference.forgotten if name not in self._loaded})
        finished = Done(done, {**known, **self.relations}, unknown, perf_counter() - started)
        return finished.change(self._as_frame, rule_report(difference, done.visits))

    def _change_on_spark(
        self, engine: SparkEngine, parts: dict[str, Given], planned: RuleChange, difference: RuleDifference
    ) -> SparkChange:
        """What the rules reach is derived anew, from the explicit facts, and compared with before; all else stays."""
        started, relations = perf_counter(), dict(self.relations)
        changed = reached(difference)
        before = Everything.of(engine, [(name, known.arity) for name, known in relations.items() if name in changed])
        explicit = list(self.explicit_facts())
        self._take_up(difference)
        self.restore(explicit, engine.exchange.terms)
        renewed = self._started_engine
        adopt(renewed, engine, changed)
        self._settled_engine()
        done, unknown = self._apply(renewed, self._given(parts, planned))
        after = Everything.of(renewed, [(name, known.arity) for name, known in self.relations.items() if name in changed])
        finished = Done(done, {**relations, **self.relations}, unknown, perf_counter() - started)
        rules = rule_report(difference, visits(renewed, changed))
        return finished.change_with(Comparison(before, after, self.spark), changed, self._as_frame, rules)

    def explicit_facts(self) -> Iterator[KeptFacts]:
        """All facts that were given, relation by relation, as keys."""
        known = [(name, relation.arity) for name, relation in self.relations.items()]
        return explicit_facts(self._settled_engine(), known)

    def restore(self, kept: Iterable[KeptFacts], terms: SparkDictionary | None = None) -> None:
        """Have just those facts that were kept as keys: none of the program's text or inputs, which may have been deleted.

        A dictionary that is there already may serve again.
        """
        self._has_program_facts = False
        self._read = []
        for facts in kept:
            self._know(facts.relation, facts.arity)
            self._read.append((facts.relation, facts.keys, facts.rows))
        engine = self._started_engine
        if terms is None:
            self._outdated.append(engine.exchange.shipping)
        self._on_spark, self._has_begun = self._engine(engine.spark, engine.lineage, terms), False

    def _read_whole(self, relation: str, source: object) -> Ingested:
        """Facts for an update, in which nothing may be rejected."""
        from tidelog.spark.ingest import Rejects, ingest

        lineage = self._started_engine.lineage
        known = self.relations.get(relation)
        found = ingest(self.spark, source, relation, known, rejects=Rejects(), lineage=lineage)
        if found.rejected:
            message = f"{found.rejected:,} rows for `{relation}` do not fit, so nothing is changed"
            raise fail("TL072", message, fix="load them with rejects, or repair them")
        return found

    def _as_frame(self, facts: Facts | None, relation: str) -> DataFrame:
        if facts is None:
            return self.dataframe(relation).limit(0)
        if isinstance(facts, SparkFacts):
            with lost_blocks_explained():  # which kinds of values the columns have, only the rows can say
                return facts.dataframe
        return self._started_engine.exchange.shipping.frame(facts.to_arrow())

    # --- facts out -------------------------------------------------------------------------------------------------------

    def __getitem__(self, relation: str) -> Facts:
        self._check_known(relation)
        engine = self._settled_engine()
        exchange, known = engine.exchange, self.relations[relation]
        if relation in exchange.in_kernel:
            return self._kernel_facts(relation, engine)
        return facts_of(engine, known, exchange.to_spark(relation, known.arity))

    def _kernel_facts(self, relation: str, engine: SparkEngine) -> Facts:
        from tidelog.local.tables import Table

        held = engine.state.stored(relation)
        return facts_of(engine, self.relations[relation], held.lend() if isinstance(held, Table) else held)

    def facts_in_process(self, relation: str) -> Facts | None:
        """The facts of a relation if this process holds them, so that Spark need not see them."""
        facts = self[relation]
        return None if isinstance(facts, SparkFacts) else facts

    def count(self, relation: str) -> int:
        """How many facts a relation has."""
        self._check_known(relation)
        engine = self._settled_engine()
        if relation not in engine.exchange.in_kernel:
            engine.exchange.to_spark(relation, self.relations[relation].arity)
        return engine.exchange.size(relation)

    def dataframe(self, relation: str) -> DataFrame:
        """The facts of a relation as a Spark DataFrame with typed, named columns."""
        return self._as_frame(self[relation], relation)

    def query(self, text: str) -> Facts:
        """All bindings of the variables of a query, each once."""
        from tidelog.program.queries import check_query

        query = check_query(text, self.relations, self.program.prefixes)
        engine = self._settled_engine()
        with lost_blocks_explained():
            return engine.query(text.strip(), query, self._watch())

    # --- the engine ------------------------------------------------------------------------------------------------------

    @property
    def spark(self) -> SparkSession:
        """The private session; started when it is first needed."""
        return self._started_engine.spark

    @property
    def placements(self) -> list[Placement]:
        """Where each part of the program was evaluated, and why."""
        return self._settled_engine().placements

    @property
    def statistics(self) -> Any:
        """What the evaluation did, rule by rule and round by round."""
        return self._settled_engine().statistics

    @property
    def _started_engine(self) -> SparkEngine:
        if self._on_spark is None:
            private = session(self._given_session)
            folder = Path(self._lineage_folder) if isinstance(self._lineage_folder, PathLike) else self._lineage_folder
            lineage = Lineage(private, self._lineage, folder)  # type: ignore[arg-type]
            self._on_spark = self._engine(private, lineage)
        return self._on_spark

    def _engine(self, private: SparkSession, lineage: Lineage, terms: SparkDictionary | None = None) -> SparkEngine:
        """An engine with all facts that were given, and none derived."""
        engine = SparkEngine(
            self.program,
            private,
            lineage,
            modules=self._modules,
            placement=self._placement,
            budget=self._budget,
            rules=tuple(self._live.components.rules) if self._live is not None else None,
            terms=terms,
        )
        if self._has_program_facts:
            self._add_program_facts(engine)
        for relation, keys, rows in self._read:
            engine.add(relation, keys, rows, self.relations[relation].arity)
        return engine

    def _add_program_facts(self, engine: SparkEngine) -> None:

        rows: dict[str, list[list[str]]] = {}
        for name, values in self.program.facts:
            rows.setdefault(name, []).append([key_of(value) for value in values])
        for name, keys in rows.items():
            width = max(1, len(keys[0]))
            table = pa.table({f"k{at}": pa.array([row[at] if row else "i0" for row in keys]) for at in range(width)})
            engine.add(name, table, len(keys), len(keys[0]))

    def _settled_engine(self) -> SparkEngine:
        """The engine when everything has been derived: from scratch if a run broke off."""
        engine = self._started_engine
        if engine.is_settled:
            return engine
        if engine.has_derived:
            with lost_blocks_explained():
                Updating(engine, self._watch(), self._algorithm).apply(engine.waiting)
                engine.waiting = {}
            return engine
        if self._has_begun:
            self._outdated.append(engine.exchange.shipping)  # frames that were handed out may need it until the end
            engine = self._on_spark = self._engine(engine.spark, engine.lineage)
        self._has_begun = True
        with lost_blocks_explained():  # not only cuts read rows: so do those that go to the driver or are counted
            engine.settle(self._watch())
        self._read.clear()  # from now on the engine has them
        return engine

    def close(self) -> None:
        """Remove what is kept on disks and give the private session back; the Spark that it is in goes on.

        Nothing can be asked any more afterwards.
        """
        if self._on_spark is not None:
            self._on_spark.lineage.close()
            for shipping in (*self._outdated, self._on_spark.exchange.shipping):
                shipping.close()
            close_session(self._on_spark.spark)


@contextmanager
def _keeping_secrets(options: Mapping[str, str]) -> Iterator[None]:
    """Around a reader that is given options: its errors repeat none of the secrets among them, nor does what they came from."""
    from tidelog.pipeline.values import redacted

    try:
        yield
    except TidelogError as error:
        if not options:
            raise
        shown = []
        for problem in error.diagnostics:
            notes = tuple(redacted(note, [options]) for note in problem.notes)
            shown.append(replace(problem, message=redacted(problem.message, [options]), notes=notes))
        raise TidelogError(shown) from None
