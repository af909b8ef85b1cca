"""Ingesting on Spark: the same facts and decisions as the local engine, and every row that does not fit on record.

This covers `tables`, `ingested` and `text.texts`, which only drive Spark.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.files.relations import declared, mentioned, saved

from tidelog.core.keys import keys_of_column
from tidelog.errors import TidelogError
from tidelog.files.reading import read
from tidelog.program.relations import Relation
from tidelog.spark.ingest import Ingested, Rejects, SourceOptions, ingest, sources
from tidelog.values import Kind

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def rows(frame: DataFrame) -> list[tuple[str, ...]]:
    return sorted(map(tuple, frame.collect()))


def locally(source: object, relation: Relation | None = None, **options: Any) -> tuple[list[tuple[str, ...]], str]:
    loaded = read(source, "edge", relation, **options)
    return sorted(zip(*(keys_of_column(column).to_pylist() for column in loaded.columns), strict=True)), loaded.description


def agree(spark: SparkSession, source: object, relation: Relation | None = None, **options: Any) -> Ingested:
    found = ingest(spark, source, "edge", relation, SourceOptions(**options))
    keys, description = locally(source, relation, **options)
    assert rows(found.frame) == keys
    assert found.description == description
    assert (found.rows, found.rejected) == (len(keys), 0)
    return found


def rejected(spark: SparkSession, source: object, relation: Relation | None = None, **options: Any) -> TidelogError:
    with pytest.raises(TidelogError) as caught:
        ingest(spark, source, "edge", relation, SourceOptions(**options))
    assert caught.value.diagnostics[0].fix
    return caught.value


# --- as the local engine does ------------------------------------------------------------------------------------------------

AGREED: list[tuple[str, str, Relation | None, Mapping[str, Any]]] = [
    ("a.csv", "src,dst\na,1\nb,2\n", None, {}),
    ("b.csv", "1,2.5,a\r\n3,4,007\r\n\r\n", None, {}),
    ("c.csv.gz", 'x,y\n"a\nb",1\n"c ""q""",2\n', None, {}),
    ("d.tsv", "2026-01-01\t2026-01-01T00:00:00Z\ttrue\n2026-01-02\t2026-01-02 00:00:00\t0\n", None, {}),
    ("e.facts", '"a\t1\nb\t2\n', mentioned(2), {}),
    ("f.csv", "DST,w,src\n1,x,2\n", declared(src=Kind.INT, dst=Kind.FLOAT), {}),
    ("g.csv", "a,1\nb,\n", declared(src=None, dst=Kind.INT), {"defaults": {"dst": 0}}),
    ("h.csv", "a,b\nc,d\n", None, {"header": True}),
    ("i.jsonl", '{"a": 1, "b": "x"}\n\n{"b": "y", "a": 2.5}\n', None, {}),
    ("j.jsonl", '{"a": 1}\n{"a": "z"}\n{"a": 2.5}\n{"a": {"iri": "http://a/"}}\n', None, {}),
    ("k.ndjson.gz", '{"a": 9007199254740993}\n{"a": 2.5}\n', None, {}),
]


@pytest.mark.parametrize(("name", "text", "relation", "options"), AGREED, ids=[name for name, *_ in AGREED])
def test_text_files(
    spark: SparkSession, tmp_path: Path, name: str, text: str, relation: Relation | None, options: Mapping[str, Any]
) -> None:
    agree(spark, saved(tmp_path, name, text), relation, **options)


def test_tables(spark: SparkSession, tmp_path: Path) -> None:
    from pyarrow import parquet

    moment = datetime(2026, 11, 15, 6, 43, tzinfo=UTC)
    table = pa.table(
        {"i": [1, 2], "f": [-0.0, float("nan")], "d": [date(2026, 11, 15)] * 2, "t": [moment] * 2, "b": [True, False]}
    )
    parquet.write_table(table, tmp_path / "t.parquet")
    agree(spark, tmp_path / "t.parquet")
    agree(spark, tmp_path / "t.parquet", declared(t=Kind.TIMESTAMP, i=Kind.FLOAT))
    agree(spark, table)
    assert rejected(spark, pa.table({"a": [[1]]})).diagnostics[0].code == "TL081"


def test_many_lines_and_files(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Large files are split by Spark; a header is passed over in each file, and types are found over all of them."""
    monkeypatch.setattr(sources, "WHOLE", 1)
    (tmp_path / "d").mkdir()
    for part in range(3):
        lines = [f"n{at},{at if part else at + 0.5}" for at in range(part * 1000, part * 1000 + 1000)]
        saved(tmp_path / "d", f"p{part}.csv", "\n".join(["name,size", *lines]))
    saved(tmp_path / "d", "p3.csv", "name,size\n")
    found = ingest(spark, tmp_path / "d", "edge")
    assert (found.rows, found.kinds) == (3000, (Kind.STRING, Kind.FLOAT))
    assert "(csv, 4 files, a header; columns: string, float, inferred)" in found.description
    assert rows(found.frame) == rows(ingest(spark, str(tmp_path / "d" / "*.csv"), "edge", how=SourceOptions(header=True)).frame)
    some = ingest(spark, tmp_path / "d" / "p1.csv", "edge", declared(size=Kind.INT))
    assert rows(some.frame) == sorted((f"i{at}",) for at in range(1000, 2000))
    path = saved(tmp_path, "m.csv", 'k,v\n"a\nb",1\nc,2\n')
    assert rows(ingest(spark, path, "edge").frame) == [("sa\nb", "i1"), ("sc", "i2")]
    monkeypatch.setattr(sources, "LARGEST_WHOLE", 1)
    assert rejected(spark, path).diagnostics[0].code == "TL092"


def test_compressed_files_beside_others(spark: SparkSession, tmp_path: Path) -> None:
    saved(tmp_path, "a.csv", "x,1\n")
    saved(tmp_path, "b.csv.gz", "y,2\n")
    assert rows(ingest(spark, tmp_path, "edge").frame) == [("sx", "i1"), ("sy", "i2")]
    (tmp_path / "b.csv.gz").rename(tmp_path / "c")
    assert rows(ingest(spark, tmp_path / "c", "edge", how=SourceOptions(format="csv.gz")).frame) == [("sy", "i2")]


def test_files_with_different_headers(spark: SparkSession, tmp_path: Path) -> None:
    saved(tmp_path, "a.csv", "x,y\n1,2\n")
    saved(tmp_path, "b.csv", "y,x\n1,2\n")
    error = rejected(spark, tmp_path)
    assert error.diagnostics[0].code == "TL081"
    assert "x, y" in str(error)
    saved(tmp_path, "c.tsv", "y\tx\n")
    assert rejected(spark, tmp_path).diagnostics[0].code == "TL082"


def test_columns_that_are_mapped(spark: SparkSession, tmp_path: Path) -> None:
    path = saved(tmp_path, "a.csv", "from,to,w\na,b,1\n")
    relation = declared(src=Kind.STRING, w=Kind.FLOAT)
    assert rows(ingest(spark, path, "edge", relation, SourceOptions(columns={"to": "src"})).frame) == [
        ("sb", "f4607182418800017408")
    ]
    path = saved(tmp_path, "b.csv", "a,b,1\n")
    assert (
        rows(ingest(spark, path, "edge", relation, SourceOptions(header=False, columns={"c1": "src", "c3": "w"})).frame)[0][0]
        == "sa"
    )
    for wrong in ({"fro": "src"}, {"from": "dst", "w": "src"}, {"from": "src", "to": "what"}):
        assert rejected(spark, tmp_path / "a.csv", relation, columns=wrong).diagnostics[0].code == "TL081"


# --- tables and DataFrames ---------------------------------------------------------------------------------------------------


def test_frames_and_tables_of_spark(spark: SparkSession) -> None:
    users = spark.newSession()
    users.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    frame = users.createDataFrame([(1, "a.b"), (2, "c")], "`a.x` int, b string")
    found = ingest(spark, frame, "edge")
    assert rows(found.frame) == [("i1", "sa.b"), ("i2", "sc")]
    assert found.frame.sparkSession is spark
    assert found.description == "edge: 2 rows from a Spark DataFrame (spark; columns: int, string, inferred)"
    assert users.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"
    frame.createTempView("mine")
    assert rows(ingest(spark, "mine", "edge", tables=users).frame) == rows(found.frame)
    users.sql("select timestamp'2026-11-15 06:43:00' as t").createTempView("moments")
    assert rows(ingest(spark, "moments", "edge", tables=users).frame) == [("t1794692580000000",)]
    assert rejected(spark, "mine").diagnostics[0].code == "TL087"
    assert rejected(spark, users.sql("select array(1) as a")).diagnostics[0].code == "TL081"


def test_readers_of_spark(spark: SparkSession, tmp_path: Path) -> None:
    spark.createDataFrame([(1, 2.5)], "a int, b double").write.orc(str(tmp_path / "o"))
    assert rows(ingest(spark, str(tmp_path / "o"), "edge", how=SourceOptions(format="orc")).frame) == [
        ("i1", "f4612811918334230528")
    ]
    error = rejected(spark, None, format="jdbc", options={"url": "jdbc:nothing://x/y", "dbtable": "t"})
    assert error.diagnostics[0].code == "TL087"
    assert "spark.jars" in str(error.diagnostics[0].fix)
    assert rejected(spark, str(tmp_path), format="delta").diagnostics[0].code == "TL087"


def test_jdbc_with_a_driver_that_is_there(spark: SparkSession, tmp_path: Path) -> None:
    """Derby comes with Spark."""
    url = f"jdbc:derby:{tmp_path}/db;create=true"
    options = {"url": url, "dbtable": "edges", "driver": "org.apache.derby.jdbc.EmbeddedDriver"}
    try:
        spark.createDataFrame([(1, "a")], "a int, b string").write.format("jdbc").options(**options).save()
    except Exception as error:
        pytest.skip(f"no Derby here: {str(error).splitlines()[0]}")
    assert rows(ingest(spark, None, "edge", how=SourceOptions("jdbc", options=options)).frame) == [("i1", "sa")]


# --- what does not fit -------------------------------------------------------------------------------------------------------


def test_rejects_are_kept_and_counted(spark: SparkSession, tmp_path: Path) -> None:
    path = saved(tmp_path, "a.csv", b"src,w\na,5\nb,heavy\nc,\n\nd\n\xe9,1\ne,6\n")
    rejects = Rejects(tmp_path / "rejects", limit=4)
    found = ingest(spark, path, "edge", declared(src=Kind.STRING, w=Kind.INT), rejects=rejects)
    assert rows(found.frame) == [("sa", "i5"), ("se", "i6")]
    assert (found.rows, found.rejected, rejects.count, rejects.counts) == (2, 4, 4, {"edge": 4})
    assert found.description.endswith("; 4 rejected")
    assert [(row.line, row.column, row.reason, row.record) for row in rejects.first(9)] == [
        (3, "w", '"heavy" is not an int', "b,heavy"),
        (4, "w", "it is empty", "c,"),
        (6, None, "1 cell, and the first row has 2", "d"),
        (7, None, "it is not UTF-8 text", "\\xe9,1"),
    ]
    (file,) = (tmp_path / "rejects" / "edge-1").glob("*.json")
    kept = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert sorted(row["line"] for row in kept) == [3, 4, 6, 7]
    assert {row["source"] for row in kept} == {str(path)}
    assert set(kept[0]) == {"source", "line", "column", "reason", "record"}
    more = saved(tmp_path, "b.jsonl", '{"src": "a", "w": 1}\n{"src": "a"}\n')
    with pytest.raises(TidelogError) as caught:
        ingest(spark, more, "edge", declared(src=Kind.STRING, w=Kind.INT), rejects=rejects)
    assert caught.value.diagnostics[0].code == "TL092"
    assert rejects.counts == {"edge": 5}
    assert (tmp_path / "rejects" / "edge-2").is_dir()


def test_reasons_are_those_of_the_local_engine(spark: SparkSession, tmp_path: Path) -> None:
    path = saved(tmp_path, "a.csv", "1,2026-02-30,x\n9223372036854775808,2026-01-01,<http://a/>\n1,,a b\n")
    relation = declared(a=Kind.INT, b=Kind.DATE, c=Kind.IRI)
    with pytest.raises(TidelogError) as caught:
        read(path, "edge", relation)
    rejects = Rejects(limit=9)
    ingest(spark, path, "edge", relation, rejects=rejects)
    said = tuple(f"{row.place}: column {row.column}: {row.reason}" for row in rejects.first(9))
    assert said == caught.value.diagnostics[0].notes


def test_rejects_of_tables(spark: SparkSession, tmp_path: Path) -> None:
    from pyarrow import parquet

    parquet.write_table(pa.table({"a": [1, None, 3], "b": ["x", "y", None]}), tmp_path / "t.parquet")
    rejects = Rejects(limit=9)
    assert rows(ingest(spark, tmp_path / "t.parquet", "edge", rejects=rejects).frame) == [("i1", "sx")]
    found = {(row.source, row.column, row.reason, row.record) for row in rejects.first(9)}
    assert found == {
        (str(tmp_path / "t.parquet"), "a", "it is null", '{"a": null, "b": "y"}'),
        (str(tmp_path / "t.parquet"), "b", "it is null", '{"a": 3, "b": null}'),
    }
    assert rejected(spark, pa.table({"a": [None, 1]})).diagnostics[0].code == "TL092"


def test_sources_of_nothing_but_rejects(spark: SparkSession, tmp_path: Path) -> None:
    for name, text in (("a.jsonl", b"nope\n[1]\n"), ("b.csv", b"\xff\n\xfe\n"), ("c.csv.gz", None)):
        path = saved(tmp_path, name, text or b"")
        if text is None:
            path.write_bytes(b"no gzip")
        assert rejected(spark, path, mentioned(2)).diagnostics[0].code == "TL092"
        rejects = Rejects(limit=5)
        found = ingest(spark, path, "edge", mentioned(2), rejects=rejects)
        assert (found.rows, found.rejected) == (0, rejects.count)
        assert rejects.count > 0
        assert found.frame.columns == ["k0", "k1"]


def test_sources_of_nothing(spark: SparkSession, tmp_path: Path) -> None:
    path = saved(tmp_path, "a.csv", "")
    found = ingest(spark, path, "edge", mentioned(2))
    assert (found.rows, rows(found.frame), found.description) == (0, [], locally(path, mentioned(2))[1])
    assert rejected(spark, path).diagnostics[0].code == "TL081"
    assert rejected(spark, tmp_path / "missing.csv").diagnostics[0].code == "TL060"
    assert rejected(spark, saved(tmp_path, "a.xlsx", "x")).diagnostics[0].code == "TL082"
    assert rejected(spark, saved(tmp_path, "b.csv", "1,2,3\n"), mentioned(2)).diagnostics[0].code == "TL081"
    assert rejected(spark, saved(tmp_path, "b.jsonl", '{"a": [1]}\n')).diagnostics[0].code == "TL081"
    assert rejected(spark, path, options={"seperator": ";"}).diagnostics[0].code == "TL074"
    assert sources.WHOLE <= sources.LARGEST_WHOLE


def test_a_delimiter_of_the_users(spark: SparkSession, tmp_path: Path) -> None:
    path = saved(tmp_path, "a.csv", "a;1,5\nb;2\n")
    assert rows(ingest(spark, path, "edge", how=SourceOptions(header=False, options={"sep": ";"})).frame) == [
        ("sa", "s1,5"),
        ("sb", "s2"),
    ]
