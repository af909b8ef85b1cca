"""The lock of the writer: one update at a time.

An exception may come between any two instructions, also between taking a lock and noting who has it.  So the lock is an entry of
a dictionary, which one call sets and which says who holds it: the frame that does.  A lock whose frame has ended was left behind
by an exception; whoever wants it next takes it over.

Whoever waits has a place in a queue, and nobody takes the lock before those that came first.  So a writer waits for as many turns
as there are others before it, however many readers come and go meanwhile.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

from tidelog.errors import TidelogError, fail
from tidelog.local.recovery import is_running
from tidelog.local.sharing.forks import tell_of_forks

_KEY = "writer"
_RECHECK_SECONDS = 0.05


class _Place:
    """A place in the queue."""

    def __init__(self, frame: FrameType, unless: Callable[[], bool] | None) -> None:
        """`frame` is that of the method that waits: where an exception ends it, its place does not count any more."""
        self._frame: FrameType | None = frame
        self.thread, self._unless = threading.get_ident(), unless
        self._bell = threading.Lock()
        self._bell.acquire()

    @property
    def is_left(self) -> bool:
        """Whether nobody is there any more."""
        return not is_running(self._frame)

    @property
    def is_over(self) -> bool:
        """Whether nobody is there any more, or need not wait any more."""
        return (self._unless is not None and self._unless()) or self.is_left

    def leave(self) -> None:
        """Nobody is there any more; without this, a frame would name a place that names it."""
        self._frame = None

    def wait(self) -> None:
        """Wait for a call; not for ever, since whoever should call may be stopped before."""
        self._bell.acquire(timeout=_RECHECK_SECONDS)

    def call(self) -> None:
        """Wake whoever waits."""
        if self._bell.locked():
            with suppress(RuntimeError):  # somebody else has called
                self._bell.release()


class WriterLock:
    """Held by whoever changes the state, or reads it directly.  It is not re-entrant: an update has no other one inside."""

    def __init__(self, *, waits: bool = True) -> None:
        self._held: dict[str, FrameType] = {}
        self._taking_over = threading.Lock()
        self._queue: dict[_Place, None] = {}
        """Those that wait, first come first."""
        self.waits = waits
        """Whether a second writer waits for the first; if not, it is refused."""
        self.was_left = False
        """Whether an exception has left the lock behind since somebody has asked last."""
        self._is_lost = False
        """Whether another thread held it when this process was forked: its frame will never end, and nobody else can go on."""
        tell_of_forks(self)

    def forked(self) -> None:
        """What another thread was changing, or reading, is nothing that can be used here."""
        self._taking_over, self._queue = threading.Lock(), {}
        holder = self._held.get(_KEY)
        self._is_lost = self._is_lost or (holder is not None and not _is_above(holder, sys._getframe()))

    def enter(self, frame: FrameType) -> None:
        """Take the lock for a frame, or raise an error."""
        if self.enter_at_once(frame) or self._take_left(frame):
            return
        if not self.waits and self._held:
            fix = 'try again later, or let writers wait: KnowledgeBase(..., writers="wait")'
            raise fail("TL096", "another thread is changing this knowledge base", fix=fix)
        self.wait(frame)

    def enter_at_once(self, frame: FrameType) -> bool:
        """Take the lock if nobody holds it, and nobody else waits for it; whether it was taken."""
        return (not self._queue or self._is_turn()) and self._held.setdefault(_KEY, frame) is frame

    def wait(self, frame: FrameType, *, unless: Callable[[], bool] | None = None) -> bool:
        """Take the lock when it is this thread's turn, also where a second writer would be refused; whether it was taken.

        It is not if something has happened in the meantime for which the caller need not have it any more.  Other threads ask
        that, too, and do not wait for such a caller.
        """
        place = _Place(sys._getframe(), unless)
        try:
            self._queue[place] = None
            while not self.enter_at_once(frame) and not self._take_left(frame):
                if unless is not None and unless():
                    return False
                place.wait()
            return True
        finally:
            place.leave()
            self._queue.pop(place, None)
            if not self._held:
                self._call()

    def leave(self, frame: FrameType) -> None:
        """Give it back."""
        if self._held.get(_KEY) is frame:
            del self._held[_KEY]
            if self._queue:
                self._call()

    def _is_turn(self) -> bool:
        """Whether nobody waits, or this thread is the first: perhaps in an outer frame, which a signal handler has stopped."""
        thread = threading.get_ident()
        for place in list(self._queue):
            if place.is_left:
                self._queue.pop(place, None)
            elif place.thread == thread:
                return True
            elif not place.is_over:
                return False
        return True

    def _call(self) -> None:
        """The lock is free: wake the first that waits, and those before it that need not wait any more."""
        for place in list(self._queue):
            place.call()
            if not place.is_over:
                return

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
