"""Results that live on Spark: they iterate as tuples, and are DataFrames."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import functions as f

from tidelog.errors import TidelogError
from tidelog.facts import Facts
from tidelog.spark.exchange import typed
from tidelog.spark.keys import KIND_OF, key_of, value_of
from tidelog.values import Kind, from_python

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SPARK_TYPES = {
    Kind.INT: "bigint",
    Kind.FLOAT: "double",
    Kind.BOOL: "boolean",
    Kind.DATE: "date",
    Kind.TIMESTAMP: "timestamp",
}
"""Spark's types of columns of one kind; all others are strings."""


class SparkFacts(Facts):
    """The facts of a relation, or the answers to a query, as a frame of keys."""

    def __init__(self, name: str, columns: Sequence[str], keys: DataFrame, count: int, noun: str = "fact") -> None:
        """`keys` has the columns k0, k1, …"""
        self.name, self.columns, self._noun = name, tuple(columns), noun
        self._keys, self._count = keys, count
        self._frame: DataFrame | None = None

    def __len__(self) -> int:
        return self._count

    @property
    def dataframe(self) -> DataFrame:
        """A Spark DataFrame with typed, named columns.  A column of several kinds becomes a column of texts."""
        if self._frame is None:
            self._frame = _typed_frame(self._keys, self.columns)
        return self._frame

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        if not self.columns:
            yield from [()] * len(self)
            return
        for row in self._keys.toLocalIterator():
            yield tuple(value_of(key).content for key in row)

    def __contains__(self, fact: object) -> bool:
        if not isinstance(fact, tuple) or len(fact) != len(self.columns):
            return False
        try:
            wanted = [key_of(from_python(value)) for value in fact]
        except TidelogError:
            return False  # it cannot be in any fact
        found = self._keys
        for at, key in enumerate(wanted):
            found = found.where(f.col(f"k{at}") == key)
        return found.limit(1).count() > 0

    def to_arrow(self) -> pa.Table:
        """An Arrow table."""
        if not self.columns:
            return pa.table({"holds": [True] * len(self)}, pa.schema([("holds", pa.bool_())]))
        return self.dataframe.toArrow()

    def write(self, path: Any, format: str | None = None) -> None:  # noqa: A002
        """Write the facts to one file; `dataframe.write` writes many, and tables."""
        from tidelog.files.writing import write

        write(self.to_arrow(), path, format)


def _typed_frame(keys: DataFrame, names: Sequence[str]) -> DataFrame:
    if not names:
        return keys.select(f.lit(True).alias("holds"))
    letters = keys.agg(*(f.collect_set(f.substring(f"k{at}", 1, 1)).alias(f"k{at}") for at in range(len(names)))).collect()[0]
    kinds = [{KIND_OF[letter] for letter in letters[at]} for at in range(len(names))]
    types = [_SPARK_TYPES.get(next(iter(found)), "string") if len(found) == 1 else "string" for found in kinds]
    fields = ", ".join(f"`{name}` {kind}" for name, kind in zip(names, types, strict=True))
    return keys.mapInArrow(_decoding(names, types), fields)


def _decoding(names: Sequence[str], types: Sequence[str]) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def decode(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            columns = []
            for at, kind in enumerate(types):
                column = typed(batch.column(at))
                columns.append(column.cast(pa.string()) if kind == "string" else column)
            yield pa.RecordBatch.from_arrays(columns, list(names))

    return decode
