"""Rows as keys by a plan: what fits, and one record for each row that does not."""

from __future__ import annotations

import pyarrow as pa
from tests.files.relations import declared

from tidelog.files.matching import match_columns
from tidelog.files.raw import RawTable
from tidelog.spark.ingest.fitting import fit_rows, plan_for, rejects_only
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
