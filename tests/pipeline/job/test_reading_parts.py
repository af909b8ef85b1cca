"""Each part of a job file, read from its table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tidelog.pipeline.job import reading_parts
from tidelog.pipeline.job.parts import EnginePart, LimitsPart, StreamPart
from tidelog.pipeline.job.reading_parts import (
    read_engine,
    read_limits,
    read_sink,
    read_source_part,
    read_stream,
    resolved,
)
from tidelog.pipeline.job.toml_checks import Problems, Section
from tidelog.source import Source

HERE, SPARK, LOCAL = Path("/jobs"), EnginePart(), EnginePart("local")


def read(reader: Callable[..., Any], content: dict[str, Any], *args: object) -> tuple[Any, list[tuple[str, str]]]:
    """A part, and its problems with their codes."""
    problems = Problems(Source("", "job.toml"))
    part = reader(Section(content, "part", problems), *args)
    return part, [(problem.code, problem.message.removeprefix("part")) for problem in problems.diagnostics]


def test_paths_start_from_the_folder_of_the_job_file() -> None:
    assert resolved("../a/./b", HERE) == "/a/b"
    assert resolved("/a", HERE) == "/a"
    assert resolved("s3a://bucket/../x", HERE) == "s3a://bucket/../x"


def test_an_engine() -> None:
    content = {"memory_budget": "2 GB", "placement": "rounds", "lineage": "reliable", "lineage_folder": "x", "modules": False}
    assert read(read_engine, content, HERE) == (EnginePart("spark", 2_000_000_000, "rounds", "reliable", "/jobs/x", False), [])
    assert read(read_engine, {"memory_budget": 512}, HERE)[0].memory_budget == 512
    assert read(read_engine, {"memory_budget": "much"}, HERE)[1] == [("TL090", ".memory_budget: 'much' is not a size")]
    problem = ".placement: the local engine evaluates everything in its own process"
    assert read(read_engine, {"name": "local", "placement": "rounds"}, HERE)[1] == [("TL091", problem)]


def test_limits() -> None:
    assert read(read_limits, {}, HERE) == (LimitsPart(), [])
    content = {"facts": 10, "seconds": 1.5, "rounds": 3, "rejects": 0}
    assert read(read_limits, content, HERE) == (LimitsPart(10, 1.5, 3, 0), [])
    sizes = {"memory": "2 GB", "text": "1 MiB", "input_root": "data"}
    assert read(read_limits, sizes, HERE) == (LimitsPart(memory=2 * 10**9, text=1 << 20, input_root="/jobs/data"), [])


def test_a_stream() -> None:
    part, problems = read(read_stream, {"folder": "updates", "state": "state"}, HERE, SPARK)
    assert (part, problems) == (StreamPart("/jobs/updates", "/jobs/state", "/jobs/state/broken"), [])
    content = {"folder": "s3a://b/u", "state": "state", "broken": "stop", "broken_folder": "dead", "feed": "feed"}
    part, problems = read(read_stream, content, HERE, LOCAL)
    assert (part.broken, part.broken_folder, part.feed) == ("stop", "/jobs/dead", "/jobs/feed")
    assert part.folder == "s3a://b/u"
    assert problems == [("TL091", ": the local engine has streams of its own")]


def test_a_stream_of_one_of_sparks_sources() -> None:
    options = {"subscribe": "updates", "kafka.bootstrap.servers": "host:9092"}
    part, problems = read(read_stream, {"format": "kafka", "options": options, "state": "state"}, HERE, SPARK)
    assert (part.folder, part.format, part.options, problems) == (None, "kafka", options, [])
    assert read(read_stream, {"format": "kafka", "folder": "u", "state": "s"}, HERE, SPARK)[1] == [
        ("TL090", ".format: there is a `folder` of updates, too")
    ]
    assert read(read_stream, {"options": options, "folder": "u", "state": "s"}, HERE, SPARK)[1] == [
        ("TL090", ".options: they are for a source of Spark's")
    ]


def test_how_sources_are_read_and_sinks_written() -> None:
    given = {"relation": "edge", "path": "a.csv", "where": "x > 1", "defaults": {"x": 1, "y": True, "z": "?"}}
    part, problems = read(read_source_part, given, HERE, SPARK)
    assert (part.where, part.defaults, problems) == ("x > 1", {"x": 1, "y": True, "z": "?"}, [])
    assert [code for code, _ in read(read_source_part, given, HERE, LOCAL)[1]] == ["TL091", "TL091"]
    assert read(read_source_part, {**given, "defaults": {"x": [1]}}, HERE, SPARK)[1] == [
        ("TL090", ".defaults.x: it is an array, and one value is expected")
    ]
    content: dict[str, Any] = {
        "relation": "p",
        "path": "out",
        "format": "orc",
        "partition_by": ["a", "b"],
        "files": 2,
        "compression": "zstd",
    }
    sink, problems = read(read_sink, content, HERE, SPARK)
    assert (sink.partition_by, sink.files, sink.options) == (("a", "b"), 2, {"compression": "zstd"})
    assert (sink.is_versioned, problems) == (True, [])
    assert [code for code, _ in read(read_sink, content, HERE, LOCAL)[1]] == ["TL091"] * 4
    for wrong in (["a", "a"], [1], [""]):
        assert read(read_sink, {**content, "partition_by": wrong}, HERE, SPARK)[1] == [
            ("TL090", ".partition_by: texts are expected that are not empty, each once")
        ]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a.csv", "csv"),
        ("a.tsv.gz", "tsv"),
        ("a.JSON", "json"),
        ("a.jsonl.gz", "jsonl"),
        ("a.parquet/", "parquet"),
        ("a.nt.gz", "nt"),
    ],
)
def test_formats_by_their_endings(path: str, found: str) -> None:
    content = {"path": path} | ({} if found == "nt" else {"relation": "edge"})
    part, problems = read(read_source_part, content, HERE, SPARK)
    assert (part.format, problems) == (found, [])


@pytest.mark.parametrize(
    ("content", "engine", "problem"),
    [
        ({"path": "a.x"}, SPARK, ("TL090", ".path: the format of a.x cannot be told from its ending")),
        ({"path": "a.csv", "table": "t"}, SPARK, ("TL090", ": there are both `path` and `table`")),
        ({}, SPARK, ("TL090", ": it needs `path` or `table`")),
        ({"table": "t"}, LOCAL, ("TL091", ".table: the local engine reads no tables")),
        ({"path": "s3a://b/a.csv"}, LOCAL, ("TL091", ".path: the local engine reads files of this machine")),
        ({"path": "a", "format": "avro"}, LOCAL, ("TL091", ".format: the local engine does not read `avro`")),
        ({"path": "a.csv", "options": {"sep": ";"}}, LOCAL, ("TL091", ".options: the local engine has no such options")),
    ],
)
def test_sources_that_are_refused(content: dict[str, Any], engine: EnginePart, problem: tuple[str, str]) -> None:
    assert read(read_source_part, {"relation": "edge", **content}, HERE, engine)[1] == [problem]


@pytest.mark.parametrize(
    ("content", "engine", "problem"),
    [
        ({"path": "a", "format": "avro"}, SPARK, ("TL090", ".format: a folder of `avro` cannot be written")),
        (
            {"path": "a", "mode": "append"},
            SPARK,
            ("TL090", ".mode: a folder holds a whole result in each version, so it cannot be"),
        ),
        ({"table": "t"}, LOCAL, ("TL091", ".table: the local engine writes no tables")),
        ({"path": "gs://b"}, LOCAL, ("TL091", ".path: the local engine writes to folders of this machine")),
        ({"path": "a", "format": "delta"}, LOCAL, ("TL091", ".format: the local engine does not write `delta`")),
        ({"path": "a", "options": {"x": 1}}, LOCAL, ("TL091", ".options: the local engine has no such options")),
    ],
)
def test_sinks_that_are_refused(content: dict[str, Any], engine: EnginePart, problem: tuple[str, str]) -> None:
    ((code, message),) = read(read_sink, {"relation": "path", **content}, HERE, engine)[1]
    assert code == problem[0]
    assert message.startswith(problem[1])


def test_every_mode_of_a_folder_is_one_of_a_sink() -> None:
    assert set(reading_parts._FOLDER_MODES) < set(reading_parts._MODES)
