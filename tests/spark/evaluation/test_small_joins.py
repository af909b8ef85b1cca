"""Rules over rows that the driver holds; random programs in rounds compare them with the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.spark.test_engine import check_program

from tidelog.spark.evaluation import small_joins
from tidelog.spark.session import lineage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SMALL = """
e(a, b, 1, x). e(b, c, 2, x). e(c, a, 3, x). e(c, c, 3, y). f(1). f(3).
same(A, B, N, K) :- e(A, B, N, K), e(A, B, N, K), f(N).
all(A, B) :- e(A, _, _, _), e(_, B, _, _).
loop(A) :- e(A, A, N, y), not f(N).
none :- not e(_, _, 4, _), f(3).
"""


def test_small_relations_need_no_jobs(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a job")

    for name in ("cut", "cut_and_count"):
        monkeypatch.setattr(lineage.Lineage, name, refuse)
    monkeypatch.setattr("tidelog.spark.evaluation.rule_joins.RuleFrames.evaluate", refuse)
    check_program(SMALL, spark, "rounds")


def test_very_many_combinations_are_left_to_spark(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_joins, "_MOST_BINDINGS", 5)
    check_program(SMALL, spark, "rounds")
