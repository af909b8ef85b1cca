"""Files of sources: found, measured, and their columns without reading all of them."""

from __future__ import annotations

import gzip
import os
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tidelog.pipeline.job.parts import SourcePart
from tidelog.pipeline.job.schemas import files_of, missing_file, schema_of_file, size_and_age
from tidelog.program.program import check
from tidelog.source import Source


def source(path: Path | str, form: str = "csv", **options: str) -> SourcePart:
    return SourcePart("edge", path=str(path), format=form, options=options)


def test_files_of_a_path_a_folder_and_a_pattern(tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv", "_SUCCESS", ".hidden.csv"):
        (tmp_path / name).write_text("x\n", encoding="utf-8")
    both = [tmp_path / "a.csv", tmp_path / "b.csv"]
    assert files_of(source(tmp_path)) == both
    assert files_of(source(tmp_path / "?.csv")) == both
    assert files_of(source(tmp_path / "a.csv")) == both[:1]
    assert files_of(source(tmp_path / "c.csv")) == []
    assert files_of(source("s3a://bucket/a.csv")) is None
    assert files_of(SourcePart("edge", table="t")) is None


def test_size_and_age(tmp_path: Path) -> None:
    for name, size, moment in (("a.csv", 3, 1_000), ("b.csv", 4, 2_000)):
        (tmp_path / name).write_text("x" * size, encoding="utf-8")
        os.utime(tmp_path / name, (moment, moment))
    assert size_and_age(source(tmp_path)) == (7, datetime.fromtimestamp(2_000, UTC))
    assert size_and_age(SourcePart("edge", table="t")) == (None, None)


def test_a_missing_file_suggests_one_beside_it(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("", encoding="utf-8")
    assert missing_file(source(tmp_path / "edges.csv")) is None
    assert missing_file(SourcePart("edge", table="t")) is None
    error = missing_file(source(tmp_path / "edgse.csv"))
    assert error is not None
    assert error.diagnostics[0].fix == "did you mean `edges.csv`?"


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("src,weight\na,1\nb,2\n", [("src", "string"), ("weight", "int")]),
        ("a,1\nb,2\n", [("c1", "string"), ("c2", "int")]),
        ("", []),
    ],
)
def test_columns_of_a_text(tmp_path: Path, text: str, columns: list[tuple[str, str]]) -> None:
    relation = check(Source("@relation edge(src: string, weight: int) .", "p")).relations["edge"]
    with gzip.open(tmp_path / "edges.csv.gz", "wt", encoding="utf-8") as file:
        file.write(text)
    assert schema_of_file(source(tmp_path / "edges.csv.gz"), relation) == columns


def test_columns_of_other_formats(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x;1\n", encoding="utf-8")
    assert schema_of_file(source(tmp_path / "a.csv", sep=";"), None) == [("c1", "string"), ("c2", "int")]
    (tmp_path / "a.jsonl").write_text('{"src": "a", "n": 1, "o": {}, "l": [], "z": null}\n', encoding="utf-8")
    kinds = [("src", "string"), ("n", "int"), ("o", "object"), ("l", "list"), ("z", "null")]
    assert schema_of_file(source(tmp_path / "a.jsonl", "jsonl"), None) == kinds
    pq.write_table(pa.table({"src": ["a"], "n": [1]}), tmp_path / "a.parquet")
    assert schema_of_file(source(tmp_path / "a.parquet", "parquet"), None) == [("src", "string"), ("n", "int64")]
    (tmp_path / "a.nt").write_text("", encoding="utf-8")
    assert [name for name, _ in schema_of_file(source(tmp_path / "a.nt", "nt"), None)] == ["subject", "predicate", "object"]
    assert schema_of_file(source(tmp_path / "none.csv"), None) == []
