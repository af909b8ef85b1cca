"""The result of an update on Spark: what users see of it.

Facts that were inserted and deleted are computed when they are read, from the engine that ran the update, whichever the
knowledge base has by then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tidelog.changes import ChangeStatistics, FactsByRelation, Part, RuleChanges
from tidelog.core.arrays import Int32s, isin_rows
from tidelog.facts import Facts
from tidelog.local.engine import Difference
from tidelog.program.relations import Relation
from tidelog.spark.data.explicit_snapshot import ExplicitSnapshot, snapshot_of_relation, snapshot_of_rows
from tidelog.spark.data.spark_facts import SparkChange, facts_of, facts_of_keys
from tidelog.spark.maintenance.rule_changes.comparison import Comparison, ComposedDeltas

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidelog.spark.maintenance.update import SparkUpdate

AsFrame = Callable[[Facts | None, str], "DataFrame"]


def described(chosen: Mapping[str, str]) -> str:
    """The algorithms that took part, and why each was chosen."""
    return "; ".join(f"{name}: {why}" for name, why in chosen.items()) or "semi-naive"


def _summed(*parts: Mapping[str, float]) -> dict[str, float]:
    """Seconds by phase, of several places."""
    return {name: sum(part.get(name, 0.0) for part in parts) for name in dict.fromkeys(name for part in parts for name in part)}


@dataclass(frozen=True, slots=True)
class UpdateResult:
    """A committed update."""

    update: SparkUpdate
    known: Mapping[str, Relation]
    """All relations after it, and those before it."""
    unknown: int
    """How many facts to delete were of relations that are not known."""
    seconds: float

    def change(self, as_frame: AsFrame, rules: RuleChanges | None = None) -> SparkChange:
        """What it did."""
        done = self.update
        return self._change(
            lambda part, inserted: self._facts(done.changed(), part, inserted=inserted), self._statistics(), as_frame, rules
        )

    def change_with(
        self, compared: Comparison, anew: set[str], composed: ComposedDeltas, as_frame: AsFrame, rules: RuleChanges
    ) -> SparkChange:
        """The same after rules have changed: the relations `anew` were derived anew, those of `composed` were maintained."""
        done, engine = self.update, self.update.engine

        def facts(part: Part, inserted: bool) -> dict[str, Facts]:
            kept = {name: compared.facts(name, part, inserted=inserted) for name in self.known if name in anew}
            found = {
                name: facts_of_keys(engine.exchange, self.known[name], some) for name, some in kept.items() if some is not None
            }
            for name in sorted(composed.names):
                if (some := composed.facts(name, part, inserted=inserted)) is not None:
                    found[name] = facts_of(engine.exchange, self.known[name], some)
            return found | self._facts(
                [name for name in done.changed() if name not in anew | composed.names], part, inserted=inserted
            )

        statistics, chosen = self._statistics(), composed.by_rules.chosen
        if anew:
            chosen = {"rematerialise": "rules have changed, and what cannot be maintained was derived anew", **chosen}
        counters = replace(statistics.counters)
        counters.add(composed.by_rules.counters)
        phases = _summed(composed.by_rules.seconds, statistics.seconds_by_phase)
        algorithm = described({**chosen, **done.chosen, **chosen})
        statistics = replace(statistics, algorithm=algorithm, counters=counters, seconds_by_phase=phases)
        return self._change(facts, statistics, as_frame, rules)

    def _facts(self, names: list[str], part: Part, *, inserted: bool) -> dict[str, Facts]:
        done = self.update
        return {
            name: facts_of(done.engine.exchange, self.known[name], done.difference(name, part, inserted=inserted))
            for name in names
        }

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
            explicit=lambda: _explicit_changes(self.update),
        )

    def _statistics(self) -> ChangeStatistics:
        done, counts, in_kernel = self.update, self.update.counts, self.update.in_kernel
        return ChangeStatistics(
            described(done.chosen),
            counts.inserted + in_kernel.added,
            counts.deleted + in_kernel.removed,
            counts.without_effect + in_kernel.without_effect + self.unknown,
            sum(r.derivations for r in done.done) + done.counters.backward + done.counters.forward,
            max((r.number for r in done.done), default=0),
            in_kernel.statistics.undefined,
            done.counters,
            self.seconds,
            _summed(in_kernel.seconds, done.frames.seconds),
        )


def _explicit_changes(done: SparkUpdate) -> Iterator[tuple[bool, ExplicitSnapshot]]:
    """The explicit facts that an update has deleted (False) and inserted (True), in this order for each relation."""
    engine, in_kernel = done.engine, done.in_kernel.difference
    for name, arity in done.requested.items():
        stored = engine.stored_name(name)
        for inserted in (False, True):
            if stored in engine.placed.derived_in_kernel:
                found = snapshot_of_rows(engine, name, arity, _explicit_rows(in_kernel, name, inserted=inserted))
            elif done.kernel.delta(stored) is not None:
                found = snapshot_of_rows(engine, name, arity, in_kernel.rows(stored, "explicit", inserted=inserted))
            else:
                delta = done.frames.changes.given.get(stored)
                if delta is None and stored not in engine.placed.derived_on_spark:
                    delta = done.frames.deltas.get(stored)
                if delta is None:
                    continue
                found = snapshot_of_relation(engine, name, arity, delta.inserted if inserted else delta.deleted)
            if found.rows:
                yield inserted, found


def _explicit_rows(changes: Difference, name: str, *, inserted: bool) -> Int32s:
    """What has become explicit, or is explicit no more, but for facts that the update both deletes and inserts."""
    mine, others = (changes.given(name, inserted=is_new) for is_new in (inserted, not inserted))
    assert mine is not None, "a relation with rules"
    assert others is not None, "a relation with rules"
    return mine[~isin_rows(mine, others)]
