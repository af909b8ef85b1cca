"""The request of an update as keys: tuples and sources by relation, checked as a whole."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.local_engine import program

from tidelog.core.arrays import Rows
from tidelog.core.schema import Schema
from tidelog.errors import TidelogError
from tidelog.spark.maintenance.update_keys import UpdateKeys, encoded_update, keys_table, merged, read_update

SCHEMA = Schema(program("@relation stock(item: string key, count: int). low(X) :- stock(X, N), N < 3.")).knowing("seen", 1)


def no_source(_name: str, _source: object) -> Any:
    raise AssertionError("there is nothing to read")


def read(**parts: Any) -> dict[str, UpdateKeys]:
    return read_update(parts, SCHEMA.program, SCHEMA.relation, SCHEMA.key_of, no_source)


def shown(keys: list[tuple[Any, int]]) -> list[tuple[dict[str, list[str]], int]]:
    return [(table.to_pydict(), rows) for table, rows in keys]


def test_tuples_by_relation() -> None:
    found = read(delete=[("seen", "x")], insert=[("stock", "a", 1), ("stock", "a", 1), ("seen", "y"), ("new", 1, 2)])
    assert found.keys() == {"seen", "stock", "new"}
    assert shown(found["stock"].insert) == [({"k0": ["sa"], "k1": ["i1"]}, 1)], "a fact that is given twice counts once"
    assert shown(found["seen"].delete) == [({"k0": ["sx"]}, 1)]
    assert shown(found["seen"].insert) == [({"k0": ["sy"]}, 1)]
    assert (found["new"].arity, found["new"].key) == (2, ())


def test_the_last_upsert_of_a_key_counts() -> None:
    found = read(upsert=[("stock", "a", 1), ("stock", "b", 2), ("stock", "a", 3)])["stock"]
    assert shown(found.upsert) == [({"k0": ["sa", "sb"], "k1": ["i3", "i2"]}, 2)]
    assert found.key == (0,)
    with pytest.raises(TidelogError, match="TL075"):
        read(upsert=[("seen", "x")])


def test_everything_that_is_wrong_is_in_one_error() -> None:
    with pytest.raises(TidelogError) as refused:
        read(insert=[("#given x", 1), ("seen", 1, 2), ("new", 1)], delete=[("new", 1, 2)])
    assert sorted(problem.code for problem in refused.value.diagnostics) == ["TL013", "TL020", "TL020"]


def test_sources_by_relation() -> None:
    asked: list[tuple[str, object]] = []

    def reading(name: str, source: object) -> Any:
        asked.append((name, source))
        return SimpleNamespace(width=2, kept=pa.table({"k0": ["sa"], "k1": ["i1"]}), rows=1)

    found = read_update({"insert": {"stock": "a.csv"}}, SCHEMA.program, SCHEMA.relation, SCHEMA.key_of, reading)
    assert asked == [("stock", "a.csv")]
    assert shown(found["stock"].insert) == [({"k0": ["sa"], "k1": ["i1"]}, 1)]


def test_two_requests_as_one() -> None:
    one, other = read(insert=[("seen", "x")]), read(insert=[("seen", "y")], upsert=[("stock", "a", 1)])
    both = merged(one, other)
    assert [rows for _, rows in both["seen"].insert] == [1, 1]
    assert both["stock"].key == (0,)
    assert len(one["seen"].insert) == len(other["seen"].insert) == 1, "neither has changed"


def test_rows_of_the_kernel_are_distinct() -> None:
    def numbered(keys: Any, _arity: int) -> Rows:
        return np.array([[int(key[1:]) for key in row.values()] for row in keys.to_pylist()], np.int32)

    given = {"e": UpdateKeys(1, insert=[(pa.table({"k0": ["i3", "i1"]}), 2), (pa.table({"k0": ["i1"]}), 1)])}
    encoded = encoded_update(numbered, given, 4)
    assert encoded.inserted["e"].tolist() == [[1], [3]]
    assert (encoded.deleted, encoded.upserted, encoded.keys, encoded.relations) == ({}, {}, {}, 4)


def test_a_proposition_has_one_column() -> None:
    assert keys_table([()], 0).to_pydict() == {"k0": ["i0"]}
    given = {"wet": UpdateKeys(0, insert=[(keys_table([()], 0), 1), (keys_table([()], 0), 1)])}
    rows = encoded_update(lambda keys, _arity: np.empty((keys.num_rows, 0), np.int32), given)  # type: ignore[union-attr]
    assert rows.inserted["wet"].shape == (1, 0)
