"""A materialised program on Spark: the engine that a knowledge base owns, evaluated when its facts are first read.

What an update may replace are two frozen values: the schema (`core.schema`), and the `EngineVersion`. A failed update puts those
from before back.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidelog.core.limits import Watch
from tidelog.core.rewriting import core_of_rule
from tidelog.errors import fail
from tidelog.facts import Facts
from tidelog.kb import KnowledgeBase
from tidelog.options import machine_memory
from tidelog.program.queries import ANSWER, Query, as_text, check_query
from tidelog.source import Source
from tidelog.spark.data.exchange import Keys
from tidelog.spark.data.explicit_snapshot import ExplicitSnapshot, explicit_facts
from tidelog.spark.data.frames import FrameRelation
from tidelog.spark.data.matrices import width_of
from tidelog.spark.data.spark_facts import SparkFacts, facts_of
from tidelog.spark.engine import EngineOptions, SparkEngine
from tidelog.spark.evaluation.placement import Placement, Where
from tidelog.spark.evaluation.rounds import Rounds
from tidelog.spark.maintenance.update import SparkUpdate
from tidelog.spark.maintenance.update_keys import keys_table
from tidelog.spark.session.lineage import Lineage, lost_blocks_explained
from tidelog.spark.session.private_session import close as close_session
from tidelog.spark.session.private_session import session
from tidelog.spark.session.shipping import Shipping
from tidelog.spark.session.users_session import described
from tidelog.syntax.tree import Atom, Rule, Variable, atoms
from tidelog.text_limits import check_length

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tidelog.spark.data.spark_dictionary import SparkDictionary

_LOG = logging.getLogger("tidelog.spark")
_PLACEMENTS = ("auto", *(where.value for where in Where))


@dataclass(frozen=True, slots=True)
class EngineVersion:
    """An engine, and what it is made from."""

    engine: SparkEngine | None = None
    """None until it is first needed."""
    inputs: tuple[tuple[str, Keys, int], ...] = ()
    """Explicit facts that were loaded before the first evaluation: relation, keys and number of rows."""
    has_program_facts: bool = True
    """Whether the facts in the program's text are explicit facts, too."""
    has_begun: bool = False
    """Whether an evaluation has begun; an engine whose first evaluation was interrupted is made anew."""


class Materialisation(KnowledgeBase):
    """A knowledge base on Spark that answers; `kb.SparkKnowledgeBase` adds what changes it."""

    _local_copy: KnowledgeBase | None = None
    """The same rules and facts in this process, which explains; until the next change."""

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
        self._version = EngineVersion()
        self._outdated: list[Shipping] = []
        """Of engines that were replaced; frames that users hold may read their files until the end."""
        super().__init__(rules, **shared)

    # --- facts out -------------------------------------------------------------------------------------------------------

    def __getitem__(self, relation: str) -> Facts:
        known = self._known(relation)
        exchange, name = self._maintained_engine().exchange, known.name
        if name in exchange.in_kernel:
            return facts_of(exchange, known, exchange.local.snapshot(name))
        return facts_of(exchange, known, exchange.to_spark(name, known.arity))

    def facts_in_process(self, relation: str) -> Facts | None:
        """The facts of a relation if this process holds them, so that Spark need not see them."""
        facts = self[relation]
        return None if isinstance(facts, SparkFacts) else facts

    def count(self, relation: str) -> int:
        """How many facts a relation has."""
        known = self._known(relation)
        exchange = self._maintained_engine().exchange
        if known.name not in exchange.in_kernel:
            exchange.to_spark(known.name, known.arity)
        return exchange.size(known.name)

    def dataframe(self, relation: str) -> DataFrame:
        """The facts of a relation as a Spark DataFrame with typed, named columns."""
        return self._as_frame(self[relation], relation)

    def query(self, text: str, /, **values: object) -> Facts:
        """All bindings of the variables of a query, each once; `values` are those of some."""
        check_length(as_text(text), "the query", self._limit_text)
        query = check_query(text, self.relations, self.program.prefixes, values)
        engine = self._maintained_engine()
        with lost_blocks_explained(), described(engine.spark, "query"):
            return answered(engine, text.strip(), query, self._watch())

    def explicit_facts(self) -> Iterator[ExplicitSnapshot]:
        """All explicit facts, relation by relation, as keys."""
        known = [(name, relation.arity) for name, relation in self.relations.items()]
        return explicit_facts(self._maintained_engine(), known)

    def _as_frame(self, facts: Facts | None, relation: str) -> DataFrame:
        if facts is None:
            return self.dataframe(relation).limit(0)
        if isinstance(facts, SparkFacts):
            with lost_blocks_explained():  # which kinds of values the columns have, only the rows can say
                return facts.dataframe
        return self._started_engine.exchange.shipping.frame(facts.to_arrow(), is_result=True)

    # --- the engine ------------------------------------------------------------------------------------------------------

    @property
    def spark(self) -> SparkSession:
        """The private session; started when it is first needed."""
        return self._started_engine.spark

    @property
    def placements(self) -> list[Placement]:
        """Where each part of the program was evaluated, and why."""
        return list(self._maintained_engine().placed.placements)

    @property
    def statistics(self) -> Any:
        """What the evaluation did, rule by rule and round by round."""
        return self._maintained_engine().statistics

    @property
    def _started_engine(self) -> SparkEngine:
        engine = self._version.engine
        if engine is None:
            private = session(self._given_session)
            folder = Path(self._lineage_folder) if isinstance(self._lineage_folder, PathLike) else self._lineage_folder
            lineage = Lineage(private, self._lineage, folder)  # type: ignore[arg-type]
            engine = self._new_engine(private, lineage)
            self._version = replace(self._version, engine=engine)
        return engine

    def _new_engine(self, private: SparkSession, lineage: Lineage, terms: SparkDictionary | None = None) -> SparkEngine:
        """An engine with all explicit facts that the version names, and nothing derived."""
        live = self._schema.live
        engine = SparkEngine(
            self.program,
            private,
            lineage,
            EngineOptions(self._budget, self._modules, self._algorithm, self._placement),
            rules=tuple(live.components.rules) if live is not None else None,
            terms=terms,
        )
        if self._version.has_program_facts:
            facts: dict[str, list[Any]] = {}
            for name, values in self.program.facts:
                facts.setdefault(name, []).append(values)
            for name, rows in facts.items():
                engine.add(name, keys_table(rows, len(rows[0])), len(rows), len(rows[0]))
        for relation, keys, count in self._version.inputs:
            engine.add(relation, keys, count, self.relations[relation].arity)
        return engine

    def _maintained_engine(self) -> SparkEngine:
        """The engine when everything has been derived: from scratch if an evaluation was interrupted."""
        engine = self._started_engine
        if engine.is_maintained:
            return engine
        if engine.has_derived:
            with lost_blocks_explained(), SparkUpdate(engine, self._watch()) as update:
                update.apply(engine.waiting)
            engine.waiting = {}
            return engine
        if self._version.has_begun:
            self._outdated.append(engine.exchange.shipping)
            engine = self._new_engine(engine.spark, engine.lineage)
        self._version = replace(self._version, engine=engine, has_begun=True)
        with lost_blocks_explained(), described(engine.spark, "derive"):  # not only cuts read rows
            engine.evaluate(self._watch())
        for placed in engine.placed.placements:
            _LOG.info(
                "%s: %s, %s facts in %.3f s: %s",
                ", ".join(placed.relations),
                placed.where,
                f"{placed.facts:,}",
                placed.seconds,
                placed.why,
            )
        self._version = replace(self._version, inputs=())  # from now on the engine has them
        return engine

    def restore(self, kept: Iterable[ExplicitSnapshot], terms: SparkDictionary | None = None) -> None:
        """Replace all explicit facts by those of snapshots; the program's own, and its inputs, may have been deleted since.

        `terms` is the dictionary of the engine before, if the new one shall share it.
        """
        snapshots, self._local_copy = list(kept), None
        for facts in snapshots:
            self._know(facts.relation, facts.arity)
        engine = self._started_engine
        inputs = tuple((facts.relation, facts.keys, facts.rows) for facts in snapshots)
        self._version = replace(self._version, inputs=inputs, has_program_facts=False, has_begun=False)
        if terms is None:
            self._outdated.append(engine.exchange.shipping)
        self._version = replace(self._version, engine=self._new_engine(engine.spark, engine.lineage, terms))

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Around an update: if it fails, the schema and the engine are those before it."""
        before, self._local_copy = (self._schema, self._version), None
        try:
            yield
        except BaseException:
            self._schema, self._version = before
            raise

    def close(self) -> None:
        """Remove what is kept on disks and close the private session; the Spark that it is in keeps running.

        Nothing can be read any more afterwards.
        """
        if (engine := self._version.engine) is not None:
            engine.lineage.close()
            for shipping in (*self._outdated, engine.exchange.shipping):
                shipping.close()
            close_session(engine.spark)


def answered(engine: SparkEngine, text: str, query: Query, watch: Watch) -> Facts:
    """The answers to a query."""
    exchange, used = engine.exchange, {atom.predicate for atom, _ in atoms(query.body)}
    if used <= exchange.in_kernel:
        rows = engine.local.query(query.body, query.names, watch)
        return Facts(text, query.names, rows, engine.local.dictionary, noun="answer")
    head = Atom(ANSWER, tuple(Variable(name) for name in query.names))
    arities = {**engine.frame_core.arities, ANSWER: len(query.names)}
    core = core_of_rule(Rule(head, query.body), arities, "#query ", native=frozenset())
    relations = {name: exchange.to_spark(name, arities[name]) for name in used}
    for name in core.arities:
        if name not in arities or name == ANSWER:
            relations[name] = FrameRelation(width_of(core.arities[name]))
    rounds = Rounds(engine.spark, engine.lineage, exchange.terms, relations, watch)
    for unit in core.units:
        rounds.evaluate(unit)
    found = relations[ANSWER]
    frame = found.frame(engine.spark)
    return SparkFacts(text, query.names, lambda: frame, exchange.terms, found.count, noun="answer", held=found.rows_in_driver)
