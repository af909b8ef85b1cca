"""`tidelog verify`, and `--open` of `run` and `query`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.commands import EDGES, PATHS, RULES, paths, run

from tidelog import KnowledgeBase


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rules.dl").write_text(RULES, encoding="utf-8")
    (tmp_path / "facts").mkdir()
    (tmp_path / "facts" / "edge.csv").write_text(EDGES, encoding="utf-8")
    return tmp_path


def test_run_begins_a_folder_and_goes_on_with_it(folder: Path) -> None:
    arguments = folder / "rules.dl", "--facts", folder / "facts", "--open", folder / "kb"
    status, text, said = run("run", *arguments)
    assert (status, paths(text)) == (0, PATHS)
    assert f"{folder / 'kb'}: a new knowledge base" in said
    with KnowledgeBase.open(folder / "kb") as kb:
        kb.update(delete=[("edge", "a", "b")])
        status, text, said = run("run", *arguments)  # reads beside a writer
    assert (status, paths(text)) == (0, PATHS[2:])
    assert "1 update replayed" in said


def test_query_answers_from_a_folder(folder: Path) -> None:
    with KnowledgeBase.open(folder / "kb", RULES) as kb:
        kb.update(insert=[("edge", "x", "y")])
    status, text, said = run("query", folder / "rules.dl", "path(X, Y)", "--format", "csv", "--open", folder / "kb", "--quiet")
    assert (status, text.split(), said) == (0, ["X,Y", "x,y"], "")


def test_a_folder_needs_no_program(folder: Path) -> None:
    with KnowledgeBase.open(folder / "kb", RULES) as kb:
        kb.update(insert=[("edge", "x", "y")])
        kb.add_rules("twice(X, X) :- edge(X, _).")
    status, text, _ = run("run", "--open", folder / "kb", "--relation", "twice")
    assert (status, text.splitlines()[1:]) == (0, ["twice(x, x)."])
    status, text, said = run("query", "--open", folder / "kb", "path(X, Y)", "--format", "csv", "--quiet")
    assert (status, text.split(), said) == (0, ["X,Y", "x,y"], "")
    (folder / "updates.jsonl").write_text('{"insert": [["edge", "y", "z"]]}\n', encoding="utf-8")
    status, text, _ = run("stream", "--open", folder / "kb", "--updates", folder / "updates.jsonl", "--quiet")
    assert status == 0
    assert '"path": [["x", "z"], ["y", "z"]]' in text
    assert run("query", "--open", folder / "kb", "path(x, z)", "--quiet")[1].split() == ["true"]


@pytest.mark.parametrize("command", [("run",), ("query", "path(X, Y)"), ("stream", "--updates", "-")])
def test_without_a_program_there_must_be_a_folder(tmp_path: Path, command: tuple[str, ...]) -> None:
    status, _, said = run(*command)
    assert status == 2
    assert "Invalid value: give a " in said
    status, _, said = run(*command, "--open", tmp_path / "none")
    assert status == 1
    assert "error TL060: cannot open" in said
    assert "give a program to begin one there" in said
    assert not (tmp_path / "none").exists()


def test_other_rules_are_refused(folder: Path) -> None:
    KnowledgeBase.open(folder / "kb", "p(1).").close()
    status, _, said = run("run", folder / "rules.dl", "--open", folder / "kb")
    assert status == 1
    assert "error TL064: these are not the rules of" in said


def test_verify(folder: Path) -> None:
    with KnowledgeBase.open(folder / "kb", RULES) as kb:
        kb.update(insert=[("edge", "x", "y")])
    status, text, _ = run("verify", folder / "kb")
    assert status == 0
    assert text.endswith("1 change replayed, 2 facts\n")
    assert run("verify", folder / "kb", "--recompute")[1].endswith("2 facts, the same 2 derived from scratch\n")
    (folder / "kb" / "manifest.sqlite").write_bytes(b"")
    status, _, said = run("verify", folder / "kb")
    assert status == 1
    assert "error TL06" in said
    assert "manifest.sqlite" in said
