"""What Python computes on Spark: functions and aggregates, batch by batch, with the one scalar implementation of the language.

Values come and go as keys.  The functions made here run in Spark's Python workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc

from tidelog.core.keys import LETTERS, columns_of_keys, key_of, value_of
from tidelog.functions.aggregates import aggregate
from tidelog.functions.evaluate import apply
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
def _value(key: str) -> Value:
    """The value of a key; most come often."""
    return value_of(key)


def calling(function: str, width: int) -> Callable[[Batches], Batches]:
    """From batches of arguments k0, k1, … to batches of arguments and results, where there are any."""

    def called(batches: Batches) -> Batches:
        names = [f"k{at}" for at in range(width + 1)]
        for batch in batches:
            arguments = [batch.column(at).to_pylist() for at in range(width)]
            results = [_key(apply(function, [_value(key) for key in row])) for row in zip(*arguments, strict=True)]
            defined = [at for at, result in enumerate(results) if result is not None]
            columns = [pa.array([column[at] for at in defined], pa.string()) for column in (*arguments, results)]
            yield pa.RecordBatch.from_arrays(columns, names)

    return called


def folding(function: str, groups: int) -> Callable[[Batches], Batches]:
    """From batches of groups c0, c1, … and targets `key`, sorted by group, to batches of groups and results."""

    def folded(batches: Batches) -> Batches:
        current: tuple[int, ...] | None = None
        members: list[Value] = []
        done: list[tuple[tuple[int, ...], str]] = []
        for batch in batches:
            columns = [batch.column(at).to_pylist() for at in range(groups)]
            keys = batch.column(groups).to_pylist()
            for at, key in enumerate(keys):
                group = tuple(column[at] for column in columns)
                if group != current:
                    _finish(function, current, members, done)
                    current, members = group, []
                members.append(_value(key))
            if done:
                yield _groups(done, groups)
                done = []
        _finish(function, current, members, done)
        if done:
            yield _groups(done, groups)

    return folded


def converting(kind: str) -> Callable[[Batches], Batches]:
    """From batches of keys and numbers to batches of numbers and values of one of Spark's types; other values are left out."""
    requested = next((k for k, name in SPARK_TYPES.items() if name == kind), None)

    def converted(batches: Batches) -> Batches:
        for batch in batches:
            keys, ids = batch.column("key"), batch.column("id")
            if requested is None:
                values = pa.array([text_of(_value(key)) for key in keys.to_pylist()], pa.string())
            else:
                mine = pc.starts_with(keys, LETTERS[requested])
                keys, ids = keys.filter(mine), ids.filter(mine)
                if not len(keys):
                    continue
                values = columns_of_keys(keys).values
            yield pa.RecordBatch.from_arrays([ids, values], ["id", "value"])

    return converted


def _finish(function: str, group: tuple[int, ...] | None, members: list[Value], done: list[tuple[tuple[int, ...], str]]) -> None:
    result = aggregate(function, members) if group is not None else None
    if group is not None and result is not None:
        done.append((group, key_of(result)))


def _groups(done: list[tuple[tuple[int, ...], str]], groups: int) -> pa.RecordBatch:
    columns = [pa.array([group[at] for group, _ in done], pa.int32()) for at in range(groups)]
    names = [*(f"c{at}" for at in range(groups)), "key"]
    return pa.RecordBatch.from_arrays([*columns, pa.array([key for _, key in done], pa.string())], names)


def _key(value: Value | None) -> str | None:
    return None if value is None else key_of(value)
