"""Diff of virtual relations (the paper's Diff, see `closure`): the pairs of one version that another does not have.

Only rows that the two versions do not share are compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tidelog.core.arrays import Int32s, UInt64s
from tidelog.local.closure.adjacency import Pairs
from tidelog.local.closure.bound_ends import BoundEnds, only_in_with
from tidelog.local.closure.incremental import EdgeDelta
from tidelog.local.closure.new_pairs import ends_of, list_new
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.kernel.closures import pair_differences as kernel
from tidelog.local.kernel.closures import pairs
from tidelog.local.kernel.closures import virtual_access as words
from tidelog.local.kernel.digraphs.paths import is_left_smaller

_NOTHING = np.empty((0, 2), np.int32)
_FEW = 64
"""So many ids for each edge are compared without looking for fewer."""
_COUNTED = 1 << 16
"""Beyond so many pairs that have come or gone, all are counted again."""
_MANY, _MOST = 256, 4096
"""Beyond so many edges they are not tested one by one; and beyond so many a search from each does not pay."""


@dataclass(slots=True)
class VirtualChange:
    """A virtual relation before and after an update; the inserted and deleted pairs are computed on request."""

    before: VirtualRelation | None
    after: VirtualRelation
    starts: EdgeDelta | None = None
    steps: EdgeDelta | None = None
    """The deltas of S and E, if known."""
    _effective: dict[bool, list[Pairs]] = field(default_factory=dict, repr=False)
    _inserted: Pairs | None = field(default=None, repr=False)
    _deleted: Pairs | None = field(default=None, repr=False)
    bound: BoundEnds | None = None
    """The ends that rules read; None if they read any."""
    _read: dict[bool, Pairs] = field(default_factory=dict, repr=False)

    @property
    def can_gain(self) -> bool:
        """Whether pairs may have been inserted: only if S or E gained some whose ends were not connected."""
        edges = self._edges(inserted=True)
        return edges is None or any(map(len, edges))

    @property
    def can_lose(self) -> bool:
        """Whether pairs may have been deleted: only if S or E lost some whose ends are not connected any more."""
        edges = self._edges(inserted=False)
        return edges is None or any(map(len, edges))

    @property
    def is_mostly_new(self) -> bool:
        """Whether at least half of the pairs are new, by the sizes."""
        return self.before is None or 2 * self.before.estimated_size <= self.after.estimated_size

    def inserted(self) -> Pairs:
        """The pairs of the version after that the version before lacks."""
        if self._inserted is None:
            self._inserted = self._differing(inserted=True)
        assert self._inserted is not None
        return self._inserted

    def deleted(self) -> Pairs:
        """The pairs of the version before that the version after lacks."""
        if self._deleted is None:
            self._deleted = self._differing(inserted=False)
        assert self._deleted is not None
        return self._deleted

    def read_by_rules(self, *, inserted: bool) -> Pairs:
        """The inserted or deleted pairs, but for those that no rule reads, as far as that is known."""
        if self.bound is None or self.before is None:
            return self.inserted() if inserted else self.deleted()
        if inserted not in self._read:
            can_differ = self.can_gain if inserted else self.can_lose
            self._read[inserted] = self._differing_at(self.bound, inserted=inserted) if can_differ else _NOTHING
        return self._read[inserted]

    def _differing_at(self, bound: BoundEnds, *, inserted: bool) -> Pairs:
        assert self.before is not None
        one, other = (self.after, self.before) if inserted else (self.before, self.after)
        return only_in_with(one, other, self._edges(inserted=inserted), bound)

    def are_at_most(self, most: int) -> bool:
        """Whether rules read no more inserted pairs than so many, and no more deleted ones; if so, they are listed now."""
        if self.bound is not None and self.before is not None:
            return max(len(self.read_by_rules(inserted=inserted)) for inserted in (True, False)) <= most
        return self._list(most)

    def count(self, before: int, most: int = _COUNTED) -> int | None:
        """How many pairs there are after the update, from how many there were; None if more than some have come or gone."""
        return before + len(self.inserted()) - len(self.deleted()) if self._list(most) else None

    def _list(self, most: int) -> bool:
        """List the pairs that were inserted, and those that were deleted, unless they are more than so many."""
        if self._inserted is None:
            self._inserted = self._differing(inserted=True, most=most)
        if self._deleted is None and self._inserted is not None:
            self._deleted = self._differing(inserted=False, most=most)
        return self._inserted is not None and self._deleted is not None

    def _differing(self, *, inserted: bool, most: int | None = None) -> Pairs | None:
        """The inserted or deleted pairs; None if they are more than `most`."""
        if not (self.can_gain if inserted else self.before is not None and self.can_lose):
            return _NOTHING
        if self.before is None:
            return self.after.rows
        one, other = (self.after, self.before) if inserted else (self.before, self.after)
        return only_in(one, other, self._edges(inserted=inserted), most)

    def _edges(self, *, inserted: bool) -> list[Pairs] | None:
        """The inserted or deleted pairs of S and E, but for those whose ends are connected in the other version as well."""
        if self.starts is None:
            return None
        if inserted not in self._effective:
            both = [self.starts] if self.steps is None else [self.starts, self.steps]
            edges = [difference.inserted if inserted else difference.deleted for difference in both]
            other = self.before if inserted else self.after
            if other is not None and sum(map(len, edges)) <= _MANY:
                edges = [_unconnected(other, rows, of_steps=at > 0) if len(rows) else rows for at, rows in enumerate(edges)]
            self._effective[inserted] = edges
        return self._effective[inserted]


def _unconnected(relation: VirtualRelation, edges: Pairs, *, of_steps: bool) -> Pairs:
    """Those of some pairs that a relation does not have; of E where that is not S, those that no path connects."""
    if not of_steps:
        return edges[~relation.contains(edges)]
    found, reader = np.empty(len(edges), np.int32), relation.for_reader()
    turned = edges[:, ::-1] if relation.words[words.IS_TURNED] else edges
    pairs.test_steps(reader.words, np.ascontiguousarray(turned), found)
    return np.compress(found == 0, edges, axis=0)


def only_in(
    one: VirtualRelation, other: VirtualRelation, edges: list[Pairs] | None = None, most: int | None = None
) -> Pairs | None:
    """The pairs of one version that another lacks, or None if they are more than `most`.

    `edges` are those of S, and of E, that the other lacks, if known.
    """
    is_inverse = bool(one.words[words.IS_TURNED])
    if not _number_alike(one, other) or one.is_searched or other.is_searched:
        oriented = [rows[:, ::-1] if is_inverse else rows for rows in edges] if edges is not None else None
        found = _by_lists(one.for_reader(), other.for_reader(), oriented, most)
    else:
        found = _by_rows(one, other, most)
    return np.ascontiguousarray(found[:, ::-1]) if is_inverse and found is not None else found


def _number_alike(one: VirtualRelation, other: VirtualRelation) -> bool:
    return any(later.previous is not None and later.previous() is earlier for later, earlier in ((one, other), (other, one)))


def _by_rows(one: VirtualRelation, other: VirtualRelation, most: int | None) -> Pairs | None:
    """Compare bit rows where the versions do not share them, or where a component in them changed."""
    changed: UInt64s = np.zeros(int(one.words[words.WORDS]), np.uint64)
    any_changed = kernel.changed_components(one.words, other.words, changed) > 0
    lefts = np.empty(len(one.lefts), np.int32)
    shares_rows = one.bit_rows is other.bit_rows
    count = kernel.changed_lefts(one.words, other.words, one.lefts, shares_rows, changed, any_changed, lefts)
    lefts, counts = lefts[:count], np.zeros(count, np.int64)
    kernel.count_new(one.words, other.words, lefts, changed, counts)
    if most is not None and counts.sum() > most:
        return None
    rows = np.empty((int(counts.sum()), 2), np.int32)
    kernel.write_new(one.words, other.words, lefts, changed, rows)
    return rows


# --- versions that share no rows ------------------------------------------------------------------------------------------


def _by_lists(one: VirtualRelation, other: VirtualRelation, edges: list[Pairs] | None, most: int | None) -> Pairs | None:
    """Compare what some ids lead to, and what leads to some others: each new pair has one of them on that side."""
    lefts, rights = (one.lefts, _NOTHING[:, 0]) if edges is None else _candidates(one, other, edges)
    of_lefts = list_new(one, other, lefts, is_back=False, most=most)
    if of_lefts is None:
        return None
    of_rights = list_new(one, other, rights, is_back=True, most=most)
    if of_rights is None:
        return None
    if len(lefts) and len(of_rights):
        of_rights = of_rights[~np.isin(of_rights[:, 0], lefts)]
    return np.concatenate([of_lefts, of_rights])


def _candidates(one: VirtualRelation, other: VirtualRelation, edges: list[Pairs]) -> tuple[Int32s, Int32s]:
    """Ids such that each pair that depends on some edges of S, or of E, has one of them on the left or one on the right.

    What leads to an edge, or what it leads to, whichever is less.  Where that is much, the other version is asked: the last of
    the edges on the way of a new pair ends at what its left end did not lead to, and the first one begins at what did not lead to
    its right end.
    """
    steps, lefts, rights = edges[-1], [np.ascontiguousarray(edges[0][:, 0])], [_NOTHING[:, 0]]
    if len(steps) > _MOST:
        return one.lefts, _NOTHING[:, 0]
    node_of, count, most = one.numbering.node_of, 0, _FEW * len(steps) if len(steps) <= _MANY else len(one.lefts)
    for source, target in steps.tolist():
        is_left = one.digraph is None or is_left_smaller(one.words, int(node_of[source]), int(node_of[target]))
        found = ends_of(one, source if is_left else target, is_back=is_left)
        (lefts if is_left else rights).append(found)
        count += len(found)
        if count > most:
            return _fewer_candidates(one, other, edges) if len(steps) <= _MANY else (one.lefts, _NOTHING[:, 0])
    return np.unique(np.concatenate(lefts)), np.unique(np.concatenate(rights))


def _fewer_candidates(one: VirtualRelation, other: VirtualRelation, edges: list[Pairs]) -> tuple[Int32s, Int32s]:
    """Either all on the left, or, beside those of S, all on the right."""
    lefts, rights = [np.ascontiguousarray(edges[0][:, 0])], [_NOTHING[:, 0]]
    for source, target in edges[-1].tolist():
        lefts.append(np.setdiff1d(ends_of(one, source, is_back=True), ends_of(other, target, is_back=True)[1:]))
        rights.append(np.setdiff1d(ends_of(one, target, is_back=False), ends_of(other, source, is_back=False)[1:]))
    before, behind = (np.unique(np.concatenate(some)) for some in (lefts, rights))
    return (before, _NOTHING[:, 0]) if len(before) <= len(behind) else (np.unique(lefts[0]), behind)
