"""The record of a run."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import UTC, datetime

import pytest

from tidelog import Change, ChangeStatistics, FactsByRelation
from tidelog.pipeline.report import outcome as module
from tidelog.pipeline.report.outcome import (
    AppliedUpdate,
    Input,
    Outcome,
    Output,
    Placement,
    StreamHistory,
    manifest_of,
    shown_size,
)


def test_a_run_is_named_by_its_start_and_a_token() -> None:
    started = datetime(2026, 11, 15, 6, 43, tzinfo=UTC)
    first, second = (Outcome("job.toml", "local", "rules.dl", "", started=started).run_id for _ in range(2))
    assert re.fullmatch(r"20261115T064300Z-[0-9a-f]{6}", first)
    assert first != second
    assert Outcome("job.toml", "local", "rules.dl", "", run_id="mine").run_id == "mine"


NONE = FactsByRelation(lambda _: {})


def applied(number: int, seconds: float = 0.5) -> AppliedUpdate:
    return AppliedUpdate(number, f"u{number}", 3, 1, seconds, "dred", {"deletion": seconds / 2})


def test_the_record_of_a_change() -> None:
    stats = ChangeStatistics("bf", seconds=2.0, seconds_by_phase={"deletion": 1.5})
    update = AppliedUpdate.of(7, Change(NONE, NONE, stats, id=12))
    assert update == AppliedUpdate(7, "12", 0, 0, 2.0, "bf", {"deletion": 1.5})
    assert AppliedUpdate.of(7, Change(NONE, NONE)).name == ""


def test_totals_of_all_and_the_last_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_KEPT", 2)
    history = StreamHistory()
    for number in range(1, 5):
        history.note(applied(number))
    assert (history.updates, history.facts_in, history.facts_out, history.seconds) == (4, 12, 4, 2.0)
    assert history.phases == {"deletion": 1.0}
    assert [update.number for update in history.recent] == [3, 4]


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


def test_sizes_for_people() -> None:
    assert [shown_size(size) for size in (0, 999, 1500, 123_456, 2_000_000_000)] == ["0 B", "999 B", "1.5 kB", "123 kB", "2.0 GB"]


def test_an_unknown_size_is_shown_as_nothing() -> None:
    assert shown_size(None) == ""
