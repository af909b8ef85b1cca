"""Facts as numbers: matrices in the driver, Arrow tables on the way, and frames on Spark, with the columns c0, c1, …"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tidelog.core.arrays import Int32s

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def width_of(arity: int) -> int:
    """How many columns a relation's frame has."""
    return max(1, arity)


def columns(width: int) -> list[str]:
    """Their names."""
    return [f"c{at}" for at in range(width)]


def schema(width: int) -> str:
    """Their types, as Spark writes them."""
    return ", ".join(f"{column} int" for column in columns(width))


def frame_of_rows(spark: SparkSession, rows: Int32s) -> DataFrame:
    """A matrix as a frame."""
    if not len(rows):
        return spark.createDataFrame([], schema(rows.shape[1]))
    return spark.createDataFrame(pa.table({f"c{at}": np.ascontiguousarray(rows[:, at]) for at in range(rows.shape[1])}))


def rows_of_table(table: pa.Table) -> Int32s:
    """An Arrow table of numbers as a matrix."""
    return np.column_stack([table.column(at).to_numpy().astype(np.int32, copy=False) for at in range(table.num_columns)])


def union(frames: list[DataFrame]) -> DataFrame:
    """The rows of all frames."""
    return reduce(lambda one, other: one.union(other), frames)
