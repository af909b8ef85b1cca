"""Facts as matrices: which rows are among others, compared with sets of tuples."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tidelog.spark.data.matrices import among, columns, rows_of_table, schema, width_of


@given(st.data(), st.integers(1, 4))
def test_among(data: st.DataObject, width: int) -> None:
    rows = st.lists(st.tuples(*[st.integers(-2, 2)] * width), max_size=12)
    mine, others = data.draw(rows), data.draw(rows)
    found = among(*(np.array(some, np.int32).reshape(-1, width) for some in (mine, others)))
    assert found.tolist() == [row in set(others) for row in mine]


def test_relations_without_arguments_have_a_column() -> None:
    assert (width_of(0), width_of(2)) == (1, 2)
    assert columns(2) == ["c0", "c1"]
    assert schema(2) == "c0 int, c1 int"
    assert among(np.empty((2, 0), np.int32), np.empty((1, 0), np.int32)).tolist() == [True, True]
    assert rows_of_table(pa.table({"c0": [1, 2], "c1": [3, 4]})).tolist() == [[1, 3], [2, 4]]
