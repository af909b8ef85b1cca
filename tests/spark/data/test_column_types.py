"""Keys as typed columns, as Spark's workers convert them."""

from __future__ import annotations

from datetime import date

import pyarrow as pa
import pytest
from tests.some_values import b, f, i, s

from tidelog.core.keys import key_of
from tidelog.spark.data.column_types import SPARK_TYPES, converting, value_of_cached
from tidelog.values import Kind, Value

VALUES = [i(7), f(0.5), b(True), s("seven"), Value(Kind.DATE, date(2024, 2, 29)), i(-1)]


def converted(kind: str, values: list[Value]) -> list[dict[str, object]]:
    keys = pa.array([key_of(value) for value in values], pa.string())
    batch = pa.RecordBatch.from_arrays([keys, pa.array(range(len(values)), pa.int32())], ["key", "id"])
    return [row for found in converting(kind)(iter([batch])) for row in found.to_pylist()]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("bigint", [(0, 7), (5, -1)]),
        ("double", [(1, 0.5)]),
        ("boolean", [(2, True)]),
        ("date", [(4, date(2024, 2, 29))]),
        ("timestamp", []),
    ],
)
def test_values_of_one_kind_keep_their_numbers(kind: str, expected: list[tuple[int, object]]) -> None:
    assert converted(kind, VALUES) == [{"id": number, "value": value} for number, value in expected]


def test_all_values_have_a_text() -> None:
    assert [row["value"] for row in converted("string", VALUES)] == ["7", "0.5", "true", "seven", "2024-02-29", "-1"]


def test_kinds_that_are_no_texts_have_a_type() -> None:
    assert SPARK_TYPES.keys() == set(Kind) - {Kind.STRING, Kind.IRI, Kind.LITERAL}


def test_a_key_is_decoded_once() -> None:
    assert value_of_cached("i12") is value_of_cached("i12")
    assert value_of_cached("i12") == i(12)
