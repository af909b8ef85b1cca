"""What some ids lead to, or what leads to them, in one version of a closed relation and not in another one."""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s
from tidelog.local.closure.adjacency import Pairs
from tidelog.local.closure.digraph import Seen
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.kernel.closures import pairs
from tidelog.local.kernel.closures import virtual_access as words


def list_new(
    one: VirtualRelation, other: VirtualRelation, ids: Int32s, *, is_back: bool, most: int | None = None
) -> Pairs | None:
    """The pairs of some ids, on the left or on the right, that only the first version has; None if they are more than `most`."""
    if not len(ids):
        return np.empty((0, 2), np.int32)
    count = int(max(one.words[words.ID_COUNT], other.words[words.ID_COUNT]))
    seen = Seen() if one.digraph is None else one.digraph.scratch.seen
    lists = np.empty((2, max(one.longest_list, other.longest_list)), np.int32)
    at, progress, stamps = 0, np.array([0, 0, seen.searches], np.int64), seen.stamps_for(count, len(ids))
    progress[2] = seen.searches
    rows = np.empty((1 << 10, 2), np.int32)
    while at < len(ids):
        pairs.list_new(one.words, other.words, ids, is_back, progress, lists, stamps, rows)
        at = int(progress[0])
        if most is not None and progress[1] > most:
            return None
        if at < len(ids):
            rows = np.resize(rows, (2 * len(rows) + one.longest_list, 2))
    seen.searches = int(progress[2])
    return rows[: progress[1]].copy() if progress[1] < len(rows) // 2 else rows[: progress[1]]


def ends_of(relation: VirtualRelation, term: int, *, is_back: bool) -> Int32s:
    """An id, and those that lead to it, or that a path of E leads to from it."""
    found, node_of = np.empty(1 + relation.longest_list, np.int32), relation.numbering.node_of
    found[0] = term
    if term >= len(node_of) or not 0 <= node_of[term] < relation.node_count:
        return found[:1]
    return found[: 1 + pairs.list_ends(relation.words, term, is_back, found[1:])].copy()
