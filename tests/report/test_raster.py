"""Pictures as PNG."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tidelog import KnowledgeBase, TidelogError
from tidelog.report.raster import png_of


def test_pictures_are_written_as_png(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py", reason="resvg-py is not installed")
    kb = KnowledgeBase("edge(a, b). path(X, Y) :- edge(X, Y).")
    kb.graph().save(tmp_path / "graph.png")
    kb.explain("path(a, b)").save(tmp_path / "why.png")
    for name in ("graph.png", "why.png"):
        data = (tmp_path / name).read_bytes()
        assert data.startswith(b"\x89PNG\r\n")
        assert int.from_bytes(data[16:20]) > 200


def test_without_resvg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(TidelogError, match=r"(?s)TL084: resvg-py.*pip install \"tidelog\[png\]\""):
        png_of("<svg/>")
