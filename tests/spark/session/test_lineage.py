"""Cutting lineage: the same rows and exact counts under both policies, flat plans, and no file left behind."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tidelog.errors import TidelogError
from tidelog.spark.session.lineage import Lineage, Policy, lost_blocks_explained

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize("policy", ["local", "reliable"])
def test_rows_and_counts(spark: SparkSession, tmp_path: Path, policy: Policy) -> None:
    with closing(Lineage(spark, policy, tmp_path / "a b%20c")) as lineage:
        df = spark.range(10, numPartitions=3).selectExpr("id", "cast(id as string) as name").where("id % 2 = 0")
        kept, count = lineage.cut_and_count(df)
        assert count == 5
        assert kept.dtypes == df.dtypes
        assert sorted(map(tuple, kept.collect())) == [(i, str(i)) for i in range(0, 10, 2)]
        assert lineage.cut(kept).count() == 5
        for empty in (df.where("id > 100"), df.where("false"), spark.createDataFrame([], "a int")):
            kept, count = lineage.cut_and_count(empty)
            assert count == 0
            assert kept.collect() == []
            assert kept.dtypes == empty.dtypes
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("policy", ["local", pytest.param("reliable", marks=pytest.mark.nightly)])
def test_plans_stay_small(spark: SparkSession, tmp_path: Path, policy: Policy) -> None:
    sizes, files = [], []
    with closing(Lineage(spark, policy, tmp_path)) as lineage:
        df = spark.range(20, numPartitions=2).toDF("a")
        for _ in range(12):
            following, count = lineage.cut_and_count(df.union(df.limit(1)).distinct().selectExpr("a + 1 as a"))
            assert count == 20
            lineage.release(df)
            df = following
            sizes.append(len(df._jdf.queryExecution().toString()))
            files.append(len([path for path in tmp_path.rglob("*.parquet") if path.is_file()]))
        assert sorted(row.a for row in df.collect()) == list(range(12, 32))
    assert max(sizes) < 1.3 * sizes[0]
    assert max(files) <= 2 * max(1, files[0])
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_the_policy_follows_from_the_cluster(spark: SparkSession, tmp_path: Path) -> None:
    assert Lineage(spark).policy == "local"
    for given in ({"policy": "reliable"}, {"policy": "sometimes", "folder": tmp_path}):
        with pytest.raises(TidelogError) as caught:
            Lineage(spark, **given)
        assert caught.value.diagnostics[0].code == "TL074"


def test_closing_twice_and_releasing_twice(spark: SparkSession, tmp_path: Path) -> None:
    lineage = Lineage(spark, "reliable", f"file://{tmp_path}")
    kept = lineage.cut(spark.range(3).toDF("a"))
    lineage.release(kept)
    lineage.release(kept)
    lineage.close()
    lineage.close()
    assert list(tmp_path.iterdir()) == []


def test_a_lost_block_has_a_code() -> None:
    with pytest.raises(TidelogError) as caught, lost_blocks_explained():
        raise RuntimeError("[CHECKPOINT_RDD_BLOCK_ID_NOT_FOUND] Checkpoint block rdd_1_0 not found!")
    assert caught.value.diagnostics[0].code == "TL086"
    with pytest.raises(RuntimeError, match="other"), lost_blocks_explained():
        raise RuntimeError("other")


def test_what_nothing_reads_any_more_is_swept(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidelog.spark.session.lineage._WORTH_SWEEPING", 0)

    def folders() -> int:
        return len(list(tmp_path.glob("tidelog-lineage-*/*")))

    with closing(Lineage(spark, "reliable", tmp_path)) as lineage:
        some = [lineage.cut(spark.range(at, at + 3)) for at in range(6)]
        used = [some[0].select("id"), some[1].where("id > 2"), some[2].join(some[3], "id", "left_anti")]
        lineage.sweep(used)
        lineage.sweep(used)
        assert folders() == 6, "it is too early"
        lineage.sweep(used[:2])
        assert folders() == 4, "two are read by nobody, and two were so a call ago"
        lineage.sweep(used[:2])
        assert folders() == 2
        assert sorted(row.id for frame in used[:2] for row in frame.collect()) == [0, 1, 2, 3]
        monkeypatch.setattr("tidelog.spark.session.lineage._WORTH_SWEEPING", 1)
        lineage.sweep([])
        lineage.sweep([])
        assert folders() == 2, "nothing has come since"
