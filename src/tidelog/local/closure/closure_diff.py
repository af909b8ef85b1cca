"""Diff of virtual relations (the paper's Diff, see `closure`): the pairs of one version that another does not have.

Only rows and components that the two versions do not share are compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, UInt64s
from tidelog.local.closure.adjacency import Pairs
from tidelog.local.closure.incremental import EdgeDelta
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.kernel.closures import pair_differences as kernel
from tidelog.local.kernel.closures import pairs
from tidelog.local.kernel.closures import virtual_access as words

_NOTHING = np.empty((0, 2), np.int32)
_MANY = 256
"""Beyond so many edges a backward search from each does not pay."""


@dataclass(slots=True)
class VirtualChange:
    """A virtual relation before and after an update; the inserted and deleted pairs are computed on request."""

    before: VirtualRelation | None
    after: VirtualRelation
    starts: EdgeDelta | None = None
    steps: EdgeDelta | None = None
    """The deltas of S and E, if known."""
    _inserted: Pairs | None = field(default=None, repr=False)
    _deleted: Pairs | None = field(default=None, repr=False)

    @property
    def can_gain(self) -> bool:
        """Whether pairs may have been inserted: only if S or E gained some."""
        edges = self._edges(inserted=True)
        return edges is None or any(map(len, edges))

    @property
    def can_lose(self) -> bool:
        """Whether pairs may have been deleted: only if S or E lost some."""
        edges = self._edges(inserted=False)
        return edges is None or any(map(len, edges))

    @property
    def is_mostly_new(self) -> bool:
        """Whether at least half of the pairs are new, by the sizes."""
        return self.before is None or 2 * len(self.before) <= len(self.after)

    def inserted(self) -> Pairs:
        """The pairs of the version after that the version before lacks."""
        if self._inserted is None:
            if not self.can_gain:
                self._inserted = _NOTHING
            elif self.before is None:
                self._inserted = self.after.rows
            else:
                self._inserted = only_in(self.after, self.before, self._edges(inserted=True))
        return self._inserted

    def deleted(self) -> Pairs:
        """The pairs of the version before that the version after lacks."""
        if self._deleted is None:
            if self.before is None or not self.can_lose:
                self._deleted = _NOTHING
            else:
                self._deleted = only_in(self.before, self.after, self._edges(inserted=False))
        return self._deleted

    def _edges(self, *, inserted: bool) -> list[Pairs] | None:
        """The inserted or deleted pairs of S and E."""
        if self.starts is None:
            return None
        both = [self.starts] if self.steps is None else [self.starts, self.steps]
        return [difference.inserted if inserted else difference.deleted for difference in both]


def only_in(one: VirtualRelation, other: VirtualRelation, edges: list[Pairs] | None = None) -> Pairs:
    """The pairs of one version that another lacks; `edges` are those of S, and of E, that the other lacks, if known."""
    is_inverse = bool(one.words[words.IS_TURNED])
    if not _number_alike(one, other) or one.is_searched or other.is_searched:
        oriented = [rows[:, ::-1] if is_inverse else rows for rows in edges] if edges is not None else None
        found = _by_lists(one, other, one.lefts if oriented is None else _left_ends(one, oriented))
    else:
        found = _across(one, other) if one.is_partition else _by_rows(one, other)
    return np.ascontiguousarray(found[:, ::-1]) if is_inverse else found


def _number_alike(one: VirtualRelation, other: VirtualRelation) -> bool:
    return any(later.previous is not None and later.previous() is earlier for later, earlier in ((one, other), (other, one)))


def _by_rows(one: VirtualRelation, other: VirtualRelation) -> Pairs:
    """Compare bit rows where the versions do not share them, or where a component in them changed."""
    changed: UInt64s = np.zeros(int(one.words[words.WORDS]), np.uint64)
    any_changed = kernel.changed_components(one.words, other.words, changed) > 0
    lefts = np.empty(len(one.lefts), np.int32)
    shares_rows = one.bit_rows is other.bit_rows
    count = kernel.changed_lefts(one.words, other.words, one.lefts, shares_rows, changed, any_changed, lefts)
    lefts, counts = lefts[:count], np.zeros(count, np.int64)
    kernel.count_new(one.words, other.words, lefts, changed, counts)
    rows = np.empty((int(counts.sum()), 2), np.int32)
    kernel.write_new(one.words, other.words, lefts, changed, rows)
    return rows


def _across(one: VirtualRelation, other: VirtualRelation) -> Pairs:
    """The pairs of nodes that a partition joins and another does not; and the new pairs (x, x)."""
    here = one.component
    there = np.full(len(here), -1, np.int32)
    shared = min(len(here), len(other.component))
    there[:shared] = other.component[:shared]
    moved = np.flatnonzero((here != there) & (here >= 0))
    is_touched = np.zeros(int(one.words[words.COMPONENT_COUNT]), np.bool_)
    is_touched[here[moved]] = True
    nodes = np.flatnonzero((here >= 0) & is_touched[np.maximum(here, 0)]).astype(np.int32)
    group = np.where(there[nodes] >= 0, there[nodes], -2 - nodes)
    order = np.lexsort((group, here[nodes]))
    nodes, group = nodes[order], group[order]
    ids, component = one.terms[nodes], here[nodes]
    count = kernel.write_across(ids, component, group, np.empty((0, 2), np.int32))
    rows = np.empty((int(count), 2), np.int32)
    if count:
        kernel.write_across(ids, component, group, rows)
    loops = one.terms[_has_loop(one, len(here)) & ~_has_loop(other, len(here))]
    return np.concatenate([rows, np.stack([loops, loops], axis=1)])


def _has_loop(relation: VirtualRelation, count: int) -> NDArray[np.bool_]:
    """For each of `count` nodes of a partition whether it has the pair (x, x)."""
    result = np.zeros(count, np.bool_)
    known = min(count, relation.node_count)
    result[:known] = relation.component[:known] >= 0
    if relation.words[words.IS_IRREFLEXIVE]:
        result[:known] &= relation.is_loop[:known] != 0
    return result


# --- versions that share nothing ------------------------------------------------------------------------------------------


def _left_ends(one: VirtualRelation, edges: list[Pairs]) -> Int32s:
    """The left ends of all pairs that may depend on some edges of S, and of E."""
    if one.is_partition or len(edges[-1]) > _MANY:
        return one.lefts
    is_left = np.zeros(one.node_count, np.uint8)
    scratch = np.empty(one.longest_list, np.int32)
    sources = np.unique(edges[-1][:, 0])
    pairs.mark_left_ends(one.words, sources, is_left, scratch)
    is_left[one.numbering.node_of[np.concatenate([edges[0][:, 0], sources])]] = 1
    return np.compress(is_left[one.numbering.node_of[one.lefts]] != 0, one.lefts)


def _by_lists(one: VirtualRelation, other: VirtualRelation, lefts: Int32s) -> Pairs:
    """Compare the successor lists of some left ends."""
    ids = int(max(one.words[words.ID_COUNT], other.words[words.ID_COUNT]))
    lists = np.empty((2, max(one.longest_list, other.longest_list)), np.int32)
    stamps, counts = np.zeros(ids, np.int32), np.zeros(len(lefts), np.int64)
    pairs.list_new(one.words, other.words, lefts, counts, lists, stamps, np.empty((0, 2), np.int32))
    rows = np.empty((int(counts.sum()), 2), np.int32)
    if len(rows):
        stamps[:] = 0
        pairs.list_new(one.words, other.words, lefts, counts, lists, stamps, rows)
    return rows
