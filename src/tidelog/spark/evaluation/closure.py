"""Transitive relations on Spark: each task closes its share of left ends, and connected components by stars.

*Decomposed*: the steps go to every task, which builds the condensation (`VirtualRelation`, the one part of the local engine that
Spark's workers import) and writes the pairs of its own left ends; no rounds, no shuffle, nothing to compare. *Components*:
alternating large and small stars (Kiveris, Lattanzi, Mirrokni, Rastogi and Vassilvitskii, "Connected Components in MapReduce and
Beyond", 2014), for graphs that fit into no process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as f

from tidelog.local.closure import closing
from tidelog.program.modules import Module
from tidelog.spark.data.matrices import rows_of_table, schema

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyspark.sql import DataFrame, SparkSession

    from tidelog.spark.session.lineage import Lineage

    Pairs = NDArray[np.int32]


def closed(module: Module, given: DataFrame, steps: DataFrame | None, lineage: Lineage, *, by_stars: bool) -> DataFrame:
    """The pairs of a transitive relation, from what is given of it and, where it has steps of its own, from these."""
    if by_stars:
        return connected_pairs(given, lineage, is_irreflexive=module.is_irreflexive)
    spark = given.sparkSession
    tasks = max(2, int(spark.conf.get("spark.sql.shuffle.partitions") or 2))
    edges = rows_of_table(steps.toArrow()) if steps is not None else None
    return decomposed(spark, module, rows_of_table(given.toArrow()), edges, tasks)


def decomposed(spark: SparkSession, module: Module, given: Pairs, steps: Pairs | None, tasks: int) -> DataFrame:
    """The pairs of a transitive relation; each of so many tasks makes those of its own left ends."""
    work = spark.range(0, tasks, 1, tasks).select(f.col("id").cast("int").alias("task"))
    return work.mapInArrow(_closing(module, given, steps, tasks), schema(2))


def _closing(
    module: Module, given: Pairs, steps: Pairs | None, tasks: int
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def close(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for task in batch.column(0).to_pylist():
                relation = closing.close(module, given, steps)
                for left, right in relation.chunks(_PAIRS_AT_ONCE, share=(task, tasks)):
                    yield pa.RecordBatch.from_arrays([pa.array(left), pa.array(right)], ["c0", "c1"])

    return close


_PAIRS_AT_ONCE = 1 << 20


def components(edges: DataFrame, lineage: Lineage) -> DataFrame:
    """The smallest node of its component (`v`) for each node (`u`) of an undirected graph with edges c0, c1."""
    current = edges.select(f.greatest("c0", "c1").alias("u"), f.least("c0", "c1").alias("v")).distinct()
    current, _ = lineage.cut_and_count(current)
    before = None
    while True:
        both = current.union(current.select(f.col("v").alias("u"), f.col("u").alias("v")))
        smallest = both.groupBy("u").agg(f.min("v").alias("m")).select("u", f.least("u", "m").alias("m"))
        large = both.join(smallest, "u").where("v > u").select(f.col("v").alias("u"), f.col("m").alias("v")).distinct()
        least = large.groupBy("u").agg(f.min("v").alias("m"))
        small = large.join(least, "u").where("v <> m").select(f.col("v").alias("u"), f.col("m").alias("v"))
        stars = small.union(least.select("u", f.col("m").alias("v"))).distinct()
        following, count = lineage.cut_and_count(stars)
        changed = following.join(current, ["u", "v"], "left_anti").limit(1).count()
        lineage.release(current)
        current = following
        if not changed and before == count:
            break
        before = count
    roots = current.select(f.col("v").alias("u"), "v").distinct()
    alone = edges.select(f.col("c0").alias("u")).union(edges.select(f.col("c1").alias("u"))).distinct()
    known = current.union(roots)
    return known.union(alone.join(known, "u", "left_anti").select("u", f.col("u").alias("v")))


def connected_pairs(edges: DataFrame, lineage: Lineage, *, is_irreflexive: bool) -> DataFrame:
    """All pairs within a connected component; no (x, x) but given ones, if irreflexive."""
    labels = lineage.cut(components(edges, lineage))
    left = labels.select(f.col("u").alias("c0"), "v")
    right = labels.select(f.col("u").alias("c1"), "v")
    pairs = left.join(right, "v").select("c0", "c1")
    if not is_irreflexive:
        return pairs
    return pairs.where("c0 <> c1").union(edges.where("c0 = c1").select("c0", "c1").distinct())
