"""Blocks of triples in tasks: which relations they are about, and the facts of one of them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tidelog.rdf.terms import TYPE
from tidelog.spark.data.blocks import Batches, from_arrow
from tidelog.spark.ingest.rdf.triple_tasks import counted, line_blocks, of_relation
from tidelog.spark.ingest.text.lines import Lines

pytest.importorskip("pyoxigraph")

TEXTS = (
    f"<http://a/x> <{TYPE}> <http://a/C> .",
    "<http://a/x> <http://a/p> _:b .",
    "no triple",
    "<http://a/y> <http://a/p> <http://a/x> .",
)


def blocks() -> list[pa.RecordBatch]:
    lines = Lines(pa.array(TEXTS), np.array([1, 1, 1, 2]), np.array([True, False, False, True]), np.array([1, 2, 3, 1]))

    def read(_: Batches) -> list[Lines]:
        return [lines]

    return list(line_blocks(iter(()), lambda batches: iter(read(batches)), {1: "a.nt", 2: "b.nt"}, {1: "A", 2: "B"}))


def test_lines_become_blocks_and_rejects() -> None:
    (batch,) = blocks()
    assert batch.column("facts").to_pylist() == [3]
    ((record,),) = batch.column("rejects").to_pylist()
    assert '"source": "a.nt", "line": 3' in record
    (block,) = from_arrow([batch], 3)
    assert block.columns()[2].to_pylist() == ["uhttp://a/C", "u_:Ab", "uhttp://a/x"]


def test_relations_of_triples() -> None:
    rows = [row for batch in counted(iter(blocks())) for row in batch.to_pylist()]
    assert {(row["relation"], row["arity"]): row["count"] for row in rows} == {("http://a/C", 1): 1, ("http://a/p", 2): 2}
    ((block,), (pairs,)) = (
        list(from_arrow(of_relation(iter(blocks()), name, arity), arity))
        for name, arity in (("http://a/C", 1), ("http://a/p", 2))
    )
    assert [column.to_pylist() for column in block.columns()] == [["uhttp://a/x"]]
    assert [column.to_pylist() for column in pairs.columns()] == [["uhttp://a/x", "uhttp://a/y"], ["u_:Ab", "uhttp://a/x"]]
    assert list(of_relation(iter(blocks()), "http://a/q", 2)) == []
