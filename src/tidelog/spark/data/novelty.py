"""Which candidates of a round are new: the one operation whose cost must not grow with what is known already.

There are three ways. *By the driver*: a handful of candidates are fetched to the driver, and one scan of the known facts,
with the handful sent to every task, says which of them it has met. *Candidates first*: where candidates are many, but few
beside the known facts, they are made distinct and kept, and the known facts pass by them. *Known first*: otherwise the known
facts of each partition become a hash table, and only what is not in it is made distinct, which is the smaller part. Segments
and candidates are partitioned alike, so that neither of the last two shuffles what is known. What many candidates meet is an
inner join of two sets: a semi-join would mean the same, but Spark would split it by segments, with a hash table for each.

Of a relation that is asked for a handful of facts again and again, the driver looks them up (`sorted_copies`), without a scan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np
from pyspark.sql import functions as f

from tidelog.core.arrays import Int32s, isin_rows
from tidelog.spark.data.frames import DRIVER_ROWS, FrameRelation, facts_in_driver
from tidelog.spark.data.matrices import columns, frame_of_rows, rows_of_table, union
from tidelog.spark.data.sorted_copies import Bound, having

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tidelog.spark.session.lineage import Lineage

TINY = 2_000
"""A round that starts from no more facts is tried by the driver."""
_FEW_FIRST, _FEW_BESIDE = 400_000, 24
"""*Candidates first* where they start from no more facts than these, and from so many times fewer than are known."""


class Novelty:
    """Adds to relations what they do not have."""

    def __init__(self, spark: SparkSession, lineage: Lineage) -> None:
        self.spark, self.lineage = spark, lineage

    def add(self, relation: FrameRelation, candidates: Sequence[DataFrame], start: int) -> FrameRelation | None:
        """Add candidates that start from so many facts; what is new of them, if anything is."""
        raw = union(list(candidates))
        if start <= TINY:
            rows = rows_of_table(raw.limit(DRIVER_ROWS + 1).toArrow())
            if len(rows) <= DRIVER_ROWS:
                return self.add_rows(relation, rows)
        if relation.merges:  # else facts before and after a mark must stay apart
            relation.flush(self.lineage, self.spark)
        known = relation.frame(self.spark) if relation.count else None
        if known is None:
            return self._kept(relation, relation.partitioned(raw).distinct())
        raw = relation.partitioned(raw)
        if start <= min(_FEW_FIRST, relation.count // _FEW_BESIDE):
            return self._candidates_first(relation, raw.distinct(), known)
        keys = columns(relation.width)
        return self._kept(relation, raw.join(known.hint("shuffle_hash"), keys, "left_anti").distinct())

    def add_rows(self, relation: FrameRelation, rows: Int32s) -> FrameRelation | None:
        """The same for candidates that the driver has."""
        rows = np.unique(rows, axis=0)
        if relation.in_driver:
            rows = rows[~isin_rows(rows, np.concatenate(relation.in_driver))]
        if len(rows) and (is_known := among(rows, relation, self.lineage)) is not None:
            rows = rows[~is_known]
        elif len(rows) and (known := relation.in_segments()) is not None:
            requested = f.broadcast(frame_of_rows(self.spark, rows))
            rows = rows[~isin_rows(rows, rows_of_table(known.join(requested, columns(relation.width), "left_semi").toArrow()))]
        if not len(rows):
            return None
        relation.add_rows(rows, self.lineage, self.spark)
        return facts_in_driver(rows)

    def _candidates_first(self, relation: FrameRelation, candidates: DataFrame, known: DataFrame) -> FrameRelation | None:
        candidates, count = self.lineage.cut_and_count(candidates)
        keys = columns(relation.width)
        met = known.join(candidates.hint("shuffle_hash"), keys)
        result = self._kept(relation, candidates.join(met.hint("shuffle_hash"), keys, "left_anti")) if count else None
        self.lineage.release(candidates)
        return result

    def _kept(self, relation: FrameRelation, fresh: DataFrame) -> FrameRelation | None:
        segment, count = self.lineage.cut_and_count(fresh)
        if not count:
            self.lineage.release(segment)
            return None
        relation.add(segment, count, self.lineage)
        return FrameRelation(relation.width, relation.by, [(segment, count)], count=count, merges=False)


# --- known facts, looked up ---------------------------------------------------------------------------------------------


def facts_with(relation: FrameRelation, bound: Mapping[int, Int32s], lineage: Lineage) -> Int32s | None:
    """The facts that have one of some values in each of some columns, without a job; None if one would cost less, or is needed.

    Of sets that are made for an update, only those that are a stored relation by other columns can be asked.
    """
    stored, is_timed = (relation, False) if relation.source is None else relation.source
    if not lineage.has_files or not (stored.merges or relation.source is not None):
        return None
    wanted = {at: np.unique(values) for at, values in bound.items()}
    found = _timed(stored, {at: values for at, values in wanted.items() if at < stored.width}, lineage)
    if found is None:
        return None
    return having(found, wanted) if is_timed else np.ascontiguousarray(found[:, :-1])


def among(rows: Int32s, relation: FrameRelation, lineage: Lineage) -> np.ndarray[tuple[int], np.dtype[np.bool_]] | None:
    """For each of some rows whether a relation has it, if the driver can find that out."""
    found = facts_with(relation, {at: rows[:, at] for at in range(relation.width)}, lineage)
    return None if found is None else isin_rows(rows, found)


def _timed(relation: FrameRelation, bound: Bound, lineage: Lineage) -> Int32s | None:
    found = [
        np.column_stack([few, np.full(len(few), time, np.int32)])
        for rows, time in zip(relation.in_driver, relation.driver_times or repeat(0))  # noqa: B905  # sets of an update have none
        if len(few := having(rows, bound))
    ]
    if relation.segments:
        if not bound or (rows := relation.copies.rows(relation.timed_segments(), relation.width, bound, lineage)) is None:
            return None
        for facts, time in relation.tombstones:
            if not len(rows):
                break
            going = facts.rows_in_driver
            if going is None:
                timed = _timed(facts, bound, lineage)
                if timed is None:
                    return None
                going = timed[:, :-1]
            rows = rows[~((rows[:, -1] < time) & isin_rows(rows[:, :-1], going))]
        found.append(rows)
    return np.concatenate(found) if found else np.empty((0, relation.width + 1), np.int32)
