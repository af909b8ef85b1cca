"""The report on opening, in one line."""

from __future__ import annotations

from tidelog.core.recovery import Recovery


def test_one_line() -> None:
    assert str(Recovery("kb", True, 1, 0, 0, 0, 0, 0.5)) == "kb: a new knowledge base"
    assert str(Recovery("kb", False, 3, 1_000, 1, 0, 9, 0.25)) == "kb: snapshot 3 with 1,000 facts, 1 update replayed, 0.2 s"
    assert str(Recovery("kb", False, 3, 7, 2, 1, 9, 0.25)).endswith("2 updates and 1 load replayed, 0.2 s")
