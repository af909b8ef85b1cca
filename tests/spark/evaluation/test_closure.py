"""Transitive relations without rounds: decomposed by left ends, and by connected components, against a plain closure."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tidelog.program.modules import Module, ModuleKind
from tidelog.spark.data.matrices import frame_of_rows
from tidelog.spark.evaluation.closure import closed
from tidelog.spark.session.lineage import Lineage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Pairs = set[tuple[int, int]]
EDGES: Pairs = {(1, 2), (2, 3), (3, 1), (4, 5), (6, 6), (5, 7)}


def closure_of(pairs: Pairs) -> Pairs:
    found = set(pairs)
    while more := {(x, z) for x, y in found for other, z in found if y == other} - found:
        found |= more
    return found


@pytest.mark.parametrize("by_stars", [False, True])
@pytest.mark.parametrize("is_irreflexive", [False, True])
def test_a_symmetric_relation(spark: SparkSession, by_stars: bool, is_irreflexive: bool) -> None:
    module = Module(ModuleKind.SYMMETRIC_TRANSITIVE, "r", (0, 1), is_irreflexive=is_irreflexive)
    expected = closure_of(EDGES | {(y, x) for x, y in EDGES})
    if is_irreflexive:
        expected = {(x, y) for x, y in expected if x != y} | {(6, 6)}
    with closing(Lineage(spark)) as lineage:
        given = frame_of_rows(spark, np.array(sorted(EDGES), np.int32))
        found = [tuple(row) for row in closed(module, given, None, lineage, by_stars=by_stars).collect()]
    assert sorted(found) == sorted(expected), "each pair once"


def test_a_transitive_relation(spark: SparkSession) -> None:
    module = Module(ModuleKind.TRANSITIVE, "r", (0,))
    with closing(Lineage(spark)) as lineage:
        given = frame_of_rows(spark, np.array(sorted(EDGES), np.int32))
        found = [tuple(row) for row in closed(module, given, None, lineage, by_stars=False).collect()]
    assert sorted(found) == sorted(closure_of(EDGES))
