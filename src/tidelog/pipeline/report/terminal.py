"""A run on the terminal: the current stage, a line for each unit, and a summary."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tidelog.pipeline.report.outcome import Outcome, shown_size

if TYPE_CHECKING:
    from rich.status import Status


class Terminal:
    """Shows the progress of a run: a status line if there is a terminal, and a line for each finished step."""

    def __init__(self, *, is_quiet: bool, status: Status | None = None) -> None:
        self.is_quiet, self._status = is_quiet, status
        self._unit: tuple[int, str] | None = None
        self._last: Any = None

    def doing(self, what: str) -> None:
        """Show the current step."""
        if self._status is not None:
            from rich.markup import escape

            self._status.update(escape(what))

    def done(self, what: str) -> None:
        """Write a line for a finished step."""
        if not self.is_quiet:
            sys.stderr.write(what + "\n")
            sys.stderr.flush()

    def progress(self, progress: Any) -> None:
        """Called while facts are derived, with the unit and the round."""
        unit = progress.unit, progress.working_on
        if self._unit is not None and unit[0] != self._unit[0] and self._last is not None:
            self.done(self._last)
        self._unit = unit
        self._last = _line(progress)
        self.deriving(progress)

    def deriving(self, progress: Any) -> None:
        """The same, on the status line only."""
        self.doing(f"deriving{_line(progress)}")


def _line(progress: Any) -> str:
    return (
        f"  {progress.unit + 1} of {progress.units}  {progress.working_on}  round {progress.round}  "
        f"{progress.facts:,} facts  {progress.seconds:.1f} s"
    )


@contextmanager
def terminal(*, is_quiet: bool) -> Iterator[Terminal]:
    """A terminal for one run; if standard error is not a terminal, only finished steps are written."""
    if is_quiet or not sys.stderr.isatty():
        yield Terminal(is_quiet=is_quiet)
        return
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        yield Terminal(is_quiet=False, status=status)


def summary(outcome: Outcome) -> Iterator[str]:
    """The summary of a finished run."""
    for placed in outcome.placements:
        rounds = f"{placed.rounds} round{'' if placed.rounds == 1 else 's'}"
        names = ", ".join(placed.relations)
        yield f"{names}: {placed.facts:,} facts, {placed.where}, {rounds}, {placed.seconds:.1f} s"
    for output in outcome.outputs:
        yield f"{output.relation}: {output.facts:,} fact{'' if output.facts == 1 else 's'} -> {output.target}"
    if outcome.rejected:
        yield f"{outcome.rejected:,} rejected rows -> {outcome.rejects_folder}"
    if outcome.report is not None:
        yield f"report -> {outcome.report}"
    yield f"{outcome.job}: run {outcome.run_id} took {outcome.seconds:.1f} s"


def input_line(rows: int, relations: str, origin: str, size: int | None, rejected: int) -> str:
    """What was read from one source."""
    more = f", {rejected:,} rejected" if rejected else ""
    volume = f" ({shown_size(size)})" if size is not None else ""
    return f"{relations}: {rows:,} rows from {origin}{volume}{more}"
