"""A stream on the terminal: a live table, or a line for each update; and its statistics as rows of CSV."""

from __future__ import annotations

import csv
import io
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from tidelog.changes import Change, Counters
from tidelog.cli.evaluation import progress_line

if TYPE_CHECKING:
    from tidelog.core.limits import Progress
    from tidelog.streams.update import UpdateError

_PHASES = ("deletion", "insertion", "aggregates", "closures", "starting over")
_COUNTERS = tuple(field.name for field in fields(Counters))
_HEADING = (
    *("update", "id", "algorithm", "inserted", "deleted", "without_effect", "facts_in", "facts_out"),
    *("derivations", "rounds", "undefined", *(f"counter_{name}" for name in _COUNTERS)),
    *("seconds", *(f"seconds_{name.replace(' ', '_')}" for name in _PHASES), "seconds_other"),
)


@dataclass(frozen=True, slots=True)
class Done:
    """One update that has been applied."""

    number: int
    change: Change
    backlog: int
    placements: str = ""
    """Where the units of the program are evaluated, on Spark."""

    @property
    def facts_in(self) -> int:
        """Facts that hold now and did not before."""
        return self.change.inserted.total

    @property
    def facts_out(self) -> int:
        """Facts that held before and do not now."""
        return self.change.deleted.total

    @property
    def name(self) -> str:
        """The number of the update, and its id."""
        return f"{self.number:,}" + (f" (id {self.change.id})" if self.change.id is not None else "")

    @property
    def phases(self) -> str:
        """How long it took, and what took how long."""
        stats = self.change.stats
        parts = ", ".join(f"{name} {seconds * 1e3:.2f}" for name, seconds in stats.seconds_by_phase.items())
        return f"{stats.seconds * 1e3:.2f} ms" + (f" ({parts})" if parts else "")

    def line(self) -> str:
        """All of it in one line."""
        return (
            f"update {self.name}: facts in {self.facts_in:,}, out {self.facts_out:,}, {self.phases}, "
            f"marks {self.change.stats.counters.marks:,}, backlog {self.backlog:,}"
        )

    def row(self) -> str:
        """A row of the statistics, as CSV."""
        stats = self.change.stats
        phases = {name: stats.seconds_by_phase.get(name, 0.0) for name in _PHASES}
        other = sum(seconds for name, seconds in stats.seconds_by_phase.items() if name not in phases)
        times = (f"{seconds:.6f}" for seconds in (stats.seconds, *phases.values(), other))
        facts = stats.inserted, stats.deleted, stats.without_effect, self.facts_in, self.facts_out
        work = stats.derivations, stats.rounds, stats.undefined, *asdict(stats.counters).values()
        return _csv((self.number, self.change.id, stats.algorithm, *facts, *work, *times))


def heading() -> str:
    """The first row of the statistics, as CSV."""
    return _csv(_HEADING)


def _csv(cells: tuple[object, ...]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()


class StreamDisplay:
    """Counts updates and shows nothing; subclasses show them."""

    def __init__(self) -> None:
        self.updates = self.facts_in = self.facts_out = self.marks = self.errors = 0
        self._started = time.perf_counter()

    def progress(self, progress: Progress) -> None:
        """Called about ten times a second while something is derived."""

    def done(self, done: Done) -> None:
        """Called after each update."""
        self.updates += 1
        self.facts_in += done.facts_in
        self.facts_out += done.facts_out
        self.marks += done.change.stats.counters.marks

    def set_aside(self, error: UpdateError) -> None:  # noqa: ARG002  # a subclass shows it
        """Called for each update that is set aside."""
        self.errors += 1

    def counts(self) -> dict[str, float]:
        """What has been done."""
        seconds = round(time.perf_counter() - self._started, 3)
        numbers = {"updates": self.updates, "facts_in": self.facts_in, "facts_out": self.facts_out}
        return {**numbers, "set_aside": self.errors, "seconds": seconds}

    def summary(self) -> str:
        """The same in one line."""
        plural = "" if self.updates == 1 else "s"
        seconds = time.perf_counter() - self._started
        aside = f", {self.errors:,} set aside" if self.errors else ""
        return f"{self.updates:,} update{plural}: facts in {self.facts_in:,}, out {self.facts_out:,}{aside}, {seconds:.1f} s"


class PlainDisplay(StreamDisplay):
    """A line for each update, and one when placements change."""

    _placements = ""

    def set_aside(self, error: UpdateError) -> None:
        """Say what is wrong."""
        super().set_aside(error)
        sys.stderr.write(f"{error}\n")

    def done(self, done: Done) -> None:
        """Write the line."""
        super().done(done)
        sys.stderr.write(done.line() + "\n")
        if done.placements != self._placements:
            self._placements = done.placements
            sys.stderr.write(f"placements: {done.placements}\n")


class LiveDisplay(StreamDisplay):
    """A table that is redrawn in place."""

    def __init__(self, live: Live) -> None:
        super().__init__()
        self._last: Done | None = None
        self._deriving = ""
        live.update(self)

    def progress(self, progress: Progress) -> None:
        """Say what is being derived."""
        self._deriving = progress_line(progress)

    def done(self, done: Done) -> None:
        """Show the update as the last one."""
        super().done(done)
        self._last, self._deriving = done, ""

    def __rich__(self) -> Table:
        """The table; it is drawn several times a second, however fast updates arrive."""
        table = Table.grid(padding=(0, 2))
        for name, text in self._rows():
            table.add_row(Text(name, style="bold"), Text(text, overflow="ellipsis", no_wrap=True))
        return table

    def _rows(self) -> Iterator[tuple[str, str]]:
        last, seconds = self._last, time.perf_counter() - self._started
        if last is None:
            yield "stream", self._deriving or "waiting for the first update"
            return
        yield "update", f"{last.name}    {self.updates / seconds:,.1f} a second"
        yield "facts", f"in {self.facts_in:,}, out {self.facts_out:,}    last: in {last.facts_in:,}, out {last.facts_out:,}"
        yield "phases", last.phases
        yield "marks", f"{self.marks:,}    last: {last.change.stats.counters.marks:,}"
        yield "backlog", f"{last.backlog:,}"
        if last.placements:
            yield "placements", last.placements
        if self._deriving:
            yield "deriving", self._deriving


@contextmanager
def stream_display(*, is_quiet: bool, is_printing: bool) -> Iterator[StreamDisplay]:
    """A display for one stream, on standard error; none if the changes themselves are printed on the same terminal."""
    if is_quiet or (is_printing and sys.stderr.isatty() and sys.stdout.isatty()):
        yield StreamDisplay()
    elif not sys.stderr.isatty():
        yield PlainDisplay()
    else:
        with Live(console=Console(stderr=True), refresh_per_second=8, redirect_stdout=False) as live:
            yield LiveDisplay(live)
