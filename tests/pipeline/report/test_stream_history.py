"""The updates of a stream for its report: totals of all, and the last ones."""

from __future__ import annotations

import pytest

from tidelog import Change, ChangeStatistics, FactsByRelation
from tidelog.pipeline.report import stream_history
from tidelog.pipeline.report.stream_history import AppliedUpdate, StreamHistory

NONE = FactsByRelation(lambda _: {})


def applied(number: int, seconds: float = 0.5) -> AppliedUpdate:
    return AppliedUpdate(number, f"u{number}", 3, 1, seconds, "dred", {"deletion": seconds / 2})


def test_the_record_of_a_change() -> None:
    stats = ChangeStatistics("bf", seconds=2.0, seconds_by_phase={"deletion": 1.5})
    update = AppliedUpdate.of(7, Change(NONE, NONE, stats, id=12))
    assert update == AppliedUpdate(7, "12", 0, 0, 2.0, "bf", {"deletion": 1.5})
    assert AppliedUpdate.of(7, Change(NONE, NONE)).name == ""


def test_totals_of_all_and_the_last_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_history, "_KEPT", 2)
    history = StreamHistory()
    for number in range(1, 5):
        history.note(applied(number))
    assert (history.updates, history.facts_in, history.facts_out, history.seconds) == (4, 12, 4, 2.0)
    assert history.phases == {"deletion": 1.0}
    assert [update.number for update in history.recent] == [3, 4]
