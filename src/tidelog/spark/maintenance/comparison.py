"""What a change of rules has brought and taken, fact by fact.

Relations that were derived anew are compared with what they were. Those that followed the rules, and then the facts that came or
went with them, have two differences to put together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tidelog.changes import Part
from tidelog.spark.data.explicit_snapshot import ExplicitSnapshot, explicit_facts, held_facts
from tidelog.spark.data.frames import Relation
from tidelog.spark.data.sets import Difference, Sets

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tidelog.spark.engine import SparkEngine
    from tidelog.spark.maintenance.frame_maintenance import FrameMaintenance

Kept = Mapping[str, ExplicitSnapshot]


@dataclass(frozen=True, slots=True)
class Everything:
    """All facts of an engine as keys, by relation; and those that the user has given."""

    held: Kept
    explicit: Kept

    @classmethod
    def of(cls, engine: SparkEngine, relations: Iterable[tuple[str, int]]) -> Everything:
        """What an engine holds of some relations."""
        known = list(relations)
        return cls(
            {facts.relation: facts for facts in held_facts(engine, known)},
            {facts.relation: facts for facts in explicit_facts(engine, known)},
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two states, and the Spark that compares what is not in this process."""

    before: Everything
    after: Everything
    spark: SparkSession

    def facts(self, relation: str, part: Part, *, inserted: bool) -> ExplicitSnapshot | None:
        """What came to a relation, or went from it; all of it, or one part."""
        one, other = (self.after, self.before) if inserted else (self.before, self.after)
        changed = self._chosen(one.held.get(relation), other.held.get(relation), "left anti")
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
class Followed:
    """What followed a change of rules, and a change of facts after it."""

    names: set[str]
    by_rules: FrameMaintenance
    by_facts: Mapping[str, Difference]
    explicit_before: Mapping[str, Relation]
    explicit_after: Mapping[str, Relation]

    def facts(self, name: str, part: Part, *, inserted: bool) -> Relation | None:
        """What came to a relation, or went from it; all of it, or one part."""
        sets, (first, second) = self.by_rules.sets, (changes.get(name) for changes in (self.by_rules.differences, self.by_facts))
        parts = [
            _without(sets, one, other, inserted=inserted) for one, other in ((first, second), (second, first)) if one is not None
        ]
        if not parts:
            return None
        found = sets.fused(parts, parts[0])
        given = (self.explicit_after if inserted else self.explicit_before).get(name) or Relation(found.width)
        if part != "all":
            found = sets.inside(found, given) if part == "explicit" else sets.outside(found, given)
        return found if found.count else None


def _without(sets: Sets, one: Difference, other: Difference | None, *, inserted: bool) -> Relation:
    """What came with one change and did not go with another, or the other way round."""
    mine = one.inserted if inserted else one.deleted
    if other is None:
        return mine
    return sets.outside(mine, other.deleted if inserted else other.inserted)
