"""Sinks: folders and tables in their order, and the report beside its manifest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.pipeline.jobs import StandIn

from tidelog.errors import TidelogError
from tidelog.pipeline.batch.sinks import Sinks, write_report
from tidelog.pipeline.batch.versioned_folder import read_current
from tidelog.pipeline.job.parts import SinkPart
from tidelog.pipeline.report.outcome import Outcome

COUNTS = {"edge": 2, "path": 3}


def outcome() -> Outcome:
    return Outcome("job.toml", "local", "rules.dl", "p(a).", run_id="r1")


def test_folders_are_written_before_tables_and_published_together(tmp_path: Path) -> None:
    folders = [SinkPart(name, path=str(tmp_path / name), format="csv") for name in COUNTS]
    sinks, told, engine = Sinks([SinkPart("path", table="t"), *folders], "r1"), list[str](), StandIn()
    with sinks:
        outputs = list(sinks.write(engine, COUNTS, told.append))
        assert not (tmp_path / "edge/CURRENT").exists()
        sinks.publish(outcome())
    assert [(output.target, output.facts, output.version) for output in outputs] == [
        (str(tmp_path / "edge"), 2, "r1"),
        (str(tmp_path / "path"), 3, "r1"),
        ("table t", 3, None),
    ]
    assert told[-1] == "writing path to table t"
    assert engine.tables == ["t"]
    manifest = json.loads((Path(read_current(tmp_path / "path")) / "_manifest.json").read_text(encoding="utf-8"))
    assert (manifest["run"], manifest["previous"]) == ("r1", [])


def test_without_publishing_nothing_stays(tmp_path: Path) -> None:
    sinks = Sinks([SinkPart("path", path=str(tmp_path / "path"), format="csv")], "r1")
    with sinks:
        list(sinks.write(StandIn(), COUNTS, lambda _: None))
    assert list((tmp_path / "path/versions").iterdir()) == []
    assert not (tmp_path / "path/CLAIM").exists()


def test_all_folders_that_cannot_be_sinks_are_reported(tmp_path: Path) -> None:
    for name in COUNTS:
        (tmp_path / name).mkdir()
        (tmp_path / name / "letter.txt").write_text("", encoding="utf-8")
    with pytest.raises(TidelogError) as caught:
        Sinks([SinkPart(name, path=str(tmp_path / name)) for name in COUNTS], "r1").check()
    assert [problem.code for problem in caught.value.diagnostics] == ["TL093", "TL093"]


def test_the_report_and_its_manifest(tmp_path: Path) -> None:
    write_report(outcome(), str(tmp_path / "r.html"))
    assert "job.toml, run r1" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "r.manifest.json").read_text(encoding="utf-8"))["run"] == "r1"
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(TidelogError, match="TL060: the results are written, but the report is not"):
        write_report(outcome(), str(tmp_path / "file/r.html"))
