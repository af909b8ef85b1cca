"""`tidelog init`: everything that it writes works."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.commands import run

from tidelog.cli.start.starter import FILES


def test_the_folder_and_its_files(tmp_path: Path) -> None:
    status, out, err = run("init", tmp_path / "first")
    assert (status, err) == (0, "")
    assert sorted(str(path.relative_to(tmp_path / "first")) for path in (tmp_path / "first").rglob("*.*")) == sorted(FILES)
    command = out.splitlines()[1].removeprefix("next: tidelog ")
    status, out, err = run(*shlex.split(command), "--quiet")
    assert status == 0
    assert "served(market)." in out
    assert err == ""


def test_every_command_of_its_page_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("init", tmp_path)[0] == 0
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"^tidelog (.*?)\s+#", FILES["README.md"], re.MULTILINE)
    assert [command.split()[0] for command in commands] == ["check", "run", "query", "stream", "repl"]
    for command in commands:
        status, out, _ = run(*shlex.split(command), text=":quit\n")
        assert status == 0, command
        assert out or "repl" in command
    assert run("check", "rules.dl")[1].count("warning") == 0


def test_its_script_works(tmp_path: Path) -> None:
    assert run("init", tmp_path)[0] == 0
    ran = subprocess.run([sys.executable, tmp_path / "app.py"], capture_output=True, text=True, check=True)
    lines = ran.stdout.splitlines()
    assert "monday: cut off [('farm',), ('mill',)], served again []" in lines
    assert "tuesday: cut off [], served again [('farm',), ('mill',)]" in lines


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "rules.dl").write_text("p(1).", encoding="utf-8")
    status, _, err = run("init", tmp_path)
    assert status == 1
    assert "TL063" in err
    assert "rules.dl already" in err
    assert [path.name for path in tmp_path.iterdir()] == ["rules.dl"]
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert "TL060" in run("init", tmp_path / "file" / "inner")[2]


def test_as_json(tmp_path: Path) -> None:
    status, out, _ = run("init", tmp_path / "a", "--json")
    assert (status, json.loads(out)) == (0, {"folder": str(tmp_path / "a"), "files": list(FILES)})
    status, out, err = run("init", tmp_path / "a", "--json")
    assert (status, out) == (1, "")
    assert json.loads(err)["errors"][0]["code"] == "TL063"
