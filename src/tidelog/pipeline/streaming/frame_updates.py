"""Updates from any streaming DataFrame with a column `value`.

Spark's ids of the query and of the micro-batch tell which updates the last commit contains, since Spark delivers the same
micro-batch again after a failure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tidelog.errors import fail
from tidelog.pipeline.streaming.arrivals import Arrivals, Arrived, check_kind
from tidelog.pipeline.streaming.stream_query import BatchQuery, Process, query_id
from tidelog.pipeline.streaming.stream_state import CHECKPOINT, Commit
from tidelog.stores import Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_ORDER = ("topic", "partition", "offset")
"""Columns that give the order of updates, as Kafka has them; all are optional."""


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

    def check(self, last: Commit, state: Store) -> None:
        """Spark's ids give the position in the stream, so the checkpoint must be that of the last commit."""
        check_kind(self.kind, last)
        if last.query and query_id(state) != last.query:
            where = state.address(CHECKPOINT)
            problem = f"{where} is not the checkpoint of the last commit, so the position in the stream is not known"
            raise fail("TL077", problem, fix="restore it, or start over with another `state` folder")

    def query(self, position: Callable[[], Commit], process: Process, state: Store) -> BatchQuery:
        """A query of Spark's over it."""
        return BatchQuery(self, position, process, state)

    def stream(self) -> DataFrame:
        """The DataFrame of the user's session."""
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
