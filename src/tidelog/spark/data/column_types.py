"""Keys as typed columns of Spark: which type a kind of values has, and the conversion inside Spark's Python workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc

from tidelog.core.keys import LETTERS, columns_of_keys, value_of
from tidelog.values import Kind, Value, text_of

Batches = Iterator[pa.RecordBatch]

SPARK_TYPES = {
    Kind.INT: "bigint",
    Kind.FLOAT: "double",
    Kind.BOOL: "boolean",
    Kind.DATE: "date",
    Kind.TIMESTAMP: "timestamp",
}
"""Spark's types of columns of one kind; all others are strings."""


@lru_cache(maxsize=1 << 16)
def value_of_cached(key: str) -> Value:
    """The value of a key; most keys occur often."""
    return value_of(key)


def converting(kind: str) -> Callable[[Batches], Batches]:
    """From batches of keys and numbers to batches of numbers and values of one of Spark's types; other values are left out."""
    requested = next((k for k, name in SPARK_TYPES.items() if name == kind), None)

    def converted(batches: Batches) -> Batches:
        for batch in batches:
            keys, ids = batch.column("key"), batch.column("id")
            if requested is None:
                values = pa.array([text_of(value_of_cached(key)) for key in keys.to_pylist()], pa.string())
            else:
                mine = pc.starts_with(keys, LETTERS[requested])
                keys, ids = keys.filter(mine), ids.filter(mine)
                if not len(keys):
                    continue
                values = columns_of_keys(keys).values
            yield pa.RecordBatch.from_arrays([ids, values], ["id", "value"])

    return converted
