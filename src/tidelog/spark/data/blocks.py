"""Facts as they are read, in blocks: some ten thousand facts that say each of their distinct keys once.

The same keys occur in facts again and again. In a block they are texts once, and the facts are places among these texts, which
Spark passes on as bytes without looking at them. So a key is numbered, and its number looked up, once for a block and not for
each of its facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tidelog.core.arrays import Int32s
from tidelog.spark.data.matrices import columns, schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Batches = Iterator[pa.RecordBatch]
FIELDS = "facts int, size long, keys array<string>, places binary"
"""What a task gives for each block: how many facts there are, how many bytes their distinct keys have, these keys, and, column
after column, where among them the keys of the facts are."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block, in Python."""

    keys: pa.Array
    places: Int32s
    """A row for each column of the facts."""

    @property
    def facts(self) -> int:
        """How many facts it has."""
        return int(self.places.shape[1])

    @classmethod
    def of(cls, keys_of_facts: Sequence[pa.Array]) -> Block:
        """Columns of keys as a block."""
        if not len(keys_of_facts[0]):
            return cls(pa.array([], pa.string()), np.empty((len(keys_of_facts), 0), np.int32))
        coded = pa.chunked_array(keys_of_facts, pa.string()).dictionary_encode()
        places = [chunk.indices.to_numpy(zero_copy_only=False) for chunk in coded.chunks]
        return cls(coded.chunk(0).dictionary, np.stack(places).astype(np.int32, copy=False))

    def some(self, places: Int32s) -> Block:
        """Other facts of the same keys, without the keys that they do not have."""
        used, again = np.unique(places, return_inverse=True)
        return Block(self.keys.take(pa.array(used)), again.reshape(places.shape).astype(np.int32, copy=False))

    def columns(self) -> list[pa.Array]:
        """Its facts as columns of keys."""
        return [self.keys.take(pa.array(places)) for places in self.places]


def to_arrow(block: Block) -> list[pa.Array]:
    """A block as columns of one row, in the order of `FIELDS`."""
    keys = pa.ListArray.from_arrays(pa.array([0, len(block.keys)], pa.int32()), block.keys)
    places = pa.array([block.places.tobytes()], pa.binary())
    return [pa.array([block.facts], pa.int32()), pa.array([block.keys.nbytes]), keys, places]


def from_arrow(batches: Iterable[pa.RecordBatch], width: int) -> Iterator[Block]:
    """The blocks of batches that have the columns `keys` and `places`."""
    for batch in batches:
        for keys, places in zip(batch.column("keys"), batch.column("places"), strict=True):
            yield Block(keys.values, np.frombuffer(places.as_buffer(), np.int32).reshape(width, -1))


def with_numbers(frame: DataFrame) -> DataFrame:
    """A frame of `FIELDS` with the column `block`; to be kept, since to compute it again might number otherwise."""
    from pyspark.sql import functions as f

    return frame.withColumn("block", f.monotonically_increasing_id())


@dataclass(frozen=True, slots=True)
class Blocks:
    """Facts of a relation on Spark."""

    frame: DataFrame
    """The columns of `FIELDS`, and `block`, a number of its own for each; kept by the lineage policy."""
    width: int
    facts: int
    entries: int
    """How many keys they have, one that is in several blocks counted in each."""
    size: int
    """How many bytes these keys have."""

    @classmethod
    def kept(cls, frame: DataFrame, width: int) -> Blocks:
        """A frame that has been kept."""
        from pyspark.sql import functions as f

        sums = frame.agg(f.sum("facts"), f.sum(f.size("keys")), f.sum("size")).collect()[0]
        return cls(frame, width, *(int(value or 0) for value in sums))

    def distinct(self) -> DataFrame:
        """The column `key`: each key as often as there are blocks that have it."""
        from pyspark.sql import functions as f

        return self.frame.select(f.explode("keys").alias("key"))

    def keys(self) -> DataFrame:
        """The facts as columns of keys k0, k1, …"""
        fields = ", ".join(f"k{at} string" for at in range(self.width))
        return self.frame.select("keys", "places").mapInArrow(partial(_spread, width=self.width), fields)

    def numbered(self, numbers: DataFrame) -> DataFrame:
        """The facts as columns of numbers c0, c1, …, which a small frame (`block`, `numbers`) has for the keys of each block."""
        from pyspark.sql import functions as f

        frame = self.frame.select("block", "places").join(f.broadcast(numbers), "block").select("places", "numbers")
        return frame.mapInArrow(partial(_numbered, width=self.width), schema(self.width))

    def looked_up(self, known: DataFrame) -> DataFrame:
        """The same by a dictionary (`key`, `id`) that has all keys.

        The numbers of a block's keys and its places meet in one task, in any order.
        """
        from pyspark.sql import functions as f

        keys = self.frame.select("block", f.posexplode("keys").alias("at", "key"))
        nothing = f.lit(None)
        numbers = keys.join(known, "key").select("block", "at", "id", nothing.cast("binary").alias("places"))
        facts = self.frame.select("block", f.size("keys").alias("at"), nothing.cast("int").alias("id"), "places")
        frame = numbers.union(facts).repartition("block")
        return frame.mapInArrow(partial(_looked_up, width=self.width), schema(self.width))

    def rows(self, encode: Callable[[pa.Array], Int32s]) -> Int32s:
        """All facts in this process, with the numbers that `encode` gives to keys."""
        batches = self.frame.select("keys", "places").toArrow().to_batches()
        rows = [encode(block.keys)[block.places] for block in from_arrow(batches, self.width)]
        return np.ascontiguousarray(np.concatenate(rows, axis=1).T) if rows else np.empty((0, self.width), np.int32)


def _spread(batches: Batches, width: int) -> Batches:
    for block in from_arrow(batches, width):
        yield pa.RecordBatch.from_arrays(block.columns(), [f"k{at}" for at in range(width)])


def _numbered(batches: Batches, width: int) -> Batches:
    for batch in batches:
        for places, numbers in zip(batch.column(0), batch.column(1), strict=True):
            facts = np.frombuffer(places.as_buffer(), np.int32).reshape(width, -1)
            yield _rows(np.frombuffer(numbers.as_buffer(), np.int32)[facts])


def _rows(facts: Int32s) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array(column) for column in facts], columns(len(facts)))


@dataclass(slots=True)
class _Waiting:
    """The part of a block that has arrived."""

    numbers: list[tuple[Int32s, Int32s]] = field(default_factory=list)
    """Places of keys and their numbers."""
    expected: int = -1
    places: Int32s = field(default_factory=lambda: np.empty((0, 0), np.int32))

    def is_complete(self) -> bool:
        """Whether every key has its number."""
        return sum(len(at) for at, _ in self.numbers) == self.expected

    def numbered(self) -> Int32s:
        """Its facts as numbers."""
        numbers = np.empty(self.expected, np.int32)
        for at, found in self.numbers:
            numbers[at] = found
        return numbers[self.places]


def _looked_up(batches: Batches, width: int) -> Batches:
    """From batches of block, place, number, and once for each block its places, to batches of facts."""
    waiting: dict[int, _Waiting] = {}
    for batch in batches:
        blocks, at = (batch.column(place).to_numpy() for place in range(2))
        is_number = batch.column(3).is_null().to_numpy(zero_copy_only=False)
        for row in np.flatnonzero(~is_number):
            found = waiting.setdefault(int(blocks[row]), _Waiting())
            found.expected = int(at[row])
            found.places = np.frombuffer(batch.column(3)[int(row)].as_buffer(), np.int32).reshape(width, -1)
        numbers = batch.column(2).fill_null(-1).to_numpy()
        for block in np.unique(blocks).tolist():
            mine = is_number & (blocks == block)
            found = waiting.setdefault(block, _Waiting())
            found.numbers.append((at[mine], numbers[mine]))
            if found.is_complete():
                del waiting[block]
                yield _rows(found.numbered())
    assert not waiting, "each key of a block has been numbered"
