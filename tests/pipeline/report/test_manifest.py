"""The manifest: JSON that traces a result to its program and inputs."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime

from tidelog.pipeline.report.manifest import manifest_of
from tidelog.pipeline.report.outcome import Input, Outcome, Output, Placement

STARTED = datetime(2026, 11, 15, 6, 43, tzinfo=UTC)


def outcome(rejected: int = 0) -> Outcome:
    made = Outcome("job.toml", "local", "rules.dl", "p(a).", started=STARTED, rejected=rejected, rejects_folder="rejects/x")
    made.inputs = [Input(("p",), "a.csv", "csv", 3, modified=STARTED), Input(("q",), "table t", "table", 4)]
    made.outputs = [Output("p", "out", "csv", 3, 0.5, "v1")]
    made.placements = [Placement(("p",), "kernel", "small")]
    made.stages = {"read": 0.12345}
    return made


def test_it_is_json_with_all_that_is_known() -> None:
    manifest = json.loads(json.dumps(manifest_of(outcome())))
    assert manifest["started"] == "2026-11-15T06:43:00Z"
    assert [entry["modified"] for entry in manifest["inputs"]] == ["2026-11-15T06:43:00Z", None]
    assert manifest["program"]["sha256"] == hashlib.sha256(b"p(a).").hexdigest()
    assert manifest["sinks"][0]["version"] == "v1"
    assert manifest["placements"][0]["where"] == "kernel"
    assert manifest["stages"] == {"read": 0.123}


def test_what_is_not_there_is_not_named() -> None:
    assert "previous" not in manifest_of(outcome())
    assert manifest_of(outcome(), ["v0"])["previous"] == ["v0"]
    assert manifest_of(outcome())["rejects_folder"] is None
    assert manifest_of(outcome(rejected=1))["rejects_folder"] == "rejects/x"
