"""What all commands share: errors and their status, Ctrl-C, programs from standard input."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from tests.cli.commands import ENDLESS, PATIENCE, WITHOUT_KERNEL, in_terminal, read_until, run

from tidelog import TidelogError, __version__
from tidelog.cli.shell import reporting, source_of
from tidelog.errors import fail

ENDLESS_RUN = ("--limit-facts", "1000000000", "--out", "out", "--stats", "stats.csv")


def test_ctrl_c_in_a_terminal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    (folder / "endless.dl").write_text(ENDLESS, encoding="utf-8")
    with in_terminal("run", "endless.dl", *ENDLESS_RUN) as (process, shown):
        read_until(shown, "derivations/s")
        process.send_signal(signal.SIGINT)
        text = read_until(shown)
    assert process.returncode == 130
    assert "interrupted" in text
    assert "Traceback" not in text
    assert not (folder / "out").exists()
    assert not (folder / "stats.csv").exists()


def test_ctrl_c_without_a_terminal(folder: Path) -> None:
    (folder / "endless.dl").write_text('@input n "n.csv".\n' + ENDLESS, encoding="utf-8")
    (folder / "n.csv").write_text("5\n", encoding="utf-8")
    call = [sys.executable, "-c", "from tidelog.cli import main; main()", "run", "endless.dl", *ENDLESS_RUN]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("n: 1 row from")  # said before anything is derived
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (130, "", "interrupted\n")
    assert not (folder / "out").exists()
    assert not (folder / "stats.csv").exists()


def test_version() -> None:
    assert run("--version") == (0, f"tidelog {__version__}\n", "")


def test_without_a_command_the_help_is_shown() -> None:
    status, out, err = run()
    assert status == 2
    assert [command for command in COMMANDS if command not in out + err] == []
    assert run("--help")[0] == 0


COMMANDS = ("check", "format", "run", "query", "explain", "why-not", "stream", "graph", "pipeline")


@pytest.mark.parametrize(
    ("raised", "status", "said"),
    [
        (fail("TL060", "cannot read x", fix="look"), 1, "error TL060: cannot read x\n    fix: look\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
    ],
    ids=["problem", "Ctrl-C"],
)
def test_a_command_ends_with_a_status(capsys: pytest.CaptureFixture[str], raised: BaseException, status: int, said: str) -> None:
    @reporting
    def command() -> None:
        raise raised

    with pytest.raises(typer.Exit) as caught:
        command()
    assert caught.value.exit_code == status
    assert capsys.readouterr() == ("", said)


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    much = "x" * 100  # all of it is more than a pipe takes
    (tmp_path / "many.dl").write_text("".join(f"p({at}, {much}).\n" for at in range(2_000)), encoding="utf-8")
    command = f"{sys.executable} -c 'from tidelog.cli import main; main()' run many.dl"
    shell = f"set -o pipefail; {command} | head -n 2"
    result = subprocess.run(
        ["bash", "-c", shell], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=PATIENCE, env=WITHOUT_KERNEL
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, f"% p: 2,000 facts\np(0, {much}).\n", "")


@pytest.mark.parametrize(
    ("data", "text"), [(b"p(a).\n", "p(a).\n"), (b"\xef\xbb\xbfp(a).", "p(a)."), ("p(é).".encode(), "p(é).")]
)
def test_a_program_from_standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    source = source_of(Path("-"))
    assert (source.text, source.name) == (text, "<stdin>")


def test_standard_input_that_is_not_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff")))
    with pytest.raises(TidelogError, match="TL061: standard input is not UTF-8 text"):
        source_of(Path("-"))


@pytest.mark.parametrize(
    "command", [(), ("run",), ("query",), ("stream",), ("pipeline",), ("pipeline", "run"), ("repl",), ("init",)]
)
def test_h_is_help(command: tuple[str, ...]) -> None:
    status, out, _ = run(*command, "-h")
    assert status == 0
    assert "Usage" in out
    assert run(*command, "--help")[1] == out


def test_python_m_tidelog_and_its_completion() -> None:
    call = [sys.executable, "-m", "tidelog"]
    assert subprocess.run([*call, "--version"], capture_output=True, text=True, check=True).stdout == f"tidelog {__version__}\n"
    script = subprocess.run(
        [sys.executable, "-c", "from tidelog.cli import main; main()"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "_TIDELOG_COMPLETE": "complete_bash", "COMP_WORDS": "tidelog ver", "COMP_CWORD": "1"},
    )
    assert script.stdout.split() == ["verify"]
