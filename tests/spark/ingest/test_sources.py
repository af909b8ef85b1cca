"""Formats by name and by ending; what is a path and what a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidelog.spark.ingest.sources import Format, _ending, _shown, format_named, is_path, located


def test_formats() -> None:
    assert format_named("csv") == (Format.CSV, False)
    assert format_named(".NT.gz") == (Format.N_TRIPLES, True)
    assert format_named("json") == (Format.JSON_LINES, False)
    assert format_named("delta") is None
    assert _ending("file:/a/part-0.snappy.parquet") == (Format.PARQUET, False)
    assert _ending("/a/b.ttl.gz") == (Format.TURTLE, True)
    assert _ending("/a/b.parquet.gz") is None
    assert _ending("/a.csv/b") is None
    assert is_path("a/b", None)
    assert is_path("a.csv", None)
    assert not is_path("db.edges", None)
    assert not is_path("a.csv", "table")
    assert is_path("edges", "csv")
    assert _shown("file:/tmp/a%20b.csv") == "/tmp/a b.csv"
    assert _shown("file:///tmp/a.csv") == "/tmp/a.csv"
    assert _shown("s3a://b/a%20b.csv") == "s3a://b/a b.csv"


def test_relative_paths_are_those_of_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "edges").mkdir()
    (tmp_path / "edges" / "a.csv").write_text("a,b", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert located("edges") == str(tmp_path / "edges")
    assert located("edges/*.csv") == str(tmp_path / "edges" / "*.csv")
    for other in ("/edges", "nowhere/x.csv", "s3a://bucket/edges", "file:edges"):
        assert located(other) == other
