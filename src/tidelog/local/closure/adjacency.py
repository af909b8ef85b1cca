"""Nodes and lists of nodes in versions: the next one is made beside the last one and shares with it what has not changed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel.closures import graphs
from tidelog.local.kernel.closures import versioned_lists as lists

Pairs = NDArray[np.int32]
_STEPS_AN_ENTRY = 4
"""Taking values out of lists may look at that many times as much as there is in all lists; else they are made anew."""

_LITTLE = 512
"""Room for fewer values than that is not enough for an update."""


def spare(count: int) -> int:
    """Room for what changes, beside so many values; it takes no memory before it is used."""
    return count // 2 + 2 * _LITTLE


def is_crowded(used: int, room: int) -> bool:
    """Whether there is hardly any room left."""
    return room - used < used // 8 + _LITTLE


class Numbering:
    """Numbers without gaps for the ids that occur.  Versions share one numbering: each knows how many nodes it has."""

    def __init__(self, ids: int, nodes: int) -> None:
        """With room for so many ids and nodes."""
        self.node_of: Int32s = np.full(ids, -1, np.int32)
        self.terms: Int32s = np.empty(nodes, np.int32)
        self.count = 0

    def extended(self, count: int, *sets: Pairs) -> Numbering:
        """The numbering that goes on after so many nodes with all ids of some pairs."""
        largest = max((int(rows.max()) for rows in sets if len(rows)), default=-1)
        most = self.count + 2 * sum(map(len, sets))
        result = self
        if count < self.count or largest >= len(self.node_of) or most > len(self.terms):
            # Somebody else went on from there, or there is no room: the others keep theirs.
            result = Numbering(max(2 * (largest + 1), len(self.node_of)), 2 * most)
            result.terms[:count] = self.terms[:count]
            result.node_of[result.terms[:count]] = np.arange(count, dtype=np.int32)
            result.count = count
        for rows in sets:
            if len(rows):
                result.count = graphs.number_nodes(rows, result.node_of, result.terms, result.count)
        return result

    def nodes(self, rows: Pairs) -> tuple[Int32s, Int32s]:
        """The pairs of ids as pairs of nodes."""
        source, target = np.empty(len(rows), np.int32), np.empty(len(rows), np.int32)
        graphs.renumber(rows, self.node_of, source, target)
        return source, target


@dataclass(slots=True)
class Pool:
    """A buffer that several versions use; what is used of it is never written again."""

    buffer: Int32s
    used: int


@dataclass(slots=True)
class Lists:
    """For each number a list of numbers."""

    start: Int64s
    end: Int64s
    pool: Pool

    @classmethod
    def from_pairs(cls, keys: Int32s, values: Int32s, count: int, spare: int = 0) -> Lists:
        """The values of each key, with so much room behind them."""
        start, buffer = np.zeros(count + 1, np.int64), np.empty(len(keys) + spare, np.int32)
        graphs.adjacency(keys, values, start, buffer)
        return cls(start[:-1], start[1:], Pool(buffer, len(keys)))

    def copied(self, count: int) -> Lists:
        """A version with so many lists, which can be changed."""
        if count == len(self.start):
            return Lists(self.start.copy(), self.end.copy(), self.pool)
        start, end = np.zeros(count, np.int64), np.zeros(count, np.int64)
        known = min(count, len(self.start))
        start[:known], end[:known] = self.start[:known], self.end[:known]
        return Lists(start, end, self.pool)

    @property
    def is_crowded(self) -> bool:
        """Whether there is hardly any room left for what changes."""
        return is_crowded(self.pool.used, len(self.pool.buffer))

    def spread(self) -> Lists:
        """The same lists one after the other in a buffer of their own, with room behind them."""
        lengths = self.end - self.start
        end = np.cumsum(lengths)
        start, count = end - lengths, int(end[-1]) if len(end) else 0
        buffer = np.empty(count + spare(count), np.int32)
        buffer[:count] = self.pool.buffer[np.arange(count) + np.repeat(self.start - start, lengths)]
        return Lists(start, end, Pool(buffer, count))

    def take_out(self, keys: Int32s, values: Int32s) -> bool:
        """Take values out; False if that is not worth it, and the lists are of no use then."""
        pool = self.pool
        used = lists.remove_values(self.start, self.end, pool.buffer, pool.used, keys, values, _STEPS_AN_ENTRY * len(pool.buffer))
        pool.used = max(pool.used, used)
        return bool(used >= 0)

    def put_in(self, keys: Int32s, values: Int32s) -> bool:
        """Put values in; False if there is no room, and the lists are of no use then."""
        used = lists.insert_values(self.start, self.end, self.pool.buffer, self.pool.used, keys, values)
        self.pool.used = max(self.pool.used, used)
        return bool(used >= 0)
