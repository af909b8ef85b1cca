"""A run on the terminal, without one."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tidelog.pipeline.report.outcome import Outcome, Output, Placement
from tidelog.pipeline.report.terminal import Terminal, input_line, summary, terminal


class Status:
    """Notes what the status line shows."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def update(self, text: str) -> None:
        self.shown.append(text)


def progress(unit: int, number: int) -> SimpleNamespace:
    return SimpleNamespace(unit=unit, units=2, working_on=f"p{unit}", round=number, facts=10 * number, seconds=0.5)


def test_a_line_for_each_finished_unit(capsys: pytest.CaptureFixture[str]) -> None:
    status = Status()
    shown = Terminal(is_quiet=False, status=status)  # type: ignore[arg-type]
    for unit, number in ((0, 1), (0, 2), (1, 1)):
        shown.progress(progress(unit, number))
    assert capsys.readouterr().err == "  1 of 2  p0  round 2  20 facts  0.5 s\n"
    assert status.shown[-1] == "deriving  2 of 2  p1  round 1  10 facts  0.5 s"


def test_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with terminal(is_quiet=True) as shown:
        shown.done("x")
        shown.doing("y")
    assert capsys.readouterr().err == ""


def test_without_a_terminal_only_finished_steps_are_written(capsys: pytest.CaptureFixture[str]) -> None:
    with terminal(is_quiet=False) as shown:
        shown.doing("reading")
        shown.done("read")
    assert capsys.readouterr().err == "read\n"


def test_brackets_are_no_markup() -> None:
    status = Status()
    Terminal(is_quiet=False, status=status).doing("reading [red]a.csv")  # type: ignore[arg-type]
    assert status.shown == [r"reading \[red]a.csv"]


def test_the_summary() -> None:
    outcome = Outcome(
        "job.toml", "local", "rules.dl", "", run_id="r1", seconds=1.25, rejected=2, rejects_folder="bad", report="r.html"
    )
    outcome.placements = [Placement(("p", "q"), "kernel", "small", 1, 0.5, 3000)]
    outcome.outputs = [Output("p", "out", "csv", 1)]
    assert list(summary(outcome)) == [
        "p, q: 3,000 facts, kernel, 1 round, 0.5 s",
        "p: 1 fact -> out",
        "2 rejected rows -> bad",
        "report -> r.html",
        "job.toml: run r1 took 1.2 s",
    ]


def test_a_source() -> None:
    assert input_line(2000, "edge", "a.csv", 1500, 3) == "edge: 2,000 rows from a.csv (1.5 kB), 3 rejected"
    assert input_line(1, "edge", "table t", None, 0) == "edge: 1 rows from table t"
