"""The Spark backend over a stand-in for the knowledge base: what is handed over, and what becomes of Spark's errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.pipeline.jobs import JOB, RULES, job_from, prepare

from tidelog.errors import TidelogError
from tidelog.pipeline.batch.rejects import RejectLog
from tidelog.pipeline.batch.spark_backend import SparkBackend
from tidelog.pipeline.report.outcome import Placement


@dataclass
class Loaded:
    relation: str
    rows: int
    rejected: int = 0
    description: str = "read"


@dataclass
class Placed:
    relations: tuple[str, ...]
    where: str = "rounds"
    why: str = "because"
    rounds: int = 2
    seconds: float = 0.5
    facts: int = 3
    history: list[int] = field(default_factory=lambda: [2, 1])


class Writer:
    """Notes what Spark's writer is told."""

    def __init__(self, calls: list[Any], error: Exception | None = None) -> None:
        self.calls, self.error = calls, error

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any, **kwargs: Any) -> Writer:
            self.calls.append((name, *args, *([kwargs] if kwargs else [])))
            if name in ("save", "saveAsTable") and self.error is not None:
                raise self.error
            return self

        return call


class Knowledge:
    def __init__(self, error: Exception | None = None) -> None:
        self.calls: list[Any] = []
        self.error = error
        self.rejected = 0
        self.placements = [Placed(("edge",)), Placed(("path",))]

    def load(self, relation: str, source: str, **options: Any) -> Loaded:
        if self.error is not None:
            raise self.error
        options.pop("rejects").count += self.rejected
        self.calls.append((relation, source, options))
        return Loaded(relation, 2, self.rejected)

    def load_rdf(self, path: str, **options: Any) -> list[Loaded]:
        options.pop("rejects")
        self.calls.append((path, options))
        return [Loaded("edge", 2), Loaded("path", 1)]

    def count(self, relation: str) -> int:  # noqa: ARG002
        return 3

    def facts_in_process(self, relation: str) -> None:
        """All facts are on Spark."""

    def dataframe(self, relation: str) -> Any:  # noqa: ARG002
        return type("Frame", (), {"write": Writer(self.calls, self.error)})()


@dataclass
class Rejected:
    relation: str
    source: str
    place: str
    column: str | None
    reason: str
    record: str


class SparkRejects:
    count = 0

    def first(self, count: int) -> list[Any]:  # noqa: ARG002
        return [Rejected("edge", "s", "s:1", None, "b", "a")]


@pytest.fixture(autouse=True)
def _rejects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidelog.pipeline.batch.spark_backend._rejects_of_spark", lambda _log: SparkRejects())


def backend(folder: Path, kb: Knowledge, more: str = "") -> SparkBackend:
    prepare(folder, RULES)
    text = JOB.replace('name = "local"', 'name = "spark"')
    return SparkBackend(job_from(folder, text + more), kb=kb)


JDBC = """\
[[source]]
relation = "edge"
table = "shop.edges"
format = "jdbc"
options = { url = "jdbc:x", password = "${PW}" }
[[source]]
path = "x.nt"
[[sink]]
relation = "path"
table = "shop.paths"
format = "jdbc"
mode = "append"
options = { url = "jdbc:x", password = "${PW}" }
[[sink]]
relation = "path"
table = "paths"
format = "iceberg"
[[sink]]
relation = "path"
path = "lake"
format = "delta"
"""


def test_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PW", "open sesame")
    kb = Knowledge()
    engine = backend(tmp_path, kb, JDBC)
    log = RejectLog(str(tmp_path), "r", 0)
    loaded = [engine.load(source, log) for source in engine._job.sources]
    common: dict[str, Any] = {"header": "auto", "columns": None}
    assert kb.calls == [
        ("edge", str(tmp_path / "edges.csv"), common | {"format": "csv", "options": {}}),
        (
            "edge",
            None,
            common | {"format": "jdbc", "options": {"dbtable": "shop.edges", "url": "jdbc:x", "password": "open sesame"}},
        ),
        (str(tmp_path / "x.nt"), {"format": "nt"}),
    ]
    assert [(entry.relations, entry.rows) for entry in loaded] == [(("edge",), 2), (("edge",), 2), (("edge", "path"), 3)]


def test_rejected_rows(tmp_path: Path) -> None:
    kb = Knowledge()
    kb.rejected = 5
    engine = backend(tmp_path, kb)
    log = RejectLog(str(tmp_path), "r", 5)
    assert engine.load(engine._job.sources[0], log).rows == 7
    assert log.first[0].reason == "b"
    with pytest.raises(TidelogError, match="TL092: 10 rows do not fit"):
        engine.load(engine._job.sources[0], log)


def test_sinks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PW", "open sesame")
    kb = Knowledge()
    engine = backend(tmp_path, kb, JDBC)
    folder, jdbc, iceberg, delta = engine._job.sinks
    engine.write_folder(folder, str(tmp_path / "out/x"))
    assert kb.calls == [
        ("format", "csv"),
        ("options", {"header": "true"}),
        ("mode", "error"),
        ("save", f"file://{tmp_path}/out/x"),
    ]
    kb.calls.clear()
    engine.write_table(jdbc)
    options = {"dbtable": "shop.paths", "url": "jdbc:x", "password": "open sesame"}
    assert kb.calls == [("format", "jdbc"), ("mode", "append"), ("options", options), ("save",)]
    kb.calls.clear()
    engine.write_table(iceberg)
    assert kb.calls == [("format", "iceberg"), ("mode", "overwrite"), ("options",), ("saveAsTable", "paths")]
    kb.calls.clear()
    engine.write_table(delta)
    assert kb.calls == [("format", "delta"), ("mode", "overwrite"), ("options",), ("save", str(tmp_path / "lake"))]


def test_placements_and_rounds(tmp_path: Path) -> None:
    engine = backend(tmp_path, Knowledge())
    assert engine.placements() == [Placement(("path",), "rounds", "because", 2, 0.5, 3)]
    assert [(r.placement, r.number, r.new_facts) for r in engine.rounds()] == [(0, 1, 2), (0, 2, 1)]


def test_errors_of_spark_are_told_without_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    errors = pytest.importorskip("pyspark.errors")
    monkeypatch.setenv("PW", "open sesame")
    kb = Knowledge(
        errors.PySparkException("An error occurred while calling o1.save.\n: no login for me with open sesame\n  at java.lang")
    )
    engine = backend(tmp_path, kb, JDBC)
    with pytest.raises(TidelogError) as caught:
        engine.load(engine._job.sources[1], RejectLog(str(tmp_path), "r", 0))
    assert str(caught.value).startswith("error TL060: cannot read table shop.edges: no login for me with ${PW}\n")
    with pytest.raises(TidelogError, match=r"TL093: cannot write to table shop.paths: no login for me with \$\{PW\}"):
        engine.write_table(engine._job.sinks[1])
    kb.error = ValueError("another kind")
    with pytest.raises(ValueError, match="another kind"):
        engine.write_table(engine._job.sinks[1])
