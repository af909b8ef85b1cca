"""Relations on Spark: frames of numbers, in pieces that were derived one after the other.

A relation of arity n has the columns c0 … c(n-1); one without arguments has a column c0 that is always 0, since a frame needs
one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tidelog.spark.lineage import Lineage

FEW_ROWS = 500_000
"""A side of a join that has no more rows is sent to everybody."""
_MOST_PIECES = 8


def width_of(arity: int) -> int:
    """How many columns a relation's frame has."""
    return max(1, arity)


def columns(width: int) -> list[str]:
    """Their names."""
    return [f"c{at}" for at in range(width)]


def schema(width: int) -> str:
    """Their types, as Spark writes them."""
    return ", ".join(f"{column} int" for column in columns(width))


def empty(spark: SparkSession, width: int) -> DataFrame:
    """A relation without facts."""
    return spark.createDataFrame([], schema(width))


@dataclass(slots=True)
class Relation:
    """The facts of a relation, and how many there are."""

    width: int
    pieces: list[DataFrame] = field(default_factory=list)
    count: int = 0
    merges: bool = True
    """Whether many small pieces may become one."""

    def frame(self, spark: SparkSession) -> DataFrame:
        """All facts."""
        if not self.pieces:
            return empty(spark, self.width)
        result = self.pieces[0]
        for piece in self.pieces[1:]:
            result = result.union(piece)
        return result

    def add(self, piece: DataFrame, count: int, lineage: Lineage, spark: SparkSession) -> None:
        """More facts, which are not there yet; many small pieces become one."""
        if not count:
            return
        self.pieces.append(piece)
        self.count += count
        if self.merges and len(self.pieces) > _MOST_PIECES:
            whole = lineage.cut(self.frame(spark))
            for old in self.pieces:
                lineage.release(old)
            self.pieces = [whole]
