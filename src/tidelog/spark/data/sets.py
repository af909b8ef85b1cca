"""Sets of facts, in the driver while they are few and on Spark otherwise: what one has and another has, or has not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from pyspark.sql import functions as f

from tidelog.core.arrays import Int32s
from tidelog.spark.data.frames import DRIVER_ROWS, FEW_ROWS, Relation, few_facts
from tidelog.spark.data.matrices import among, columns, frame_of_rows, rows_of_table, union
from tidelog.spark.evaluation.novelty import TINY

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tidelog.spark.session.lineage import Lineage

WORTH_FETCHING = 3_000_000
"""So many facts are brought to the driver to spare it one job after the other."""
_MOST_PIECES = 16
_FEW_OTHERS = 20_000
"""A set that has no more facts goes to everybody; to send more costs more than to find them where their keys are."""


@dataclass(slots=True)
class Difference:
    """What came to a relation, and what went."""

    inserted: Relation
    deleted: Relation

    def __bool__(self) -> bool:
        return self.inserted.count > 0 or self.deleted.count > 0


class Sets:
    """Makes sets from sets."""

    def __init__(self, spark: SparkSession, lineage: Lineage) -> None:
        self.spark, self.lineage = spark, lineage

    def distinct(self, found: Sequence[DataFrame | Int32s], like: Relation, start: int) -> Relation:
        """Facts that were found, perhaps repeated, starting from so many others; partitioned like a relation."""
        rows = [some for some in found if isinstance(some, np.ndarray)]
        if len(rows) == len(found):
            return few_facts(np.unique(np.concatenate(rows), axis=0) if rows else np.empty((0, like.width), np.int32))
        raw = union([frame_of_rows(self.spark, some) if isinstance(some, np.ndarray) else some for some in found])
        if start <= TINY:
            taken = rows_of_table(raw.limit(DRIVER_ROWS + 1).toArrow())
            if len(taken) <= DRIVER_ROWS:
                return few_facts(np.unique(taken, axis=0))
        return self._kept(like.partitioned(raw).distinct(), like)

    def between(self, parts: Sequence[tuple[Relation, int]], until: int, without: Sequence[Relation], like: Relation) -> Relation:
        """Facts that came, as their last columns say, after a time that goes with each part and by another; and not others."""
        held = [rows for part, _ in parts if (rows := part.held) is not None]
        if len(held) == len(parts):
            chosen = [rows[(rows[:, -1] > since) & (rows[:, -1] <= until)] for rows, (_, since) in zip(held, parts, strict=True)]
            facts = few_facts(np.unique(np.concatenate(chosen), axis=0))
            for others in without:
                facts = self.outside(facts, others)
            return facts
        time = f.col(f"c{like.width - 1}")
        frames = [like.partitioned(part.frame(self.spark).where((time > since) & (time <= until))) for part, since in parts]
        frame = union(frames).distinct() if len(parts) > 1 else frames[0]
        for others in without:
            if others.count:
                frame = frame.join(self._spread(others), columns(others.width), "left_anti")
        return self._kept(frame, like)

    def inside(self, facts: Relation, others: Relation) -> Relation:
        """The facts that are among others."""
        return self._chosen(facts, others, are_inside=True)

    def outside(self, facts: Relation, others: Relation) -> Relation:
        """The facts that are not among others; others may lack the last columns, which then do not count."""
        return self._chosen(facts, others, are_inside=False)

    def without(self, facts: Relation, found: Sequence[DataFrame | Int32s]) -> Relation:
        """The facts that are not among those of them that were found, perhaps repeated."""
        rows = facts.held
        if rows is not None:  # of those that were found there are no more than facts, once they are distinct
            arrays = [some if isinstance(some, np.ndarray) else rows_of_table(some.distinct().toArrow()) for some in found]
            return few_facts(rows[~among(rows, np.concatenate(arrays))] if arrays else rows)
        others = [frame_of_rows(self.spark, some) if isinstance(some, np.ndarray) else some for some in found]
        if not others:
            return facts
        other = facts.partitioned(union(others)).hint("shuffle_hash")
        return self._kept(facts.partitioned(facts.frame(self.spark)).join(other, columns(facts.width), "left_anti"), facts)

    def _chosen(self, facts: Relation, others: Relation, *, are_inside: bool) -> Relation:
        if not facts.count or not others.count:
            return few_facts(np.empty((0, facts.width), np.int32)) if are_inside else facts
        rows = facts.held
        if rows is not None:
            keys = rows[:, : others.width]
            is_met = among(keys, np.concatenate(others.few)) if others.few else np.zeros(len(rows), np.bool_)
            known = others.in_pieces()
            if known is not None and not is_met.all():
                requested = f.broadcast(frame_of_rows(self.spark, keys[~is_met]))
                is_met |= among(keys, rows_of_table(known.join(requested, columns(others.width), "left_semi").toArrow()))
            return few_facts(rows[is_met == are_inside])
        kind = "left_semi" if are_inside else "left_anti"
        mine = facts.partitioned(facts.frame(self.spark))
        return self._kept(mine.join(self._spread(others), columns(others.width), kind), facts)

    def _spread(self, others: Relation) -> DataFrame:
        """A set for anti-joins with others that are partitioned like it: few go to everybody, many are where their keys are."""
        frame = others.frame(self.spark)
        is_few = others.count <= (_FEW_OTHERS if others.pieces else FEW_ROWS)
        return f.broadcast(frame) if is_few else others.partitioned(frame).hint("shuffle_hash")

    def at_hand(self, facts: Relation) -> Relation:
        """Facts that the driver has."""
        return facts if facts.held is not None else few_facts(rows_of_table(facts.frame(self.spark).toArrow()))

    def one_piece(self, parts: Sequence[Relation], like: Relation) -> Relation:
        """The facts of several sets that have none in common, in one piece if they are many."""
        whole = self.fused(parts, like)
        if whole.held is not None:
            return whole
        return self._kept(like.partitioned(whole.frame(self.spark)), like)

    def fused(self, parts: Iterable[Relation], like: Relation) -> Relation:
        """The facts of several sets that have none in common."""
        some = [part for part in parts if part.count]
        pieces = [piece for part in some for piece in part.plain_pieces()]
        rows = [few for part in some for few in part.few]
        count = sum(part.count for part in some)
        if len(pieces) > _MOST_PIECES:
            whole = self.lineage.cut(like.partitioned(union([piece for piece, _ in pieces])))
            pieces = [(whole, sum(number for _, number in pieces))]
        return Relation(like.width, like.by, pieces, rows, count, merges=False)

    def with_keys(self, facts: Relation, others: Relation, key: Sequence[int]) -> Relation:
        """The facts that have the key of one of some others."""
        names = [f"c{at}" for at in key]
        held, rows = facts.held, others.held
        if held is not None and rows is not None:
            return few_facts(held[among(held[:, list(key)], rows[:, list(key)])])
        requested = others.frame(self.spark).select(*names)
        requested = f.broadcast(requested) if others.count <= FEW_ROWS else requested.hint("shuffle_hash")
        return self._kept(facts.frame(self.spark).join(requested, names, "left_semi").select(*columns(facts.width)), facts)

    def add(self, relation: Relation, facts: Relation) -> None:
        """Add facts to a relation, none of which it has."""
        for rows in facts.few:
            relation.add_few(rows, self.lineage, self.spark)
        for piece, count in facts.plain_pieces():
            relation.add(piece, count, self.lineage)

    def _kept(self, frame: DataFrame, like: Relation) -> Relation:
        piece, count = self.lineage.cut_and_count(frame)
        if count > TINY:
            return Relation(like.width, like.by, [(piece, count)], count=count, merges=False)
        rows = rows_of_table(piece.toArrow())
        self.lineage.release(piece)
        return few_facts(rows)
