"""Atomic work on a state: an exception at any point either lets it finish or rolls it back.

A limit stops work at a poll, where everything is in order.  Other exceptions may come between any two instructions: there is no
memory, another thread raises one here, a signal handler does.  Then what belongs together may have been changed in part, so
everything is mended first (`State.repair`).  A second exception may stop that, too.  So the engine knows the work that has not
ended; all steps of ending it can be repeated; and whoever comes next ends it, if nobody could before.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from types import FrameType
from typing import Protocol, Self

from tidelog.core.limits import Watch
from tidelog.local.storage.state import State

_MOST_TRIES = 10
"""So often it is tried to end work; what stops it then will not go away by itself."""


class Owner(Protocol):
    """Who owns a state, and knows the work on it that has not ended."""

    state: State
    unfinished: Work | None


class Work(ABC):
    """A change of a state, or a query, to be used in a `with`."""

    _engine: Owner
    is_open = True
    is_clean = True
    """Whether nothing has stopped it but a poll, so that everything that is kept for the next update can be kept."""
    _frame: FrameType | None = None
    """The one with the `with`."""
    _outer: Work | None = None
    """What this is a part of: a progress display may ask queries."""

    def __init__(self, engine: Owner, watch: Watch) -> None:
        self._engine, self.watch = engine, watch

    def __enter__(self) -> Self:
        frame = sys._getframe(1)
        try:
            self._frame, self._outer = frame, self._engine.unfinished
            self._engine.unfinished = self
            self.watch.enter(frame)
            self._begin()
        except BaseException as error:
            self.__exit__(type(error), error)
            raise
        return self

    def __exit__(self, _kind: object = None, error: BaseException | None = None, _trace: object = None) -> None:
        try:
            if self.is_open:
                self.is_clean = self.is_clean and (error is None or error is self.watch.stopped_by)
                self.end()
        finally:
            self.watch.leave()

    @abstractmethod
    def _begin(self) -> None:
        """What comes before everything else."""

    @abstractmethod
    def _end(self) -> None:
        """Undo it, or finish it if it is decided; can be repeated."""

    def end(self) -> None:
        """End it, whatever comes in between; the last exception that came is raised when it has ended."""
        came: BaseException | None = None
        for _ in range(_MOST_TRIES):
            try:
                self._end()
                self._close()
                break
            except BaseException as error:
                came, self.is_clean = error, False
        if came is not None:
            raise came

    def _close(self) -> None:
        """It has ended: the engine need not know it any more."""
        if self._engine.unfinished is self:
            self._engine.unfinished = self._outer
        self.is_open, self._frame = False, None

    @property
    def outer(self) -> Work | None:
        """The work of which this is a part."""
        return self._outer

    @property
    def is_running(self) -> bool:
        """Whether a thread is still inside of the `with`."""
        return is_running(self._frame)


def is_running(frame: FrameType | None) -> bool:
    """Whether a thread executes a frame of a function, or what it has called.

    To look for it on the stacks of all threads would not do: they change meanwhile, and a generator that yields at that moment
    hides everything below it.  A frame that is executed cannot be cleared, and one that has ended is not needed any more.
    """
    if frame is None:
        return False
    try:
        frame.clear()
    except RuntimeError:
        return True
    return False


def recover(engine: Owner) -> None:
    """End the work that exceptions have kept from ending; work that is under way goes on."""
    while (work := engine.unfinished) is not None and not work.is_running:
        work.is_clean = False
        work.end()
        work.watch.leave()
