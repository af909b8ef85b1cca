"""Sets of facts: the same result whether they are in the driver or on Spark."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tidelog.spark.data.frames import FrameRelation, facts_in_driver
from tidelog.spark.data.matrices import frame_of_rows
from tidelog.spark.data.sets import Delta, Sets
from tidelog.spark.session.lineage import Lineage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Make = Callable[..., FrameRelation]


def rows(*facts: tuple[int, ...]) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    return np.array(facts, np.int32)


def maker(spark: SparkSession, lineage: Lineage, *, in_driver: bool) -> Make:
    def made(*facts: tuple[int, ...]) -> FrameRelation:
        if in_driver:
            return facts_in_driver(rows(*facts))
        relation = FrameRelation(len(facts[0]), merges=False)
        relation.add(lineage.cut(frame_of_rows(spark, rows(*facts))), len(facts), lineage)
        return relation

    return made


def found(spark: SparkSession, facts: FrameRelation) -> list[tuple[int, ...]]:
    result = sorted(map(tuple, facts.frame(spark).collect()))
    assert facts.count == len(result)
    return result


@pytest.mark.parametrize("in_driver", [True, False])
@pytest.mark.parametrize("others_in_driver", [True, False])
def test_intersection_and_difference(spark: SparkSession, in_driver: bool, others_in_driver: bool) -> None:
    with closing(Lineage(spark)) as lineage:
        sets = Sets(spark, lineage)
        mine = maker(spark, lineage, in_driver=in_driver)((1, 1), (2, 2), (3, 3))
        others = maker(spark, lineage, in_driver=others_in_driver)((2, 2), (4, 4))
        assert found(spark, sets.inside(mine, others)) == [(2, 2)]
        assert found(spark, sets.outside(mine, others)) == [(1, 1), (3, 3)]
        assert found(spark, sets.with_keys(mine, others, [1])) == [(2, 2)]
        assert found(spark, sets.fused([sets.outside(mine, others), others], mine)) == [(1, 1), (2, 2), (3, 3), (4, 4)]
        assert sets.at_hand(mine).rows_in_driver is not None


@pytest.mark.parametrize("in_driver", [True, False])
def test_facts_between_two_times(spark: SparkSession, in_driver: bool) -> None:
    with closing(Lineage(spark)) as lineage:
        make = maker(spark, lineage, in_driver=in_driver)
        timed = make((1, 10), (2, 20), (3, 30), (4, 40))
        chosen = Sets(spark, lineage).between([(timed, 10), (make((5, 5)), 0)], 30, [facts_in_driver(rows((3,)))], timed)
        assert found(spark, chosen) == [(2, 20), (5, 5)]


def test_a_delta_of_nothing_is_false() -> None:
    nothing = facts_in_driver(np.empty((0, 1), np.int32))
    assert not Delta(nothing, nothing)
    assert Delta(nothing, facts_in_driver(rows((1,))))
