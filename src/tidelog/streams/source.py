"""Sources of updates: the interface, and iterables and queues of Python."""

from __future__ import annotations

import queue
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import Protocol, TypeAlias

from tidelog.errors import TidelogError
from tidelog.streams.update import Update, as_update

_Taken: TypeAlias = Update | TidelogError | None
"""An update, its error, or None at the end."""


class UpdateSource(ABC):
    """A stream of updates that can tell, without waiting, whether the next one has arrived."""

    def __init__(self) -> None:
        self.prepare: Callable[[Update], Update] = lambda update: update
        """Applied to each update before it is given out."""
        self._ahead: list[_Taken] = []

    def next(self) -> Update | None:
        """The next update, or None at the end.  It may wait; an exception of a signal handler ends the wait.

        If the update cannot be read, its error is raised, and the one after it is next.
        """
        taken = self._ahead.pop() if self._ahead else self._prepared(self._take)
        if isinstance(taken, TidelogError):
            raise taken
        return taken

    def waiting(self) -> Update | None:
        """The update that `next` will give, if it has arrived already; never waits."""
        if not self._ahead:
            try:
                if self._is_ready():
                    self._ahead.append(self._prepared(self._take))
            except TidelogError as error:
                self._ahead.append(error)  # for `next` to raise
        return self._ahead[0] if self._ahead and isinstance(self._ahead[0], Update) else None

    @property
    def backlog(self) -> int:
        """How many updates are known to be waiting; there may be more."""
        return len([taken for taken in self._ahead if taken is not None]) + self._known()

    def close(self) -> None:  # noqa: B027  (most sources hold nothing open)
        """Close the files of the source."""

    def __del__(self) -> None:
        self.close()  # a loop over a stream may end anywhere, and is rarely written in a `with`

    @abstractmethod
    def _take(self) -> Update | None:
        """The next update, or None at the end; it may wait."""

    @abstractmethod
    def _is_ready(self) -> bool:
        """Whether `_take` would return at once, without running code of the user."""

    def _known(self) -> int:
        """How many updates `_take` would give without waiting, as far as that is known."""
        return 0

    def _prepared(self, take: Callable[[], Update | None]) -> _Taken:
        try:
            update = take()
            return update if update is None else self.prepare(update)
        except TidelogError as error:
            return error


class IterableSource(UpdateSource):
    """Updates from any iterable.

    Only a sequence is read ahead: a generator may depend on the time, or on the last change.
    """

    def __init__(self, updates: Iterable[object]) -> None:
        super().__init__()
        self._length = len(updates) if isinstance(updates, Sequence) else None
        self._updates, self._taken = iter(updates), 0

    def _take(self) -> Update | None:
        for thing in self._updates:
            self._taken += 1
            return as_update(thing, f"update {self._taken}")
        return None

    def _is_ready(self) -> bool:
        return self._length is not None

    def _known(self) -> int:
        return 0 if self._length is None else max(0, self._length - self._taken)


class Queue(Protocol):
    """The methods that a queue needs; those of `queue` and `multiprocessing` have them."""

    def get(self) -> object:
        """The next thing; waits for it."""

    def get_nowait(self) -> object:
        """The next thing, or `queue.Empty` is raised."""


class QueueSource(UpdateSource):
    """Updates from a queue, until it gives None or is shut down."""

    def __init__(self, updates: Queue) -> None:
        super().__init__()
        self._queue, self._taken, self._has_ended = updates, 0, False
        self._got: list[object] = []

    def _take(self) -> Update | None:
        if self._has_ended:
            return None
        try:
            thing = self._got.pop() if self._got else self._queue.get()
        except _SHUT_DOWN:
            thing = None
        self._has_ended = thing is None
        self._taken += 1
        return None if thing is None else as_update(thing, f"update {self._taken}")

    def _is_ready(self) -> bool:
        if not self._got and not self._has_ended:
            try:
                self._got.append(self._queue.get_nowait())
            except queue.Empty:
                return False
            except _SHUT_DOWN:
                self._got.append(None)
        return True

    def _known(self) -> int:
        try:
            return len(self._got) + int(getattr(self._queue, "qsize", int)())
        except NotImplementedError:  # multiprocessing on macOS
            return len(self._got)


_SHUT_DOWN: tuple[type[Exception], ...] = (queue.ShutDown,) if hasattr(queue, "ShutDown") else ()  # from Python 3.13 on


class AsyncQueue(Protocol):
    """The methods that an asynchronous queue needs; that of `asyncio` has them."""

    async def get(self) -> object:
        """The next thing; waits for it."""

    def get_nowait(self) -> object:
        """The next thing, or `asyncio.QueueEmpty` is raised."""


class QueuedUpdates(AsyncIterator[object]):
    """The items of an asynchronous queue, until it gives None or is shut down."""

    def __init__(self, updates: AsyncQueue) -> None:
        import asyncio  # the user of such a queue has imported it already

        self._queue = updates
        self._got: list[object] = []
        self._shut_down: tuple[type[Exception], ...] = (
            (asyncio.QueueShutDown,) if hasattr(asyncio, "QueueShutDown") else ()  # from Python 3.13 on
        )
        self._nothing: tuple[type[Exception], ...] = (asyncio.QueueEmpty, *self._shut_down)

    async def __anext__(self) -> object:
        try:
            thing = self._got.pop() if self._got else await self._queue.get()
        except self._shut_down:
            thing = None
        if thing is None:
            self._got.append(None)  # the next call ends as well
            raise StopAsyncIteration
        return thing

    def waiting(self) -> object:
        """The next item, if it has arrived already; never waits."""
        if not self._got:
            try:
                self._got.append(self._queue.get_nowait())
            except self._nothing:
                return None
        return self._got[0]
