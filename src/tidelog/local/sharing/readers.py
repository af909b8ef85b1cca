"""Readers beside a writer: while one thread alone uses a knowledge base it reads the state itself, else published versions."""

from __future__ import annotations

import sys
from typing import Protocol

from tidelog.core.limits import Watch
from tidelog.core.schema import Schema
from tidelog.local.engine import LocalEngine
from tidelog.local.sharing.published import Publisher
from tidelog.local.sharing.replica import Replica
from tidelog.local.sharing.snapshot import Snapshot
from tidelog.local.sharing.writer_lock import WriterLock
from tidelog.local.storage.budget import DROPPED


class Shared(Protocol):
    """What readers and writers need of a knowledge base."""

    _schema: Schema
    _started: LocalEngine | None

    def _maintained(self) -> LocalEngine: ...

    def _watch(self) -> Watch: ...


class Sharing:
    """Who may touch the state of a knowledge base.  As a context it is the writer: `with sharing:` around every change."""

    def __init__(self, kb: Shared, *, waits: bool = True) -> None:
        self._kb, self._lock = kb, WriterLock(waits=waits)
        self._publisher: Publisher | None = None
        self._replica = Replica()
        self._is_behind = False
        """Whether something has changed that is not published, such as facts from which nothing has been derived yet: the next
        reader does it."""

    @property
    def waits(self) -> bool:
        """Whether a second writer waits for the first."""
        return self._lock.waits

    def __enter__(self) -> None:
        self._lock.enter(sys._getframe(1))
        if self._lock.was_left:
            self._recover()
        DROPPED.give_back()

    def __exit__(self, *_: object) -> None:
        try:
            if self._publisher is not None:  # also after an error: it may have come when all was done
                self._is_behind = True  # until it is published, whatever comes in between
                self._publish(self._publisher)
        finally:
            self._lock.leave(sys._getframe(1))

    def _recover(self) -> None:
        """An exception has kept a writer from coming to its end here; it may have changed something that nobody has published."""
        self._is_behind = self._publisher is not None
        self._lock.was_left = False

    def _publish(self, publisher: Publisher) -> None:
        engine = self._kb._started
        if engine is not None and engine.unfinished is None and engine.is_maintained:
            publisher.publish(engine, self._kb._schema)
            self._is_behind = False

    # --- readers ---------------------------------------------------------------------------------------------------------

    def begin_reading(self) -> Snapshot | None:
        """The last version, for a reader; None if the caller may read the state itself, until `end_reading`."""
        if self._publisher is None and self._lock.enter_at_once(sys._getframe(1)):
            return None
        return self._view()

    def begins_reading(self) -> bool:
        """Whether the caller may read the state itself, now and until `end_reading`; nobody waits for it."""
        return self._publisher is None and self._lock.enter_at_once(sys._getframe(1))

    def end_reading(self) -> None:
        """The caller has read the state."""
        self._lock.leave(sys._getframe(1))

    def snapshot(self) -> Snapshot:
        """The last version, for several questions."""
        if self._publisher is None:
            frame = sys._getframe()
            try:
                if self._lock.enter_at_once(frame):  # nobody else is there: no need to publish every version from now on
                    current = Publisher(self._kb._maintained(), self._kb._schema).current
                    return Snapshot(current, self._replica, self._kb._watch)
            finally:
                self._lock.leave(frame)
                del frame  # a frame that names itself keeps its callers, and all that their variables hold, until a collection
        return self._view()

    def _view(self) -> Snapshot:
        publisher = self._publisher
        if publisher is None or not self._is_current():
            publisher = self._share()
        return Snapshot(publisher.current, self._replica, self._kb._watch)

    def _is_current(self) -> bool:
        return not (self._publisher is None or self._is_behind or self._lock.is_left)

    def _share(self) -> Publisher:
        """Wait for the update in hand, or until somebody has published it; what is published from then on is complete."""
        frame = sys._getframe()
        try:
            if not self._lock.wait(frame, unless=self._is_current) and self._publisher is not None:
                return self._publisher
            if self._lock.was_left:
                self._recover()
            engine = self._kb._maintained()
            if self._publisher is None:
                self._publisher = Publisher(engine, self._kb._schema)
            elif self._is_behind:
                self._publish(self._publisher)
            return self._publisher
        finally:
            self._lock.leave(frame)
            del frame  # see `snapshot`
