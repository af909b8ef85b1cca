"""Answers that are written to files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidelog import TidelogError
from tidelog.explain.shown.saved import Saved


class Answer(Saved):
    svg, html = "<svg/>", "<p>"

    def to_text(self) -> str:
        return "yes"

    def to_dict(self) -> dict[str, object]:
        return {"is": "ä"}


def test_the_ending_says_in_which_form(tmp_path: Path) -> None:
    for ending, text in {"txt": "yes", "json": '{"is": "ä"}', "svg": "<svg/>", "HTML": "<p>"}.items():
        Answer().save(tmp_path / f"a.{ending}")
        assert (tmp_path / f"a.{ending}").read_text(encoding="utf-8") == text + "\n"
    with pytest.raises(TidelogError, match="TL082"):
        Answer().save(tmp_path / "a.gif")
    with pytest.raises(TidelogError, match="TL060"):
        Answer().save(tmp_path / "nowhere" / "a.txt")
