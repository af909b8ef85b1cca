"""A query of Structured Streaming over updates: started, watched, and stopped between two micro-batches."""

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from tidelog.errors import TidelogError, fail
from tidelog.pipeline.streaming.arrivals import Arrivals
from tidelog.pipeline.streaming.stream_state import CHECKPOINT, Commit
from tidelog.stores import Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Process = Callable[[Arrivals, int], None]
"""Applies the updates of a batch, which has a number, and commits them."""

_POLL_EVERY = 0.1
"""Seconds between two polls whether it is to end; a commit triggers one at once."""


class StoppedError(Exception):
    """The query ends with this micro-batch, or before it; Spark will deliver it again."""


class FrameStream(Protocol):
    """A streaming DataFrame of updates."""

    def stream(self) -> DataFrame:
        """The DataFrame."""

    def trigger(self, *, once: bool) -> dict[str, Any]:
        """When Spark makes a micro-batch."""

    def arrivals(self, frame: DataFrame, number: int, query: str, last: Commit) -> Arrivals:
        """The updates of a micro-batch that are not in the last commit."""


class BatchQuery:
    """One query, which calls a function for each micro-batch."""

    def __init__(self, stream: FrameStream, position: Callable[[], Commit], process: Process, state: Store) -> None:
        """`position` gives the last commit; the checkpoint of the query is in the folder of the state."""
        self._stream, self._position, self._process, self._state = stream, position, process, state
        self._processing, self._has_news = threading.Lock(), threading.Event()
        self._is_stopping = self._has_stopped = False
        self._failed: Exception | None = None
        """The error of a micro-batch: Spark reports it only when its own thread has ended."""

    @property
    def id(self) -> str:
        """Spark's id of the query, which the checkpoint keeps from one run to the next."""
        return query_id(self._state) or ""

    def wake(self) -> None:
        """Let `run` test at once whether it is over."""
        self._has_news.set()

    def run(self, spark: SparkSession, is_over: Callable[[], bool], *, once: bool) -> TidelogError | None:
        """Run the query until `is_over`, or until Spark ends it; the error of a micro-batch that failed."""
        writer = self._stream.stream().writeStream.foreachBatch(self._batch)
        writer = writer.option("checkpointLocation", self._state.address(CHECKPOINT)).queryName(
            f"tidelog {self._state.address()}"
        )
        with _quiet_logs(spark):
            query = writer.trigger(**self._stream.trigger(once=once)).start()
            try:
                while query.isActive and not is_over():
                    self._has_news.wait(_POLL_EVERY)
                    self._has_news.clear()
            finally:
                with self._processing:  # the current micro-batch is finished first
                    self._is_stopping = True
                error = query.exception()
                query.stop()
        if self._failed is not None:
            said = f"{type(self._failed).__name__}: {self._failed}"
            return self._failed if isinstance(self._failed, TidelogError) else stream_failure(said)
        if error is not None and not self._has_stopped:
            raise stream_failure(str(error))
        return None

    def _batch(self, frame: DataFrame, number: int) -> None:
        with self._processing:
            if self._is_stopping:
                self._has_stopped = True
                raise StoppedError
            try:
                arrivals = self._stream.arrivals(frame, number, self.id, self._position())
                if arrivals.updates:
                    self._process(arrivals, number)
            except StoppedError:
                self._is_stopping = self._has_stopped = True
                raise
            except Exception as error:
                self._failed = error
                raise


def query_id(state: Store) -> str | None:
    """Spark's id of the query that the checkpoint in a state belongs to."""
    text = state.read(f"{CHECKPOINT}/metadata")
    return None if text is None else str(json.loads(text)["id"])


def has_ended(spark: SparkSession) -> bool:
    """Whether the Spark application has ended."""
    try:
        return bool(spark.sparkContext._jsc.sc().isStopped())
    except Exception:  # the JVM is gone
        return True


@contextmanager
def _quiet_logs(spark: SparkSession) -> Iterator[None]:
    """The error that ends a query is reported once, by us; Spark and py4j would log it as well, with stack traces."""
    bridge = logging.getLogger("py4j.clientserver")
    level = bridge.level
    bridge.setLevel(logging.CRITICAL)
    log4j = spark.sparkContext._jvm.org.apache.logging.log4j  # type: ignore[union-attr]
    levels = {name: log4j.LogManager.getLogger(name).getLevel() for name in _LOGGERS}
    for name in _LOGGERS:
        log4j.core.config.Configurator.setLevel(name, log4j.Level.OFF)
    try:
        yield
    finally:
        bridge.setLevel(level)
        for name, before in levels.items() if not has_ended(spark) else ():
            log4j.core.config.Configurator.setLevel(name, before)


_LOGGERS = tuple(f"org.apache.spark.sql.execution.streaming{part}.MicroBatchExecution" for part in ("", ".runtime"))
"""Where Spark logs that a query has ended, in one version or another."""


def stream_failure(problem: str) -> TidelogError:
    """Spark's message about a query that failed, as one sentence."""
    lines = [line.strip() for line in problem.splitlines() if line.strip()]
    said = next((line for line in reversed(lines) if _ERROR.match(line)), lines[0] if lines else "Spark gives no reason")
    fix = "start the job again: it resumes after the last commit"
    return fail("TL095", f"the stream failed: {_ERROR.sub('', said)}", fix=fix)


_ERROR = re.compile(r"([\w.]+(Error|Exception): |error (?=TL\d))")
