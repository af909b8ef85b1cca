"""Versions of a partition: the buffers hold one of them, and the journal's entries are the way to every other one.

After Baker's persistent arrays ("Shallow Binding Makes Functional Arrays Fast", 1991): each version but the one in the buffers
knows its neighbour on the way there, and what to write to get there.  So an older version keeps the newer ones alive and not the
other way round, a version that nobody holds takes no memory, and to go back costs what was done since.

Only the writer moves the buffers to another version, each time by one call of the kernel that no thread interrupts (`journal`).
A neighbour is noted before the move to it: until then the note means nothing, as the version is the one in the buffers.  So an
exception may come anywhere.
"""

from __future__ import annotations

import weakref
from itertools import count
from typing import Protocol

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.closure.connectivity.buffers import Buffers
from tidelog.local.kernel.closures import virtual_access as virtual
from tidelog.local.kernel.closures.connectivity import journal
from tidelog.local.kernel.closures.connectivity import words as word

_NUMBERS = count(1)
_ENTRY = 4
"""Numbers that an entry of the journal has."""
_PATIENCE = 4
"""A version gets a copy of its own when the way to it has so many entries for each node ..."""
_RECENT = 16
"""... but none of the last few, to which a rollback or marks may go back."""


class Point:
    """One version: its counts, and its neighbour on the way to the version in the buffers."""

    __slots__ = ("counts", "gains", "link", "loses", "number")

    def __init__(self, counts: Int64s) -> None:
        self.number, self.counts = next(_NUMBERS), counts
        self.gains = self.loses = False
        """Whether pairs may have been gained and lost since the version before."""
        self.link: tuple[Point, Int32s, bool] | None = None
        """The neighbour, the entries between the two, and whether they are to be done again, or undone, to get there."""


class Version(Protocol):
    """What somebody may hold."""

    since: tuple[int, int]
    """How much had been written when it was made, and how many versions there had been."""

    def part(self) -> None:
        """Have a copy of its own, and forget the way to the buffers."""


class Versions:
    """The buffers of a partition, and the version that they hold."""

    def __init__(self, buffers: Buffers) -> None:
        self.buffers, self.words = buffers, buffers.words
        self._root = Point(self._counts())
        journal.complete(self.words, self._root.number)
        self._written = self._swept = self._completed = 0
        self._held: weakref.WeakSet[Version] = weakref.WeakSet()

    def _counts(self) -> Int64s:
        counts: Int64s = self.words[word.COUNTS : word.COUNTS_END].copy()
        return counts

    @property
    def root(self) -> Point:
        """The version in the buffers."""
        if self._root.number != self.words[word.VERSION]:  # an exception has come just after the move
            assert self._root.link is not None
            self._root = self._root.link[0]
        return self._root

    # --- the writer ------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """An update begins: from the first one on, the lists of edges are there and counted."""
        self.buffers.build_lists()
        self.root.counts = self._counts()

    def complete(self) -> Point:
        """What stands in the journal is the next version; or nothing stands there."""
        before, used = self.root, int(self.words[word.LOG_COUNT])
        if not used:
            return before
        entries: Int32s = self.buffers.at(word.LOG)[: _ENTRY * used].copy()
        after = Point(self._counts())
        after.gains, after.loses = bool(self.words[word.GAINS]), bool(self.words[word.LOSSES])
        before.link = after, entries, True
        journal.complete(self.words, after.number)
        self._root = after
        self._written += used
        self._completed += 1
        return after

    def undo(self) -> None:
        """Undo what stands in the journal."""
        if self.words[word.LOG_COUNT]:
            journal.undo(self.words, self.root.counts)

    def go_to(self, point: Point) -> None:
        """Let the buffers hold a version."""
        self.undo()
        way = _way(point, self.root.number)
        assert way is not None, "a version that has parted from the buffers cannot become the current one"
        for target in reversed(way):
            assert target.link is not None
            _, entries, is_forward = target.link
            self.root.link = target, entries, not is_forward
            journal.go_to(self.words, entries, not is_forward, False, target.counts, target.number)
            self._root = target
            target.link = None

    def held_by(self, version: Version) -> None:
        """Somebody may hold a version of the partition from now on."""
        version.since = self._written, self._completed
        self._held.add(version)

    def sweep(self) -> None:
        """Give versions that are far from the one in the buffers copies of their own, and free what lies between."""
        most = _PATIENCE * self.buffers.node_count + (1 << 16)
        if self._written - self._swept > most:
            self._swept = self._written
            for version in list(self._held):
                written, completed = version.since
                if self._written - written > most and self._completed - completed > _RECENT:
                    version.part()
                    self._held.discard(version)

    # --- readers ---------------------------------------------------------------------------------------------------------

    def copy_of(self, point: Point) -> Buffers:
        """A copy of a version for readers, also while another thread changes the buffers."""
        while True:
            copy = self.buffers.for_reading()
            number = -1 if copy is None else journal.copy_for_readers(self.words, copy.words)
            way = _way(point, number) if number >= 0 else None
            if copy is not None and way is not None:  # else the writer was faster
                _follow_back(copy, way)
                _set_version(copy, point)
                return copy

    def move(self, copy: Buffers, before: Point, after: Point) -> bool:
        """Let a copy of one version be a copy of another one, which it must be the only one to need; False if there is no way."""
        if copy.words[virtual.TERMS] != self.words[virtual.TERMS] or copy.words[virtual.NODE_OF] != self.words[virtual.NODE_OF]:
            return False
        forth, back = _way(before, after.number), None
        if forth is None:
            back = _way(after, before.number)
        if forth is None and back is None:
            return False
        copy.words[virtual.NODE_COUNT] = self.words[virtual.NODE_COUNT]
        for point in forth or ():
            _replay(copy, point, is_back=False)
        _follow_back(copy, back or [])
        _set_version(copy, after)
        return True


def _way(point: Point, number: int) -> list[Point] | None:
    """The versions from one on, without the last, to the one with a number; None if that does not lie on its way."""
    way, at = list[Point](), point
    while at.number != number:
        way.append(at)
        link = at.link
        if link is None or (len(way) > 1 and link[0] is way[-2]):  # the writer is just going back
            return None
        at = link[0]
    return way


def _set_version(copy: Buffers, point: Point) -> None:
    copy.words[word.COUNTS : word.COUNTS_END] = point.counts
    copy.words[word.VERSION] = point.number


def _follow_back(copy: Buffers, way: list[Point]) -> None:
    """From the end of a way to its beginning."""
    for point in reversed(way):
        _replay(copy, point, is_back=True)


def _replay(copy: Buffers, point: Point, *, is_back: bool) -> None:
    assert point.link is not None
    _, entries, is_forward = point.link
    counts = np.asarray(copy.words[word.COUNTS : word.COUNTS_END])
    journal.go_to(copy.words, entries, is_forward != is_back, True, counts, 0)
