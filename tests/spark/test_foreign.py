"""A job whose files are all on a file system that only Spark reaches: whatever falls back to Python's file API fails."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
from tests.spark.on_executors import nothing_in_the_driver
from tests.spark.test_streaming import check_result, put, random_updates
from tests.spark.test_streaming import prepare as prepare_stream
from tests.spark.test_streaming import stream as run_stream
from tests.stores.foreign import foreign

from tidelog import KnowledgeBase, TidelogError
from tidelog.pipeline.batch.run import run_job
from tidelog.pipeline.batch.spark_backend import SparkBackend
from tidelog.pipeline.batch.versioned_folder import read_current
from tidelog.pipeline.job.job_file import Job, job_of
from tidelog.source import Source
from tidelog.spark.kb import SparkKnowledgeBase

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JOB = """\
[program]
text = '''
@relation edge(src: int, dst: int) .
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z).
'''
[[source]]
relation = "edge"
path = "ROOT/in put/edges.csv"
header = true
[[sink]]
relation = "path"
path = "ROOT/out/path"
keep = 2
[[sink]]
relation = "path"
path = "ROOT/out/by source"
format = "orc"
partition_by = ["c1"]
compression = "zlib"
files = 1
[engine]
placement = "rounds"
lineage = "reliable"
lineage_folder = "ROOT/lineage"
[limits]
rejects = 1
[rejects]
folder = "ROOT/rejects"
[report]
path = "ROOT/report/page.html"
"""


def job_at(root: str, text: str = JOB) -> Job:
    return job_of(Source(text.replace("ROOT", root), "job.toml"), Path("/nowhere"))


def files(folder: Path) -> list[str]:
    """All files below a folder, without the checksums of Hadoop."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file() and path.suffix != ".crc")


def test_a_batch_job(spark: SparkSession, tmp_path: Path) -> None:
    root = foreign(spark, tmp_path)
    (tmp_path / "in put").mkdir()
    (tmp_path / "in put/edges.csv").write_text("src,dst\n1,2\n2,3\nx,4\n", encoding="utf-8")
    versions = list[str]()
    job = job_at(root)
    for _ in range(3):
        outcome = run_job(job, backend=SparkBackend(job, spark=spark))
        assert (outcome.counts["path"], outcome.rejected) == (3, 1)
        versions.append(read_current(f"{root}/out/path"))
        assert {tuple(row) for row in spark.read.parquet(versions[-1]).collect()} == {(1, 2), (2, 3), (1, 3)}
    assert (tmp_path / "out/path/CURRENT").read_text(encoding="utf-8").strip() == versions[-1].rpartition("/")[2]
    assert sorted(path.name for path in (tmp_path / "out/path/versions").iterdir()) == [
        v.rpartition("/")[2] for v in versions[1:]
    ]
    assert files(tmp_path / "report") == ["page.html", "page.manifest.json"]
    assert files(tmp_path / "lineage") == [], "all removed"
    found = [json.loads(line) for path in (tmp_path / "rejects").rglob("*.json") for line in path.open(encoding="utf-8")]
    assert [row["record"] for row in found] == ["x,4"] * 3
    (tmp_path / "out/path/letter.txt").write_text("dear", encoding="utf-8")
    with pytest.raises(TidelogError, match=r"TL093: viewfs://.*/out/path contains other files, letter.txt"):
        run_job(job, backend=SparkBackend(job, spark=spark))


def test_updates_with_a_reliable_lineage(spark: SparkSession, tmp_path: Path) -> None:
    kb: Any = KnowledgeBase(
        "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z).",
        engine="spark",
        spark=spark,
        placement="rounds",
        lineage="reliable",
        lineage_folder=foreign(spark, tmp_path),
    )
    with nothing_in_the_driver(), closing(kb):
        assert isinstance(kb, SparkKnowledgeBase)
        kb.update(insert=[("edge", 1, 2), ("edge", 2, 3)])
        kb.update(delete=[("edge", 1, 2)], insert=[("edge", 3, 4)])
        assert set(kb["path"]) == {(2, 3), (3, 4), (2, 4)}
        assert files(tmp_path) != []
    assert files(tmp_path) == []


@pytest.mark.parametrize("placement", ["auto", pytest.param("rounds", marks=pytest.mark.nightly)])
def test_a_stream_goes_on_where_it_stopped(spark: SparkSession, tmp_path: Path, placement: str) -> None:
    root = foreign(spark, tmp_path)
    prepare_stream(tmp_path, placement=placement)
    text = (tmp_path / "job.toml").read_text(encoding="utf-8")
    for name in ("edges.csv", "out/path", "updates", "out/state", "out/feed"):
        text = text.replace(f'"{name}"', f'"{root}/{name}"')
    job, updates = job_of(Source(text, "job.toml"), tmp_path), random_updates(9, 21)
    put(tmp_path, updates[:5])
    last = run_stream(job, spark)
    assert (last.updates, last.file) == (5, "00004.jsonl")
    put(tmp_path, updates[5:], 5)
    assert run_stream(job, spark).updates == 9
    check_result(tmp_path, updates)
    assert len([name for name in files(tmp_path / "out/state/commits") if not name.startswith(".")]) == 1
    (tmp_path / "updates/00000late.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(TidelogError, match=r"TL077.*came late.*00000late.jsonl"):
        run_stream(job, spark)
    (snapshot,) = (tmp_path / "out/state/snapshots").iterdir()
    assert pq.read_table(snapshot / "0.parquet").num_rows
