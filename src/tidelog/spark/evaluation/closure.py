"""Symmetric-transitive relations of graphs that fit into no process: connected components by alternating large and small stars.

Kiveris, Lattanzi, Mirrokni, Rastogi and Vassilvitskii, "Connected Components in MapReduce and Beyond", 2014.  Other transitive
relations are closed by tasks (`key_tasks`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as f

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidelog.spark.session.lineage import Lineage


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
