"""The change of an update on Spark: its facts as frames; facts themselves are tested in tests/spark/test_engine.py."""

from __future__ import annotations

from typing import Any

from tidelog.changes import ChangeStatistics, Counters, FactsByRelation
from tidelog.spark.data.spark_facts import SparkChange

STATISTICS = ChangeStatistics("semi-naive", 0, 0, 0, 0, 0, 0, Counters(), 0.0, {})


def test_frames_are_made_of_the_facts_of_a_relation() -> None:
    inserted: Any = {"edge": ["came"]}
    deleted: Any = {"edge": ["went"], "node": ["gone"]}
    change = SparkChange(
        FactsByRelation(lambda _part: inserted),
        FactsByRelation(lambda _part: deleted),
        STATISTICS,
        as_frame=lambda facts, relation: (relation, facts),  # type: ignore[arg-type,return-value]
        explicit=lambda: iter(()),
    )
    found: list[Any] = [change.inserted_df("edge"), change.deleted_df("edge"), change.deleted_df("node")]
    assert found == [("edge", ["came"]), ("edge", ["went"]), ("node", ["gone"])]
    nothing: Any = change.inserted_df("node")
    assert nothing == ("node", None), "a frame without rows is made for it"
