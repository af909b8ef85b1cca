"""Numbers with their nouns."""

from __future__ import annotations

from tidelog.display.counts import counted


def test_one_is_not_many() -> None:
    assert [counted(number, "rule") for number in (0, 1, 2, 1204)] == ["0 rules", "1 rule", "2 rules", "1,204 rules"]
