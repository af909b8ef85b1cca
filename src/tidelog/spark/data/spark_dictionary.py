"""The dictionary on Spark: a table of keys and their numbers, which later facts extend.

A key that has a number keeps it. New numbers are made once and kept by the lineage policy before anybody uses them, since to
compute them again might number otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as f

from tidelog.core.arrays import Int32s
from tidelog.core.keys import KIND_OF
from tidelog.errors import fail
from tidelog.local.engine import Dictionary
from tidelog.spark.data.allowance import Allowance
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

    def __init__(self, spark: SparkSession, lineage: Lineage, shipping: Shipping, allowance: Allowance | None = None) -> None:
        """`allowance` bounds what the driver knows; there is no bound without."""
        self.spark, self.lineage, self.shipping = spark, lineage, shipping
        self.allowance = allowance or Allowance(1 << 62)
        self.segments: list[DataFrame] = []
        self._sizes: list[int] = []
        """How many keys each of them has."""
        self.text_bytes = 0
        """How many bytes all keys have, about."""
        self.count = 0
        self._known: Dictionary | None = Dictionary()
        """Every key as a string, whose id is its number; None when they have become too many."""
        self._told = 0
        """How many of them Spark has been told of."""
        self._met: dict[str, int] = {}
        """When the driver does not know all: keys that it has looked up."""
        self._late: dict[str, int] = {}
        """When the driver does not know all: keys that it has numbered, and that are in no segment yet."""
        self._late_frame: DataFrame | None = None

    @property
    def frame(self) -> DataFrame:
        """All keys (`key`) with their numbers (`id`)."""
        if self._known is not None and self._told < self.count:
            if len(self.segments) >= _MOST_SEGMENTS:
                self.segments, self._sizes, self._told = [], [], 0
            ids = np.arange(self._told, self.count, dtype=np.int32)
            keys = self._known.decode_column(ids).cast(pa.string())
            self._add(self.shipping.frame(pa.table({"key": keys, "id": ids})), len(ids))
            self._told = self.count
        if self._late and self._late_frame is None:
            self._late_frame = self.spark.createDataFrame(_table(self._late))
        frames = [*self.segments, *([self._late_frame] if self._late_frame is not None else [])]
        return union(frames) if frames else self.spark.createDataFrame([], "key string, id int")

    @property
    def known(self) -> DataFrame:
        """The same as the side of a join, broadcast while it is small."""
        return f.broadcast(self.frame) if self.is_few else self.frame.hint("shuffle_hash")

    @property
    def is_few(self) -> bool:
        """Whether it may be broadcast, which brings it through the driver."""
        return self.count <= _FEW_TERMS and self.allowance.may_pass(self.text_bytes)

    @property
    def nbytes(self) -> int:
        """What the driver holds."""
        few = (len(self._met) + len(self._late)) * _BYTES_A_MET
        return few + (max(0, self._known.nbytes - _SMALL) if self._known is not None else 0)

    @property
    def knows_all(self) -> bool:
        """Whether the driver knows every key."""
        return self._known is not None

    # --- numbers for keys ------------------------------------------------------------------------------------------------

    def extend(self, keys: DataFrame, most: int, size: int | None = None) -> None:
        """Give numbers to the keys of a column `key` that have none; no more than `most`, of `size` bytes, if that is known."""
        if self._known is not None and self.count + most <= _MOST_COLLECTED:
            if most > _MET_FREELY and size is None:
                size = _bytes_of(keys)
            if self.allowance.has_room(size or 0):
                self._learn(self._known, keys.select("key").distinct().toArrow().column("key").combine_chunks())
                return
        _ = self.frame  # Spark must know them all before it numbers more
        self._merge()
        new = keys.select("key").distinct()
        if self.count:
            new = new.join(self.known.select("key"), "key", "left_anti")
        if self.count + most > MOST_TERMS:
            check_terms(self.count + new.count())
        numbered = new.zipWithIndex("id").select("key", (f.col("id") + self.count).cast("int").alias("id"))
        segment, count = self.lineage.cut_and_count(numbered)
        if not count:
            self.lineage.release(segment)
            return
        added = _bytes_of(segment)
        if self._known is not None and self.count + count <= _MOST_COLLECTED and self.allowance.has_room(added):
            self._learn(self._known, segment.orderBy("id").toArrow().column("key").combine_chunks())
            self.lineage.release(segment)  # what the driver knows it tells Spark itself, in fewer segments
        else:
            self._known = None
            self._add(self._in_order(segment), count)
            self.lineage.release(segment)
            self.count += count
            self.text_bytes += added

    def _add(self, segment: DataFrame, count: int) -> None:
        self.segments.append(segment)
        self._sizes.append(count)

    def _in_order(self, frame: DataFrame) -> DataFrame:
        """The same as files in the order of keys: who looks for a few reads the parts that may have them."""
        return self.lineage.to_files(frame.repartition(_FEW_PARTITIONS, "key").sortWithinPartitions("key"))[0]

    def _merge(self) -> None:
        """Merge all segments but a large one; the old ones stay, since frames of users may read them."""
        if len(self._late) > _MOST_COLLECTED:
            self._add(self._in_order(self.spark.createDataFrame(_table(self._late))), len(self._late))
            self._late, self._late_frame = {}, None
        if len(self.segments) <= _MOST_SEGMENTS:
            return
        largest = max(range(len(self._sizes)), key=self._sizes.__getitem__)
        others = [at for at in range(len(self._sizes)) if at != largest]
        if 2 * sum(self._sizes[at] for at in others) > self._sizes[largest]:
            others.append(largest)
        merged = self._in_order(union([self.segments[at] for at in others])), sum(self._sizes[at] for at in others)
        kept = [(self.segments[largest], self._sizes[largest])] if largest not in others else []
        self.segments, self._sizes = [], []
        for segment, count in [*kept, merged]:
            self._add(segment, count)

    def _learn(self, known: Dictionary, keys: pa.Array) -> Int32s:
        before = len(known)
        numbers = known.encode_column(Kind.STRING, keys)
        self.count = len(known)
        if self.count > before:
            self.text_bytes += keys.nbytes
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
            self._met.update(self._sought([key for key in missing if key not in self._late]))
            self._met.update({key: self._late[key] for key in missing if key in self._late})
            new = [key for key in missing if key not in self._met]
            check_terms(self.count + len(new))
            if new:
                self._merge()
                self._late.update(zip(new, range(self.count, self.count + len(new)), strict=True))
                self._late_frame = None
            self._met.update({key: self._late[key] for key in new})
            self.count += len(new)
            self.text_bytes += sum(map(len, new))
        return [self._met[key] for key in wanted]

    def _sought(self, keys: list[str]) -> dict[str, int]:
        """The numbers of those of some keys that are in segments: a few are looked for where they may be, without a scan."""
        if not keys or not self.segments:
            return {}
        frame = union(self.segments)
        if len(keys) <= _FEW_SOUGHT:
            found = frame.where(reduce(or_, (f.col("key") == key for key in keys)))
        else:
            found = frame.join(f.broadcast(self.spark.createDataFrame(pa.table({"key": pa.array(keys, pa.string())}))), "key")
        return {row["key"]: row["id"] for row in found.collect()}

    def number_blocks(self, blocks: Blocks) -> DataFrame:
        """The facts of blocks as columns of numbers c0, c1, …; new keys are numbered."""
        if self._known is None or self.count + blocks.entries > _FEW_TERMS or not self._may_learn(blocks.size):
            self.extend(blocks.distinct(), blocks.entries, blocks.size)
            return blocks.looked_up(self.known)
        numbers: dict[int, bytes] = {}
        for batch in blocks.frame.select("block", "keys").toArrow().to_batches():
            for block, keys in zip(batch.column(0).to_pylist(), batch.column(1), strict=True):
                numbers[block] = self._learn(self._known, keys.values).tobytes()
        table = {"block": pa.array(numbers.keys(), pa.int64()), "numbers": pa.array(numbers.values(), pa.binary())}
        return blocks.numbered(self.spark.createDataFrame(pa.table(table)))

    def _may_learn(self, size: int) -> bool:
        return size <= _MOST_BYTES and self.allowance.has_room(size)

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
        letters = f.broadcast(letters) if self.is_few else letters.hint("shuffle_hash")
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
            frame = frame.join(f.broadcast(known) if self.is_few else known.hint("shuffle_hash"), f"c{at}")
        return frame.select(*(f.col(f"#{at}").alias(name) for at, name in enumerate(names)))


_FEW_TERMS = 2_000_000
"""A dictionary that has no more terms is broadcast: to shuffle facts by each of their columns costs far more."""
_MOST_BYTES = 256 << 20
"""The driver numbers blocks whose keys are no more than this, far below what Spark lets a driver collect."""
_MOST_COLLECTED = 100_000
"""Keys are numbered one by one by the driver while there are no more than these, however long they are."""
_MET_FREELY = 1_000
"""So many keys are collected unmeasured."""
_SMALL = 1 << 20
"""So many bytes of keys that the driver knows are not counted."""
_FEW_SOUGHT = 32
"""So many keys are looked for one by one, where files that are in order may have them."""
_BYTES_A_MET = 200
"""What a key takes that the driver has looked up."""
MOST_TERMS = (1 << 31) - 1
"""Numbers have 32 bits."""
_MOST_SEGMENTS = 8
_FEW_PARTITIONS = 8


def check_terms(count: int) -> None:
    """Refuse more values than there are numbers."""
    if count > MOST_TERMS:
        message = f"there would be {count:,} different values on Spark, and there can be {MOST_TERMS:,}"
        raise fail("TL089", message, fix="leave out columns that no rule reads, or split the data into several jobs")


def _bytes_of(keys: DataFrame) -> int:
    """How many bytes the keys of a column `key` have; of frames that are kept."""
    return int(keys.agg(f.sum(f.octet_length("key"))).collect()[0][0] or 0)


def _table(keys: dict[str, int]) -> pa.Table:
    return pa.table({"key": pa.array(keys.keys(), pa.string()), "id": pa.array(keys.values(), pa.int32())})
