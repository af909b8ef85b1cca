"""A partition: all pairs within the connected components of some pairs (STC), one version of it.

A version is read from the buffers as long as they hold it, and from a copy of its own after that, which is made when somebody
reads it.  Nothing that is handed out ever changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.closure.adjacency import Pairs
from tidelog.local.closure.connectivity.buffers import Buffers
from tidelog.local.closure.connectivity.partition_versions import Point, Versions
from tidelog.local.closure.virtual_relation import Poll, VirtualRelation
from tidelog.local.kernel.closures import virtual_access as virtual
from tidelog.local.kernel.closures.connectivity import reading
from tidelog.local.kernel.closures.connectivity import words as word

_AT_ONCE = 1 << 18
"""Pairs that are written in one call, which no other thread interrupts."""


class Partition(VirtualRelation):
    """All pairs within the connected components of some pairs; one version."""

    since = 0, 0
    is_copy = False
    """Whether it is for a reader who moves it from version to version, and never in the buffers themselves."""

    def __init__(self, starts: Pairs, *, is_irreflexive: bool = False, poll: Poll = lambda: None) -> None:
        """Build from the external pairs."""
        poll()
        buffers = Buffers.of(np.ascontiguousarray(starts), is_irreflexive=is_irreflexive)
        self._begin(Versions(buffers))
        poll()

    def _begin(self, versions: Versions) -> None:
        self.versions, self.point = versions, versions.root
        self._copy: Buffers | None = None
        self.words = _row_of(versions.words)
        versions.held_by(self)

    @classmethod
    def in_buffers(cls, versions: Versions) -> Partition:
        """The version that the buffers hold."""
        self = cls.__new__(cls)
        self._begin(versions)
        return self

    # --- which buffers ---------------------------------------------------------------------------------------------------

    def activate(self) -> None:
        """Let the buffers hold this version: it is the one that plans read from now on, and that the next one is made from."""
        if not self.is_copy:
            self.versions.go_to(self.point)
            self.words = _row_of(self.versions.words)

    def part(self) -> None:
        """Have a copy of its own, and forget the way to the buffers."""
        if self._copy is None:
            self._copy = self.versions.copy_of(self.point)
        if not self.is_copy:
            self.point = Point(self.point.counts)
            self._copy.words[word.VERSION] = self.point.number

    def copied(self) -> Partition:
        """The same pairs in buffers of their own, for another knowledge base."""
        self.activate()
        return self.in_buffers(Versions(self.versions.buffers.copied()))

    def renumbered(self, ids: Int32s, count: int) -> Partition:
        """The same pairs with other ids: `ids` has the new one of each id, and there are `count`."""
        self.activate()
        buffers = self.versions.buffers.copied()
        buffers.renumber(ids, count)
        return self.in_buffers(Versions(buffers))

    def for_reader(self, before: VirtualRelation | None = None) -> Partition:
        """A copy, which another thread may read in a plan; `before` is one that is needed no more, which may become it."""
        result = Partition.__new__(Partition)
        result.versions, result.point, result.is_copy = self.versions, self.point, True
        moved = before._copy if isinstance(before, Partition) and before.is_copy and before.versions is self.versions else None
        if moved is not None and isinstance(before, Partition) and not self.versions.move(moved, before.point, self.point):
            moved = None
        result._copy = moved or self.versions.copy_of(self.point)
        result.words = _row_of(result._copy.words)
        return result

    def read(self, read: Callable[[Int64s, int], int]) -> int:
        """Call a function of the kernel with the words of buffers that hold this version."""
        while True:
            copy = self._copy
            found = read(self.versions.words if copy is None else copy.words, self.point.number)
            if found >= 0:
                return found
            self._copy = self.versions.copy_of(self.point)

    # --- reading ---------------------------------------------------------------------------------------------------------

    @property
    def nbytes(self) -> int:
        """The memory of its buffers."""
        return self.versions.buffers.nbytes if self._copy is None else self._copy.nbytes

    @property
    def is_searched(self) -> bool:
        """Whether each access is a graph search."""
        return False

    @property
    def is_irreflexive(self) -> bool:
        """Whether (x, x) is in the relation only if it was given."""
        return bool(self.words[virtual.IS_IRREFLEXIVE])

    @property
    def terms(self) -> Int32s:
        """The ids of the nodes, of which some may have no pairs."""
        return self.versions.buffers.terms

    @property
    def longest_list(self) -> int:
        """An upper bound on the number of successors of one value."""
        return int(self.words[virtual.NODE_COUNT])

    @property
    def _active(self) -> int:
        return int(self.words[word.ACTIVE])

    def __len__(self) -> int:
        """How many pairs there are, which is known at any time."""
        squares = int(self.words[word.SQUARES])
        return squares - self._active + int(self.words[word.LOOP_COUNT]) if self.is_irreflexive else squares

    @property
    def estimated_size(self) -> int:
        """The number of pairs."""
        return len(self)

    @property
    def is_counted(self) -> bool:
        """Whether it is known how many pairs there are: always."""
        return True

    def count_loops(self) -> int:
        """Count the pairs (x, x)."""
        return int(self.words[virtual.LOOPS])

    def contains(self, rows: Pairs) -> NDArray[np.bool_]:
        """For each pair whether the relation holds it."""
        rows, found = np.ascontiguousarray(rows), np.empty(len(rows), np.int32)
        self.read(lambda words, version: reading.test_pairs(words, version, rows, found))
        return found.astype(np.bool_)

    def _counted_lefts(self) -> tuple[Int32s, Int64s]:
        """The ids that have pairs, and how many each has."""
        lefts, counts = np.empty(self._active, np.int32), np.empty(self._active, np.int64)
        count = self.read(lambda words, version: reading.list_lefts(words, version, lefts, counts))
        return lefts[:count], counts[:count]

    def components(self) -> tuple[Int32s, Int32s]:
        """The ids that have a component, and its number."""
        ids, numbers = np.empty(self._active, np.int32), np.empty(self._active, np.int32)
        self.read(lambda words, version: reading.list_components(words, version, ids, numbers))
        return ids, numbers

    def component_of(self, term: int) -> int:
        """The number of an id's component, -1 if it has none."""
        found = np.empty(1, np.int32)
        self.read(lambda words, version: reading.number_of(words, version, term, found))
        return int(found[0])

    def members_of(self, number: int) -> Int32s:
        """The ids in a component."""
        ids = np.empty(self._active, np.int32)
        return ids[: self.read(lambda words, version: reading.list_component(words, version, number, ids))].copy()

    def related(self, term: int, *, is_back: bool) -> Int32s:  # noqa: ARG002 - it is symmetric
        """The ids that an id is paired with."""
        left, right = np.empty((2, 1 + self._active), np.int32)
        some: Int32s = np.array([term], np.int32)
        return right[: self.read(lambda words, version: reading.write_pairs(words, version, some, left, right))]

    def connected(self, term: int) -> Int32s:
        """The ids that are connected with one, and itself."""
        left, right = np.empty((2, 1 + self._active), np.int32)
        some: Int32s = np.array([term], np.int32)
        count = self.read(lambda words, version: reading.write_pairs(words, version, some, left, right))
        return np.union1d(right[:count], some).astype(np.int32)

    def ids_of(self, nodes: Int32s) -> Int32s:
        """The ids of some nodes."""
        ids = np.empty(len(nodes), np.int32)
        self.read(lambda words, version: reading.list_ids(words, version, nodes, ids))
        return ids

    @property
    def lefts(self) -> Int32s:
        """The ids that have a pair on the left."""
        return self._counted_lefts()[0]

    def chunks(
        self, most: int = _AT_ONCE, lefts: Int32s | None = None, *, first: int | None = None
    ) -> Iterator[tuple[Int32s, Int32s]]:
        """All pairs, or those of some left ends, in column pairs of about `most` rows; at first of `first`."""
        every, counts = self._counted_lefts()
        chosen = slice(None) if lefts is None else np.isin(every, lefts)
        lefts, counts = every[chosen].copy(), counts[chosen]
        ends, begin, rows = np.cumsum(counts), 0, first or most
        while begin < len(lefts):
            base = int(ends[begin - 1]) if begin else 0
            end = max(begin + 1, int(np.searchsorted(ends, base + min(rows, most, _AT_ONCE), "right")))
            left, right = np.empty(int(ends[end - 1]) - base, np.int32), np.empty(int(ends[end - 1]) - base, np.int32)
            self._write(lefts[begin:end], left, right)
            yield left, right
            begin, rows = end, 4 * rows

    def _write(self, some: Int32s, left: Int32s, right: Int32s) -> None:
        self.read(lambda words, version: reading.write_pairs(words, version, some, left, right))


def _row_of(words: Int64s) -> Int64s:
    """The row of V of the version in some buffers."""
    row: Int64s = words[: virtual.VIRTUAL_WIDTH].copy()
    active = row[word.ACTIVE]
    row[virtual.LOOPS] = row[word.LOOP_COUNT] if row[virtual.IS_IRREFLEXIVE] else active
    # all nodes, of which some may have no pairs any more: a plan then finds none
    row[virtual.LEFTS] = row[virtual.RIGHTS] = row[virtual.TERMS]
    row[virtual.LEFT_COUNT] = row[virtual.RIGHT_COUNT] = row[virtual.NODE_COUNT] if active else 0
    return row
