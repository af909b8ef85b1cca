"""Ctrl-C while Spark works: its jobs are cancelled first, and what they were writing is removed; then Python raises.

PySpark's own handler asks Spark to end all jobs over the connection on which the interrupted call waits for its answer. That
breaks the connection (PySpark 4.3, py4j 0.10.9): a job keeps writing while Python cleans up, and two tracebacks of py4j are
shown. Here another thread, which has a connection of its own, cancels the jobs. The waiting call returns with its job, and
there `KeyboardInterrupt` is raised.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from time import sleep
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

_ASK_EVERY = 0.1
"""A call may start a job, or one more, after all jobs have been ended; so they are cancelled until it returns."""


@dataclass(slots=True)
class _Waiting:
    """What the main thread waits for."""

    calls: int = 0
    is_interrupted: bool = False


def end_jobs_on_interrupt(spark: SparkSession) -> None:
    """Install a handler: Ctrl-C cancels the jobs of a Spark that this process has started."""
    if threading.current_thread() is not threading.main_thread():
        return  # Python delivers signals to the main thread only, and lets no other one say what they do
    waiting, context = _Waiting(), spark.sparkContext
    _count_calls(context._gateway._gateway_client, waiting)  # type: ignore[union-attr]

    def interrupted(_number: int, _frame: object) -> None:
        is_first = waiting.calls > 0 and not waiting.is_interrupted
        waiting.is_interrupted = is_first
        threading.Thread(target=_end_jobs, args=(context, waiting), daemon=True).start()
        if not is_first:  # nothing to wait for; or the second Ctrl-C
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupted)


def _count_calls(client: Any, waiting: _Waiting) -> None:
    """Note when the main thread is inside of a call to the JVM, and raise the interrupt when it returns."""
    send = client.send_command

    def counted(command: str, *how: Any, **more: Any) -> Any:
        if threading.current_thread() is not threading.main_thread():
            return send(command, *how, **more)
        waiting.calls += 1
        try:
            answer = send(command, *how, **more)
        finally:
            waiting.calls -= 1
        if waiting.is_interrupted and not waiting.calls:
            waiting.is_interrupted = False
            raise KeyboardInterrupt
        return answer

    client.send_command = counted


def _end_jobs(context: SparkContext, waiting: _Waiting) -> None:
    with suppress(Exception):  # Spark may have ended as a whole
        context.cancelAllJobs()
        while waiting.is_interrupted:
            sleep(_ASK_EVERY)
            context.cancelAllJobs()


@contextmanager
def without_interruption() -> Iterator[None]:
    """Defer Ctrl-C to the end of the block, which must not be left half done."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Python delivers signals to the main thread only
        return
    kept: list[tuple[int, FrameType | None]] = []
    handler = signal.signal(signal.SIGINT, lambda number, frame: kept.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if kept and callable(handler):
        handler(*kept[0])
