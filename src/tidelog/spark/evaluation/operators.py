"""Functions and aggregates on Spark: batches of keys in, batches of keys out, by the one implementation in `tidelog.functions`.

The functions made here run in Spark's Python workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa

from tidelog.core.keys import key_of
from tidelog.functions.aggregates import aggregate
from tidelog.functions.evaluate import apply
from tidelog.spark.data.column_types import value_of_cached
from tidelog.values import Value

Batches = Iterator[pa.RecordBatch]


def calling(function: str, width: int) -> Callable[[Batches], Batches]:
    """From batches of arguments k0, k1, … to batches of arguments and results, where there are any."""

    def called(batches: Batches) -> Batches:
        names = [f"k{at}" for at in range(width + 1)]
        for batch in batches:
            arguments = [batch.column(at).to_pylist() for at in range(width)]
            results = [_key(apply(function, [value_of_cached(key) for key in row])) for row in zip(*arguments, strict=True)]
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
                members.append(value_of_cached(key))
            if done:
                yield _groups(done, groups)
                done = []
        _finish(function, current, members, done)
        if done:
            yield _groups(done, groups)

    return folded


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
