"""Commands as a user calls them, for the tests of this folder; and the programs that they are called with."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from typer.testing import CliRunner

from tidelog.cli import app

GOOD = "@relation e(a: string, b: string).\nr(X, Y) :- e(X, Y).\nr(X, Z) :- r(X, Y), e(Y, Z).\ne(a, b). e(b, c).\n"
BAD = "p(X) :- q(Y).\np(a, b).\n"
RULES = """\
@relation edge(src: string, dst: string).
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z).
back(X) :- path(X, X).
"""
EDGES = "src,dst\na,b\nb,c\nc,b\n"
PATHS = ["a b", "a c", "b b", "b c", "c b", "c c"]
ENDLESS = "n(X + 1) :- n(X).\nn(0).\n"
WITHOUT_KERNEL = {**os.environ, "TIDELOG_COMPILE": "never"}
"""The environment of processes that derive little: to load the compiled kernel would take longer than all else."""
PATIENCE = 300
"""Seconds after which a command that hangs is given up; none of them is expected to take long."""


def run(*args: str | Path, text: str | None = None) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [str(arg) for arg in args], input=text)
    return result.exit_code, result.stdout, result.stderr


def paths(text: str) -> list[str]:
    """The facts of `path` that `run` has printed, as pairs."""
    return [f"{x} {y}" for x, y in re.findall(r"^path\((\w+), (\w+)\)\.$", text, re.MULTILINE)]


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@contextmanager
def in_terminal(*args: str | Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A command whose standard error is a terminal; the command, and where to read what it shows."""
    shown, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200"}
    call = [sys.executable, "-c", "from tidelog.cli import main; main()", *map(str, args)]
    try:
        with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=terminal, text=True, env=environment) as process:
            os.close(terminal)
            yield process, shown
            process.wait(PATIENCE)
    finally:
        os.close(shown)


def read_until(shown: int, end: str | None = None) -> str:
    """What a terminal shows until it shows that, or to the end."""
    text = ""
    while end is None or end not in text:
        try:
            more = os.read(shown, 1 << 16)
        except OSError:  # nobody writes any more
            break
        if not more:
            break
        text += more.decode(errors="replace")
    return text
