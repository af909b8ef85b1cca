"""Which units are split by a key, and by which; and in which partition Spark puts a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.local_engine import program

from tidelog.core.rewriting import core_of
from tidelog.spark.data.matrices import frame_of_rows
from tidelog.spark.evaluation.key_split import Split, labels, shard_of, split

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def split_of(text: str, relation: str) -> Split | None:
    core = core_of(program(text), modules=False, native=frozenset())
    (unit,) = [unit for unit in core.units if relation in unit.relations]
    return split(unit, core.arities, lambda value: int(str(value.content)))


@pytest.mark.parametrize(
    ("text", "key", "inputs"),
    [
        ("p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), e(Y, Z).", {"p": 0}, {"e": None}),
        ("p(X, Y) :- e(X, Y). p(X, Z) :- e(X, Y), p(Y, Z).", {"p": 1}, {"e": None}),
        ("p(K, Y) :- o(K, Y). p(K, Y) :- p(K, X), l(X, K, Y), not n(K).", {"p": 0}, {"l": 1, "n": 0, "o": 0}),
        ("a(X, Y) :- e(X, Y). b(Z, X) :- a(X, Y), e(Y, Z). a(X, Z) :- b(Y, X), e(Y, Z).", {"a": 0, "b": 1}, {"e": None}),
        ("p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), p(X, Z), f(Z, X), f(X, Y).", {"p": 0}, {"e": 0, "f": None}),
        ("p(1, Y) :- e(Y). p(X, Y) :- p(X, Z), f(Z, Y).", {"p": 0}, {"e": None, "f": None}),
        ("p(X, Y) :- e(X, Y).", {"p": 0}, {"e": 0}),
    ],
)
def test_what_is_split(text: str, key: dict[str, int], inputs: dict[str, int | None]) -> None:
    found = split_of(text, next(iter(key)))
    assert found is not None
    assert dict(found.rules.key) == key
    assert dict(found.inputs) == inputs
    assert found.is_recursive == ("p(X, Z)" in text or ", p(" in text or "- p(" in text or "b(" in text)


@pytest.mark.parametrize(
    "text",
    [
        "p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), p(Y, Z).",  # each end is another fact's
        "p(X, Y) :- e(X, Y). p(Y, X) :- p(X, Y).",
        "p(X) :- e(X). p(Y) :- p(X), f(X, Y).",
        "p(X, 1) :- e(X). p(2, Y) :- p(2, X), f(X, Y), p(Y, X).",
        "p :- e(X). p :- p, f(X).",
    ],
)
def test_what_is_not(text: str) -> None:
    assert split_of(text, "p") is None


def test_shards_are_partitions_of_spark(spark: SparkSession) -> None:
    keys = np.array([0, 1, -1, 7, 123_456_789, 2**31 - 1, -(2**31)], np.int32)
    from pyspark.sql import functions as f

    for shards in (1, 2, 7):
        expected = (
            frame_of_rows(spark, keys.reshape(-1, 1)).select("c0", f.pmod(f.hash("c0"), f.lit(shards)).alias("s")).collect()
        )
        assert {row["c0"]: row["s"] for row in expected} == dict(zip(keys.tolist(), shard_of(keys, shards).tolist(), strict=True))


@pytest.mark.parametrize("shards", [1, 2, 8, 500])
def test_every_shard_has_a_label(shards: int) -> None:
    assert shard_of(labels(shards), shards).tolist() == list(range(shards))
