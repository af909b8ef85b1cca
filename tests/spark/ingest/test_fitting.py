"""Rows as keys by a plan: what fits, and one record for each row that does not."""

from __future__ import annotations

import pyarrow as pa
from tests.files.relations import declared

from tidelog.files.matching import match_columns
from tidelog.files.raw import RawTable
from tidelog.spark.ingest.fitting import conforming, fit_rows, plan_for, rejects_only
from tidelog.values import Kind


def _record(row: int, column: str | None, reason: str) -> str:
    assert reason
    return f"{row} {column}"


def test_rows_that_fit_and_rows_that_do_not() -> None:
    columns = tuple(pa.chunked_array([pa.array(cells)]) for cells in (["a", "b", "c"], ["1", "x", ""]))
    table = RawTable("a.csv", "csv", ("name", "size"), columns, 3, lambda _: [], is_text=True)
    relation = declared(name=Kind.STRING, size=Kind.INT)
    plan = plan_for(table, "edge", match_columns(table, "edge", relation), [Kind.STRING, Kind.INT])
    assert plan.schema == "k0 string, k1 string, reject string"
    batch = fit_rows(table, plan, _record)
    assert batch.to_pydict() == {"k0": ["sa", None, None], "k1": ["i1", None, None], "reject": [None, "1 size", "2 size"]}
    with_default = plan_for(table, "edge", plan.matched, plan.kinds, defaults={"size": 7})
    batch = fit_rows(table, with_default, _record)
    assert batch.to_pydict() == {"k0": ["sa", "sc", None], "k1": ["i1", "i7", None], "reject": [None, None, "1 size"]}


def test_a_batch_of_rejects_only() -> None:
    assert rejects_only(2, ["x"]).to_pydict() == {"k0": [None], "k1": [None], "reject": ["x"]}


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
