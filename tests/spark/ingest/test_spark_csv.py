"""CSV that Spark's reader reads: folders of partitions, filters, options of Spark's; and columns that older files do not have."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.files.relations import declared

from tidelog.errors import TidelogError
from tidelog.spark.ingest import Rejects, SourceOptions, ingest
from tidelog.spark.ingest.sources import list_files
from tidelog.spark.ingest.spark_csv import is_for_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SALE = declared(item="string", amount="int", year="int", shop="string")


def rows(frame: DataFrame) -> list[tuple[str, ...]]:
    return sorted(map(tuple, frame.collect()))


def partitioned(folder: Path) -> str:
    for year, shop, text in ((2025, "007", "item,amount\na,1\nb,\n"), (2026, "a b", 'item,amount\n"c, d",3\nx,4,5\n,6\n')):
        path = folder / "sales" / f"year={year}" / f"shop={shop}"
        path.mkdir(parents=True)
        (path / "part.csv").write_text(text, encoding="utf-8")
    return str(folder / "sales")


def test_folders_of_partitions_filters_and_rejects(spark: SparkSession, tmp_path: Path) -> None:
    path, rejects = partitioned(tmp_path), Rejects(str(tmp_path / "rejects"), 9)
    found = ingest(spark, path, "edge", SALE, rejects=rejects)
    assert rows(found.frame) == [("s", "i6", "i2026", "sa b"), ("sa", "i1", "i2025", "s007"), ("sc, d", "i3", "i2026", "sa b")]
    assert found.description.startswith("edge: 3 rows from")
    reasons = sorted((row.column or "", row.reason, row.record) for row in rejects.first(9))
    assert [(column, record) for column, _, record in reasons] == [
        ("", "x,4,5"),
        ("amount", json.dumps({"item": "b", "amount": "", "year": "2025", "shop": "007"})),
    ]
    assert reasons[0][1] == "has another number of cells than the first line"
    assert all(row.source.endswith("part.csv") for row in rejects.first(9))
    for where, expected in (("year = '2026' AND amount < 5", ["sc, d"]), ("shop = '007' AND amount <> ''", ["sa"])):
        found = ingest(spark, path, "edge", SALE, SourceOptions(where=where), rejects=Rejects(None, 9))
        assert [row[0] for row in rows(found.frame)] == expected
    filled = ingest(spark, path, "edge", SALE, SourceOptions(defaults={"amount": 0}), rejects=Rejects(None, 9))
    assert ("sb", "i0", "i2025", "s007") in rows(filled.frame)
    assert spark.conf.get("spark.sql.sources.partitionColumnTypeInference.enabled") == "true"


def test_options_of_sparks_reader(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("# a comment\nd;'é;1'\nNA;'2'\n".encode("latin-1"))
    options = {"sep": ";", "quote": "'", "encoding": "iso-8859-1", "comment": "#", "nullValue": "NA"}
    pair = declared(a="string", b="string")
    found = ingest(spark, str(tmp_path / "a.csv"), "edge", pair, SourceOptions(options=options, defaults={"a": "none"}))
    assert rows(found.frame) == [("sd", "sé;1"), ("snone", "s2")]
    for bad in ("inferSchema", "mode"):
        with pytest.raises(TidelogError, match=f"TL074: reading csv has no option `{bad}`"):
            ingest(spark, str(tmp_path / "a.csv"), "edge", pair, SourceOptions(options={**options, bad: "true"}))
    assert not is_for_spark(list_files(spark, str(tmp_path / "a.csv"), None), {"sep": ";"}, None)
    with pytest.raises(TidelogError, match="TL087"):
        ingest(spark, str(tmp_path / "a.csv"), "edge", pair, SourceOptions(where="nothing = 1"))


def test_filters_on_other_sources(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.createDataFrame([(1, 2, "x"), (3, 4, "y")], "src int, dst int, part string")
    for form in ("parquet", "orc"):
        frame.write.partitionBy("part").format(form).save(str(tmp_path / form))
        edge = declared(src="int", dst="int", part="string", weight="float")
        how = SourceOptions(format=form, where="part = 'y'", defaults={"weight": 1.0})
        found = ingest(spark, str(tmp_path / form), "edge", edge, how)
        assert [row[:3] for row in rows(found.frame)] == [("i3", "i4", "sy")], "and a column that the files do not have"
    found = ingest(spark, frame, "edge", None, SourceOptions(where="src = 1"))
    assert rows(found.frame) == [("i1", "i2", "sx")]
    (tmp_path / "a.jsonl").write_text('{"a": 1}\n', encoding="utf-8")
    with pytest.raises(TidelogError, match="TL074: there is no `where` for jsonl"):
        ingest(spark, str(tmp_path / "a.jsonl"), "edge", None, SourceOptions(where="a = 1"))


def test_files_with_more_columns_than_before(spark: SparkSession, tmp_path: Path) -> None:
    spark.createDataFrame([(1,)], "a int").write.parquet(str(tmp_path / "p/old"))
    spark.createDataFrame([(2, "b")], "a int, b string").write.parquet(str(tmp_path / "p/new"))
    pair = declared(a="int", b="string")
    how = SourceOptions(options={"mergeSchema": "true", "recursiveFileLookup": "true"}, defaults={"b": "?"})
    assert rows(ingest(spark, str(tmp_path / "p"), "edge", pair, how).frame) == [("i1", "s?"), ("i2", "sb")]


def test_decimals_are_exact_or_rejected(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(Decimal("19.99"),), (Decimal("0.12345678901234567890"),)], "price decimal(38, 20)")
    rejects = Rejects(None, 1)
    found = ingest(spark, frame, "price", None, rejects=rejects)
    assert (found.rows, found.rejected) == (1, 1)
    assert "no float has these digits" in rejects.first(1)[0].reason
