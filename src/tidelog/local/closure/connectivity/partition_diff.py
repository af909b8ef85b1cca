"""The pairs in which two versions of a partition differ (the paper's Diff), computed when somebody reads them.

What is kept is the entries of the journal between the two versions: from them come the nodes that have moved, and from these the
pairs, as products with the other members of their components.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s
from tidelog.local.closure.adjacency import Pairs
from tidelog.local.closure.bound_ends import BoundEnds
from tidelog.local.closure.closure_diff import VirtualChange
from tidelog.local.closure.connectivity.partition import Partition
from tidelog.local.kernel.closures import virtual_access as virtual
from tidelog.local.kernel.closures.connectivity import products
from tidelog.local.kernel.closures.connectivity import words as word

_NOTHING = np.empty((0, 2), np.int32)


class PartitionChange(VirtualChange):
    """A partition before and after an update."""

    __slots__ = ("_entries", "_latest")

    def __init__(self, before: Partition, after: Partition) -> None:
        super().__init__(before, after)
        self._latest = after
        link = before.point.link
        self._entries: Int32s | None = None
        """What was written between the two; None if one was built from scratch."""
        if before.point is after.point:
            self._entries = np.empty(0, np.int32)
        elif link is not None and link[0] is after.point:
            self._entries = link[1]

    @property
    def can_gain(self) -> bool:
        """Whether pairs may have been inserted."""
        return self._entries is None or (len(self._entries) > 0 and self._latest.point.gains)

    @property
    def can_lose(self) -> bool:
        """Whether pairs may have been deleted."""
        return self._entries is None or (len(self._entries) > 0 and self._latest.point.loses)

    def _differing(self, *, inserted: bool, most: int | None = None) -> Pairs | None:
        assert isinstance(self.before, Partition)
        after = self._latest
        if self._entries is None:
            return only_in(after, self.before, most) if inserted else only_in(self.before, after, most)
        if not (self.can_gain if inserted else self.can_lose):
            return _NOTHING
        nodes, was, now = _moved(self._entries, virtual.COMPONENT)
        here, there = (now, was) if inserted else (was, now)
        rows = self._products(nodes, here, there, most)
        if rows is None:
            return None
        loops = self._loops(nodes, here, there, inserted=inserted)
        return np.concatenate([rows, loops]) if len(loops) else rows

    def _loops(self, nodes: Int32s, here: Int32s, there: Int32s, *, inserted: bool) -> Pairs:
        """The pairs (x, x) that only one version has."""
        if self._latest.is_irreflexive:
            assert self._entries is not None
            nodes, was, now = _moved(self._entries, word.LOOP)
            nodes = nodes[(now if inserted else was) != 0]
        else:
            nodes = nodes[(here >= 0) & (there < 0)]
        ids = self._latest.ids_of(nodes)
        return np.stack([ids, ids], axis=1)

    def _differing_at(self, bound: BoundEnds, *, inserted: bool) -> Pairs:
        """Only the pairs of some ends: of one that has not moved with those that have, of another with all that are there."""
        if self._entries is None:
            return super()._differing_at(bound, inserted=inserted)
        nodes, was, now = _moved(self._entries, virtual.COMPONENT)
        moved, (here, there) = self._latest.ids_of(nodes), (now, was) if inserted else (was, now)
        groups, found = np.where(there >= 0, there, -2 - nodes), [self._loops(nodes, here, there, inserted=inserted)]
        for ends, is_right in ((bound.lefts, False), (bound.rights, True)):
            for end in ends.tolist():
                others = self._partners(end, moved, here, groups)
                rows = np.stack([np.full(len(others), end, np.int32), others], axis=1)
                found.append(rows[:, ::-1] if is_right else rows)
        rows = np.concatenate(found)
        return np.unique(rows, axis=0) if len(bound.lefts) and len(bound.rights) else rows

    def _partners(self, end: int, moved: Int32s, here: Int32s, groups: Int32s) -> Int32s:
        """The ids that an id is paired with here and not there; `moved` have other components there, `groups`."""
        at = np.flatnonzero(moved == end)
        number = int(here[at[0]]) if len(at) else self._latest.component_of(end)
        if number < 0:
            return moved[:0]
        if not len(at):
            partners: Int32s = moved[here == number]
            return partners
        stayed = self._latest.members_of(number)
        return np.concatenate([moved[(here == number) & (groups != groups[at[0]])], stayed[~np.isin(stayed, moved)]])

    def _products(self, nodes: Int32s, here: Int32s, there: Int32s, most: int | None) -> Pairs | None:
        groups = np.where(there >= 0, there, -2 - nodes)
        order = np.lexsort((groups, here))
        nodes, here, groups = nodes[order], here[order], groups[order]
        after, rows = self._latest, _NOTHING
        count = after.read(lambda words, version: products.write_products(words, version, nodes, here, groups, _NOTHING))
        if most is not None and count > most:
            return None
        if count:
            rows = np.empty((count, 2), np.int32)
            after.read(lambda words, version: products.write_products(words, version, nodes, here, groups, rows))
        return rows


def _moved(entries: Int32s, place: int) -> tuple[Int32s, Int32s, Int32s]:
    """The nodes for which a buffer has another number at the end than at the beginning, with both."""
    rows = entries.reshape(-1, 4)
    rows = rows[rows[:, 0] == place]
    rows = rows[np.argsort(rows[:, 1], kind="stable")]
    is_other = np.ones(len(rows) + 1, np.bool_)
    is_other[1:-1] = rows[1:, 1] != rows[:-1, 1]
    nodes, was, now = rows[is_other[:-1], 1], rows[is_other[:-1], 2], rows[is_other[1:], 3]
    is_moved = was != now
    return nodes[is_moved], was[is_moved], now[is_moved]


def only_in(one: Partition, other: Partition, most: int | None = None) -> Pairs | None:
    """The pairs of one partition that another one lacks, with which it may have nothing in common; None if more than `most`."""
    (ids, here), (other_ids, numbers) = one.components(), other.components()
    there_of = np.full(1 + max(int(some.max(initial=-1)) for some in (ids, other_ids)), -1, np.int32)
    there_of[other_ids] = numbers
    there = there_of[ids]
    groups = np.where(there >= 0, there, -2 - np.arange(len(ids), dtype=np.int32))
    order = np.lexsort((groups, here))
    count = int(products.write_across(ids[order], here[order], groups[order], _NOTHING))
    if most is not None and count > most:
        return None
    rows = np.empty((count, 2), np.int32)
    if count:
        products.write_across(ids[order], here[order], groups[order], rows)
    loops = np.stack([ids, ids], axis=1)
    return np.concatenate([rows, loops[one.contains(loops) & ~other.contains(loops)]])
