"""The dictionary on Spark: a table of keys and their numbers, which later facts extend.

A key that has a number keeps it. New numbers are made once and kept by the lineage policy before anybody uses them, since to
compute them again might number otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as f

from tidelog.core.arrays import Int32s
from tidelog.core.keys import KIND_OF
from tidelog.local.engine import Dictionary
from tidelog.spark.data.column_types import converting
from tidelog.spark.data.matrices import union
from tidelog.values import Kind

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tidelog.spark.data.blocks import Blocks
    from tidelog.spark.session.lineage import Lineage
    from tidelog.spark.session.shipping import Shipping


class SparkDictionary:
    """Keys to numbers and back.

    While they are not too many the driver knows them all and gives the numbers, which takes no jobs; Spark is told of them when
    a join needs them.
    """

    def __init__(self, spark: SparkSession, lineage: Lineage, shipping: Shipping) -> None:
        self.spark, self.lineage, self.shipping = spark, lineage, shipping
        self.segments: list[DataFrame] = []
        self.count = 0
        self._known: Dictionary | None = Dictionary()
        """Every key as a string, whose id is its number; None when they have become too many."""
        self._told = 0
        """How many of them Spark has been told of."""
        self._met: dict[str, int] = {}
        """When the driver does not know all: keys that it has looked up."""

    @property
    def frame(self) -> DataFrame:
        """All keys (`key`) with their numbers (`id`)."""
        if self._known is not None and self._told < self.count:
            if len(self.segments) >= _MOST_SEGMENTS:
                self.segments, self._told = [], 0
            ids = np.arange(self._told, self.count, dtype=np.int32)
            keys = self._known.decode_column(ids).cast(pa.string())
            self.segments.append(self.shipping.frame(pa.table({"key": keys, "id": ids})))
            self._told = self.count
        return union(self.segments) if self.segments else self.spark.createDataFrame([], "key string, id int")

    @property
    def known(self) -> DataFrame:
        """The same as the side of a join, broadcast while it is small."""
        return f.broadcast(self.frame) if self.count <= _FEW_TERMS else self.frame.hint("shuffle_hash")

    @property
    def knows_all(self) -> bool:
        """Whether the driver knows every key."""
        return self._known is not None

    # --- numbers for keys ------------------------------------------------------------------------------------------------

    def extend(self, keys: DataFrame, most: int) -> None:
        """Give numbers to the keys of a column `key` that have none; there are no more than `most`."""
        if self._known is not None and self.count + most <= _MOST_COLLECTED:
            self._learn(self._known, keys.select("key").distinct().toArrow().column("key").combine_chunks())
            return
        _ = self.frame  # Spark must know them all before it numbers more
        self._merge()
        new = keys.select("key").distinct()
        if self.count:
            new = new.join(self.known.select("key"), "key", "left_anti")
        numbered = new.zipWithIndex("id").select("key", (f.col("id") + self.count).cast("int").alias("id"))
        segment, count = self.lineage.cut_and_count(numbered)
        if not count:
            self.lineage.release(segment)
            return
        if self._known is not None and self.count + count <= _MOST_COLLECTED:
            self._learn(self._known, segment.orderBy("id").toArrow().column("key").combine_chunks())
            self.lineage.release(segment)  # what the driver knows it tells Spark itself, in fewer segments
        else:
            self._known = None
            self.segments.append(segment)
            self.count += count

    def _merge(self) -> None:
        """Merge many segments; the old ones stay, since frames of users may read them."""
        if len(self.segments) > _MOST_SEGMENTS:
            self.segments = [self.lineage.cut(self.frame.coalesce(_FEW_PARTITIONS))]

    def _learn(self, known: Dictionary, keys: pa.Array) -> Int32s:
        numbers = known.encode_column(Kind.STRING, keys)
        self.count = len(known)
        return numbers

    def number(self, keys: Iterable[str]) -> list[int]:
        """The numbers of some keys, new ones if need be."""
        wanted = list(keys)
        if self._known is not None:
            numbers: list[int] = self._learn(self._known, pa.array(wanted, pa.string())).tolist()
            return numbers
        missing = [key for key in dict.fromkeys(wanted) if key not in self._met]
        if missing:
            if len(self._met) > _MOST_COLLECTED:
                self._met = {key: self._met[key] for key in wanted if key in self._met}
            requested = self.spark.createDataFrame(pa.table({"key": pa.array(missing, pa.string())}))
            self._met.update({row["key"]: row["id"] for row in self.frame.join(f.broadcast(requested), "key").collect()})
            new = [key for key in missing if key not in self._met]
            ids = range(self.count, self.count + len(new))
            if new:
                self._merge()
                self.segments.append(self.spark.createDataFrame(pa.table({"key": new, "id": pa.array(ids, pa.int32())})))
            self._met.update(zip(new, ids, strict=True))
            self.count += len(new)
        return [self._met[key] for key in wanted]

    def number_blocks(self, blocks: Blocks) -> DataFrame:
        """The facts of blocks as columns of numbers c0, c1, …; new keys are numbered."""
        if self._known is None or self.count + blocks.entries > _FEW_TERMS or blocks.size > _MOST_BYTES:
            self.extend(blocks.distinct(), blocks.entries)
            return blocks.looked_up(self.known)
        numbers: dict[int, bytes] = {}
        for batch in blocks.frame.select("block", "keys").toArrow().to_batches():
            for block, keys in zip(batch.column(0).to_pylist(), batch.column(1), strict=True):
                numbers[block] = self._learn(self._known, keys.values).tobytes()
        table = {"block": pa.array(numbers.keys(), pa.int64()), "numbers": pa.array(numbers.values(), pa.binary())}
        return blocks.numbered(self.spark.createDataFrame(pa.table(table)))

    def decode_rows(self, rows: Int32s) -> list[pa.Array]:
        """The keys of a matrix of numbers, column by column; only while the driver knows all."""
        assert self._known is not None
        return [self._known.decode_column(np.ascontiguousarray(column)).cast(pa.string()) for column in rows.T]

    def encode(self, keys: DataFrame, width: int) -> DataFrame:
        """A frame of keys k0, k1, … as one of numbers c0, c1, …; all keys have been numbered."""
        return self._looked_up(keys, width, ("k", "key"), ("c", "id"))

    def decode(self, frame: DataFrame, width: int) -> DataFrame:
        """A frame of numbers c0, c1, … as one of keys k0, k1, …"""
        return self._looked_up(frame, width, ("c", "id"), ("k", "key"))

    def _looked_up(self, frame: DataFrame, width: int, given: tuple[str, str], wanted: tuple[str, str]) -> DataFrame:
        """Columns looked up in the dictionary: the same plan for all of them, so that Spark broadcasts it once."""
        known = self.known
        for at in range(width):
            mine = known.alias(f"#{at}")
            frame = frame.join(mine, f.col(f"{given[0]}{at}") == f.col(f"`#{at}`.{given[1]}"))
        return frame.select(*(f.col(f"`#{at}`.{wanted[1]}").alias(f"{wanted[0]}{at}") for at in range(width)))

    # --- typed values ----------------------------------------------------------------------------------------------------

    def kinds(self) -> set[Kind]:
        """The kinds of values that there are."""
        if self._known is not None:
            keys = self._known.decode_column(np.arange(self.count, dtype=np.int32))
            return {KIND_OF[letter] for letter in pc.unique(pc.utf8_slice_codeunits(keys, 0, 1)).to_pylist()}
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
"""A dictionary that has no more terms is broadcast: to shuffle facts by each of their columns costs far more."""
_MOST_BYTES = 256 << 20
"""The driver numbers blocks whose keys are no more than this, far below what Spark lets a driver collect."""
_MOST_COLLECTED = 100_000
"""Keys are numbered one by one by the driver while there are no more than these, however long they are."""
_MOST_SEGMENTS = 8
_FEW_PARTITIONS = 8
