"""Keys as typed columns: values of other kinds are left out, and a column of several kinds is texts."""

from __future__ import annotations

from datetime import date

import pyarrow as pa
import pytest

from tidelog.spark.data.column_types import SPARK_TYPES, converting
from tidelog.values import Kind

BATCH = pa.RecordBatch.from_pydict({"key": ["i7", "sx", "d1", "b1"], "id": pa.array([0, 1, 2, 3], pa.int32())})


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (SPARK_TYPES[Kind.INT], {"id": [0], "value": [7]}),
        (SPARK_TYPES[Kind.DATE], {"id": [2], "value": [date(1970, 1, 2)]}),
        (SPARK_TYPES[Kind.BOOL], {"id": [3], "value": [True]}),
        ("string", {"id": [0, 1, 2, 3], "value": ["7", "x", "1970-01-02", "true"]}),
    ],
)
def test_conversion(kind: str, expected: dict[str, list[object]]) -> None:
    (found,) = converting(kind)(iter([BATCH]))
    assert found.to_pydict() == expected


def test_a_batch_without_values_of_the_kind_gives_nothing() -> None:
    assert list(converting("double")(iter([BATCH]))) == []
