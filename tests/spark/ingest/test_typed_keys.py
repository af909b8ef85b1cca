"""Keys of declared kinds: what conforms, and the record of what does not."""

from __future__ import annotations

import pyarrow as pa

from tidelog.spark.ingest.typed_keys import conforming
from tidelog.values import Kind


def test_keys_of_declared_kinds() -> None:
    task, schema = conforming(2, (Kind.FLOAT, None), ["x", "y"], "a.nt")
    assert schema == "k0 string, k1 string, reject string"
    assert task is not None
    batch = pa.RecordBatch.from_pydict({"k0": ["i1", "f0", "sz", "i1"], "k1": ["sa", "sb", "sc", "sd"]})
    (found,) = task(iter([batch]))
    assert found.column(0).to_pylist() == ["f4607182418800017408", "f0", None, "f4607182418800017408"]
    records = found.column(2).to_pylist()
    assert records[:2] + records[3:] == [None] * 3
    assert '"column": "x", "reason": "\\"z\\" is a string, and the column is declared float", "record": "z, c"' in records[2]
    assert conforming(1, ("any",), ["x"], "")[0] is None
