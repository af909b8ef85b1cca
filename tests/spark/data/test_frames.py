"""Relations in segments."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np

from tidelog.spark.data.frames import FrameRelation
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
