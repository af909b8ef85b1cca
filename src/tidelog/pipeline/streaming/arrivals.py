"""Updates that have arrived, from wherever they come, and are not parsed yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tidelog.errors import fail
from tidelog.pipeline.streaming.stream_state import Commit


class Arrived(NamedTuple):
    """An update that has not been parsed yet."""

    file: str
    line: int
    """Its place: a file and a line, or a partition and an offset."""
    text: str | bytes | None
    problem: str | None = None
    """The error, if there is no text."""

    @property
    def place(self) -> str:
        """As messages show it."""
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Arrivals:
    """The updates of a micro-batch that have not been committed."""

    updates: list[Arrived]
    ahead: Arrived | None = None
    """The update after the micro-batch, if it is known."""
    done: int = 0
    """How many updates of the micro-batch have been committed before."""
    behind: int = 0
    """How many more are waiting, at least."""
    files: tuple[str, ...] = ()
    """All files of updates that there are, if they come from files."""

    def seen(self, file: str) -> int:
        """How many files there are up to one; -1 if updates do not come from files."""
        return sum(name <= file for name in self.files) if self.files else -1


def check_kind(kind: str, last: Commit) -> None:
    """Raise an error if the last commit is of another kind of stream."""
    if last.source not in ("", kind):
        problem = f"the updates came from a {last.source} before, and come from a {kind} now"
        raise fail("TL077", problem, fix="resume with a stream of the same kind, or start over with another `state` folder")
