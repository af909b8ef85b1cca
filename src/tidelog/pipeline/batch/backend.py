"""The interface between a run and an engine, implemented by `local_backend` and `spark_backend`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from tidelog.pipeline.batch.rejects import RejectLog
from tidelog.pipeline.job.parts import SinkPart, SourcePart
from tidelog.pipeline.report.outcome import Placement, Round
from tidelog.stores import Store

ShowProgress = Callable[[Any], None]
"""Called while facts are derived, with an object that has `unit`, `units`, `working_on`, `round`, `facts` and `seconds`."""


@dataclass(frozen=True, slots=True)
class LoadedSource:
    """What was loaded from one source."""

    relations: tuple[str, ...]
    rows: int
    """Rows that were read, rejected ones among them."""
    rejected: int = 0
    note: str = ""


class Backend(Protocol):
    """An engine with the program of a job."""

    def start(self) -> None:
        """Start what the engine needs, such as a JVM; otherwise the first source would."""

    def load(self, source: SourcePart, rejects: RejectLog) -> LoadedSource:
        """Read a source; rows that do not fit go to `rejects`, which raises an error when there are too many."""

    def schema(self, source: SourcePart) -> list[tuple[str, str]]:
        """The columns of a source with their types, without reading all of it."""

    def count(self, relation: str) -> int:
        """How many facts a relation has, when all that follows has been derived."""

    def placements(self) -> list[Placement]:
        """Where each hyper-node was evaluated."""

    def rounds(self) -> list[Round]:
        """The new facts of each round, as far as they are known."""

    def store(self, path: str) -> Store:
        """The folder at a path or address, as the engine reaches it; Spark is started if it takes that."""

    def write_folder(self, sink: SinkPart, folder: str) -> None:
        """Write the facts of a relation as files into a folder that is not there yet."""

    def write_table(self, sink: SinkPart) -> None:
        """Write the facts of a relation to a table, or to a path in a format that keeps versions by itself."""

    def versions(self) -> dict[str, str]:
        """The software of the run, with versions."""

    def close(self) -> None:
        """Release what was created for this run; a session of the user stays."""
