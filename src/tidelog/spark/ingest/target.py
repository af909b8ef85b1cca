"""The relation that a source is read into: its columns, the plan for its rows, and where rows and rejects go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tidelog.errors import fail
from tidelog.files.matching import declared_kinds, match_columns
from tidelog.files.raw import RawTable
from tidelog.program.relations import Relation
from tidelog.spark.ingest.fitting import Plan, plan_for
from tidelog.spark.ingest.ingested import Ingested
from tidelog.spark.ingest.mapping import mapped
from tidelog.spark.ingest.rejects import Rejects
from tidelog.spark.session.lineage import Lineage
from tidelog.values import Kind

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class Target:
    """One relation, and all that reading a source into it needs."""

    spark: SparkSession
    name: str
    relation: Relation | None
    columns: dict[str, str]
    defaults: dict[str | int, object]
    rejects: Rejects
    lineage: Lineage

    def plan(
        self, table: RawTable, kinds: Sequence[Kind | None] | None = None, mixed: Sequence[bool] = ()
    ) -> tuple[RawTable, Plan]:
        """The table with the relation's columns, and the plan for its rows; `kinds` are those found in the source's columns."""
        chosen, positions = mapped(table, self.columns, self.name, self.relation)
        matched = match_columns(chosen, self.name, self.relation)
        places = [positions[at] for at in matched.positions]
        found = [declared or (kinds[at] if kinds else None) for declared, at in zip(matched.kinds, places, strict=True)]
        several = frozenset(at for at, place in enumerate(places) if mixed and mixed[place] and matched.kinds[at] is None)
        whole = replace(matched, positions=tuple(places))
        plan = plan_for(chosen, self.name, matched, found, several, self.defaults)
        return chosen, replace(plan, matched=whole)

    def nothing(self, table: RawTable) -> Ingested:
        """No rows; how many columns they would have, only the relation can say."""
        if self.relation is None:
            message = f"{table.source} is empty, and nothing else says how many columns `{self.name}` has"
            raise fail("TL081", message, fix=f"declare the relation: `@relation {self.name}(…) .`")
        schema = ", ".join(f"k{at} string" for at in range(self.relation.arity)) or "k0 string"  # a frame needs a column
        description = f"{self.name}: no rows from {table.source} ({table.described})"
        kinds = declared_kinds(self.relation, self.relation.arity)
        return Ingested(self.name, self.spark.createDataFrame([], schema), description, 0, 0, kinds)
