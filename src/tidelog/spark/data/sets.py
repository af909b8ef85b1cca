"""Sets of facts, in the driver while they are few and on Spark otherwise: intersection, difference, union."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from pyspark.sql import functions as f

from tidelog.core.arrays import Int32s, isin_rows
from tidelog.spark.data.frames import DRIVER_ROWS, FEW_ROWS, FrameRelation, facts_in_driver
from tidelog.spark.data.matrices import columns, frame_of_rows, rows_of_table, union
from tidelog.spark.data.novelty import TINY, among, facts_with

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tidelog.spark.session.lineage import Lineage

WORTH_FETCHING = 3_000_000
"""No more facts than these are fetched to the driver to save one job after the other."""
_MOST_SEGMENTS = 16
_FEW_OTHERS = 20_000
"""A set that has no more facts is broadcast; a larger one is cheaper partitioned by its keys."""


@dataclass(slots=True)
class Delta:
    """The delta of a relation: facts inserted and facts deleted."""

    inserted: FrameRelation
    deleted: FrameRelation

    def __bool__(self) -> bool:
        return self.inserted.count > 0 or self.deleted.count > 0


class Sets:
    """Operations on sets of facts."""

    def __init__(self, spark: SparkSession, lineage: Lineage) -> None:
        self.spark, self.lineage = spark, lineage

    def distinct(self, found: Sequence[DataFrame | Int32s], like: FrameRelation, start: int) -> FrameRelation:
        """Candidates, perhaps repeated, that start from so many facts, each once; partitioned like a relation."""
        rows = [some for some in found if isinstance(some, np.ndarray)]
        if len(rows) == len(found):
            return facts_in_driver(np.unique(np.concatenate(rows), axis=0) if rows else np.empty((0, like.width), np.int32))
        raw = union([frame_of_rows(self.spark, some) if isinstance(some, np.ndarray) else some for some in found])
        if start <= TINY:
            taken = rows_of_table(raw.limit(DRIVER_ROWS + 1).toArrow())
            if len(taken) <= DRIVER_ROWS:
                return facts_in_driver(np.unique(taken, axis=0))
        return self.kept(like.partitioned(raw).distinct(), like)

    def between(
        self, parts: Sequence[tuple[FrameRelation, int]], until: int, without: Sequence[FrameRelation], like: FrameRelation
    ) -> FrameRelation:
        """Facts whose times, their last columns, are after one that goes with each part, and until another; and not others."""
        held = [rows for part, _ in parts if (rows := part.rows_in_driver) is not None]
        if len(held) == len(parts):
            chosen = [rows[(rows[:, -1] > since) & (rows[:, -1] <= until)] for rows, (_, since) in zip(held, parts, strict=True)]
            facts = facts_in_driver(np.unique(np.concatenate(chosen), axis=0))
            for others in without:
                facts = self.outside(facts, others)
            return facts
        time = f.col(f"c{like.width - 1}")
        frames = [like.partitioned(part.frame(self.spark).where((time > since) & (time <= until))) for part, since in parts]
        frame = union(frames).distinct() if len(parts) > 1 else frames[0]
        for others in without:
            if others.count:
                frame = frame.join(self._spread(others), columns(others.width), "left_anti")
        return self.kept(frame, like)

    def inside(self, facts: FrameRelation, others: FrameRelation) -> FrameRelation:
        """The facts that are among others."""
        return self._chosen(facts, others, are_inside=True)

    def outside(self, facts: FrameRelation, others: FrameRelation) -> FrameRelation:
        """The facts that are not among others; others may lack the last columns, which then do not count."""
        return self._chosen(facts, others, are_inside=False)

    def without(self, facts: FrameRelation, found: Sequence[DataFrame | Int32s]) -> FrameRelation:
        """The facts that are not among others, which are facts of the set, perhaps repeated."""
        rows = facts.rows_in_driver
        if rows is not None:  # of those that were found there are no more than facts, once they are distinct
            arrays = [some if isinstance(some, np.ndarray) else rows_of_table(some.distinct().toArrow()) for some in found]
            return facts_in_driver(rows[~isin_rows(rows, np.concatenate(arrays))] if arrays else rows)
        others = [frame_of_rows(self.spark, some) if isinstance(some, np.ndarray) else some for some in found]
        if not others:
            return facts
        other = facts.partitioned(union(others)).hint("shuffle_hash")
        return self.kept(facts.partitioned(facts.frame(self.spark)).join(other, columns(facts.width), "left_anti"), facts)

    def _chosen(self, facts: FrameRelation, others: FrameRelation, *, are_inside: bool) -> FrameRelation:
        if not facts.count or not others.count:
            return facts_in_driver(np.empty((0, facts.width), np.int32)) if are_inside else facts
        rows = facts.rows_in_driver
        if rows is not None:
            keys = rows[:, : others.width]
            if (met := among(keys, others, self.lineage)) is not None:
                return facts_in_driver(rows[met == are_inside])
            is_met = isin_rows(keys, np.concatenate(others.in_driver)) if others.in_driver else np.zeros(len(rows), np.bool_)
            known = others.in_segments()
            if known is not None and not is_met.all():
                requested = f.broadcast(frame_of_rows(self.spark, keys[~is_met]))
                is_met |= isin_rows(keys, rows_of_table(known.join(requested, columns(others.width), "left_semi").toArrow()))
            return facts_in_driver(rows[is_met == are_inside])
        kind = "left_semi" if are_inside else "left_anti"
        mine = facts.partitioned(facts.frame(self.spark))
        return self.kept(mine.join(self._spread(others), columns(others.width), kind), facts)

    def _spread(self, others: FrameRelation) -> DataFrame:
        """The other side of an anti-join: broadcast if it is small, else partitioned by its keys."""
        frame = others.frame(self.spark)
        is_few = others.count <= (_FEW_OTHERS if others.segments else FEW_ROWS)
        return f.broadcast(frame) if is_few else others.partitioned(frame).hint("shuffle_hash")

    def at_hand(self, facts: FrameRelation) -> FrameRelation:
        """The same facts in the driver."""
        return facts if facts.rows_in_driver is not None else facts_in_driver(rows_of_table(facts.frame(self.spark).toArrow()))

    def one_segment(self, parts: Sequence[FrameRelation], like: FrameRelation) -> FrameRelation:
        """The facts of several sets that have none in common, in one segment if they are many."""
        whole = self.fused(parts, like)
        if whole.rows_in_driver is not None and whole.count <= DRIVER_ROWS:
            return whole
        return self.kept(like.partitioned(whole.frame(self.spark)), like)

    def fused(self, parts: Iterable[FrameRelation], like: FrameRelation) -> FrameRelation:
        """The facts of several sets that have none in common."""
        some = [part for part in parts if part.count]
        segments = [segment for part in some for segment in part.plain_segments()]
        rows = [few for part in some for few in part.in_driver]
        count = sum(part.count for part in some)
        if len(segments) > _MOST_SEGMENTS:
            whole = self.lineage.cut(like.partitioned(union([segment for segment, _ in segments])))
            segments = [(whole, sum(number for _, number in segments))]
        return FrameRelation(like.width, like.by, segments, rows, count, merges=False)

    def with_keys(self, facts: FrameRelation, others: FrameRelation, key: Sequence[int]) -> FrameRelation:
        """The facts that have the key of one of some others."""
        names = [f"c{at}" for at in key]
        held, rows = facts.rows_in_driver, others.rows_in_driver
        if held is not None and rows is not None:
            return facts_in_driver(held[isin_rows(held[:, list(key)], rows[:, list(key)])])
        found = facts_with(facts, {at: rows[:, at] for at in key}, self.lineage) if rows is not None else None
        if found is not None and rows is not None:
            return facts_in_driver(found[isin_rows(found[:, list(key)], rows[:, list(key)])])
        requested = others.frame(self.spark).select(*names)
        requested = f.broadcast(requested) if others.count <= FEW_ROWS else requested.hint("shuffle_hash")
        return self.kept(facts.frame(self.spark).join(requested, names, "left_semi").select(*columns(facts.width)), facts)

    def add(self, relation: FrameRelation, facts: FrameRelation) -> None:
        """Add facts to a relation, none of which it has."""
        for rows in facts.in_driver:
            relation.add_rows(rows, self.lineage, self.spark)
        for segment, count in facts.plain_segments():
            relation.add(segment, count, self.lineage)

    def kept(self, frame: DataFrame, like: FrameRelation) -> FrameRelation:
        """The rows of a frame, each once, computed now; in the driver if they are few."""
        segment, count = self.lineage.cut_and_count(frame)
        if count > TINY:
            return FrameRelation(like.width, like.by, [(segment, count)], count=count, merges=False)
        rows = rows_of_table(segment.toArrow())
        self.lineage.release(segment)
        return facts_in_driver(rows)
