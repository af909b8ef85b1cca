"""A good guest: the user's settings, tables, active session and job group stay theirs, also for work on results."""

from __future__ import annotations

import logging
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from tests.spark.on_executors import nothing_in_the_driver

from tidelog import KnowledgeBase
from tidelog.spark.session.private_session import session
from tidelog.spark.session.users_session import described, for_user, users_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RULES = "@relation edge(src: int, dst: int) . path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z)."
SETTINGS = {
    "spark.sql.shuffle.partitions": "3",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.autoBroadcastJoinThreshold": "1000000",
    "spark.sql.session.timeZone": "Asia/Tokyo",
}


@pytest.fixture
def user(spark: SparkSession) -> SparkSession:
    """A session of a user's, with settings of their own, that is active."""
    user = spark.newSession()
    for name, value in SETTINGS.items():
        user.conf.set(name, value)
    user.createDataFrame([(1, 2), (2, 3)], "src int, dst int").createOrReplaceTempView("my_edges")
    return user


@pytest.mark.parametrize("placement", ["kernel", "rounds"])
def test_tables_and_results_cross_over(user: SparkSession, placement: str) -> None:
    kb: Any = KnowledgeBase(RULES, engine="spark", spark=user, placement=placement)
    with nothing_in_the_driver(), closing(kb):
        kb.load("edge", "my_edges")
        change = kb.update(insert=[("edge", 3, 4)])
        frames = [kb.dataframe("path"), kb["path"].dataframe if placement == "rounds" else kb.dataframe("path")]
        frames += [change.inserted_df("path"), change.deleted_df("path")]
        assert [frame.count() for frame in frames] == [6, 6, 3, 0]
        assert {type(user).getActiveSession()} == {user}, "a session of ours was never the active one"
        for frame in frames:
            assert frame.sparkSession is user
            assert frame.columns == ["c1", "c2"]
        frames[0].createOrReplaceTempView("paths")
        found = user.sql("SELECT src, count(*) FROM paths JOIN my_edges ON c1 = src GROUP BY src ORDER BY src")
        assert [tuple(row) for row in found.collect()] == [(1, 3), (2, 2)]
        assert "AdaptiveSparkPlan" in found._jdf.queryExecution().toString()
        both = frames[0].union(frames[2]).groupBy("c1").count()
        assert {tuple(row) for row in both.collect()} == {(1, 4), (2, 3), (3, 2)}
        assert {name: user.conf.get(name) for name in SETTINGS} == SETTINGS


def test_a_private_session_knows_the_user(spark: SparkSession, user: SparkSession) -> None:
    private = session(user)
    assert users_session(private) is user
    assert users_session(user) is not private
    frame = user.range(3)
    assert for_user(frame) is frame or frame.sparkSession is not user
    assert for_user(private.range(3)).sparkSession is user
    assert private.createDataFrame([(1,)], "a int").count() == 1
    assert type(user).getActiveSession() is user
    assert spark is not user


def test_jobs_say_what_they_do(user: SparkSession) -> None:
    context = user.sparkContext
    seen = list[tuple[str | None, str | None]]()

    def note() -> None:
        seen.append((context.getLocalProperty("spark.job.description"), context.getLocalProperty("spark.jobGroup.id")))

    with described(user, "update u5"), described(user, "path"):
        note()
    note()
    context.setJobGroup("mine", "my work")
    try:
        with described(user, "query"):
            note()
        note()
    finally:
        for name in ("spark.job.description", "spark.jobGroup.id", "spark.job.interruptOnCancel"):
            context.setLocalProperty(name, None)  # type: ignore[arg-type]
    assert seen == [("tidelog: update u5: path", "tidelog"), (None, None), ("my work: query", "mine"), ("my work", "mine")]


def test_placements_are_logged(user: SparkSession, caplog: pytest.LogCaptureFixture) -> None:
    kb: Any = KnowledgeBase(RULES + " edge(1, 2).", engine="spark", spark=user)
    with closing(kb), caplog.at_level(logging.INFO, "tidelog.spark"):
        assert kb.count("path") == 1
    assert any(record.message.startswith("path: kernel, 1 facts in ") for record in caplog.records)
