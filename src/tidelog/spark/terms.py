"""The dictionary on Spark: a table of keys and their numbers, which later facts extend.

A key that has a number keeps it. New numbers are made once and kept by the lineage policy before anybody uses them, since to
compute them again might number otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as f

from tidelog.local.kernel.memory import Int32s
from tidelog.spark.computing import converting
from tidelog.spark.keys import KIND_OF
from tidelog.values import Kind

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
        self._keys: list[str] = []
        self._pending: list[tuple[str, int]] = []
        """What the driver has numbered and Spark has not been told."""

    @property
    def frame(self) -> DataFrame:
        """All keys (`key`) with their numbers (`id`)."""
        if self._pending:
            keys, ids = zip(*self._pending, strict=True)
            self.pieces.append(self.spark.createDataFrame(pa.table({"key": keys, "id": pa.array(ids, pa.int32())})))
            self._pending = []
        if not self.pieces:
            return self.spark.createDataFrame([], "key string, id int")
        result = self.pieces[0]
        for piece in self.pieces[1:]:
            result = result.union(piece)
        return result

    @property
    def knows_all(self) -> bool:
        """Whether the driver knows every key."""
        return len(self._known) == self.count

    def extend(self, keys: DataFrame) -> None:
        """Give numbers to the keys of a column `key` that have none."""
        self._merge()
        new = keys.select("key").distinct()
        if self.count:
            known = self.frame.select("key")
            new = new.join(f.broadcast(known) if self.count <= _FEW_TERMS else known, "key", "left_anti")
        numbered = new.zipWithIndex("id").select("key", (f.col("id") + self.count).cast("int").alias("id"))
        piece, count = self.lineage.cut_and_count(numbered)
        if not count:
            self.lineage.release(piece)
            return
        knows_all = self.knows_all
        self.pieces.append(piece)
        self.count += count
        if knows_all and self.count <= _MOST_KNOWN:
            self._learn({row["key"]: row["id"] for row in piece.collect()})

    def _learn(self, new: dict[str, int]) -> None:
        self._known.update(new)
        if self.knows_all:
            self._keys += [key for key, _ in sorted(new.items(), key=lambda item: item[1])]

    def _merge(self) -> None:
        """Many small pieces become one; the old ones stay, for frames that somebody still holds may read them."""
        if len(self.pieces) > _MOST_PIECES:
            self.pieces = [self.lineage.cut(self.frame.coalesce(_FEW_PARTITIONS))]

    def number(self, keys: Iterable[str]) -> list[int]:
        """The numbers of some keys, new ones if need be."""
        wanted = list(keys)
        missing = [key for key in dict.fromkeys(wanted) if key not in self._known]
        if missing and not self.knows_all:
            asked = self.spark.createDataFrame([(key,) for key in missing], "key string")
            found = {row["key"]: row["id"] for row in self.frame.join(f.broadcast(asked), "key").collect()}
            missing = [key for key in missing if key not in found]
        else:
            found = {}
        if missing:
            new = {key: self.count + at for at, key in enumerate(missing)}
            self._pending += new.items()
            self.count += len(new)
            self._learn(new)
        return [self._known[key] if key in self._known else found[key] for key in wanted]

    def decode_rows(self, rows: Int32s) -> list[pa.Array]:
        """The keys of a matrix of numbers, column by column; only while the driver knows all."""
        keys = pa.array(self._keys, pa.string())
        return [keys.take(pa.array(rows[:, at])) for at in range(rows.shape[1])]

    def encode(self, keys: DataFrame, width: int) -> DataFrame:
        """A frame of keys k0, k1, … as one of numbers c0, c1, …; all keys have been numbered."""
        return self._looked_up(keys, width, self.frame, ("k", "key"), ("c", "id"))

    def decode(self, frame: DataFrame, width: int) -> DataFrame:
        """A frame of numbers c0, c1, … as one of keys k0, k1, …"""
        return self._looked_up(frame, width, self.frame, ("c", "id"), ("k", "key"))

    def _looked_up(
        self, frame: DataFrame, width: int, known: DataFrame, given: tuple[str, str], wanted: tuple[str, str]
    ) -> DataFrame:
        """Columns looked up in a dictionary, which is the same plan for all of them, so that Spark sends it to everybody once."""
        known = f.broadcast(known) if self.count <= _FEW_TERMS else known.hint("shuffle_hash")
        for at in range(width):
            mine = known.alias(f"#{at}")
            frame = frame.join(mine, f.col(f"{given[0]}{at}") == f.col(f"`#{at}`.{given[1]}"))
        return frame.select(*(f.col(f"`#{at}`.{wanted[1]}").alias(f"{wanted[0]}{at}") for at in range(width)))

    # --- typed values ----------------------------------------------------------------------------------------------------

    def kinds(self) -> set[Kind]:
        """The kinds of values that there are."""
        if self.knows_all:
            return {KIND_OF[key[0]] for key in self._keys}
        letters = self.frame.select(f.substring("key", 1, 1).alias("letter")).distinct().collect()
        return {KIND_OF[row["letter"]] for row in letters}

    def kinds_in(self, frame: DataFrame, column: str) -> set[Kind]:
        """The kinds of values in a column of numbers."""
        letters = self.frame.select(f.col("id").alias(column), f.substring("key", 1, 1).alias("letter"))
        letters = f.broadcast(letters) if self.count <= _FEW_TERMS else letters.hint("shuffle_hash")
        return {
            KIND_OF[row["letter"]]
            for row in frame.select(column).distinct().join(letters, column).select("letter").distinct().collect()
        }

    def decode_typed(self, frame: DataFrame, names: Sequence[str], types: Sequence[str]) -> DataFrame:
        """A frame of numbers c0, c1, … as one of named columns of Spark's types; values of several kinds are strings.

        The dictionary is converted, not the facts, so that Python sees each value once.
        """
        converted: dict[str, DataFrame] = {}
        for at, kind in enumerate(types):
            if kind not in converted:
                converted[kind] = self.frame.mapInArrow(converting(kind), f"id int, value {kind}")
            known = converted[kind].select(f.col("id").alias(f"c{at}"), f.col("value").alias(f"#{at}"))
            frame = frame.join(f.broadcast(known) if self.count <= _FEW_TERMS else known.hint("shuffle_hash"), f"c{at}")
        return frame.select(*(f.col(f"#{at}").alias(name) for at, name in enumerate(names)))


_FEW_TERMS = 2_000_000
"""A dictionary that has no more terms is sent to everybody: to shuffle facts by each of their columns costs far more."""
_MOST_PIECES = 8
_MOST_KNOWN = 100_000
_FEW_PARTITIONS = 8
