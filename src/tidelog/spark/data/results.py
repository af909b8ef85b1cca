"""What users see of an engine: facts wherever they are, and what an update did.

Changes are worked out when somebody looks, from the engine that made them, whichever has taken its place since.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from tidelog.changes import ChangeStatistics, FactsByRelation, Part, RuleChanges
from tidelog.core.arrays import Int32s
from tidelog.facts import Facts
from tidelog.kb import column_names
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.program.relations import Relation
from tidelog.spark.data.explicit_snapshot import ExplicitSnapshot, changed_facts
from tidelog.spark.data.frames import Relation as FrameRelation
from tidelog.spark.data.matrices import frame_of_rows
from tidelog.spark.data.spark_change import SparkChange
from tidelog.spark.data.spark_facts import SparkFacts
from tidelog.spark.maintenance.comparison import Comparison, Followed
from tidelog.values import Kind

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidelog.spark.engine import SparkEngine
    from tidelog.spark.maintenance.update import Updating

Known = Mapping[str, Relation]
AsFrame = Callable[[Facts | None, str], "DataFrame"]


def facts_of(engine: SparkEngine, known: Relation, found: FrameRelation | Int32s | VirtualRelation) -> Facts:
    """Some facts of a relation, wherever they are."""
    names, kinds = column_names(known), _kinds(known)
    if not isinstance(found, FrameRelation):
        return Facts(known.name, names, found, engine.state.terms, kinds)
    held = found.held
    if held is not None:  # to make a frame of them takes time, and may not be asked for
        return SparkFacts(
            known.name,
            names,
            partial(frame_of_rows, engine.spark, held),
            engine.exchange.terms,
            found.count,
            kinds=kinds,
            held=held,
        )
    frame = found.as_result(engine.spark)
    return SparkFacts(known.name, names, lambda: frame, engine.exchange.terms, found.count, kinds=kinds)


def _facts_of_keys(engine: SparkEngine, known: Relation, kept: ExplicitSnapshot) -> Facts:
    """Facts that were kept as keys."""
    if isinstance(kept.keys, pa.Table):
        return facts_of(engine, known, engine.exchange.local_rows(kept.keys, kept.arity))
    return facts_of(engine, known, engine.exchange.numbered(known.name, [(kept.keys, kept.rows)], kept.arity))


def _kinds(known: Relation) -> list[Kind | None]:
    """The declared kinds of a relation's columns."""
    return [column.type if isinstance(column.type, Kind) else None for column in known.columns or ()]


def described(chosen: Mapping[str, str]) -> str:
    """The algorithms that took part, and why each was chosen."""
    return "; ".join(f"{name}: {why}" for name, why in chosen.items()) or "semi-naive"


def _summed(*parts: Mapping[str, float]) -> dict[str, float]:
    """Seconds by phase, of several places."""
    return {name: sum(part.get(name, 0.0) for part in parts) for name in dict.fromkeys(name for part in parts for name in part)}


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
        return self._change(
            lambda part, inserted: self._facts(done.changed(), part, inserted=inserted), self._statistics(), as_frame, rules
        )

    def change_with(
        self, compared: Comparison, anew: set[str], followed: Followed, as_frame: AsFrame, rules: RuleChanges
    ) -> SparkChange:
        """The same after rules have changed: some relations were derived anew, and others followed the rules before the facts."""
        done, engine = self.updating, self.updating.engine

        def facts(part: Part, inserted: bool) -> dict[str, Facts]:
            kept = {name: compared.facts(name, part, inserted=inserted) for name in self.known if name in anew}
            found = {name: _facts_of_keys(engine, self.known[name], some) for name, some in kept.items() if some is not None}
            for name in sorted(followed.names):
                if (some := followed.facts(name, part, inserted=inserted)) is not None:
                    found[name] = facts_of(engine, self.known[name], some)
            return found | self._facts(
                [name for name in done.changed() if name not in anew | followed.names], part, inserted=inserted
            )

        statistics, chosen = self._statistics(), followed.by_rules.chosen
        if anew:
            chosen = {"rematerialise": "rules have changed, and what cannot follow them was derived anew", **chosen}
        counters = replace(statistics.counters)
        counters.add(followed.by_rules.counters)
        phases = _summed(followed.by_rules.seconds, statistics.seconds_by_phase)
        algorithm = described({**chosen, **done.chosen, **chosen})
        statistics = replace(statistics, algorithm=algorithm, counters=counters, seconds_by_phase=phases)
        return self._change(facts, statistics, as_frame, rules)

    def _facts(self, names: list[str], part: Part, *, inserted: bool) -> dict[str, Facts]:
        done = self.updating
        return {name: facts_of(done.engine, self.known[name], done.difference(name, part, inserted=inserted)) for name in names}

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
            described(done.chosen),
            counts.inserted,
            counts.deleted,
            counts.without_effect + self.unknown,
            sum(r.derivations for r in done.done) + done.counters.backward + done.counters.forward,
            max((r.number for r in done.done), default=0),
            done.statistics.undefined,
            done.counters,
            self.seconds,
            _summed(done.kernel.seconds, done.frames.seconds),
        )
