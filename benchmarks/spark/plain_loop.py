"""Transitive closure as one writes it with DataFrames and without Tidelog: a semi-naive loop that cuts the lineage each round.

The edges are cached, so that Spark knows that they are few and sends them to every task.  What is known is a union of what the
rounds found; now and then it becomes one piece, since a union of dozens makes as many times the tasks.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING

from benchmarks.spark.sessions import PARTITIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_MOST_PIECES = 8

OnRound = Callable[[int], None]
"""Called after each round with the number of facts so far."""


def closure(edges: DataFrame, on_round: OnRound = lambda _: None) -> tuple[DataFrame, int]:
    """All pairs x, y with a path from x to y along edges x, y; and how many there are."""
    steps = edges.selectExpr("x AS y", "y AS z").cache()
    new = edges.distinct().localCheckpoint()
    found = total = new.count()
    pieces = [new]
    on_round(total)
    while found:
        candidates = new.join(steps, "y").selectExpr("x", "z AS y").distinct()
        new = candidates.join(_union(pieces), ["x", "y"], "left_anti").localCheckpoint()
        found = new.count()
        total += found
        pieces.append(new)
        if len(pieces) > _MOST_PIECES:
            pieces = [_union(pieces).coalesce(PARTITIONS).localCheckpoint()]
        on_round(total)
    steps.unpersist()  # Spark would find it again by the path of the file, whatever the file has by then
    return _union(pieces), total


def _union(pieces: list[DataFrame]) -> DataFrame:
    return reduce(lambda one, other: one.union(other), pieces)
