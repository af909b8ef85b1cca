"""The memory that the stored state may take: asked before a table, an index or the dictionary grows; and what goes back."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

from tidelog.core.limits import LimitReachedError


class MemoryBudget:
    """The bytes of tables, indexes, virtual relations and dictionary, and the most that they may be.

    Growth is added to an upper bound, and buffers that are given back are not subtracted from it.  Only when the bound exceeds
    the limit are all buffers measured, so that a program of many tables pays for it once in a while.
    """

    limit: int | None = None
    """Set while an update or a query is evaluated: what rolls one back may always allocate."""
    was_reached = False
    """Whether an evaluation has reached the limit, and its buffers have not been trimmed since."""

    def __init__(self, measure: Callable[[], int]) -> None:
        """`measure` gives the bytes in use."""
        self._measure, self._bound = measure, 0

    @property
    def in_use(self) -> int:
        """The bytes in use now."""
        return self._measure()

    def ask(self, more: int) -> None:
        """Raise `LimitReachedError` if there is no room for so many bytes more."""
        self._bound += more
        if self.limit is not None and self._bound > self.limit:
            self._bound = self._measure() + more
            if self._bound > self.limit:
                self.was_reached = True
                raise LimitReachedError.of_memory(self._bound, self.limit)

    def has_room(self, more: int) -> bool:
        """Whether there is room for so many bytes more, that nobody needs."""
        return self.limit is None or self._measure() + more <= self.limit


class DroppedBuffers:
    """The buffers that have been replaced by new ones, which are about to be free or soon will be.

    The allocator of C keeps what is free, for each thread apart: a process in which a writer and readers replace large buffers in
    turn would come to hold twice what it uses, and more.  So free memory goes back to the system once that pays.
    """

    def __init__(self) -> None:
        self._bytes = 0

    def note(self, size: int) -> None:
        """Note buffers of so many bytes; somebody may refer to them still."""
        self._bytes += size

    def give_back(self) -> None:
        """Give back what is free, if that pays: called before a change, when nobody refers any more to what others replaced."""
        if self._bytes > _MUCH:
            self._bytes = 0
            _trim()(0)


_MUCH = 1 << 26
"""Bytes for which it pays: it takes some milliseconds."""
DROPPED = DroppedBuffers()
"""Those of this process, as there is one allocator."""


@cache
def _trim() -> Callable[[int], object]:
    """What gives free memory back; nothing does where there is no allocator of glibc."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return bool
