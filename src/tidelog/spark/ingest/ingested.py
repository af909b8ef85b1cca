"""What ingesting gives, and the last step to it: rows and rejects computed once, kept, counted and told apart."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tidelog.files.fitting import Fitted
from tidelog.files.raw import RawTable
from tidelog.files.reading import description_of
from tidelog.spark.data.blocks import Blocks
from tidelog.spark.ingest.fitting import Plan
from tidelog.spark.ingest.rejects import REJECT, Rejects
from tidelog.spark.ingest.sources import read_errors_explained
from tidelog.spark.session.lineage import Lineage
from tidelog.values import Kind

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


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
