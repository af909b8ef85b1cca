"""What two states of a knowledge base differ in, fact by fact: for changes after which everything is derived anew."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tidelog.changes import Part
from tidelog.spark.keeping import KeptFacts, explicit_facts, held_facts

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tidelog.spark.engine import SparkEngine

Kept = Mapping[str, KeptFacts]


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

    def facts(self, relation: str, part: Part, *, came: bool) -> KeptFacts | None:
        """What came to a relation, or went from it; all of it, or one part."""
        one, other = (self.after, self.before) if came else (self.before, self.after)
        changed = self._chosen(one.held.get(relation), other.held.get(relation), "left anti")
        if part == "all" or changed is None:
            return changed
        given = one.explicit.get(relation)
        return self._chosen(changed, given, "left semi" if part == "explicit" else "left anti")

    def explicit(self) -> Iterable[tuple[bool, KeptFacts]]:
        """The explicit facts that went (False) and came (True)."""
        for relation in {**self.before.explicit, **self.after.explicit}:
            mine, others = self.after.explicit.get(relation), self.before.explicit.get(relation)
            for came, found in (
                (False, self._chosen(others, mine, "left anti")),
                (True, self._chosen(mine, others, "left anti")),
            ):
                if found is not None:
                    yield came, found

    def _chosen(self, facts: KeptFacts | None, others: KeptFacts | None, how: str) -> KeptFacts | None:
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
        return KeptFacts(facts.relation, facts.arity, found, rows) if rows else None

    def _frame(self, keys: Any) -> Any:
        return self.spark.createDataFrame(keys) if isinstance(keys, pa.Table) else keys
