"""From a relation to its facts: the plan for a source, and what ingesting gives, rows and rejects computed and counted once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tidelog.errors import fail
from tidelog.files.fitting import Fitted
from tidelog.files.matching import declared_kinds, mapped, match_columns
from tidelog.files.raw import RawTable
from tidelog.files.reading import description_of
from tidelog.program.relations import Relation
from tidelog.spark.data.blocks import Blocks
from tidelog.spark.ingest.fitting import Plan, plan_for
from tidelog.spark.ingest.rejects import REJECT, Rejects
from tidelog.spark.ingest.sources import read_errors_explained
from tidelog.spark.session.lineage import Lineage
from tidelog.values import Kind

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True, slots=True)
class Ingested:
    """The facts of one relation from one source."""

    relation: str
    frame: DataFrame
    """String columns k0, k1, … with the keys of all rows that fit, kept by the lineage policy; equal rows may be there."""
    description: str
    """One sentence for the user on what was read and what was decided."""
    rows: int
    """How many rows fit."""
    rejected: int
    kinds: tuple[Kind | None, ...] = ()
    """The kind of each column, declared or found; None where there are several."""
    blocks: Blocks | None = None
    """The same facts in blocks, where they are kept so; then the frame is only a view of them."""

    @property
    def width(self) -> int:
        """How many columns of keys there are."""
        return len([name for name in self.frame.columns if name.startswith("k")])

    @property
    def kept(self) -> DataFrame | Blocks:
        """The facts as they are kept."""
        return self.frame if self.blocks is None else self.blocks


def keep(
    frame: DataFrame, table: RawTable, plan: Plan, rejects: Rejects, lineage: Lineage, *, unless: str | None = None
) -> Ingested | None:
    """Compute a frame of keys and rejects, keep it, hand the rejects on; None if a row is rejected for the reason `unless`."""
    found = split(frame, plan.name, table.source, rejects, lineage, unless=unless)
    if found is None:
        return None
    facts, rows, rejected = found
    stubs = [Fitted(kind, [], None) for kind in plan.kinds]
    description = description_of(replace(table, rows=rows), plan.name, plan.matched, stubs)
    if rejected:
        description += f"; {rejected:,} rejected"
    return Ingested(plan.name, facts, description, rows, rejected, plan.kinds)


def split(
    frame: DataFrame, name: str, source: str, rejects: Rejects, lineage: Lineage, *, unless: str | None = None
) -> tuple[DataFrame, int, int] | None:
    """The rows that fit, how many they are, and how many are rejected; None if one of these is for the reason `unless`."""
    from pyspark.sql import functions as f

    with read_errors_explained(source):
        kept, everything = lineage.cut_and_count(frame)
        is_reject = f.col(REJECT).isNotNull()
        rejected = kept.where(is_reject).count() if everything else 0
        if rejected and unless is not None and not kept.where(f.col(REJECT).contains(unless)).isEmpty():
            lineage.release(kept)
            return None
    rejects.add(kept, name, rejected)
    facts = kept.drop(REJECT) if rejected == 0 else kept.where(~is_reject).drop(REJECT)
    return facts, everything - rejected, rejected


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
