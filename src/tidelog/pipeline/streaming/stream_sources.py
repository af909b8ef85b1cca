"""Where the updates of a streaming job come from: a folder of files, or any streaming DataFrame with a column `value`.

Each gives a stream of Spark's, and takes a batch of it apart: into updates as they have arrived, in their order, without those
that the last commit says have been worked off. Of a folder, the position in it tells that, whatever batch an update comes in; of
another stream, Spark's ids of the query and of the batch do, which is the same batch when Spark gives it again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from tidelog.errors import TidelogError, fail
from tidelog.pipeline.job.parts import StreamPart
from tidelog.pipeline.streaming.stream_state import Commit

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ORDER = ("topic", "partition", "offset")
"""Columns that say in which order updates are worked off, as Kafka has them; none of them has to be there."""


class Arrived(NamedTuple):
    """An update that nobody has tried to understand yet."""

    file: str
    line: int
    """Where it came from: a file and a line, or a partition and an offset in it."""
    text: str | bytes | None
    problem: str | None = None
    """What is wrong, if there is no text."""

    @property
    def place(self) -> str:
        """For people."""
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Arrivals:
    """A batch, as far as it has not been worked off."""

    updates: list[Arrived]
    ahead: Arrived | None = None
    """The one behind the batch, if it is known."""
    done: int = 0
    """How many updates of the batch have been worked off before."""
    behind: int = 0
    """How many more are waiting at least."""
    files: tuple[str, ...] = ()
    """All files of updates that there are, if they come from files."""

    def seen(self, file: str) -> int:
        """How many files there are up to one; -1 if updates do not come from files."""
        return sum(name <= file for name in self.files) if self.files else -1


class UpdateStream(Protocol):
    """Updates as a stream of Spark's."""

    kind: str
    """What a commit calls it."""

    def check(self, last: Commit, checkpoint: Path) -> None:
        """Raise an error if the stream does not go on behind a commit."""

    def stream(self, spark: SparkSession) -> DataFrame:
        """The stream itself."""

    def trigger(self, *, once: bool) -> dict[str, Any]:
        """When Spark is to look for a batch."""

    def arrivals(self, frame: DataFrame, number: int, query: str, last: Commit) -> Arrivals:
        """What a batch has brought that the last commit does not have."""

    def is_over(self, last: Commit) -> bool:
        """Whether nothing waits behind a commit, as far as this can tell; if not, the query itself ends."""


def updates_from(part: StreamPart, frame: DataFrame | None) -> UpdateStream:
    """The stream of a job: a DataFrame that somebody gives, or the job's folder."""
    return FolderUpdates(part) if frame is None else FrameUpdates(frame)


class FolderUpdates:
    """Files of updates, in the order of their names."""

    kind = "folder"

    def __init__(self, part: StreamPart) -> None:
        if part.folder is None:
            fix = "add `folder` to `[stream]`, or call `stream_job` with `updates`, a streaming DataFrame"
            raise fail("TL090", "the job does not say where updates come from", fix=fix)
        self._folder, self._updates = part.folder, part.updates
        if not Path(part.folder).is_dir():
            raise fail("TL060", f"there is no folder {part.folder} for updates", fix="make it, or mend `folder` in `[stream]`")

    def check(self, last: Commit, checkpoint: Path) -> None:
        """No file may have come among those that have been read."""
        del checkpoint
        _check_kind(self.kind, last)
        from tidelog.spark.ingest.update_folder import update_files

        read = [name for name in update_files(Path(self._folder)) if name <= last.file]
        if 0 <= last.seen < len(read):
            raise _late(self._folder, last.file, read, len(read) - last.seen)

    def stream(self, spark: SparkSession) -> DataFrame:
        """So many updates a batch, and the next one to look ahead to."""
        from tidelog.spark.ingest.update_folder import updates_of

        return updates_of(spark, self._folder, self._updates)

    def trigger(self, *, once: bool) -> dict[str, Any]:
        """Ten times a second, for a folder is quick to look at."""
        del once
        return {"processingTime": "100 milliseconds"}

    def arrivals(self, frame: DataFrame, number: int, query: str, last: Commit) -> Arrivals:
        """The updates of a batch behind the position of the last commit."""
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
        """Whether no update waits behind the position of a commit."""
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
            fix = "select the text of the updates as `value`, with `topic`, `partition` and `offset` if there are such"
            raise fail("TL087", f"the stream of updates needs a column `value`, string or binary, and has {found}", fix=fix)
        self._frame = frame
        self._order = [name for name in _ORDER if name in kinds]

    def check(self, last: Commit, checkpoint: Path) -> None:
        """What has been done of it is known by Spark's ids, so the checkpoint must be the one that there was."""
        _check_kind(self.kind, last)
        if last.query and query_id(checkpoint) != last.query:
            problem = f"{checkpoint} is not the checkpoint that there was, so nobody knows what of the stream has been done"
            raise fail("TL077", problem, fix="put it back, or start over with another state")

    def stream(self, spark: SparkSession) -> DataFrame:
        """It is there already, in the user's session."""
        del spark
        return self._frame.select("value", *self._order)

    def trigger(self, *, once: bool) -> dict[str, Any]:
        """As the source likes it."""
        return {"availableNow": True} if once else {"processingTime": "0 seconds"}

    def arrivals(self, frame: DataFrame, number: int, query: str, last: Commit) -> Arrivals:
        """The rows of a batch, if it is new; what is left of it, if it was begun and broken off at an update."""
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
        """Spark ends the query when nothing waits."""
        del last
        return False


def query_id(checkpoint: Path) -> str | None:
    """Spark's id of the query that a checkpoint belongs to."""
    try:
        return str(json.loads((checkpoint / "metadata").read_text(encoding="utf-8"))["id"])
    except FileNotFoundError:
        return None


def _check_kind(kind: str, last: Commit) -> None:
    if last.source not in ("", kind):
        problem = f"the updates came from a {last.source} before, and come from a {kind} now"
        raise fail("TL077", problem, fix="go on with the stream that there was, or start over with another state")


def _late(folder: str, last: str, read: Sequence[str], count: int) -> TidelogError:
    """Files came among those that have been read; the newest of these are most probably the ones."""
    newest = sorted(read, key=lambda name: (Path(folder) / name).stat().st_ctime)[-count:]
    names = ", ".join(sorted(newest)[:_NAMES_SHOWN])
    what = "a file" if count == 1 else f"{count} files"
    problem = f"{what} came late to {folder}, most probably {names}: {last} has been read already"
    return fail("TL077", problem, fix="rename what came late so that it sorts behind all others, with the time for example")


_NAMES_SHOWN = 3
