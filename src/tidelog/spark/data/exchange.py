"""The exchange of facts between Spark and the kernel: each relation is stored where it was last read, and copied on demand.

A relation has up to three forms: keys as they were ingested, numbers on Spark (`relations`), rows of ids in the kernel (`local`).
Where everything fits into the kernel, Spark numbers nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Union

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as f

from tidelog.core.arrays import Int32s
from tidelog.local.engine import LocalEngine
from tidelog.spark.data.allowance import ALWAYS, Allowance
from tidelog.spark.data.blocks import Blocks
from tidelog.spark.data.frames import DRIVER_ROWS, FrameRelation
from tidelog.spark.data.matrices import rows_of_table, union, width_of
from tidelog.spark.data.novelty import TINY, Novelty
from tidelog.spark.data.spark_dictionary import SparkDictionary
from tidelog.spark.session.shipping import Shipping

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tidelog.spark.session.lineage import Lineage


BYTES_A_FACT = 64
"""What a fact takes in the kernel, with indexes and the dictionary of short values, as a rule of thumb."""
_BYTES_OF_TEXT = 32
"""So much of that is for values; texts that are longer are counted besides."""
Keys = Union["DataFrame", "Blocks", pa.Table]
"""Facts as keys: a column k0, k1, … for each argument."""


class Exchange:
    """All forms of all relations."""

    def __init__(
        self,
        spark: SparkSession,
        lineage: Lineage,
        local: LocalEngine,
        pivots: Mapping[str, tuple[str, ...]] | None = None,
        terms: SparkDictionary | None = None,
        allowance: Allowance | None = None,
    ) -> None:
        """`pivots` are the columns that some relations are best partitioned by; `terms` is a dictionary to share."""
        self.allowance = allowance or Allowance(1 << 62)
        self.pivots = pivots or {}
        self.spark, self.lineage, self.local = spark, lineage, local
        self.shipping = terms.shipping if terms is not None else Shipping(spark)
        self.terms = terms or SparkDictionary(spark, lineage, self.shipping)
        self.terms.allowance = self.allowance
        self.allowance.note("terms", lambda: self.terms.nbytes)
        self.allowance.note("kernel", lambda: max(0, local.state.budget.in_use - ALWAYS))
        self.allowance.note("numbers", lambda: self._local_of.nbytes + self._number_of.nbytes)
        self.relations: dict[str, FrameRelation] = {}
        self.ingested: dict[str, list[tuple[Keys, int]]] = {}
        """Ingested keys, in tables, frames or blocks, with their numbers of rows."""
        self.explicit: dict[str, FrameRelation] = {}
        """The explicit facts of relations with rules, where these are on Spark."""
        self.in_kernel: set[str] = set()
        self._measured: dict[DataFrame, int] = {}
        self._local_of: Int32s = np.full(0, -1, np.int32)
        self._number_of: Int32s = np.full(0, -1, np.int32)

    def add(self, name: str, keys: Keys, rows: int) -> None:
        """Add ingested facts."""
        self.ingested.setdefault(name, []).append((keys, rows))

    def size(self, name: str) -> int:
        """How many facts a relation has, or, while repeated ones have not been dropped, at most has."""
        if name in self.in_kernel:
            return self.local.size(name)
        if name in self.relations:
            return self.relations[name].count
        return sum(rows for _, rows in self.ingested.get(name, ()))

    def needed(self, name: str) -> int:
        """How many bytes a relation would take in the kernel beside what it has, texts included."""
        if name in self.in_kernel:
            return 0
        facts = self.size(name)
        if name in self.relations:
            entries = facts * self.relations[name].width
            texts = min(1.0, entries / max(1, self.terms.count)) * self.terms.text_bytes
        else:
            texts = sum(self._bytes_of(keys) for keys, _ in self.ingested.get(name, ()))
        return facts * BYTES_A_FACT + max(0, int(texts) - facts * _BYTES_OF_TEXT)

    def _bytes_of(self, keys: Keys) -> int:
        """How many bytes ingested keys have."""
        if isinstance(keys, Blocks):
            return keys.size
        if isinstance(keys, pa.Table):
            return int(keys.nbytes)
        if keys not in self._measured:
            lengths = reduce(add, (f.octet_length(name) for name in keys.columns if name.startswith("k")))
            self._measured[keys] = int(keys.agg(f.sum(lengths)).collect()[0][0] or 0)
        return self._measured[keys]

    def in_use(self) -> Iterator[DataFrame]:
        """All frames that anything is read from."""
        for relation in (*self.relations.values(), *self.explicit.values()):
            yield from relation.in_use()
        yield from self.terms.segments
        for keys, _ in itertools.chain.from_iterable(self.ingested.values()):
            if not isinstance(keys, pa.Table):
                yield keys.frame if isinstance(keys, Blocks) else keys

    # --- to the kernel ---------------------------------------------------------------------------------------------------

    def to_kernel(self, name: str, arity: int) -> None:
        """Copy the facts of a relation to the kernel, if they are not there."""
        if name in self.in_kernel:
            return
        if name in self.relations:
            self.local.load(name, arity, self.rows_from_numbers(self.relations[name], arity))
        else:
            self.local.load(name, arity, np.empty((0, arity), np.int32))
            for keys, _ in self.ingested.get(name, ()):
                self.local.load(name, arity, self.local_rows(keys, arity))
        self.in_kernel.add(name)

    def local_rows(self, keys: Keys, arity: int) -> Int32s:
        """Facts given as keys, as rows of local ids."""
        return rows_of_keys(keys, arity, self.local.dictionary.encode_keys)

    def rows_from_numbers(self, relation: FrameRelation, arity: int) -> Int32s:
        """The facts of a relation on Spark as rows of local ids."""
        if arity == 0:
            return np.empty((relation.count, 0), np.int32)
        held = relation.rows_in_driver
        numbers = held if held is not None else rows_of_table(relation.frame(self.spark).toArrow())
        if len(numbers):
            self._map_numbers(np.unique(numbers))
        return self._local_of[numbers]

    def _map_numbers(self, numbers: Int32s) -> None:
        """Map Spark's numbers to local ids."""
        self._local_of = _long_enough(self._local_of, self.terms.count)
        missing = numbers[self._local_of[numbers] < 0]
        if not len(missing):
            return
        if self.terms.knows_all:
            (keys,) = self.terms.decode_rows(missing.reshape(-1, 1))
            self._pair(self.local.dictionary.encode_keys(keys), missing)
            return
        requested = self.spark.createDataFrame(pa.table({"id": missing.astype(np.int32)}))
        found = self.terms.frame.join(f.broadcast(requested), "id").select("id", "key").toArrow()
        ids = self.local.dictionary.encode_keys(found.column("key").combine_chunks())
        self._pair(ids, found.column("id").to_numpy())

    def _pair(self, local: Int32s, numbers: Int32s) -> None:
        self._local_of = _long_enough(self._local_of, self.terms.count)
        self._number_of = _long_enough(self._number_of, len(self.local.dictionary))
        self._local_of[numbers] = local
        self._number_of[local] = numbers

    # --- to Spark --------------------------------------------------------------------------------------------------------

    def to_spark(self, name: str, arity: int) -> FrameRelation:
        """The facts of a relation on Spark, as numbers; copied there if they are not."""
        if name in self.relations:
            return self.relations[name]
        relation = self.relations[name] = FrameRelation(width_of(arity), self.pivots.get(name, ()))
        if name in self.in_kernel:
            self.add_local(relation, self.local.rows(name), arity)
            return relation
        self._add_keys(relation, self.ingested.get(name, ()), arity)
        return relation

    def numbered(self, name: str, given: Iterable[tuple[Keys, int]], arity: int) -> FrameRelation:
        """Facts given as keys, each once, partitioned like a relation."""
        found = FrameRelation(width_of(arity), self.pivots.get(name, ()))
        self._add_keys(found, given, arity)
        return found

    def _add_keys(self, relation: FrameRelation, given: Iterable[tuple[Keys, int]], arity: int) -> None:
        novelty = Novelty(self.spark, self.lineage)
        for keys, rows in given:
            if rows <= TINY and (self.terms.knows_all or isinstance(keys, pa.Table)):
                found = rows_of_keys(keys, arity, self._numbered)
                novelty.add_rows(relation, found if arity else np.zeros((len(found), 1), np.int32))
            elif isinstance(keys, Blocks):
                novelty.add(relation, [self.terms.number_blocks(keys)], rows)
            else:
                frame = self.shipping.frame(keys) if isinstance(keys, pa.Table) else keys
                if arity:
                    self.terms.extend(union([frame.select(f.col(f"k{at}").alias("key")) for at in range(arity)]), rows * arity)
                frame = self.terms.encode(frame, arity) if arity else frame.select(f.lit(0).alias("c0"))
                novelty.add(relation, [frame], rows)

    def _numbered(self, keys: pa.Array) -> Int32s:
        return np.array(self.terms.number(keys.to_pylist()), np.int32)

    def add_local(self, relation: FrameRelation, rows: Int32s, arity: int) -> None:
        """Add facts to a relation on Spark that are not there yet, given as rows of local ids."""
        if not len(rows):
            return
        numbers = self._numbers(rows) if arity else np.zeros((1, 1), np.int32)
        if len(numbers) <= DRIVER_ROWS:
            relation.add_rows(numbers, self.lineage, self.spark)
            return
        frame = self.shipping.frame(pa.table({f"c{at}": numbers[:, at] for at in range(arity)}))
        segment, count = self.lineage.cut_and_count(relation.partitioned(frame))
        relation.add(segment, count, self.lineage)

    def _numbers(self, rows: Int32s) -> Int32s:
        """Spark's numbers for rows of local ids, new ones if need be."""
        ids = np.unique(rows)
        self._number_of = _long_enough(self._number_of, len(self.local.dictionary))
        missing = ids[self._number_of[ids] < 0]
        if len(missing):
            keys = self.local.dictionary.decode_keys(missing)
            if self.terms.knows_all and len(missing) <= TINY:
                self._pair(missing, self._numbered(keys))
                return self._number_of[rows]
            frame = self.shipping.frame(pa.table({"key": keys}))
            self.terms.extend(frame, len(missing))
            found = self.terms.frame.join(f.broadcast(frame), "key").select("key", "id").toArrow()
            local = self.local.dictionary.encode_keys(found.column("key").combine_chunks())
            self._pair(local, found.column("id").to_numpy())
        return self._number_of[rows]


def rows_of_keys(keys: Keys, arity: int, encode: Callable[[pa.Array], Int32s]) -> Int32s:
    """Facts in this process, with the numbers that `encode` gives to keys."""
    if isinstance(keys, Blocks):
        return keys.rows(encode)
    table = keys if isinstance(keys, pa.Table) else keys.toArrow()
    if arity == 0:
        return np.empty((table.num_rows, 0), np.int32)
    return np.column_stack([encode(table.column(at).combine_chunks()) for at in range(arity)])


def _long_enough(array: Int32s, length: int) -> Int32s:
    if len(array) >= length:
        return array
    longer = np.full(max(length, 2 * len(array)), -1, np.int32)
    longer[: len(array)] = array
    return longer
