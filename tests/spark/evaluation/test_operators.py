"""Functions and aggregates in workers, batch by batch."""

from __future__ import annotations

import pyarrow as pa

from tidelog.spark.evaluation.operators import calling, folding


def test_calls_give_rows_where_the_function_is_defined() -> None:
    batch = pa.RecordBatch.from_pydict({"k0": ["sab", "i3"], "k1": ["sc", "sc"]})
    (found,) = calling("cat", 2)(iter([batch]))
    assert found.to_pydict() == {"k0": ["sab"], "k1": ["sc"], "k2": ["sabc"]}


def test_groups_may_go_over_several_batches() -> None:
    batches = [
        pa.RecordBatch.from_pydict({"c0": pa.array(groups, pa.int32()), "key": keys})
        for groups, keys in (([1, 1], ["i1", "i2"]), ([1, 2], ["i4", "i8"]), ([], []))
    ]
    found = pa.Table.from_batches(list(folding("sum", 1)(iter(batches))))
    assert found.to_pydict() == {"c0": [1, 2], "key": ["i7", "i8"]}
    assert list(folding("sum", 1)(iter(batches[2:]))) == []
