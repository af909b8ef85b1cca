"""Relations on Spark: frames of numbers, in pieces that were derived one after the other.

A relation of arity n has the columns c0 … c(n-1); one without arguments has a column c0 that is always 0, since a frame needs
one. Facts that came by the thousand are kept by the driver as a matrix until they are many: late rounds bring a handful each,
and a piece of its own for each of them would cost more than the facts. All pieces are partitioned by the same columns, so that
known facts are found without a shuffle.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tidelog.local.kernel.memory import Int32s

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tidelog.spark.lineage import Lineage

FEW_ROWS = 500_000
"""A side of a join that has no more rows is sent to everybody."""
DRIVER_ROWS = 20_000
"""The driver keeps no more new facts of a relation than these."""
_MOST_PIECES = 16


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


@dataclass(slots=True)
class Relation:
    """The facts of a relation, and how many there are."""

    width: int
    by: tuple[str, ...] = ()
    """The columns that pieces are partitioned by: all, unless said otherwise."""
    pieces: list[tuple[DataFrame, int]] = field(default_factory=list)
    few: list[Int32s] = field(default_factory=list)
    """What the driver keeps, disjoint from the pieces."""
    count: int = 0
    retired: list[tuple[DataFrame, int]] = field(default_factory=list)
    """Pieces that the last merge took up; what another relation's round has not computed yet may still read them."""
    merges: bool = True
    """Whether pieces may become one, and what the driver keeps a piece."""
    _few_frame: DataFrame | None = None

    def frame(self, spark: SparkSession) -> DataFrame:
        """All facts."""
        if self.few and self._few_frame is None:
            self._few_frame = frame_of_rows(spark, np.concatenate(self.few))
        frames = [piece for piece, _ in self.pieces] + ([self._few_frame] if self._few_frame is not None else [])
        return union(frames) if frames else frame_of_rows(spark, np.empty((0, self.width), np.int32))

    def in_pieces(self) -> DataFrame | None:
        """The facts that the driver does not have."""
        return union([piece for piece, _ in self.pieces]) if self.pieces else None

    def partitioned(self, frame: DataFrame) -> DataFrame:
        """A frame with the partitions that the pieces have; Spark leaves out what is so already."""
        partitions = int(frame.sparkSession.conf.get("spark.sql.shuffle.partitions") or 8)
        return frame.repartition(partitions, *(self.by or columns(self.width)))

    def add(self, piece: DataFrame, count: int, lineage: Lineage) -> None:
        """More facts, which are not there yet."""
        if not count:
            return
        if self.merges and len(self.pieces) >= _MOST_PIECES:
            self._merge(lineage)  # before the new one, which the next round will ask for by itself
        self.pieces.append((piece, count))
        self.count += count

    def add_few(self, rows: Int32s, lineage: Lineage, spark: SparkSession) -> None:
        """More facts, which are not there yet, and few enough for the driver."""
        if not len(rows):
            return
        self.few.append(rows)
        self._few_frame = None
        self.count += len(rows)
        if self.merges and sum(map(len, self.few)) > DRIVER_ROWS:
            self.flush(lineage, spark)

    def flush(self, lineage: Lineage, spark: SparkSession) -> None:
        """Give what the driver has to Spark."""
        if self.few:
            rows = np.concatenate(self.few)
            self.few, self._few_frame = [], None
            self.count -= len(rows)
            self.add(lineage.cut(self.partitioned(frame_of_rows(spark, rows))), len(rows), lineage)

    def _merge(self, lineage: Lineage) -> None:
        """The smaller pieces become one; to copy the large ones again and again would cost more than it saves."""
        by_size = sorted(self.pieces, key=lambda piece: piece[1])
        small, large = by_size[: _MOST_PIECES // 2], by_size[_MOST_PIECES // 2 :]
        whole = lineage.cut(self.partitioned(union([piece for piece, _ in small])))
        for piece, _ in self.retired:
            lineage.release(piece)
        self.retired = small
        self.pieces = [*large, (whole, sum(count for _, count in small))]

    def mark(self) -> tuple[int, int]:
        """How far the relation has come; only while it does not merge."""
        return len(self.pieces), len(self.few)

    def since(self, mark: tuple[int, int], spark: SparkSession) -> tuple[DataFrame, int]:
        """The facts that came after a mark, and how many."""
        pieces, few = self.pieces[mark[0] :], self.few[mark[1] :]
        frames = [piece for piece, _ in pieces] + [frame_of_rows(spark, rows) for rows in few]
        return union(frames), sum(count for _, count in pieces) + sum(map(len, few))


def union(frames: list[DataFrame]) -> DataFrame:
    """The rows of all frames."""
    return reduce(lambda one, other: one.union(other), frames)
