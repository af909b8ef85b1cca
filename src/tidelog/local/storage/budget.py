"""The memory that the stored state may take: asked before a table, an index or the dictionary grows."""

from __future__ import annotations

from collections.abc import Callable

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
