"""Rules as joins of DataFrames: which literal comes next, and what Spark makes of a relation in segments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tidelog.core.rules import CoreRule
from tidelog.spark.data.matrices import columns, frame_of_rows, union
from tidelog.spark.evaluation.rule_joins import Names, next_literal
from tidelog.spark.session.private_session import session
from tidelog.syntax.tree import Atom, Variable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_of_two_atoms_the_smaller_one_comes_first() -> None:
    x, y, z = (Variable(name) for name in "XYZ")
    rule = CoreRule(Atom("path", (x, z)), (Atom("path", (x, y)), Atom("edge", (y, z))), 0, "")
    waiting, names = dict(enumerate(rule.body)), Names(rule)
    assert next_literal(waiting, {"X", "Z"}, names, {0: 1_000_000, 1: 1_000}) == 1
    assert next_literal(waiting, {"X", "Z"}, names, {0: 1_000, 1: 1_000_000}) == 0
    assert next_literal(waiting, {"X", "Y"}, names, {0: 1_000_000, 1: 1_000}) == 0, "where more is bound, size does not matter"


def test_a_relation_in_pieces_is_asked_as_a_whole(spark: SparkSession) -> None:
    """Else each segment would get a hash table of the other side."""
    private = session(spark)
    segments = [frame_of_rows(private, np.array([[at, at]], np.int32)).localCheckpoint() for at in range(4)]
    other = frame_of_rows(private, np.array([[1, 1], [9, 9]], np.int32)).hint("shuffle_hash")
    left = union(segments).join(other, columns(2), "left_anti")
    assert left._jdf.queryExecution().executedPlan().toString().count("HashJoin") == 1
    assert sorted(map(tuple, left.collect())) == [(0, 0), (2, 2), (3, 3)]
