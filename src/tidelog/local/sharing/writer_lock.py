"""The lock of the writer: one update at a time."""

from __future__ import annotations

import threading
from typing import Self

from tidelog.errors import TidelogError, fail


class WriterLock:
    """Held by whoever changes the state, or reads it directly.  It is not re-entrant: an update has no other one inside."""

    def __init__(self, *, waits: bool = True) -> None:
        self._lock = threading.Lock()
        self._owner = 0
        self.waits = waits
        """Whether a second writer waits for the first; if not, it is refused."""

    def __enter__(self) -> Self:
        if not self._lock.acquire(blocking=False):
            if self._owner == threading.get_ident():
                raise _inside()
            if not self.waits:
                fix = 'try again later, or let writers wait: KnowledgeBase(..., writers="wait")'
                raise fail("TL096", "another thread is changing this knowledge base", fix=fix)
            self._lock.acquire()
        self._owner = threading.get_ident()
        return self

    def __exit__(self, *_: object) -> None:
        self._owner = 0
        self._lock.release()

    def enter_at_once(self) -> bool:
        """Take the lock if nobody holds it; whether it was taken."""
        if self._lock.acquire(blocking=False):
            self._owner = threading.get_ident()
            return True
        return False

    def wait(self) -> None:
        """Take the lock when nobody holds it any more, also where a second writer would be refused."""
        if self._owner == threading.get_ident():
            raise _inside()
        self._lock.acquire()
        self._owner = threading.get_ident()


def _inside() -> TidelogError:
    fix = "do it when the update is over: a progress display or a signal handler runs in the middle of it"
    return fail("TL096", "this thread is in the middle of an update of this knowledge base", fix=fix)
