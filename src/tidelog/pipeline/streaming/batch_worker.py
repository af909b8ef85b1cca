"""A micro-batch applied to a knowledge base update by update, each with a look at the next one.

An update that is refused goes to the dead-letter folder (`broken_folder`) with its reason, or ends the job, as the job file says.
Another failure, such as a lost executor or a full disk, is not the update's fault: it ends the micro-batch, which is not
committed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa

from tidelog.errors import TidelogError, fail
from tidelog.pipeline.report.outcome import AppliedUpdate
from tidelog.pipeline.streaming.arrivals import Arrivals, Arrived
from tidelog.pipeline.streaming.change_feed import RowFile, rows_of
from tidelog.streams.update import Update, UpdateError, fitting

if TYPE_CHECKING:
    from tidelog.changes import Change
    from tidelog.spark.data.explicit_snapshot import ExplicitSnapshot

Show = Callable[[int, "Change", int], None]
"""Called after each update: its number, its change, and how many updates are known to be waiting."""
FAILURES = frozenset({"TL060", "TL084", "TL085", "TL086", "TL093"})
"""Errors that are not the update's fault: of files, libraries, Java, executors and folders."""


@dataclass(slots=True)
class BatchResult:
    """What a micro-batch has done so far."""

    number: int
    """Spark's number of the micro-batch."""
    feed: RowFile
    dead_letters: RowFile
    """Where refused updates go."""
    rows: int = 0
    """How many updates of the micro-batch have been processed, in an earlier run or in this one."""
    last: Arrived | None = None
    updates: int = 0
    broken: int = 0
    changes: list[tuple[bool, Any]] = field(default_factory=list)
    """Explicit facts that were inserted (True) or deleted."""
    has_other_rules: bool = False
    applied: list[AppliedUpdate] = field(default_factory=list)
    """The updates, for the report."""
    stopped_at: TidelogError | None = None
    """The error of the update at which the job stops."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        """Write all rows to their files."""
        with closing(self.dead_letters), closing(self.feed):
            pass


class UpdateWorker:
    """Applies micro-batches to a knowledge base."""

    def __init__(self, kb: Any, say: Callable[[str], None], *, stops_at_broken: bool) -> None:
        """`say` is called for each refused update."""
        self._kb, self._say, self._stops = kb, say, stops_at_broken
        self._fit = fitting(kb.relations, kb.program.printer.spellings)
        self._seen: tuple[Arrived, Update] | None = None
        """An update that was read ahead: the knowledge base recognises it by its identity."""

    def apply(self, arrivals: Arrivals, done: BatchResult, before: int, show: Show) -> None:
        """Apply the updates of a micro-batch; `before` updates have been applied before it."""
        done.rows = arrivals.done
        for at, arrived in enumerate(arrivals.updates):
            rest = arrivals.updates[at + 1 :]
            update = Update(place=arrived.place)
            try:
                update = self._understood(arrived)
                change = self._change(update, arrived.place, rest[0] if rest else arrivals.ahead)
            except TidelogError as error:
                if any(problem.code in FAILURES for problem in error.diagnostics) and arrived.problem is None:
                    raise
                if self._stops:
                    done.stopped_at = UpdateError(error.diagnostics, update, before + done.updates + 1)
                    return
                done.broken += 1
                self._say(f"{arrived.place}: set aside: {error.diagnostics[0].code}: {error.diagnostics[0].message}")
                done.dead_letters.write([_dead_letter(done.number, arrived, error)])
            else:
                done.feed.write(rows_of(done.number, str(change.id), change))
                done.changes += _kept(change)
                done.updates += 1
                done.applied.append(AppliedUpdate.of(before + done.updates, change))
                show(before + done.updates, change, len(rest) + arrivals.behind)
                if update.add_rules or update.remove_rules:
                    self._fit = fitting(self._kb.relations, self._kb.program.printer.spellings)
                    self._seen, done.has_other_rules = None, True
            done.last, done.rows = arrived, done.rows + 1

    def _change(self, update: Update, place: str, behind: Arrived | None) -> Any:
        """Apply one update; its place is its id if it has none."""
        return replace(self._kb.apply(update, lambda: self._ahead(behind)), id=place if update.id is None else update.id)

    def _understood(self, arrived: Arrived) -> Update:
        seen, self._seen = self._seen, None
        if seen is not None and seen[0] == arrived:
            return seen[1]
        if arrived.problem is not None or arrived.text is None:
            code, _, said = (arrived.problem or "").partition(": ")
            fix = "send it again, after those that are there"
            raise fail(code if code.startswith("TL") else "TL060", said or code, fix=fix)
        return self._fit(Update.from_json(arrived.text, arrived.place))

    def _ahead(self, arrived: Arrived | None) -> Update | None:
        """The update after the current one, if it has arrived and can be read."""
        if arrived is None:
            return None
        try:
            update = self._understood(arrived)
        except TidelogError:
            return None  # its error is reported when its turn comes
        self._seen = arrived, update
        return update


def _kept(change: Any) -> Iterator[tuple[bool, ExplicitSnapshot]]:
    """The explicit facts inserted and deleted, read now: their DataFrames may be gone when the micro-batch is committed."""
    for inserted, facts in change.explicit():
        yield inserted, facts if isinstance(facts.keys, pa.Table) else replace(facts, keys=facts.keys.toArrow())


def _dead_letter(batch: int, arrived: Arrived, error: TidelogError) -> dict[str, Any]:
    text = arrived.text.decode(errors="replace") if isinstance(arrived.text, bytes) else arrived.text
    return {"batch": batch, "file": arrived.file, "line": arrived.line, "text": text, "reason": str(error)}
