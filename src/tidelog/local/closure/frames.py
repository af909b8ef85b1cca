"""Frames for the pages of digraphs (`kernel.digraphs.pages`): where a version puts the pages that it changes.

A page that a new version has copied is still read by the versions before it. Its frame is free when none of those is alive.
That is known of a line of versions, each made from the last one; where a version is made from another one, as after a rollback,
what was waiting to become free is forgotten. `is_spent` then says when to copy everything that is in use to new frames.
"""

from __future__ import annotations

import weakref
from collections import deque

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int64s
from tidelog.local.kernel.digraphs import pages as kernel
from tidelog.local.kernel.memory import address_of

_SPENT = 3
"""Everything is copied when so many times the pages in use have been taken, and none of them given back."""


class Token:
    """Alive as long as a version is, in whatever thread."""

    __slots__ = ("__weakref__",)


class Frames:
    """The frames of a line of versions; one writer at a time."""

    def __init__(self, *, is_mixed: bool = False) -> None:
        """`is_mixed`: the first version has pages in frames of others, as in a copy of a knowledge base."""
        self._is_mixed = is_mixed
        self._chunks: list[Int64s] = []
        self.next = self._end = 0
        """The addresses between them are unused frames."""
        self.free: Int64s = np.empty(0, np.int64)
        """Addresses of frames that were used and are free again."""
        self.taken = 0
        """How many unused frames have been taken since everything was last copied."""
        self._latest: Token | None = None
        self._waiting: deque[tuple[weakref.ref[Token], Int64s]] = deque()
        """For each version, frames that neither the next version reads nor any later one."""

    def chunk(self, pages: int) -> Int64s:
        """The addresses of so many frames one behind the other, which nobody else uses."""
        buffer: Int64s = np.empty(max(1, pages) * (kernel.PAGE >> 1), np.int64)
        self._chunks.append(buffer)
        begin = address_of(buffer)
        return np.arange(begin, begin + pages * kernel.PAGE_BYTES, kernel.PAGE_BYTES, dtype=np.int64)

    def buffer(self, addresses: Int64s) -> Int64s:
        """The words of the chunk that was made last."""
        return self._chunks[-1][: len(addresses) * (kernel.PAGE >> 1)]

    def begin(self, before: Token, pages: int) -> None:
        """A version is to be made after another one, and may copy so many pages; room that is not used takes no memory."""
        if self._latest is not before:
            self._waiting.clear()
        self._latest = None
        recycled = []
        while self._waiting and self._waiting[0][0]() is None:
            recycled.append(self._waiting.popleft()[1])
        if recycled:
            self.free = np.concatenate([self.free, *recycled])
        if self._end - self.next < pages * kernel.PAGE_BYTES:
            count = 2 * pages + 64
            self.next = int(self.chunk(count)[0])
            self._end = self.next + count * kernel.PAGE_BYTES

    def end(self, before: Token, after: Token, update: Int64s, retired: Int64s) -> None:
        """A version was made: its words say which frames it has used. The last assignment makes it the latest one."""
        self.free = self.free[: int(update[kernel.FREE_COUNT])]
        self.taken += (int(update[kernel.NEXT_FRAME]) - self.next) // kernel.PAGE_BYTES
        self.next = int(update[kernel.NEXT_FRAME])
        self._waiting.append((weakref.ref(before), retired[self._are_own(retired)] if self._is_mixed else retired))
        self._latest = after

    def first(self, token: Token) -> None:
        """The first version of a line."""
        self._latest = token

    def is_spent(self, pages: int) -> bool:
        """Whether so much has been taken, beside so many pages in use, that these should be copied."""
        return self.taken > _SPENT * pages + 1024

    def _are_own(self, addresses: Int64s) -> NDArray[np.bool_]:
        """Which frames are of these chunks."""
        result = np.zeros(len(addresses), np.bool_)
        for chunk in self._chunks:
            begin = address_of(chunk)
            result |= (addresses >= begin) & (addresses < begin + chunk.nbytes)
        return result
