"""SIGTERM and Ctrl-C for a command that works off one thing after the other: what is in hand is finished, then it is over."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Self, TypeVar

T = TypeVar("T")


class Stopped(BaseException):
    """Raised where nothing is in hand, so that there is nothing to finish."""


class Stopping:
    """Whether somebody has asked to stop."""

    def __init__(self) -> None:
        self.requested: int | None = None
        """The signal by which somebody has."""
        self._is_urgent = False
        self._is_idle = True
        """Whether nothing is in hand: while waiting, and before the first thing."""

    def __enter__(self) -> Self:
        self._before = _set(signal.SIGTERM, self._stop)
        return self

    def __exit__(self, *_exception: object) -> None:
        _set(signal.SIGTERM, self._before)

    @contextmanager
    def working(self) -> Iterator[None]:
        """From now on, Ctrl-C asks to stop, too; before, it interrupts, as it does everywhere."""
        before, self._is_idle = _set(signal.SIGINT, self._stop), False
        try:
            yield
        finally:
            _set(signal.SIGINT, before)

    def waiting_for(self, wait: Callable[[], T]) -> T:
        """What a function gives that may wait; `Stopped` is raised if somebody has asked to stop, or does so meanwhile."""
        self._is_idle = True
        try:
            if self.requested is not None:
                raise Stopped
            return wait()
        finally:
            self._is_idle = False

    def look(self) -> None:
        """Called now and then while something is in hand: a second Ctrl-C does not wait until that is finished."""
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
