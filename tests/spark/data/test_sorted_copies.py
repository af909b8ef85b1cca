"""Facts that the driver looks up: the same as a scan finds, with their times, under insertions, deletions and new segments."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.spark.on_executors import no_facts_in_the_driver

from tidelog import KnowledgeBase
from tidelog.changes import Change
from tidelog.core.arrays import Int32s, Int64s, isin_rows
from tidelog.spark.data import frames, sorted_copies
from tidelog.spark.data.frames import FrameRelation, facts_in_driver
from tidelog.spark.data.matrices import frame_of_rows
from tidelog.spark.data.novelty import among, facts_with
from tidelog.spark.session import lineage as lineages
from tidelog.spark.session.lineage import Lineage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SIZE = 3000
RULES = """
reach(Y) :- start(Y). reach(Y) :- reach(X), edge(X, Y).
same(X, Y) :- up(P, X), up(P, Y), X != Y. same(X, Y) :- up(P, X), same(P, Q), up(Q, Y).
away(X) :- node(X), not reach(X).
"""


@pytest.fixture(params=["local", "reliable"])
def lineage(request: pytest.FixtureRequest, spark: SparkSession, tmp_path: Path) -> Iterator[Lineage]:
    with closing(Lineage(spark, request.param, tmp_path if request.param == "reliable" else None)) as found:
        yield found


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several files of several groups, at once."""
    monkeypatch.setattr(sorted_copies, "ASKED_BEFORE", 0)
    monkeypatch.setattr(sorted_copies, "_FACTS_A_FILE", 1000)
    monkeypatch.setattr(lineages, "_BYTES_A_GROUP", 1 << 10)


def some(seed: int, size: int = SIZE) -> Int32s:
    return np.unique(np.random.default_rng(seed).integers(0, 90, (size, 2)).astype(np.int32), axis=0)


def check(relation: FrameRelation, facts: Int32s, lineage: Lineage) -> None:
    """Facts by each column, by both, and whether they are there."""
    for bound in ({0: [5, 7]}, {1: [8]}, {0: [1, 2, 3], 1: [4, 400]}, {0: [500]}):
        expected = facts
        for at, values in bound.items():
            expected = expected[np.isin(expected[:, at], values)]
        found = facts_with(relation, {at: np.array(values, np.int32) for at, values in bound.items()}, lineage)
        assert found is not None
        assert sorted(map(tuple, found)) == sorted(map(tuple, expected))
    asked = np.array([(1, 2), (3, 4), (80, 90), (7, 7), (900, 1)], np.int32)
    is_there = among(asked, relation, lineage)
    assert is_there is not None
    assert is_there.tolist() == [tuple(row) in set(map(tuple, facts)) for row in asked]


def test_a_relation_that_changes(spark: SparkSession, lineage: Lineage, monkeypatch: pytest.MonkeyPatch) -> None:
    relation, facts = FrameRelation(2), some(1)
    relation.add(lineage.cut(frame_of_rows(spark, facts)), len(facts), lineage)
    check(relation, facts, lineage)
    before = relation.copy()
    going = facts[facts[:, 0] == 5][:9]
    relation.remove(facts_in_driver(going), lineage, spark)
    left = facts[~isin_rows(facts, going)]
    check(relation, left, lineage)
    relation.add_rows(going[:2], lineage, spark)
    relation.add_rows(np.array([(5, 1000)], np.int32), lineage, spark)
    now = np.concatenate([left, going[:2], [(5, 1000)]]).astype(np.int32)
    check(relation, now, lineage)
    relation.flush(lineage, spark)  # the segment gets a copy of its own
    check(relation, now, lineage)
    relation.remove(FrameRelation(2, (), [(lineage.cut(frame_of_rows(spark, going[:1])), 1)], count=1), lineage, spark)
    monkeypatch.setattr(frames, "_MOST_REMOVALS", 0)
    check(relation, np.concatenate([left, going[1:2], [(5, 1000)]]).astype(np.int32), lineage)
    relation.remove(facts_in_driver(going[1:2]), lineage, spark)  # one new segment
    check(relation, np.concatenate([left, [(5, 1000)]]).astype(np.int32), lineage)
    check(before, facts, lineage)


def test_times_are_those_of_insertions(spark: SparkSession, lineage: Lineage) -> None:
    relation = FrameRelation(2)
    relation.add(lineage.cut(frame_of_rows(spark, some(1))), len(some(1)), lineage)
    relation.add_rows(np.array([(1, 200)], np.int32), lineage, spark)
    relation.add_rows(np.array([(1, 201)], np.int32), lineage, spark)
    relation.flush(lineage, spark)
    timed = relation.timed()
    found = facts_with(timed, {0: np.array([1], np.int32)}, lineage)
    assert found is not None
    expected = [tuple(row) for row in timed.frame(spark).where("c0 = 1").collect()]
    assert sorted(map(tuple, found)) == sorted(expected)
    assert len({row[2] for row in expected}) == 3
    plain = facts_with(timed.untimed(), {0: np.array([1], np.int32)}, lineage)
    assert plain is not None
    assert sorted(map(tuple, plain)) == sorted(row[:2] for row in expected)


def test_what_is_not_worth_it_is_left_to_spark(spark: SparkSession, lineage: Lineage, monkeypatch: pytest.MonkeyPatch) -> None:
    relation = FrameRelation(2)
    relation.add(lineage.cut(frame_of_rows(spark, some(1))), len(some(1)), lineage)
    some_values = {0: np.array([3], np.int32)}
    monkeypatch.setattr(sorted_copies, "ASKED_BEFORE", 2)
    answers = [facts_with(relation, some_values, lineage) is not None for _ in range(4)]
    assert answers == [False, False, True, True]
    assert facts_with(relation, {}, lineage) is None
    monkeypatch.setattr(sorted_copies, "_MOST_READ", 0)
    assert facts_with(relation, some_values, lineage) is None
    assert facts_with(relation.since((0, 0)), some_values, lineage) is None, "a set of an update"


def test_only_the_groups_with_a_value_are_read(spark: SparkSession, lineage: Lineage, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = np.stack([np.arange(60_000), np.arange(60_000) // 2], axis=1).astype(np.int32)
    relation, read = FrameRelation(2), list[int]()
    relation.add(lineage.cut(frame_of_rows(spark, facts)), len(facts), lineage)
    original = sorted_copies.SortedCopy._fetched

    def counted(copy: sorted_copies.SortedCopy, groups: Int64s) -> Int32s:
        read.append(copy.facts(groups))
        return original(copy, groups)

    monkeypatch.setattr(sorted_copies.SortedCopy, "_fetched", counted)
    monkeypatch.setattr(sorted_copies, "_FACTS_A_FILE", 20_000)
    found = facts_with(relation, {1: np.array([70, 20_000], np.int32)}, lineage)
    assert found is not None
    assert sorted(map(tuple, found.tolist())) == [(140, 70), (141, 70), (40_000, 20_000), (40_001, 20_000)]
    assert 0 < sum(read) <= 30_000
    before = len(read)
    again = facts_with(relation, {1: np.array([71, 20_000], np.int32)}, lineage)
    assert again is not None
    assert (len(again), len(read)) == (4, before), "neighbours have been kept"


def test_files_go_when_nothing_refers_to_them(spark: SparkSession, lineage: Lineage) -> None:
    def folders() -> int:
        own = lineage if lineage.policy == "reliable" else lineage._own_files()
        assert own._store is not None
        return len(own._store.entries())

    def ask(seed: int) -> None:
        relation = FrameRelation(2)
        relation.add(lineage.cut(frame_of_rows(spark, some(seed))), len(some(seed)), lineage)
        assert facts_with(relation, {0: np.array([1], np.int32)}, lineage) is not None
        for segment, _ in relation.segments:
            lineage.release(segment)

    for seed in range(3):
        ask(seed)
        gc.collect()
    assert folders() == 1  # the last one goes when others are written


def shown(change: Change) -> list[dict[str, list[tuple[object, ...]]]]:
    both = (change.inserted, change.deleted)
    return [{name: sorted(map(tuple, facts)) for name, facts in part.items() if len(facts)} for part in both]


def test_an_update_in_rounds_runs_no_job(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """All facts are on Spark, and what a few changed facts need of them is looked up."""
    facts: list[tuple[object, ...]] = [("start", 0), *(("node", at) for at in range(9))]
    facts += [("edge", at, at + 1) for at in range(8)] + [("edge", 2, 5)] + [("up", at // 2, at) for at in range(1, 16)]
    here = KnowledgeBase(RULES)
    on_spark = KnowledgeBase(RULES, engine="spark", spark=spark, placement="rounds")

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a job")

    with closing(on_spark):
        with no_facts_in_the_driver():
            for kb in (on_spark, here):
                kb.update(insert=facts)
                assert kb.count("reach") == 9
        for name in (
            "session.lineage.Lineage.cut",
            "session.lineage.Lineage.cut_and_count",
            "evaluation.rule_joins.RuleFrames.evaluate",
        ):
            monkeypatch.setattr(f"tidelog.spark.{name}", refuse)
        for some_facts in ([("edge", 1, 2)], [("edge", 3, 4), ("up", 1, 2)], [("start", 0)]):
            assert shown(on_spark.update(delete=some_facts)) == shown(here.update(delete=some_facts))
            assert shown(on_spark.update(insert=some_facts)) == shown(here.update(insert=some_facts))
