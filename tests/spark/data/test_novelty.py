"""Finding what is new: whatever way it is asked, and with marks that say exactly what came after them."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tidelog.spark.data.frames import FrameRelation
from tidelog.spark.data.matrices import frame_of_rows
from tidelog.spark.data.novelty import TINY, Novelty
from tidelog.spark.session.lineage import Lineage

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def rows(*pairs: tuple[int, int]) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    return np.array(pairs, np.int32)


def found(frame: DataFrame) -> list[tuple[int, ...]]:
    return sorted(map(tuple, frame.collect()))


@pytest.mark.parametrize("merges", [True, False])
def test_known_candidates_are_not_new(spark: SparkSession, merges: bool) -> None:
    with closing(Lineage(spark)) as lineage:
        relation, novelty = FrameRelation(2, merges=merges), Novelty(spark, lineage)
        assert novelty.add_rows(relation, rows((1, 2), (1, 2), (3, 4))) is not None
        several = frame_of_rows(spark, rows((1, 2), (5, 6), (5, 6), (7, 8)))
        new = novelty.add(relation, [several], TINY + 1)
        assert new is not None
        assert (found(new.frame(spark)), new.count) == ([(5, 6), (7, 8)], 2)
        assert novelty.add_rows(relation, rows((7, 8), (3, 4))) is None
        assert novelty.add(relation, [several], TINY + 1) is None
        assert found(relation.frame(spark)) == [(1, 2), (3, 4), (5, 6), (7, 8)]
        assert relation.count == 4


def test_what_came_after_a_mark(spark: SparkSession) -> None:
    """Groups of an aggregate are folded from just that: one fact more or less would be another result."""
    with closing(Lineage(spark)) as lineage:
        relation, novelty = FrameRelation(2, merges=False), Novelty(spark, lineage)
        novelty.add_rows(relation, rows((1, 1)))
        mark = relation.mark()
        novelty.add(relation, [frame_of_rows(spark, rows((2, 2), (1, 1)))], TINY + 1)
        novelty.add_rows(relation, rows((3, 3), (2, 2)))
        since = relation.since(mark)
        assert (found(since.frame(spark)), since.count) == ([(2, 2), (3, 3)], 2)
