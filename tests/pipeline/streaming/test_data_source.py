"""Sinks and feeds as a data source: every row once, in typed columns, in batches and in a stream that is started again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql.types import DateType, IntegerType, LongType, StringType, StructField, StructType
from tests.pipeline.jobs import prepare

from tidelog import IRI, KnowledgeBase, TidelogError
from tidelog.pipeline import read_job, run_job
from tidelog.pipeline.streaming.change_feed import ENDINGS, RowFile, rows_of
from tidelog.pipeline.streaming.data_source import TidelogDataSource
from tidelog.stores.local import LocalStore

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def feed(folder: Path, form: str) -> Callable[[int, list[tuple[object, ...]]], None]:
    """A function that adds a commit with facts to a feed."""
    kb = KnowledgeBase("late(X) :- seen(X, _).")

    def commit(number: int, facts: list[tuple[object, ...]]) -> None:
        file = RowFile(LocalStore(folder), f"{number:08}{ENDINGS[form]}", form)
        file.write(rows_of(number, f"u{number}", kb.update(insert=facts)))
        file.close()

    return commit


def rows(reader: Any, parts: Any) -> list[tuple[Any, ...]]:
    """All rows that a reader gives, without Spark's workers."""
    return [tuple(row.values()) for part in parts for batch in reader.read(part) for row in batch.to_pylist()]


def struct(schema: StructType | str) -> StructType:
    """What Spark makes of a schema."""
    if isinstance(schema, StructType):
        return schema
    types = {"bigint": LongType(), "int": IntegerType(), "string": StringType(), "date": DateType()}
    return StructType([StructField(*_field(part, types)) for part in schema.split(", ")])


def _field(part: str, types: dict[str, Any]) -> tuple[str, Any]:
    name, kind = part.split()
    return name, types[kind]


def read(source: TidelogDataSource) -> list[tuple[Any, ...]]:
    """The rows of a batch."""
    reader = source.reader(struct(source.schema()))
    return rows(reader, reader.partitions())


@pytest.mark.parametrize("form", ["json", "parquet"])
def test_a_feed_in_typed_columns(tmp_path: Path, form: str) -> None:
    commit = feed(tmp_path / "feed", form)
    commit(1, [("seen", IRI("http://e/x"), date(2026, 1, 2))])
    commit(3, [("seen", 7, date(2026, 1, 3))])
    (tmp_path / "feed" / f".epoch-1.00000004{ENDINGS[form]}").write_text("not committed")
    path = str(tmp_path / "feed")
    source = TidelogDataSource({"path": path, "relation": "seen", "columns": "what string, at date"})
    assert read(source) == [
        (1, "u1", "seen", "http://e/x", date(2026, 1, 2), "+", "explicit"),
        (3, "u3", "seen", "7", date(2026, 1, 3), "+", "explicit"),
    ]
    source = TidelogDataSource({"path": path})
    assert [(row[2], row[3]) for row in read(source)] == [
        ("seen", '[{"iri": "http://e/x"}, {"value": "2026-01-02", "type": "http://www.w3.org/2001/XMLSchema#date"}]'),
        ("late", '[{"iri": "http://e/x"}]'),
        ("seen", '[7, {"value": "2026-01-03", "type": "http://www.w3.org/2001/XMLSchema#date"}]'),
        ("late", "[7]"),
    ]
    stream: Any = source.streamReader(struct(source.schema()))
    assert (stream.initialOffset(), stream.latestOffset()) == ({"commit": -1}, {"commit": 3})
    parts = stream.partitions({"commit": 1}, {"commit": 3})
    assert [row[0] for row in rows(stream, parts)] == [3, 3]
    assert stream.partitions({"commit": 3}, {"commit": 3}) == []


def test_wrong_folders_and_options(tmp_path: Path) -> None:
    (tmp_path / "feed").mkdir()
    commit = feed(tmp_path / "feed", "json")
    commit(1, [("seen", 1, 2)])
    path = str(tmp_path / "feed")
    with pytest.raises(TidelogError, match="there is no folder to read"):
        TidelogDataSource({})
    with pytest.raises(TidelogError, match="are those of one relation"):
        TidelogDataSource({"path": path, "columns": "x int"}).schema()
    short = TidelogDataSource({"path": path, "relation": "seen", "columns": "x int"})
    with pytest.raises(TidelogError, match="a fact of the feed has 2 arguments, and `columns` has 1"):
        read(short)
    other = TidelogDataSource({"path": path, "relation": "seen", "columns": "x int, y date"})
    with pytest.raises(pa.ArrowException):
        read(other)
    twice = TidelogDataSource({"path": path, "relation": "seen", "columns": "batch int, y date"})
    with pytest.raises(TidelogError, match="a column of the feed is called `batch` already"):
        read(twice)
    (tmp_path / "feed" / "letter.txt").write_text("")
    with pytest.raises(TidelogError, match=r"neither a sink nor a change feed: letter\.txt is in it"):
        read(TidelogDataSource({"path": path}))


def test_a_sink_is_read_as_it_is_now(tmp_path: Path) -> None:
    prepare(tmp_path)
    job = tmp_path / "job.toml"
    job.write_text(job.read_text(encoding="utf-8").replace('"csv"', '"parquet"'), encoding="utf-8")
    run_job(read_job(job))
    (folder,) = {path.parent for path in tmp_path.rglob("CURRENT")}
    source = TidelogDataSource({"path": str(folder)})
    reader = source.reader(struct(source.schema()))
    run_job(read_job(job))
    assert sorted(rows(reader, reader.partitions())) == [("a", "b"), ("a", "c"), ("b", "c")]
    with pytest.raises(TidelogError, match="is a sink, whose versions replace each other"):
        source.streamReader(struct(source.schema()))
    for file in folder.rglob("*.parquet"):
        file.unlink()
    with pytest.raises(TidelogError, match="has no Parquet files at its top"):
        TidelogDataSource({"path": str(folder)}).schema()


@pytest.mark.spark
def test_in_spark(spark: SparkSession, tmp_path: Path) -> None:
    spark.dataSource.register(TidelogDataSource)
    commit, path = feed(tmp_path / "feed", "json"), str(tmp_path / "feed")
    commit(1, [("seen", "a", date(2026, 1, 2))])
    commit(2, [("seen", "b", date(2026, 1, 3))])
    options = {"relation": "seen", "columns": "what string, at date"}
    found = spark.read.format("tidelog").options(**options).load(path)
    assert sorted(found.select("batch", "what", "at").collect()) == [(1, "a", date(2026, 1, 2)), (2, "b", date(2026, 1, 3))]

    def follow() -> None:
        stream = spark.readStream.format("tidelog").options(**options).load(path).writeStream.format("parquet")
        stream = stream.option("checkpointLocation", str(tmp_path / "checkpoint")).option("path", str(tmp_path / "out"))
        query = stream.start()
        query.processAllAvailable()
        query.stop()

    follow()
    commit(5, [("seen", "c", date(2026, 1, 4))])
    follow()
    assert sorted(pq.read_table(tmp_path / "out").column("what").to_pylist()) == ["a", "b", "c"]
    sink = tmp_path / "sink" / "versions" / "v1"
    spark.createDataFrame([(1, "x")], "n int, s string").write.parquet(str(sink))
    (tmp_path / "sink" / "CURRENT").write_text("v1\n")
    frame = spark.read.format("tidelog").load(str(tmp_path / "sink"))
    assert (frame.schema.simpleString(), [tuple(row) for row in frame.collect()]) == ("struct<n:int,s:string>", [(1, "x")])
