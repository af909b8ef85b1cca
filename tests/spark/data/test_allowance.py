"""One budget for all that the driver holds; and a knowledge base of long texts and many components that tries to exceed it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.spark.test_engine import spark_kb

from tidelog.spark.data.allowance import ALWAYS, Allowance

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

BUDGET = 64 << 20


def test_holders_share_the_budget() -> None:
    held = {"one": 300, "other": 500}
    allowance = Allowance(1000)
    allowance.note("one", lambda: held["one"])
    allowance.note("other", lambda: held["other"])
    assert (allowance.in_use, allowance.room) == (800, 200)
    assert allowance.room_beside("one") == 500
    assert [allowance.has_room(size) for size in (100, 101)] == [True, False], "there are two copies while it arrives"
    assert [allowance.may_pass(size) for size in (250, 251)] == [True, False]
    held["other"] = 5000
    assert (allowance.room, allowance.room_beside("one")) == (0, 0)


@pytest.mark.nightly
def test_long_texts_and_many_components_do_not_exceed_it(spark: SparkSession, tmp_path: Path) -> None:
    """100 MB of texts that stay on Spark, and three components that would fit one by one and not together."""
    texts = pa.table({"id": range(100_000), "text": [f"{at:06}" + "x" * 1_000 for at in range(100_000)]})
    pq.write_table(texts, tmp_path / "note.parquet")
    rules = "long(I) :- note(I, _).\n"
    for name in "abc":
        pq.write_table(pa.table({"x": range(400_000), "y": range(400_000)}), tmp_path / f"{name}.parquet")
        rules += f"p{name}(X) :- {name}(X, Y), X = Y.\n"
    kb = spark_kb(rules, spark, "auto", memory_budget=BUDGET)
    for name in ("note", *"abc"):
        kb.load(name, tmp_path / f"{name}.parquet")
    assert [kb.count(name) for name in ("long", "pa", "pb", "pc")] == [100_000, 400_000, 400_000, 400_000]
    kb.update(insert=[("note", 100_000, "new"), ("a", 400_000, 400_000)], delete=[("note", 0, "000000" + "x" * 1_000)])
    assert [kb.count(name) for name in ("long", "pa")] == [100_000, 400_001]
    engine = kb._maintained_engine()
    known = engine.exchange.terms._known
    held = engine.local.state.budget.in_use + (known.nbytes if known is not None else 0)
    assert held <= 1.5 * BUDGET
    assert engine.allowance.in_use <= BUDGET
    assert {str(placed.where) for placed in kb.placements if placed.relations == ("long",)} == {"rounds"}
    assert ALWAYS < BUDGET // 2
    kb.close()
