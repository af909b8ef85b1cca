"""Facts as matrices in the driver."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tidelog.core.arrays import Int32s
from tidelog.spark.data.matrices import among, columns, rows_of_table, schema, width_of


def matrix(rows: list[tuple[int, ...]], arity: int) -> Int32s:
    return np.array(rows, np.int32).reshape(len(rows), arity)


@given(st.data(), st.sampled_from((1, 2, 3, 4)))
def test_rows_among_others(data: st.DataObject, arity: int) -> None:
    lists = st.lists(st.tuples(*[st.integers(-1, 2)] * arity), max_size=12)
    rows, others = data.draw(lists), data.draw(lists)
    assert among(matrix(rows, arity), matrix(others, arity)).tolist() == [row in others for row in rows]


def test_rows_without_columns() -> None:
    some, none = np.empty((1, 0), np.int32), np.empty((0, 0), np.int32)
    assert among(some, some).tolist() == [True]
    assert among(some, none).tolist() == [False]


def test_columns_and_their_types() -> None:
    """A frame needs a column, also for a proposition."""
    assert [width_of(arity) for arity in (0, 1, 3)] == [1, 1, 3]
    assert columns(2) == ["c0", "c1"]
    assert schema(2) == "c0 int, c1 int"


def test_an_arrow_table_as_a_matrix() -> None:
    rows = rows_of_table(pa.table({"c0": pa.array([1, 2], pa.int64()), "c1": pa.array([3, 4], pa.int32())}))
    assert rows.dtype == np.int32
    assert rows.tolist() == [[1, 3], [2, 4]]
