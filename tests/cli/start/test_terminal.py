"""`tidelog repl` with lines from a file, and in a terminal."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.commands import PATIENCE, WITHOUT_KERNEL, read_until, run

from tidelog import KnowledgeBase
from tidelog.cli.start.session import Session
from tidelog.cli.start.terminal import Completer, history_file

LINES = "edge(a, b).\npath(X, Y) :- edge(X, Y).\n\npath(a, X)?\n"


def test_lines_from_a_file() -> None:
    status, out, err = run("repl", text=LINES)
    assert (status, err) == (0, "")
    assert out.splitlines()[-3:] == ["-", "b", "1 answer"]


def test_an_error_is_told_and_the_rest_goes_on(folder: Path) -> None:
    status, out, err = run("repl", folder / "rules.dl", text="edge(a).\nedge(a, b).\npath(a, b)?\n:quit\npath(a, c)?\n")
    assert status == 1
    assert "TL020" in err
    assert out.splitlines()[-1] == "true"


def test_as_json() -> None:
    status, out, _ = run("repl", "--json", text="p(1).\np(X?\n")
    first, second = map(json.loads, out.splitlines())
    assert status == 1
    assert first == {"line": "p(1).", "answer": ["+ p(1)"]}
    assert second["line"] == "p(X?"
    assert second["errors"][0]["code"].startswith("TL0")


def test_with_a_folder_changes_are_kept(tmp_path: Path, folder: Path) -> None:
    assert run("repl", folder / "rules.dl", "--open", tmp_path / "kb", text="edge(a, b).\n")[0] == 0
    status, out, _ = run("repl", "--open", tmp_path / "kb", text="path(a, X)?\n")
    assert (status, out.splitlines()[-1]) == (0, "1 answer")


def test_in_a_terminal_with_history(tmp_path: Path) -> None:
    environment = {**WITHOUT_KERNEL, "TERM": "dumb", "XDG_STATE_HOME": str(tmp_path)}
    for first, expected in (("p(42).", "p(42)"), ("p(X)?", "false")):
        shown, terminal = pty.openpty()
        call = [sys.executable, "-m", "tidelog", "repl"]
        with subprocess.Popen(call, stdin=terminal, stdout=terminal, stderr=terminal, env=environment) as process:
            os.close(terminal)
            read_until(shown, "tidelog> ")
            os.write(shown, f"{first}\n".encode())
            text = read_until(shown, "tidelog> ")
            os.write(shown, b"\x04")
            read_until(shown)
            assert process.wait(PATIENCE) == 0
        os.close(shown)
        assert expected in text or "TL073" in text
    if (tmp_path / "tidelog" / "history").exists():
        assert (tmp_path / "tidelog" / "history").read_text(encoding="utf-8").splitlines()[-2:] == ["p(42).", "p(X)?"]
    else:
        pytest.importorskip("readline", reason="Python has no readline here")
        pytest.fail("there is a readline, and no history")


def test_completion() -> None:
    complete = Completer(Session(KnowledgeBase("path(X) :- edge(X). pathway(X) :- path(X).")))
    assert [complete("pa", at) for at in range(3)] == ["path", "pathway", None]
    assert [complete(":re", at) for at in range(3)] == [":relations", ":remove", None]
    assert complete("zzz", 0) is None


def test_where_the_history_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert history_file() == tmp_path / "tidelog" / "history"
    monkeypatch.delenv("XDG_STATE_HOME")
    assert history_file().parts[-4:] == (".local", "state", "tidelog", "history")
