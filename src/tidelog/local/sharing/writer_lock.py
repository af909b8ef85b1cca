"""The lock of the writer: one update at a time.

An exception may come between any two instructions, also between taking a lock and noting who has it.  So the lock is an entry of
a dictionary, which one call sets and which says who holds it: the frame that does.  A lock whose frame has ended was left behind
by an exception; whoever wants it next takes it over.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

from tidelog.errors import TidelogError, fail
from tidelog.local.recovery import is_running
from tidelog.local.sharing.forks import tell_of_forks

_KEY = "writer"
_RECHECK_SECONDS = 0.05
_GIVE_WAY_SECONDS = 5e-5


class WriterLock:
    """Held by whoever changes the state, or reads it directly.  It is not re-entrant: an update has no other one inside."""

    def __init__(self, *, waits: bool = True) -> None:
        self._held: dict[str, FrameType] = {}
        self._taking_over = threading.Lock()
        self._freed = threading.Lock()
        """Locked, but for the moment after somebody has given the lock back; it only wakes whoever waits."""
        self._freed.acquire()
        self._waiting: dict[int, bool] = {}
        """The threads that wait."""
        self.waits = waits
        """Whether a second writer waits for the first; if not, it is refused."""
        self.was_left = False
        """Whether an exception has left the lock behind since somebody has asked last."""
        self._is_lost = False
        """Whether another thread held it when this process was forked: its frame will never end, and nobody else can go on."""
        tell_of_forks(self)

    def forked(self) -> None:
        """What another thread was changing, or reading, is nothing that can be used here."""
        self._taking_over, self._freed = threading.Lock(), threading.Lock()
        self._freed.acquire()
        self._waiting.clear()
        holder = self._held.get(_KEY)
        self._is_lost = self._is_lost or (holder is not None and not _is_above(holder, sys._getframe()))

    def enter(self, frame: FrameType) -> None:
        """Take the lock for a frame, or raise an error."""
        if self._held.setdefault(_KEY, frame) is not frame and not self._take_left(frame):
            if not self.waits:
                fix = 'try again later, or let writers wait: KnowledgeBase(..., writers="wait")'
                raise fail("TL096", "another thread is changing this knowledge base", fix=fix)
            self.wait(frame)

    def enter_at_once(self, frame: FrameType) -> bool:
        """Take the lock if nobody holds it; whether it was taken."""
        return self._held.setdefault(_KEY, frame) is frame

    def wait(self, frame: FrameType, *, unless: Callable[[], bool] | None = None) -> bool:
        """Take the lock when nobody holds it any more, also where a second writer would be refused; whether it was taken.

        It is not if something has happened in the meantime for which the caller need not have it any more.
        """
        thread = threading.get_ident()
        self._waiting[thread] = True
        try:
            while self._held.setdefault(_KEY, frame) is not frame and not self._take_left(frame):
                if unless is not None and unless():
                    return False
                self._freed.acquire(timeout=_RECHECK_SECONDS)
            return True
        finally:
            self._waiting.pop(thread, None)

    def leave(self, frame: FrameType) -> None:
        """Give it back."""
        if self._held.get(_KEY) is frame:
            del self._held[_KEY]
            if self._freed.locked():
                with suppress(RuntimeError):  # the next holder has given it back already
                    self._freed.release()
            if self._waiting:  # let them have it: a thread that takes it again at once would win every time
                time.sleep(_GIVE_WAY_SECONDS)

    @property
    def is_left(self) -> bool:
        """Whether an exception, or a fork, has left it behind."""
        return (holder := self._held.get(_KEY)) is not None and (self._is_lost or not is_running(holder))

    def _take_left(self, frame: FrameType) -> bool:
        """Take the lock over, if its frame has ended; refuse it to somebody who has it already."""
        holder = self._held.get(_KEY)
        if holder is None:
            return False
        if _is_above(holder, sys._getframe(1)):
            raise _inside()
        if self._is_lost:
            fix = "open a saved one in the new process, or start that without a fork: `multiprocessing.get_context('spawn')`"
            raise fail("TL096", "another thread was using this knowledge base when this process was forked", fix=fix)
        if is_running(holder):
            return False
        with self._taking_over:
            if self._held.get(_KEY) is not holder:
                return False
            self.was_left = True
            self._held[_KEY] = frame
            return True


def _is_above(holder: FrameType, frame: FrameType) -> bool:
    """Whether a frame has been called from another one, directly or not."""
    above: FrameType | None = frame
    while above is not None:
        if above is holder:
            return True
        above = above.f_back
    return False


def _inside() -> TidelogError:
    fix = "do it when the update is over: a progress display or a signal handler runs in the middle of it"
    return fail("TL096", "this thread is in the middle of an update of this knowledge base", fix=fix)
