"""Facts as matrices, and as tables."""

from __future__ import annotations

import pyarrow as pa

from tidelog.spark.data.matrices import columns, rows_of_table, schema, width_of


def test_relations_without_arguments_have_a_column() -> None:
    assert (width_of(0), width_of(2)) == (1, 2)
    assert columns(2) == ["c0", "c1"]
    assert schema(2) == "c0 int, c1 int"
    assert rows_of_table(pa.table({"c0": [1, 2], "c1": [3, 4]})).tolist() == [[1, 3], [2, 4]]
