"""The updates of a batch, worked off one by one, each with a look at the one behind it.

An update that cannot be worked off is set aside with its reason, or ends the job there, as the job wants it. What fails for
another reason, such as an executor that was lost or a disk that is full, is no fault of the update: it ends the batch, and
nothing of that counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa

from tidelog.errors import TidelogError, fail
from tidelog.pipeline.report.stream_history import Step
from tidelog.pipeline.streaming.change_feed import RowFile, rows_of
from tidelog.pipeline.streaming.stream_sources import Arrivals, Arrived
from tidelog.streams.fitting import fitting
from tidelog.streams.update import Update

if TYPE_CHECKING:
    from tidelog.changes import Change
    from tidelog.spark.data.explicit_snapshot import ExplicitSnapshot

Show = Callable[[int, "Change", int], None]
"""Told of each update: its number, what it changed, and how many are waiting, as far as that is known."""
FAILURES = frozenset({"TL060", "TL084", "TL085", "TL086", "TL093"})
"""Errors that are no fault of an update: of files, libraries, Java, executors and folders."""


@dataclass(slots=True)
class UpdateResult:
    """What a batch has done so far."""

    number: int
    """Spark's number of the batch."""
    feed: RowFile
    aside: RowFile
    """Where broken updates go."""
    rows: int = 0
    """How many updates of the batch have had their turn, before or now."""
    last: Arrived | None = None
    updates: int = 0
    broken: int = 0
    changes: list[tuple[bool, Any]] = field(default_factory=list)
    """Explicit facts that came and went."""
    has_other_rules: bool = False
    steps: list[Step] = field(default_factory=list)
    """What the updates did, for the report."""
    stopped_at: TidelogError | None = None
    """What was wrong with the update that the job is to stop at."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        """Have all rows in their files."""
        with closing(self.aside), closing(self.feed):
            pass


class UpdateWorker:
    """A knowledge base that works off updates."""

    def __init__(self, kb: Any, say: Callable[[str], None], *, stops_at_broken: bool) -> None:
        """`say` is told what has been set aside."""
        self._kb, self._say, self._stops = kb, say, stops_at_broken
        self._fit = fitting(kb.relations)
        self._seen: tuple[Arrived, Update] | None = None
        """An update that was looked at before its turn: the knowledge base knows it again by its identity."""

    def work_off(self, arrivals: Arrivals, done: UpdateResult, before: int, show: Show) -> None:
        """Work off the updates of a batch; so many have been worked off before it."""
        done.rows = arrivals.done
        for at, arrived in enumerate(arrivals.updates):
            rest = arrivals.updates[at + 1 :]
            try:
                update = self._understood(arrived)
                change = self._change(update, arrived.place, rest[0] if rest else arrivals.ahead)
            except TidelogError as error:
                if any(problem.code in FAILURES for problem in error.diagnostics) and arrived.problem is None:
                    raise
                if self._stops:
                    done.stopped_at = _at(arrived, error)
                    return
                done.broken += 1
                self._say(f"{arrived.place}: set aside: {error.diagnostics[0].code}: {error.diagnostics[0].message}")
                done.aside.write([_broken(done.number, arrived, error)])
            else:
                done.feed.write(rows_of(done.number, str(change.id), change))
                done.changes += _kept(change)
                done.updates += 1
                done.steps.append(Step.of(before + done.updates, change))
                show(before + done.updates, change, len(rest) + arrivals.behind)
                if update.add_rules or update.remove_rules:
                    self._fit, self._seen, done.has_other_rules = fitting(self._kb.relations), None, True
            done.last, done.rows = arrived, done.rows + 1

    def _change(self, update: Update, place: str, behind: Arrived | None) -> Any:
        """What an update changes; without an id, it goes by the place that it came from."""
        return replace(self._kb.apply(update, lambda: self._ahead(behind)), id=place if update.id is None else update.id)

    def _understood(self, arrived: Arrived) -> Update:
        seen, self._seen = self._seen, None
        if seen is not None and seen[0] == arrived:
            return seen[1]
        if arrived.problem is not None or arrived.text is None:
            code, _, said = (arrived.problem or "").partition(": ")
            fix = "write it again, behind those that are there"
            raise fail(code if code.startswith("TL") else "TL060", said or code, fix=fix)
        return self._fit(Update.from_json(arrived.text, arrived.place))

    def _ahead(self, arrived: Arrived | None) -> Update | None:
        """The update behind the one in hand, if it is there and can be understood."""
        if arrived is None:
            return None
        try:
            update = self._understood(arrived)
        except TidelogError:
            return None  # what is wrong with it is said when its turn comes
        self._seen = arrived, update
        return update


def _kept(change: Any) -> Iterator[tuple[bool, ExplicitSnapshot]]:
    """The explicit facts that came and went, read now: what they are read from may be gone when the batch is committed."""
    for inserted, facts in change.explicit():
        yield inserted, facts if isinstance(facts.keys, pa.Table) else replace(facts, keys=facts.keys.toArrow())


def _at(arrived: Arrived, error: TidelogError) -> TidelogError:
    """What is wrong with an update, and where that came from."""
    if arrived.place in str(error):
        return error
    return TidelogError(replace(one, notes=(*one.notes, f"in {arrived.place}")) for one in error.diagnostics)


def _broken(batch: int, arrived: Arrived, error: TidelogError) -> dict[str, Any]:
    text = arrived.text.decode(errors="replace") if isinstance(arrived.text, bytes) else arrived.text
    return {"batch": batch, "file": arrived.file, "line": arrived.line, "text": text, "reason": str(error)}
