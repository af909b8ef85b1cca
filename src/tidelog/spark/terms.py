"""The dictionary on Spark: a table of keys and their numbers, which later facts extend.

A key that has a number keeps it. New numbers are made once and kept by the lineage policy before anybody uses them, since to
compute them again might number otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from tidelog.spark.frames import FEW_ROWS, columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tidelog.spark.lineage import Lineage


class SparkDictionary:
    """Keys to numbers and back.

    While there are few of them the driver knows them all, so that small work needs no jobs of its own.
    """

    def __init__(self, spark: SparkSession, lineage: Lineage) -> None:
        self.spark, self.lineage = spark, lineage
        self.pieces: list[DataFrame] = []
        self.count = 0
        self._known: dict[str, int] = {}

    @property
    def frame(self) -> DataFrame:
        """All keys (`key`) with their numbers (`id`)."""
        if not self.pieces:
            return self.spark.createDataFrame([], "key string, id int")
        result = self.pieces[0]
        for piece in self.pieces[1:]:
            result = result.union(piece)
        return result

    @property
    def _knows_all(self) -> bool:
        return len(self._known) == self.count

    def extend(self, keys: DataFrame) -> None:
        """Give numbers to the keys of a column `key` that have none."""
        new = keys.select("key").distinct()
        if self.pieces:
            known = self.frame.select("key")
            new = new.join(f.broadcast(known) if self.count <= FEW_ROWS else known, "key", "left_anti")
        numbered = new.zipWithIndex("id").select("key", (f.col("id") + self.count).cast("int").alias("id"))
        piece, count = self.lineage.cut_and_count(numbered)
        if not count:
            self.lineage.release(piece)
            return
        knows_all = self._knows_all
        self.pieces.append(piece)
        self.count += count
        if knows_all and self.count <= _MOST_KNOWN:
            self._known.update((row["key"], row["id"]) for row in piece.collect())
        self._merge()

    def _merge(self) -> None:
        """Many small pieces become one."""
        if len(self.pieces) > _MOST_PIECES:
            whole = self.lineage.cut(self.frame.coalesce(_FEW_PARTITIONS))
            for old in self.pieces:
                self.lineage.release(old)
            self.pieces = [whole]

    def number(self, keys: Iterable[str]) -> list[int]:
        """The numbers of some keys, new ones if need be."""
        wanted = list(keys)
        missing = [key for key in dict.fromkeys(wanted) if key not in self._known]
        if missing and not self._knows_all:
            asked = self.spark.createDataFrame([(key,) for key in missing], "key string")
            found = {row["key"]: row["id"] for row in self.frame.join(f.broadcast(asked), "key").collect()}
            missing = [key for key in missing if key not in found]
        else:
            found = {}
        if missing:
            new = {key: self.count + at for at, key in enumerate(missing)}
            self.pieces.append(self.spark.createDataFrame(list(new.items()), "key string, id int"))
            self.count += len(new)
            self._known.update(new)
            self._merge()
        return [self._known[key] if key in self._known else found[key] for key in wanted]

    def encode(self, keys: DataFrame, width: int) -> DataFrame:
        """A frame of keys k0, k1, … as one of numbers c0, c1, …; all keys have been numbered."""
        for at in range(width):
            known = self.frame.select(f.col("key").alias(f"k{at}"), f.col("id").alias(f"c{at}"))
            keys = keys.join(f.broadcast(known) if self.count <= FEW_ROWS else known.hint("shuffle_hash"), f"k{at}")
        return keys.select(*columns(width))

    def decode(self, frame: DataFrame, width: int) -> DataFrame:
        """A frame of numbers c0, c1, … as one of keys k0, k1, …"""
        for at in range(width):
            known = self.frame.select(f.col("key").alias(f"k{at}"), f.col("id").alias(f"c{at}"))
            frame = frame.join(f.broadcast(known) if self.count <= FEW_ROWS else known.hint("shuffle_hash"), f"c{at}")
        return frame.select(*(f"k{at}" for at in range(width)))


_MOST_PIECES = 8
_MOST_KNOWN = 100_000
_FEW_PARTITIONS = 8
