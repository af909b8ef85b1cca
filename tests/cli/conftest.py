"""Fixtures of all tests of commands."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.commands import BAD, EDGES, GOOD, RULES

from tidelog import KnowledgeBase


@pytest.fixture(scope="session", autouse=True)
def _compiled() -> None:
    """The kernel says so on standard error when it is compiled for the first time; let that be over."""
    KnowledgeBase("p(1). q(X) :- p(X).").count("q")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.dl").write_text(GOOD, encoding="utf-8")
    (tmp_path / "bad.dl").write_text(BAD, encoding="utf-8")
    (tmp_path / "rules.dl").write_text(RULES, encoding="utf-8")
    (tmp_path / "facts").mkdir()
    return tmp_path


@pytest.fixture
def edges(folder: Path) -> Path:
    """A folder of facts for RULES."""
    (folder / "facts" / "edge.csv").write_text(EDGES, encoding="utf-8")
    return folder / "facts"
