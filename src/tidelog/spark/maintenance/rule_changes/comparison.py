"""The delta of a change of rules, fact by fact.

Relations that were derived anew are compared with a snapshot from before. Relations that were maintained have two deltas, one of
the rules and one of the facts that were changed with them, which are composed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tidelog.changes import Part
from tidelog.spark.data.explicit_snapshot import ExplicitSnapshot, all_facts, explicit_facts
from tidelog.spark.data.frames import FrameRelation
from tidelog.spark.data.sets import Delta, Sets

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tidelog.spark.engine import SparkEngine
    from tidelog.spark.maintenance.in_rounds.frame_maintenance import FrameMaintenance


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All facts of some relations as keys, and the explicit ones among them."""

    facts: Mapping[str, ExplicitSnapshot]
    explicit: Mapping[str, ExplicitSnapshot]

    @classmethod
    def of(cls, engine: SparkEngine, relations: Iterable[tuple[str, int]]) -> Snapshot:
        """What an engine has of some relations, given by name and arity."""
        known = list(relations)
        return cls(
            {facts.relation: facts for facts in all_facts(engine, known)},
            {facts.relation: facts for facts in explicit_facts(engine, known)},
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two snapshots, and the Spark that compares what is not in this process."""

    before: Snapshot
    after: Snapshot
    spark: SparkSession

    def facts(self, relation: str, part: Part, *, inserted: bool) -> ExplicitSnapshot | None:
        """What was inserted into a relation, or deleted from it; all of it, or one part."""
        one, other = (self.after, self.before) if inserted else (self.before, self.after)
        changed = self._chosen(one.facts.get(relation), other.facts.get(relation), "left anti")
        if part == "all" or changed is None:
            return changed
        given = one.explicit.get(relation)
        return self._chosen(changed, given, "left semi" if part == "explicit" else "left anti")

    def _chosen(self, facts: ExplicitSnapshot | None, others: ExplicitSnapshot | None, how: str) -> ExplicitSnapshot | None:
        """The facts that are among others (`left semi`), or are not (`left anti`); None if there are none."""
        if facts is None or (others is None and how == "left semi"):
            return None
        if others is None:
            return facts
        columns = [f"k{at}" for at in range(max(1, facts.arity))]
        one, other = facts.keys, others.keys
        if isinstance(one, pa.Table) and isinstance(other, pa.Table):
            found: Any = one.join(other, columns, join_type=how)
            rows = found.num_rows
        else:
            left, right = (self._frame(keys) for keys in (one, other))
            found = left.join(right, columns, how.replace(" ", "_"))
            rows = found.count()
        return ExplicitSnapshot(facts.relation, facts.arity, found, rows) if rows else None

    def _frame(self, keys: Any) -> Any:
        return self.spark.createDataFrame(keys) if isinstance(keys, pa.Table) else keys


@dataclass(frozen=True, slots=True)
class ComposedDeltas:
    """The deltas of a change of rules and of the change of facts after it, as one."""

    names: set[str]
    """The relations that were maintained under both."""
    by_rules: FrameMaintenance
    by_facts: Mapping[str, Delta]
    explicit_before: Mapping[str, FrameRelation]
    explicit_after: Mapping[str, FrameRelation]

    def facts(self, name: str, part: Part, *, inserted: bool) -> FrameRelation | None:
        """What was inserted into a relation, or deleted from it; all of it, or one part."""
        sets, (first, second) = self.by_rules.sets, (changes.get(name) for changes in (self.by_rules.deltas, self.by_facts))
        parts = [
            _without(sets, one, other, inserted=inserted) for one, other in ((first, second), (second, first)) if one is not None
        ]
        if not parts:
            return None
        found = sets.fused(parts, parts[0])
        explicit = (self.explicit_after if inserted else self.explicit_before).get(name) or FrameRelation(found.width)
        if part != "all":
            found = sets.inside(found, explicit) if part == "explicit" else sets.outside(found, explicit)
        return found if found.count else None


def _without(sets: Sets, one: Delta, other: Delta | None, *, inserted: bool) -> FrameRelation:
    """What one delta inserts and another does not delete, or the other way round."""
    mine = one.inserted if inserted else one.deleted
    if other is None:
        return mine
    return sets.outside(mine, other.deleted if inserted else other.inserted)
