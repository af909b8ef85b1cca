"""A streaming query of Spark's over updates: started, watched, and stopped when no batch is in hand."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tidelog.errors import TidelogError, fail
from tidelog.pipeline.streaming.stream_sources import UpdateStream, query_id

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_LOOK_EVERY = 0.1
"""Seconds between two looks at whether it is to end; a commit is a reason to look at once."""


class StoppedError(Exception):
    """The query ends with this batch, or before it; Spark will give it again."""


class BatchQuery:
    """One query, which gives its batches to a function, one after the other."""

    def __init__(self, stream: UpdateStream, checkpoint: Path, do: Callable[[DataFrame, int], None]) -> None:
        self._stream, self._checkpoint, self._do = stream, checkpoint, do
        self._in_hand, self._has_news = threading.Lock(), threading.Event()
        self._is_stopping = False
        self._failed: Exception | None = None
        """What a batch broke off with: Spark tells it only when its own thread has ended."""

    @property
    def id(self) -> str:
        """Spark's id of it, which it keeps from one run to the next."""
        return query_id(self._checkpoint) or ""

    def look(self) -> None:
        """Let `run` ask at once whether it is over."""
        self._has_news.set()

    def run(self, spark: SparkSession, is_over: Callable[[], bool], *, once: bool) -> TidelogError | None:
        """Have batches until it is over, or Spark ends; what a batch has failed with."""
        writer = self._stream.stream(spark).writeStream.foreachBatch(self._batch)
        writer = writer.option("checkpointLocation", f"file://{self._checkpoint.absolute()}")
        with _said_once(spark):
            query = writer.trigger(**self._stream.trigger(once=once)).start()
            try:
                while query.isActive and not is_over():
                    self._has_news.wait(_LOOK_EVERY)
                    self._has_news.clear()
            finally:
                with self._in_hand:  # a batch in hand is finished first
                    self._is_stopping = True
                error = query.exception()
                query.stop()
        if self._failed is not None:
            said = f"{type(self._failed).__name__}: {self._failed}"
            return self._failed if isinstance(self._failed, TidelogError) else broken_off(said)
        if error is not None and StoppedError.__name__ not in str(error):
            raise broken_off(str(error))
        return None

    def _batch(self, frame: DataFrame, number: int) -> None:
        with self._in_hand:
            if self._is_stopping:
                raise StoppedError
            try:
                self._do(frame, number)
            except StoppedError:
                self._is_stopping = True
                raise
            except Exception as error:
                self._failed = error
                raise


def has_ended(spark: SparkSession) -> bool:
    """Whether Spark is no more."""
    try:
        return bool(spark.sparkContext._jsc.sc().isStopped())
    except Exception:  # nobody is there to ask
        return True


@contextmanager
def _said_once(spark: SparkSession) -> Iterator[None]:
    """What ends a query is an error of ours; Spark and its bridge would log it too, with all calls that led there."""
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


def broken_off(problem: str) -> TidelogError:
    """What Spark says of a query that failed, in one sentence."""
    lines = [line.strip() for line in problem.splitlines() if line.strip()]
    said = next((line for line in reversed(lines) if _ERROR.match(line)), lines[0] if lines else "nobody said why")
    fix = "start the job again: it goes on after the last commit"
    return fail("TL095", f"the stream broke off: {_ERROR.sub('', said)}", fix=fix)


_ERROR = re.compile(r"([\w.]+(Error|Exception): |error (?=TL\d))")
