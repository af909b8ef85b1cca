"""Transitive relations that tasks close, each with the pairs of its own ends; rules by keys are tested with their maintenance."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.spark.evaluation.test_closure import EDGES, closure_of
from tests.spark.test_engine import spark_kb

from tidelog import TidelogError
from tidelog.program.modules import Module, ModuleKind
from tidelog.spark.data.matrices import frame_of_rows
from tidelog.spark.evaluation.key_tasks import KeyTasks
from tidelog.spark.session.lineage import Lineage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize("kind", [ModuleKind.TRANSITIVE, ModuleKind.SYMMETRIC_TRANSITIVE])
def test_each_pair_once(spark: SparkSession, kind: ModuleKind) -> None:
    both = EDGES if kind is ModuleKind.TRANSITIVE else EDGES | {(y, x) for x, y in EDGES}
    with closing(Lineage(spark)) as lineage:
        given = frame_of_rows(spark, np.array(sorted(EDGES), np.int32))
        frame, count = lineage.to_files(KeyTasks(spark, lineage).close(Module(kind, "r", (0,)), given, None))
        assert sorted(tuple(row) for row in frame.collect()) == sorted(closure_of(both))
        assert count == len(closure_of(both))


def test_nothing_of_nothing(spark: SparkSession) -> None:
    kb = spark_kb(
        "@relation e(x: int, y: int). p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), e(Y, Z).", spark, "decomposed", modules=False
    )
    assert kb.count("p") == 0
    assert [str(placed.where) for placed in kb.placements if placed.relations == ("p",)] == ["decomposed"]
    kb.close()


def test_a_limit_ends_the_tasks(spark: SparkSession) -> None:
    edges = "".join(f"e({at}, {at + 1})." for at in range(40))
    rules = "p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), e(Y, Z)."
    kb = spark_kb(edges + rules, spark, "decomposed", modules=False, limit_facts=100)
    with pytest.raises(TidelogError, match="TL070"):
        kb.count("p")
    kb.close()
