"""The engine that a knowledge base on Spark holds: started when it is first needed, settled when somebody asks what follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tidelog.core.keys import key_of
from tidelog.errors import fail
from tidelog.facts import Facts
from tidelog.kb import KnowledgeBase
from tidelog.program.live_rules import LiveRules
from tidelog.source import Source
from tidelog.spark.data.exchange import Keys
from tidelog.spark.data.explicit_snapshot import ExplicitSnapshot, explicit_facts
from tidelog.spark.data.results import facts_of
from tidelog.spark.data.spark_facts import SparkFacts
from tidelog.spark.engine import SparkEngine
from tidelog.spark.evaluation.placement import Placement, Where
from tidelog.spark.evaluation.querying import answered
from tidelog.spark.maintenance.stream_in_kernel import StreamInKernel
from tidelog.spark.maintenance.update import Updating
from tidelog.spark.session.lineage import Lineage, lost_blocks_explained
from tidelog.spark.session.private_session import close as close_session
from tidelog.spark.session.private_session import machine_memory, session
from tidelog.spark.session.shipping import Shipping

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tidelog.spark.data.spark_dictionary import SparkDictionary

_PLACEMENTS = ("auto", *(where.value for where in Where))


class EngineHolder(KnowledgeBase):
    """A knowledge base that can be asked; how its facts and rules change is said elsewhere (`changing`, `kb`)."""

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

    # --- facts out -------------------------------------------------------------------------------------------------------

    def __getitem__(self, relation: str) -> Facts:
        self._check_known(relation)
        engine = self._maintained_engine()
        exchange, known = engine.exchange, self.relations[relation]
        if relation in exchange.in_kernel:
            return self._kernel_facts(relation, engine)
        return facts_of(engine, known, exchange.to_spark(relation, known.arity))

    def _kernel_facts(self, relation: str, engine: SparkEngine) -> Facts:
        from tidelog.local.storage.tables import Table

        held = engine.state.stored(relation)
        return facts_of(engine, self.relations[relation], held.snapshot() if isinstance(held, Table) else held)

    def facts_in_process(self, relation: str) -> Facts | None:
        """The facts of a relation if this process holds them, so that Spark need not see them."""
        facts = self[relation]
        return None if isinstance(facts, SparkFacts) else facts

    def count(self, relation: str) -> int:
        """How many facts a relation has."""
        self._check_known(relation)
        engine = self._maintained_engine()
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
        engine = self._maintained_engine()
        with lost_blocks_explained():
            return answered(engine, text.strip(), query, self._watch())

    def _as_frame(self, facts: Facts | None, relation: str) -> DataFrame:
        if facts is None:
            return self.dataframe(relation).limit(0)
        if isinstance(facts, SparkFacts):
            with lost_blocks_explained():  # which kinds of values the columns have, only the rows can say
                return facts.dataframe
        return self._started_engine.exchange.shipping.frame(facts.to_arrow())

    # --- the engine ------------------------------------------------------------------------------------------------------

    @property
    def spark(self) -> SparkSession:
        """The private session; started when it is first needed."""
        return self._started_engine.spark

    @property
    def placements(self) -> list[Placement]:
        """Where each part of the program was evaluated, and why."""
        return self._maintained_engine().placements

    @property
    def statistics(self) -> Any:
        """What the evaluation did, rule by rule and round by round."""
        return self._maintained_engine().statistics

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

    def _maintained_engine(self) -> SparkEngine:
        """The engine when everything has been derived: from scratch if a run broke off."""
        engine = self._started_engine
        if engine.is_maintained:
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
            engine.maintain(self._watch())
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

    def explicit_facts(self) -> Iterator[ExplicitSnapshot]:
        """All facts that were given, relation by relation, as keys."""
        known = [(name, relation.arity) for name, relation in self.relations.items()]
        return explicit_facts(self._maintained_engine(), known)

    def restore(self, kept: Iterable[ExplicitSnapshot], terms: SparkDictionary | None = None) -> None:
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
