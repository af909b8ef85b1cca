"""Rejected rows: a file for each relation, the first ones shown, and a limit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tidelog.errors import TidelogError
from tidelog.pipeline.batch.rejects import RUNS_KEPT, RejectLog
from tidelog.pipeline.report.outcome import ROWS_SHOWN, RejectedRow


def rows(count: int, relation: str = "edge") -> list[RejectedRow]:
    return [RejectedRow(relation, "a.csv", f"a.csv:{number}", f"r{number}", "why") for number in range(1, count + 1)]


def run(number: int) -> str:
    return f"2026111{number}T064300Z-abc"


def test_rows_are_written_by_relation(tmp_path: Path) -> None:
    log = RejectLog(str(tmp_path), run(1), 10)
    assert log.add([*rows(2), *rows(1, "http://e/p")]) == 3
    assert log.add(rows(1)) == 1
    folder = tmp_path / run(1)
    assert sorted(path.name for path in folder.iterdir()) == ["edge.jsonl", "http%3A%2F%2Fe%2Fp.jsonl"]
    entries = [json.loads(line) for line in (folder / "edge.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [entry["record"] for entry in entries] == ["r1", "r2", "r1"]
    log.check()


def test_only_the_first_are_shown(tmp_path: Path) -> None:
    log = RejectLog(str(tmp_path), run(1), 0)
    log.add(rows(ROWS_SHOWN + 10))
    assert (log.count, len(log.first)) == (ROWS_SHOWN + 10, ROWS_SHOWN)
    with pytest.raises(TidelogError, match="TL092: 60 rows do not fit, and the job allows 0") as caught:
        log.check()
    assert caught.value.diagnostics[0].notes[-1] == "... and 55 more"


def test_rows_that_the_engine_has_written(tmp_path: Path) -> None:
    log = RejectLog(str(tmp_path), run(1), 5)
    log.take_over(4, rows(2))
    log.take_over(2, rows(3))
    assert (log.count, [row.record for row in log.first]) == (6, ["r1", "r2", "r3"])
    with pytest.raises(TidelogError, match="6 rows do not fit"):
        log.check()


def test_old_runs_are_removed_and_other_folders_stay(tmp_path: Path) -> None:
    (tmp_path / "notes-of-mine").mkdir()
    for number in range(1, 6):
        RejectLog(str(tmp_path), run(number), 1).add(rows(1))
    kept = sorted(path.name for path in tmp_path.iterdir())
    assert kept == [*(run(number) for number in range(6 - RUNS_KEPT, 6)), "notes-of-mine"]


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(TidelogError, match="TL060: cannot write to"):
        RejectLog(str(tmp_path / "file"), run(1), 1).add(rows(1))
