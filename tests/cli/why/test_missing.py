"""`tidelog why-not`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.commands import EDGES, RULES, run

from tidelog import KnowledgeBase


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rules.dl").write_text(RULES, encoding="utf-8")
    (tmp_path / "facts").mkdir()
    (tmp_path / "facts" / "edge.csv").write_text(EDGES, encoding="utf-8")
    return tmp_path


def test_what_is_missing(folder: Path) -> None:
    status, text, _ = run("why-not", folder / "rules.dl", "path(c, zed)", "--facts", folder / "facts", "--quiet")
    assert status == 0
    assert text.splitlines()[0] == "path(c, zed)   does not hold"
    assert "    edge(c, zed)" in text.splitlines()


def test_forms_and_files(folder: Path) -> None:
    arguments = "why-not", folder / "rules.dl", "path(c, zed)", "--facts", folder / "facts", "--quiet"
    assert json.loads(run(*arguments, "--format", "json")[1])["holds"] is False
    assert run(*arguments, "--json")[1] == run(*arguments, "--format", "json")[1]
    assert run(*arguments, "--format", "svg")[1].startswith("<svg")
    assert run(*arguments, "--format", "html")[1].startswith("<!doctype html>")
    assert run(*arguments, "--out", folder / "why.html")[:2] == (0, f"{folder / 'why.html'}: path(c, zed) does not hold\n")
    assert json.loads(run(*arguments, "--out", folder / "why.html", "--json")[1])["holds"] is False
    assert run(*arguments, "--out", folder / "why.pdf")[0] == 1


def test_a_saved_knowledge_base_needs_no_program_and_stays(folder: Path) -> None:
    with KnowledgeBase.open(folder / "kb", RULES) as kb:
        kb.update(insert=[("edge", "x", "y")])
    text = run("why-not", "--open", folder / "kb", "path(x, z)", "--quiet")[1]
    assert "edge(y, z)" in text
    with KnowledgeBase.open(folder / "kb") as kb:
        assert list(kb["edge"]) == [("x", "y")]


def test_without_a_fact(folder: Path) -> None:
    assert run("why-not", folder / "rules.dl")[0] == 2
