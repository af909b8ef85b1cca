"""The record of a run."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from tidelog.pipeline.report.outcome import Outcome


def test_a_run_is_named_by_its_start_and_a_token() -> None:
    started = datetime(2026, 11, 15, 6, 43, tzinfo=UTC)
    first, second = (Outcome("job.toml", "local", "rules.dl", "", started=started).run_id for _ in range(2))
    assert re.fullmatch(r"20261115T064300Z-[0-9a-f]{6}", first)
    assert first != second
    assert Outcome("job.toml", "local", "rules.dl", "", run_id="mine").run_id == "mine"
