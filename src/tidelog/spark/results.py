"""What users see of an engine: facts wherever they are, and what an update did.

Changes are worked out when somebody looks, from the engine that made them, whichever has taken its place since.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pyarrow as pa

from tidelog.changes import ChangeStatistics, FactsByRelation, Part, RuleChanges
from tidelog.facts import Facts
from tidelog.kb import column_names
from tidelog.local.kernel.memory import Int32s
from tidelog.local.virtual import VirtualRelation
from tidelog.program.relations import Relation
from tidelog.spark.changes import SparkChange
from tidelog.spark.comparing import Comparison
from tidelog.spark.facts import SparkFacts
from tidelog.spark.frames import Relation as FrameRelation
from tidelog.spark.keeping import KeptFacts, changed_facts
from tidelog.values import Kind

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidelog.spark.engine import SparkEngine
    from tidelog.spark.updating import Updating

Known = Mapping[str, Relation]
AsFrame = Callable[[Facts | None, str], "DataFrame"]


def facts_of(engine: SparkEngine, known: Relation, found: FrameRelation | Int32s | VirtualRelation) -> Facts:
    """Some facts of a relation, wherever they are."""
    names, kinds = column_names(known), _kinds(known)
    if not isinstance(found, FrameRelation):
        return Facts(known.name, names, found, engine.state.terms, kinds)
    frame, terms = found.as_result(engine.spark), engine.exchange.terms
    return SparkFacts(known.name, names, frame, terms, found.count, kinds=kinds, held=found.held)


def _facts_of_keys(engine: SparkEngine, known: Relation, kept: KeptFacts) -> Facts:
    """Facts that were kept as keys."""
    if isinstance(kept.keys, pa.Table):
        return facts_of(engine, known, engine.exchange.local_rows(kept.keys, kept.arity))
    return facts_of(engine, known, engine.exchange.numbered(known.name, [(kept.keys, kept.rows)], kept.arity))


def _kinds(known: Relation) -> list[Kind | None]:
    """The declared kinds of a relation's columns."""
    return [column.type if isinstance(column.type, Kind) else None for column in known.columns or ()]


@dataclass(frozen=True, slots=True)
class Done:
    """An update that has been done."""

    updating: Updating
    known: Known
    """All relations that there are, or were before it."""
    unknown: int
    """How many facts were to go of which nobody had heard."""
    seconds: float

    def change(self, as_frame: AsFrame, rules: RuleChanges | None = None) -> SparkChange:
        """What it did."""
        done = self.updating
        return self._change(lambda part, came: self._facts(done.changed(), part, came=came), self._statistics(), as_frame, rules)

    def change_with(self, compared: Comparison, reached: set[str], as_frame: AsFrame, rules: RuleChanges) -> SparkChange:
        """The same, where some relations have been derived anew and are compared with what they were."""
        done, engine = self.updating, self.updating.engine

        def facts(part: Part, came: bool) -> dict[str, Facts]:
            kept = {name: compared.facts(name, part, came=came) for name in self.known if name in reached}
            anew = {name: _facts_of_keys(engine, self.known[name], some) for name, some in kept.items() if some is not None}
            return anew | self._facts([name for name in done.changed() if name not in reached], part, came=came)

        why = "rematerialise: rules have changed, and what they reach was derived anew"
        return self._change(facts, replace(self._statistics(), algorithm=why), as_frame, rules)

    def _facts(self, names: list[str], part: Part, *, came: bool) -> dict[str, Facts]:
        done = self.updating
        return {name: facts_of(done.engine, self.known[name], done.difference(name, part, came=came)) for name in names}

    def _change(
        self,
        facts: Callable[[Part, bool], dict[str, Facts]],
        statistics: ChangeStatistics,
        as_frame: AsFrame,
        rules: RuleChanges | None,
    ) -> SparkChange:
        return SparkChange(
            FactsByRelation(lambda part: facts(part, True)),
            FactsByRelation(lambda part: facts(part, False)),
            statistics,
            rules=rules,
            as_frame=as_frame,
            explicit=lambda: changed_facts(self.updating),
        )

    def _statistics(self) -> ChangeStatistics:
        done, counts = self.updating, self.updating.counts
        return ChangeStatistics(
            done.algorithm,
            counts.inserted,
            counts.deleted,
            counts.without_effect + self.unknown,
            sum(r.derivations for r in done.done) + done.counters.backward + done.counters.forward,
            max((r.number for r in done.done), default=0),
            done.statistics.undefined,
            done.counters,
            self.seconds,
            done.kernel.seconds,
        )
