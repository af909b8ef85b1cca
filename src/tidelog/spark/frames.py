"""Relations on Spark: frames of numbers, in pieces that were derived one after the other.

A relation of arity n has the columns c0 … c(n-1); one without arguments has a column c0 that is always 0, since a frame needs
one. Facts that came by the thousand are kept by the driver as a matrix until they are many: late rounds bring a handful each,
and a piece of its own for each of them would cost more than the facts. All pieces are partitioned by the same columns, so that
known facts are found without a shuffle. Pieces never change: of facts that went from them the driver keeps a list, and when
that becomes long, the pieces are written anew. So a copy of a relation is cheap, and stays what it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import functions as f

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
    gone: Int32s | None = None
    """Facts that are in the pieces and do not count any more."""
    _few_frame: DataFrame | None = None

    def frame(self, spark: SparkSession) -> DataFrame:
        """All facts."""
        if self.few and self._few_frame is None:
            self._few_frame = frame_of_rows(spark, np.concatenate(self.few))
        pieces = self.in_pieces()
        frames = [frame for frame in (pieces, self._few_frame) if frame is not None]
        return union(frames) if frames else frame_of_rows(spark, np.empty((0, self.width), np.int32))

    def in_pieces(self) -> DataFrame | None:
        """The facts that the driver does not have."""
        if not self.pieces:
            return None
        whole = union([piece for piece, _ in self.pieces])
        return whole if self.gone is None else self._without(whole, self.gone)

    @property
    def held(self) -> Int32s | None:
        """All facts, if the driver has them."""
        if self.pieces:
            return None
        return np.concatenate(self.few) if self.few else np.empty((0, self.width), np.int32)

    def copy(self) -> Relation:
        """The same facts, whatever becomes of this relation."""
        return replace(self, pieces=list(self.pieces), few=list(self.few), retired=[])

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
        self.count += count
        if self.gone is not None:
            asked = f.broadcast(frame_of_rows(piece.sparkSession, self.gone))
            back = rows_of_table(piece.join(asked, columns(self.width), "left_semi").toArrow())
            if len(back):
                self._revive(back)
                piece, count = self._without(piece, back), count - len(back)
        self.pieces.append((piece, count))

    def add_few(self, rows: Int32s, lineage: Lineage, spark: SparkSession) -> None:
        """More facts, which are not there yet, and few enough for the driver."""
        if not len(rows):
            return
        self.count += len(rows)
        if self.gone is not None:
            is_back = among(rows, self.gone)
            self._revive(rows[is_back])
            rows = rows[~is_back]
        self.few.append(rows)
        self._few_frame = None
        if self.merges and sum(map(len, self.few)) > DRIVER_ROWS:
            self.flush(lineage, spark)

    def flush(self, lineage: Lineage, spark: SparkSession) -> None:
        """Give what the driver has to Spark."""
        if self.few:
            rows = np.concatenate(self.few)
            self.few, self._few_frame = [], None
            self.count -= len(rows)
            self.add(lineage.cut(self.partitioned(frame_of_rows(spark, rows))), len(rows), lineage)

    # --- facts that go ---------------------------------------------------------------------------------------------------

    def remove(self, others: Relation, lineage: Lineage, spark: SparkSession) -> None:
        """Facts go, all of which are there."""
        self.count -= others.count
        rows = others.held
        if rows is None or len(rows) + (0 if self.gone is None else len(self.gone)) > DRIVER_ROWS:
            whole = self.partitioned(self.frame(spark))
            going = others.partitioned(others.frame(spark)).hint("shuffle_hash")
            left = whole.join(going, columns(self.width), "left_anti")
            self.few, self._few_frame, self.gone = [], None, None
            self.pieces = [(lineage.cut(left), self.count)] if self.count else []
            return
        if self.few:
            held = np.concatenate(self.few)
            is_held = among(rows, held)
            if is_held.any():
                self.few, self._few_frame = [held[~among(held, rows)]], None
                rows = rows[~is_held]
        if len(rows):
            self.gone = rows if self.gone is None else np.concatenate([self.gone, rows])

    def _without(self, frame: DataFrame, rows: Int32s) -> DataFrame:
        return frame.join(f.broadcast(frame_of_rows(frame.sparkSession, rows)), columns(self.width), "left_anti")

    def _revive(self, rows: Int32s) -> None:
        """Facts of the pieces count again."""
        assert self.gone is not None
        left = self.gone[~among(self.gone, rows)]
        self.gone = left if len(left) else None

    # --- pieces ----------------------------------------------------------------------------------------------------------

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

    def since(self, mark: tuple[int, int]) -> Relation:
        """The facts that came after a mark."""
        pieces, few = self.pieces[mark[0] :], self.few[mark[1] :]
        count = sum(count for _, count in pieces) + sum(map(len, few))
        return Relation(self.width, self.by, pieces, few, count, merges=False)


def few_facts(rows: Int32s) -> Relation:
    """A relation that the driver holds."""
    return Relation(rows.shape[1], few=[rows] if len(rows) else [], count=len(rows))


def among(rows: Int32s, others: Int32s) -> NDArray[np.bool_]:
    """For each row whether it is among others."""
    if not len(rows) or not len(others):
        return np.zeros(len(rows), np.bool_)
    if rows.shape[1] == 1:
        return np.isin(rows[:, 0], others[:, 0])
    one, other = (np.ascontiguousarray(r, np.int32).view([("", np.int32)] * rows.shape[1]).ravel() for r in (rows, others))
    return np.isin(one, other)


def union(frames: list[DataFrame]) -> DataFrame:
    """The rows of all frames."""
    return reduce(lambda one, other: one.union(other), frames)
