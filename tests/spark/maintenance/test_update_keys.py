"""The request of an update: checked as a whole, as keys, and as rows of the kernel."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tidelog.core.arrays import Rows
from tidelog.core.schema import Schema
from tidelog.errors import TidelogError
from tidelog.program.program import check
from tidelog.source import Source
from tidelog.spark.data.exchange import Keys
from tidelog.spark.maintenance.update_keys import Given, UpdateKeys, encoded_update, merged, read_update

SCHEMA = Schema(check(Source("@relation temp(id: string key, value: int) . hot(X) :- temp(X, V), V > 80.")))


def read(**parts: Given) -> dict[str, UpdateKeys]:
    def refuse(relation: str, source: object) -> None:
        raise AssertionError((relation, source))

    return read_update(parts, SCHEMA, refuse)  # type: ignore[arg-type]


def facts(given: list[tuple[Keys, int]]) -> list[tuple[str, ...]]:
    tables = [keys for keys, _ in given if isinstance(keys, pa.Table)]
    return [row for table in tables for row in zip(*(column.to_pylist() for column in table.columns), strict=True)]


def test_facts_by_relation_and_part() -> None:
    found = read(delete=[("temp", "a", 1), ("temp", "a", 1)], insert=[("seen", "x")], upsert=[("temp", "b", 1), ("temp", "b", 2)])
    assert facts(found["temp"].delete) == [("sa", "i1")], "each once"
    assert facts(found["temp"].upsert) == [("sb", "i2")], "of two with one key, the last"
    assert (found["temp"].key, found["temp"].arity) == ((0,), 2)
    assert (facts(found["seen"].insert), found["seen"].arity) == ([("sx",)], 1)


def test_all_errors_are_raised_at_once() -> None:
    with pytest.raises(TidelogError) as caught:
        read(insert=[("#x", 1), ("e", 1), ("e", 1, 2)])
    assert sorted(problem.code for problem in caught.value.diagnostics) == ["TL013", "TL020"]


def test_two_requests_as_one() -> None:
    both = merged(read(delete=[("temp", "a", 1)], insert=[("e", 1)]), read(delete=[("temp", "b", 2)]))
    assert facts(both["temp"].delete) == [("sa", "i1"), ("sb", "i2")]
    assert facts(both["e"].insert) == [("i1",)]


def test_rows_of_the_kernel_are_distinct() -> None:
    ids = {"sa": 0, "sb": 1, "i1": 2, "i2": 3}

    def rows_of(keys: Keys, arity: int) -> Rows:
        assert isinstance(keys, pa.Table)
        rows = [[ids[key] for key in keys.column(at).to_pylist()] for at in range(arity)]
        return np.array(rows, np.int32).T if arity else np.empty((keys.num_rows, 0), np.int32)

    given = merged(read(insert=[("temp", "b", 2), ("temp", "a", 1)]), read(insert=[("temp", "b", 2), ("ready",)]))
    encoded = encoded_update(rows_of, given, 5)
    assert encoded.inserted["temp"].tolist() == [[0, 2], [1, 3]]
    assert encoded.inserted["ready"].shape == (1, 0)
    assert (encoded.deleted, encoded.upserted, encoded.keys, encoded.relations) == ({}, {}, {}, 5)
