"""SIGTERM and Ctrl-C for a command that processes one item after the other: the current item is finished first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Self, TypeVar

T = TypeVar("T")


class Stopped(BaseException):
    """Raised while no item is being processed."""


class Stopping:
    """Whether a signal has requested to stop."""

    def __init__(self) -> None:
        self.requested: int | None = None
        """That signal."""
        self._is_urgent = False
        self._is_idle = True
        """Whether no item is being processed: while waiting, and before the first one."""

    def __enter__(self) -> Self:
        self._before = _set(signal.SIGTERM, self._stop)
        return self

    def __exit__(self, *_exception: object) -> None:
        _set(signal.SIGTERM, self._before)

    @contextmanager
    def working(self) -> Iterator[None]:
        """In this context Ctrl-C requests to stop as well; elsewhere it interrupts, as usual."""
        before, self._is_idle = _set(signal.SIGINT, self._stop), False
        try:
            yield
        finally:
            _set(signal.SIGINT, before)

    def waiting_for(self, wait: Callable[[], T]) -> T:
        """Call a function that may wait; `Stopped` is raised if a stop has been requested, or is requested meanwhile."""
        self._is_idle = True
        try:
            if self.requested is not None:
                raise Stopped
            return wait()
        finally:
            self._is_idle = False

    def look(self) -> None:
        """Called now and then while an item is processed: a second Ctrl-C interrupts that."""
        if self._is_urgent:
            raise KeyboardInterrupt

    def _stop(self, number: int, _frame: FrameType | None) -> None:
        self._is_urgent = self.requested == number == signal.SIGINT
        self.requested = number
        if self._is_idle:
            raise Stopped


_Handler = Callable[[int, FrameType | None], object] | int | None


def _set(number: signal.Signals, handler: _Handler) -> _Handler:
    """Set a handler, where that is possible: in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        return None
    return signal.signal(number, handler)
