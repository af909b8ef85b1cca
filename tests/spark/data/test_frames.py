"""Relations in segments."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np

from tidelog.spark.data.frames import FrameRelation, facts_in_driver
from tidelog.spark.data.matrices import frame_of_rows
from tidelog.spark.session.lineage import Lineage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_result_has_as_many_parts_as_a_piece(spark: SparkSession) -> None:
    with closing(Lineage(spark)) as lineage:
        relation = FrameRelation(2, ("c0",))
        for start in (0, 10, 20):
            numbers = np.arange(start, start + 10, dtype=np.int32)
            segment = lineage.cut(relation.partitioned(frame_of_rows(spark, np.column_stack([numbers, numbers]))))
            relation.add(segment, 10, lineage)
        relation.add_rows(np.array([[7, 8]], np.int32), lineage, spark)
        result = relation.as_result(spark)
        partitions = spark.conf.get("spark.sql.shuffle.partitions")
        assert result.rdd.getNumPartitions() == int(partitions or 0) < relation.frame(spark).rdd.getNumPartitions()
        assert sorted(map(tuple, result.collect())) == sorted(map(tuple, relation.frame(spark).collect()))


def test_many_small_deletions_are_one(spark: SparkSession) -> None:
    """Facts that go one by one, and come back in a segment between, never make the large segment be written again."""
    with closing(Lineage(spark)) as lineage:
        relation = FrameRelation(1, ("c0",))
        large = lineage.cut(frame_of_rows(spark, np.arange(100, dtype=np.int32).reshape(-1, 1)))
        relation.add(large, 100, lineage)
        expected = set(range(100))
        for at in range(25):
            relation.remove(facts_in_driver(np.array([[at]], np.int32)), lineage, spark)
            expected.discard(at)
            if at == 12:
                relation.add(lineage.cut(frame_of_rows(spark, np.array([[3], [4]], np.int32))), 2, lineage)
                expected |= {3, 4}
            if at == 14:
                relation.remove(facts_in_driver(np.array([[4]], np.int32)), lineage, spark)
                expected.discard(4)
        assert relation.segments[0][0] is large
        assert len(relation.tombstones) <= 9
        assert sorted(row[0] for row in relation.frame(spark).collect()) == sorted(expected)
        assert relation.count == len(expected)
