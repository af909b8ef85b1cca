"""Readers beside a writer: while one thread alone uses a knowledge base it reads the state itself, else published versions."""

from __future__ import annotations

from typing import Protocol

from tidelog.core.limits import Watch
from tidelog.core.schema import Schema
from tidelog.local.engine import LocalEngine
from tidelog.local.sharing.published import Publisher
from tidelog.local.sharing.replica import Replica
from tidelog.local.sharing.snapshot import Snapshot
from tidelog.local.sharing.writer_lock import WriterLock


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
        """Whether facts were loaded from which nothing has been derived yet: the next reader does it."""

    @property
    def waits(self) -> bool:
        """Whether a second writer waits for the first."""
        return self._lock.waits

    def __enter__(self) -> None:
        self._lock.__enter__()

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        try:
            if self._publisher is not None and error is None:
                self._publish(self._publisher)
        finally:
            self._lock.__exit__()

    def _publish(self, publisher: Publisher) -> None:
        engine = self._kb._started
        if engine is not None and engine.is_maintained:
            publisher.publish(engine, self._kb._schema)
            self._is_behind = False
        else:
            self._is_behind = True

    # --- readers ---------------------------------------------------------------------------------------------------------

    def begin_reading(self) -> Snapshot | None:
        """The last version, for a reader; None if this thread may read the state itself, until `end_reading`."""
        if self._publisher is None and self._lock.enter_at_once():
            return None
        return self._view(self._replica)

    def end_reading(self) -> None:
        """The state has been read."""
        self._lock.__exit__()

    def snapshot(self) -> Snapshot:
        """The last version, for several questions."""
        if self._publisher is not None or not self._lock.enter_at_once():
            return self._view(Replica())
        try:  # nobody else is there: no need to publish every version from now on
            return Snapshot(Publisher(self._kb._maintained(), self._kb._schema).current, Replica(), self._kb._watch)
        finally:
            self._lock.__exit__()

    def _view(self, replica: Replica) -> Snapshot:
        publisher = self._publisher
        if publisher is None or self._is_behind:
            publisher = self._share()
        return Snapshot(publisher.current, replica, self._kb._watch)

    def _share(self) -> Publisher:
        """Wait for the update in hand; what is published from then on is complete."""
        self._lock.wait()
        try:
            engine = self._kb._maintained()
            if self._publisher is None:
                self._publisher = Publisher(engine, self._kb._schema)
            elif self._is_behind:
                self._publish(self._publisher)
            return self._publisher
        finally:
            self._lock.__exit__()
