"""Sources of a streaming job: a folder of files, or any streaming DataFrame with a column `value`.

Each gives a streaming DataFrame and splits a micro-batch of it into updates in their order, without those that the last commit
contains. In a folder the position tells which those are, whatever micro-batch an update is in; in another stream Spark's ids of
the query and of the micro-batch do, since Spark delivers the same micro-batch again after a failure.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tidelog.errors import TidelogError, fail
from tidelog.pipeline.job.parts import StreamPart
from tidelog.pipeline.streaming.stream_state import Commit

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ORDER = ("topic", "partition", "offset")
"""Columns that give the order of updates, as Kafka has them; all are optional."""


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


def updates_from(part: StreamPart, frame: DataFrame | None) -> UpdateStream:
    """The stream of a job: the given DataFrame, or the job's folder."""
    return FolderUpdates(part) if frame is None else FrameUpdates(frame)


class FolderUpdates:
    """Files of updates, in the order of their names."""

    kind = "folder"
    """Its name in a commit."""

    def __init__(self, part: StreamPart) -> None:
        if part.folder is None:
            fix = "add `folder` to `[stream]`, or call `stream_job` with `updates`, a streaming DataFrame"
            raise fail("TL090", "the job does not say where updates come from", fix=fix)
        self._folder, self._updates = part.folder, part.updates
        if not Path(part.folder).is_dir():
            raise fail("TL060", f"there is no folder {part.folder} for updates", fix="make it, or correct `folder` in `[stream]`")

    def check(self, last: Commit, checkpoint: Path) -> None:
        """No file may have been added among those that have been read."""
        del checkpoint
        _check_kind(self.kind, last)
        from tidelog.spark.ingest.update_folder import update_files

        read = [name for name in update_files(Path(self._folder)) if name <= last.file]
        if 0 <= last.seen < len(read):
            raise _late(self._folder, last.file, read, len(read) - last.seen)

    def stream(self, spark: SparkSession) -> DataFrame:
        """Micro-batches of a limited number of updates, each with the next update, for marking."""
        from tidelog.spark.ingest.update_folder import updates_of

        return updates_of(spark, self._folder, self._updates)

    def trigger(self, *, once: bool) -> dict[str, Any]:
        """Ten times a second: listing a folder is cheap."""
        del once
        return {"processingTime": "100 milliseconds"}

    def arrivals(self, frame: DataFrame, number: int, query: str, last: Commit) -> Arrivals:
        """The updates of a micro-batch after the position of the last commit."""
        del number, query
        from tidelog.spark.ingest.update_folder import update_files

        rows = sorted(map(tuple, frame.collect()), key=lambda row: row[:2])
        new = [Arrived(*row[:4]) for row in rows if not row[4] and row[:2] > last.position]
        ahead = next((Arrived(*row[:4]) for row in rows if row[4]), None)
        files = update_files(Path(self._folder))
        end = new[-1].file if new else last.file
        behind = sum(name > end for name in files) + (ahead is not None and ahead.file == end)
        return Arrivals(new, ahead, behind=behind, files=tuple(files))

    def is_over(self, last: Commit) -> bool:
        """Whether no update waits after the position of a commit."""
        from tidelog.spark.ingest.update_folder import entries

        return next(entries(Path(self._folder), last.position), None) is None


class FrameUpdates:
    """A streaming DataFrame with a column `value`: an update as JSON in each row."""

    kind = "frame"

    def __init__(self, frame: DataFrame) -> None:
        kinds = dict(frame.dtypes)
        if not frame.isStreaming:
            fix = "make it with `spark.readStream`; updates that are all there go through `kb.follow`"
            raise fail("TL087", "the DataFrame of updates is not a stream", fix=fix)
        if kinds.get("value") not in ("string", "binary"):
            found = ", ".join(f"{name}: {kind}" for name, kind in kinds.items())
            fix = "select the text of the updates as `value`, with `topic`, `partition` and `offset` if it has them"
            raise fail("TL087", f"the stream of updates needs a column `value`, string or binary, and has {found}", fix=fix)
        self._frame = frame
        self._order = [name for name in _ORDER if name in kinds]

    def check(self, last: Commit, checkpoint: Path) -> None:
        """Spark's ids give the position in the stream, so the checkpoint must be that of the last commit."""
        _check_kind(self.kind, last)
        if last.query and query_id(checkpoint) != last.query:
            problem = f"{checkpoint} is not the checkpoint of the last commit, so the position in the stream is not known"
            raise fail("TL077", problem, fix="restore it, or start over with another `state` folder")

    def stream(self, spark: SparkSession) -> DataFrame:
        """The DataFrame of the user's session."""
        del spark
        return self._frame.select("value", *self._order)

    def trigger(self, *, once: bool) -> dict[str, Any]:
        """At once, or all that is available."""
        return {"availableNow": True} if once else {"processingTime": "0 seconds"}

    def arrivals(self, frame: DataFrame, number: int, query: str, last: Commit) -> Arrivals:
        """The rows of a micro-batch, if it is new; the rest of it, if the job had stopped at an update in it."""
        if query == last.query and number < last.batch:
            return Arrivals([])
        rows = frame.collect()
        if self._order:
            rows.sort(key=lambda row: tuple((row[name] is None, row[name]) for name in self._order))
        done = last.rows if query == last.query and number == last.batch else 0
        return Arrivals([self._arrived(row, number, at) for at, row in enumerate(rows, 1)][done:], done=done)

    def _arrived(self, row: Any, batch: int, at: int) -> Arrived:
        file = "/".join(str(row[name]) for name in self._order if name != "offset") or f"batch {batch}"
        line = int(row["offset"]) if "offset" in self._order and row["offset"] is not None else at
        value = row["value"]
        if value is None:
            return Arrived(file, line, None, "TL076: there is no value, so this is not an update")
        return Arrived(file, line, value if isinstance(value, str) else bytes(value))

    def is_over(self, last: Commit) -> bool:
        """False: Spark ends the query itself."""
        del last
        return False


UpdateStream = FolderUpdates | FrameUpdates


def query_id(checkpoint: Path) -> str | None:
    """Spark's id of the query that a checkpoint belongs to."""
    try:
        return str(json.loads((checkpoint / "metadata").read_text(encoding="utf-8"))["id"])
    except FileNotFoundError:
        return None


def _check_kind(kind: str, last: Commit) -> None:
    if last.source not in ("", kind):
        problem = f"the updates came from a {last.source} before, and come from a {kind} now"
        raise fail("TL077", problem, fix="resume with a stream of the same kind, or start over with another `state` folder")


def _late(folder: str, last: str, read: Sequence[str], count: int) -> TidelogError:
    """The error for files added among those that have been read; most probably the newest of these."""
    newest = sorted(read, key=lambda name: (Path(folder) / name).stat().st_ctime)[-count:]
    names = ", ".join(sorted(newest)[:_NAMES_SHOWN])
    what = "a file" if count == 1 else f"{count} files"
    problem = f"{what} came late to {folder}, most probably {names}: {last} has been read already"
    return fail("TL077", problem, fix="rename what came late so that it sorts behind all others, with the time for example")


_NAMES_SHOWN = 3
