"""A stream on the terminal: lines, rows of statistics, the picture, and which display is chosen."""

from __future__ import annotations

import csv
import io
import re
import sys

import pytest
from rich.console import Console
from rich.live import Live

from tidelog import KnowledgeBase
from tidelog.changes import Change, ChangeStatistics, Counters, FactsByRelation
from tidelog.cli.stream_display import Done, LiveDisplay, PlainDisplay, StreamDisplay, heading, stream_display
from tidelog.core.limits import Progress
from tidelog.facts import Facts


def facts(**counts: int) -> FactsByRelation:
    """So many facts of each relation."""
    found = {name: _facts(name, count) for name, count in counts.items()}
    return FactsByRelation(lambda part: found if part != "explicit" else {})


def _facts(name: str, count: int) -> Facts:
    kb = KnowledgeBase()
    kb.update(insert=[(name, at) for at in range(count)])
    return kb[name]


def done(number: int = 1, *, update_id: str | None = None, placements: str = "", **phases: float) -> Done:
    stats = ChangeStatistics(
        "bf: few deletions",
        inserted=2,
        deleted=1,
        derivations=7,
        rounds=3,
        counters=Counters(suspected=4, explicit_marks=1, implicit_marks=2),
        seconds=0.0125,
        seconds_by_phase={name.replace("_", " "): seconds for name, seconds in phases.items()},
    )
    return Done(number, Change(facts(p=3, q=1), facts(p=2), stats, update_id), backlog=1200, placements=placements)


def test_an_update_in_one_line() -> None:
    assert done(update_id="a").line() == "update 1 (id a): facts in 4, out 2, 12.50 ms, marks 3, backlog 1,200"
    shown = done(1234, deletion=0.01, starting_over=0.002).line()
    assert shown == "update 1,234: facts in 4, out 2, 12.50 ms (deletion 10.00, starting over 2.00), marks 3, backlog 1,200"


def test_a_row_of_statistics() -> None:
    names, row = csv.reader(io.StringIO(heading() + done(5, update_id="x,y", deletion=0.01, elsewhere=0.0005).row()))
    cells = dict(zip(names, row, strict=True))
    expected = {"update": "5", "id": "x,y", "algorithm": "bf: few deletions", "inserted": "2", "deleted": "1", "facts_in": "4"}
    assert {name: cells[name] for name in expected} == expected
    assert (cells["facts_out"], cells["derivations"], cells["rounds"], cells["counter_suspected"]) == ("2", "7", "3", "4")
    times = {name: cells[name] for name in names if name.startswith("seconds")}
    assert times == {
        "seconds": "0.012500",
        "seconds_deletion": "0.010000",
        "seconds_insertion": "0.000000",
        "seconds_aggregates": "0.000000",
        "seconds_closures": "0.000000",
        "seconds_starting_over": "0.000000",
        "seconds_other": "0.000500",
    }


def test_the_summary_adds_up() -> None:
    display = StreamDisplay()
    assert re.fullmatch(r"0 updates: facts in 0, out 0, \d+\.\d s", display.summary())
    display.done(done())
    assert display.summary().startswith("1 update: facts in 4, out 2, ")
    display.done(done(2))
    assert display.summary().startswith("2 updates: facts in 8, out 4, ")


def test_lines_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Where the parts of the program are is said when it is not as before."""
    display = PlainDisplay()
    for number, placements in enumerate(("", "p: kernel", "p: kernel", "p: rounds"), start=1):
        display.done(done(number, placements=placements))
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "update 1",
        "update 2",
        "placements",
        "update 3",
        "update 4",
        "placements",
    ]
    assert (lines[2], lines[5]) == ("placements: p: kernel", "placements: p: rounds")


def shown(display: LiveDisplay) -> dict[str, str]:
    """The picture, as rows."""
    console = Console(file=io.StringIO(), width=200)
    console.print(display)
    assert isinstance(console.file, io.StringIO)
    return dict(re.split(r"\s{2,}", line.strip(), maxsplit=1) for line in console.file.getvalue().splitlines())


def test_the_picture() -> None:
    display = LiveDisplay(Live(console=Console(file=io.StringIO())))
    assert shown(display) == {"stream": "waiting for the first update"}
    display.progress(Progress(0, 2, "path", 3, 1000))
    assert shown(display)["stream"].startswith("unit 1 of 2  path  round 3  1,000 facts")
    display.done(done(1))
    display.done(done(2, update_id="b", placements="p: kernel"))
    rows = shown(display)
    assert rows["update"].startswith("2 (id b)    ")
    assert (rows["facts"], rows["phases"]) == ("in 8, out 4    last: in 4, out 2", "12.50 ms")
    assert (rows["marks"], rows["backlog"], rows["placements"]) == ("6    last: 3", "1,200", "p: kernel")
    assert "deriving" not in rows
    display.progress(Progress(1, 2, "far", 1))
    assert shown(display)["deriving"].startswith("unit 2 of 2  far")


@pytest.mark.parametrize(
    ("is_quiet", "is_printing", "err", "out", "expected"),
    [
        (True, False, True, True, StreamDisplay),
        (False, True, True, True, StreamDisplay),
        (False, True, True, False, LiveDisplay),
        (False, False, True, True, LiveDisplay),
        (False, False, False, True, PlainDisplay),
        (False, True, False, False, PlainDisplay),
    ],
)
def test_which_display(
    monkeypatch: pytest.MonkeyPatch, is_quiet: bool, is_printing: bool, err: bool, out: bool, expected: type[StreamDisplay]
) -> None:
    """Lines and pictures go to standard error; changes printed on the same terminal would stand between them."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: err)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: out)
    with stream_display(is_quiet=is_quiet, is_printing=is_printing) as display:
        assert type(display) is expected
