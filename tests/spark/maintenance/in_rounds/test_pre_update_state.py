"""Relations as they were, with times."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.local.small_engine import PATHS, SmallEngine

from tidelog.core.rules import Unit
from tidelog.spark.data.frames import FrameRelation
from tidelog.spark.data.matrices import frame_of_rows
from tidelog.spark.data.sets import Sets
from tidelog.spark.maintenance.in_rounds.pre_update_state import FrameChanges, PreUpdateState, RuleDelta
from tidelog.spark.session.lineage import Lineage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def numbered(count: int, start: int) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    numbers = np.arange(start, start + count, dtype=np.int32)
    return np.column_stack([numbers, numbers])


def test_facts_of_a_time(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidelog.spark.maintenance.in_rounds.pre_update_state._WORTH_PARTING", 0)
    with closing(Lineage(spark)) as lineage:
        relation = FrameRelation(2, ("c0",))
        for start, count in ((0, 1), (10, 2), (20, 30), (60, 30)):
            relation.add(lineage.cut(relation.partitioned(frame_of_rows(spark, numbered(count, start)))), count, lineage)
        relation.add_rows(numbered(1, 100), lineage, spark)
        times = [last for _, last in relation.times]
        unit = Unit(("p",), (), {}, frozenset(), frozenset())
        with PreUpdateState(unit, Sets(spark, lineage), {"p": relation}, terms=100) as past:
            assert past.shares()[:-1] == [times[2]]  # the first facts are too few for a share of their own
            assert past.is_end(past.shares()[-1])
            whole = {tuple(row) for row in past.of("p").frame(spark).collect()}
            assert len(whole) == relation.count == 64
            assert {row[2] for row in whole} == {*times, relation.driver_times[0]}
            early = past.of("p", until=times[2])
            assert {tuple(row) for row in early.frame(spark).collect()} == {row for row in whole if row[2] < times[2]}
            late = past.of("p", after=times[1])
            assert {tuple(row) for row in late.frame(spark).collect()} == {row for row in whole if row[2] > times[1]}
            assert late.count == 61


def test_a_rule_delta_is_there_if_rules_came_or_went() -> None:
    first, _ = SmallEngine(PATHS).unit("path").rules
    assert not RuleDelta()
    assert RuleDelta(added=frozenset({0}))
    assert RuleDelta(removed=(first,))


def test_two_updates_share_no_deltas() -> None:
    one, other = FrameChanges({}, {}), FrameChanges({}, {})
    assert one.deltas == one.given == {}
    assert one.deltas is not other.deltas
    assert one.given is not other.given
