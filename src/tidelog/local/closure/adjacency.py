"""Node numbers and adjacency lists in versions: a new version shares unchanged lists with the one before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel.closures import graphs
from tidelog.local.kernel.closures import versioned_lists as lists

Pairs = NDArray[np.int32]
_STEPS_AN_ENTRY = 4
"""Deleting values may visit so many times the length of all lists; beyond that, building the lists again is cheaper."""

_LITTLE = 512
"""Spare room that an update needs at least."""


def spare_room(count: int) -> int:
    """Spare capacity beside `count` values; it takes no physical memory before it is used."""
    return count // 2 + 2 * _LITTLE


def is_crowded(used: int, room: int) -> bool:
    """Whether a buffer has little spare room left."""
    return room - used < used // 8 + _LITTLE


class Numbering:
    """Dense node numbers for the ids that occur.  Versions share one numbering: each has a prefix of its nodes."""

    def __init__(self, ids: int, nodes: int) -> None:
        """Allocate room for so many ids and nodes."""
        self.node_of: Int32s = np.full(ids, -1, np.int32)
        self.terms: Int32s = np.empty(nodes, np.int32)
        self.count = 0

    def extended(self, count: int, *sets: Pairs) -> Numbering:
        """The numbering of the first `count` nodes, extended by all ids of some pairs."""
        largest = max((int(rows.max()) for rows in sets if len(rows)), default=-1)
        most = self.count + 2 * sum(map(len, sets))
        result = self
        if count < self.count or largest >= len(self.node_of) or most > len(self.terms):
            # Another version extended it already, or there is no room: this version gets a numbering of its own.
            result = Numbering(max(2 * (largest + 1), len(self.node_of)), 2 * most)
            result.terms[:count] = self.terms[:count]
            result.node_of[result.terms[:count]] = np.arange(count, dtype=np.int32)
            result.count = count
        result.count = most  # should an exception come before the end, nobody extends this numbering any more
        for rows in sets:
            if len(rows):
                count = graphs.number_nodes(rows, result.node_of, result.terms, count)
        result.count = count
        return result

    def nodes(self, rows: Pairs) -> tuple[Int32s, Int32s]:
        """Pairs of ids as source and target nodes."""
        source, target = np.empty(len(rows), np.int32), np.empty(len(rows), np.int32)
        graphs.renumber(rows, self.node_of, source, target)
        return source, target


@dataclass(slots=True)
class Pool:
    """A buffer that several versions share: its used part is never written again."""

    buffer: Int32s
    used: int


@dataclass(slots=True)
class Lists:
    """Adjacency lists: for each number a list of numbers."""

    start: Int64s
    end: Int64s
    pool: Pool

    @classmethod
    def from_pairs(cls, keys: Int32s, values: Int32s, count: int, room: int = 0) -> Lists:
        """The values of each key, with `room` for more behind them."""
        start, buffer = np.zeros(count + 1, np.int64), np.empty(len(keys) + room, np.int32)
        graphs.adjacency(keys, values, start, buffer)
        return cls(start[:-1], start[1:], Pool(buffer, len(keys)))

    def copied(self, count: int) -> Lists:
        """A mutable version with `count` lists."""
        if count == len(self.start):
            return Lists(self.start.copy(), self.end.copy(), self.pool)
        start, end = np.zeros(count, np.int64), np.zeros(count, np.int64)
        known = min(count, len(self.start))
        start[:known], end[:known] = self.start[:known], self.end[:known]
        return Lists(start, end, self.pool)

    def compacted(self) -> Lists:
        """The lists compacted into a buffer of their own, with spare room."""
        lengths = self.end - self.start
        end = np.cumsum(lengths)
        start, count = end - lengths, int(end[-1]) if len(end) else 0
        buffer = np.empty(count + spare_room(count), np.int32)
        buffer[:count] = self.pool.buffer[np.arange(count) + np.repeat(self.start - start, lengths)]
        return Lists(start, end, Pool(buffer, count))

    def delete(self, keys: Int32s, values: Int32s) -> bool:
        """Delete values; False if building the lists again is cheaper, which leaves them unusable."""
        pool = self.pool
        used = lists.remove_values(self.start, self.end, pool.buffer, pool.used, keys, values, _STEPS_AN_ENTRY * len(pool.buffer))
        pool.used = max(pool.used, used)
        return bool(used >= 0)

    def insert(self, keys: Int32s, values: Int32s) -> bool:
        """Insert values; False if there is no room, which leaves the lists unusable."""
        used = lists.insert_values(self.start, self.end, self.pool.buffer, self.pool.used, keys, values)
        self.pool.used = max(self.pool.used, used)
        return bool(used >= 0)


def with_inverse(source: Int32s, target: Int32s, count: int) -> tuple[Lists, Lists]:
    """The edges of each of `count` nodes, and the same turned round, with room for more."""
    room = spare_room(len(source))
    return Lists.from_pairs(source, target, count, room), Lists.from_pairs(target, source, count, room)
