"""Symmetric-transitive relations by connected components, against a plain closure."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tidelog.spark.data.matrices import frame_of_rows
from tidelog.spark.evaluation.closure import connected_pairs
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


@pytest.mark.parametrize("is_irreflexive", [False, True])
def test_a_symmetric_relation(spark: SparkSession, is_irreflexive: bool) -> None:
    expected = closure_of(EDGES | {(y, x) for x, y in EDGES})
    if is_irreflexive:
        expected = {(x, y) for x, y in expected if x != y} | {(6, 6)}
    with closing(Lineage(spark)) as lineage:
        given = frame_of_rows(spark, np.array(sorted(EDGES), np.int32))
        found = [tuple(row) for row in connected_pairs(given, lineage, is_irreflexive=is_irreflexive).collect()]
    assert sorted(found) == sorted(expected), "each pair once"
