"""The search after the deletion of an edge that spans: do its two ends stay connected, and by what?

Two searches run in turns, a few steps each.  One follows edges that span from both ends, always on the side that has done less;
when a side is exhausted, its other edges are tried for one that leads out of it.  The other search follows all edges from both
ends; where these are near each other by another way, as in a grid, the two sides meet soon.
The first to know the answer ends both: so the cost is twice that of the better one.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int64s
from tidelog.local.kernel.build import part
from tidelog.local.kernel.closures.connectivity import words as word
from tidelog.local.kernel.closures.connectivity.words import numbers_at, pool_at
from tidelog.local.kernel.memory import int32s

SPANNED, WAY, EDGE, SPLIT, GIVEN_UP = range(5)
# SPANNED   the edges that span connect the two ends without it
# WAY       the two sides met at an edge: `VIA` leads from its ends back to both ends
# EDGE      an edge leads out of the side that the edges that span reach from one end
# SPLIT     nothing leads out of one side
_BURST = 8
"""Steps of one search before the other one has its turn."""
_MOST = 2_000_000_000


@part
def _next_stamp(W: Int64s) -> int:
    """A number that no node is stamped with, nor with the number after it."""
    W[word.LAST_STAMP] += 2
    if W[word.LAST_STAMP] > _MOST:
        int32s(W[word.STAMPS], 2 * W[word.NODE_ROOM])[:] = 0
        W[word.LAST_STAMP] = 2
    return W[word.LAST_STAMP]


@part
def search(W: Int64s, u: int, v: int, left_out: int, found: Int64s) -> tuple[int, int, int]:
    """Search without the edge at a place between two nodes: the answer, the queue that it is about, and the place of an edge.

    Queue 0 and 1 are what edges that span reach from `u` and from `v`, 2 and 3 what all edges reach; `found` is their lengths.
    """
    room, stamp = W[word.NODE_ROOM], _next_stamp(W)
    queues, stamps = int32s(W[word.QUEUES], 4 * room), int32s(W[word.STAMPS], 2 * room)
    via, to, start = numbers_at(W, word.VIA), pool_at(W, word.TO), numbers_at(W, word.EDGE_START)
    tree, end, left_out_there = numbers_at(W, word.TREE_END), numbers_at(W, word.EDGE_END), pool_at(W, word.MATE)[left_out]
    at, done = np.zeros(4, np.int64), np.zeros(4, np.int64)
    cursor, limit, trying = np.zeros(4, np.int64), np.zeros(4, np.int64), np.int64(-1)
    for k in range(4):
        queues[k * room] = u if k & 1 == 0 else v
        stamps[(k >> 1) * room + queues[k * room]] = stamp + (k & 1)
        found[k] = 1
    while W[word.WORK] > 0:
        W[word.WORK] -= 2 * _BURST
        for kind in range(2):
            k = np.int64(2 * kind + (0 if done[2 * kind] <= done[2 * kind + 1] else 1))
            if kind == 0 and trying >= 0:
                k = trying
            own = stamp + (k & 1)
            for _ in range(_BURST):
                done[k] += 1
                if cursor[k] == limit[k]:
                    if at[k] == found[k]:
                        if k == trying or kind == 1:
                            return np.int64(SPLIT), k, np.int64(-1)
                        trying, at[k] = k, 0
                        continue
                    node = queues[k * room + at[k]]
                    at[k] += 1
                    cursor[k], limit[k] = (tree[node], end[node]) if k == trying else (start[node], end[node])
                    if kind == 0 and k != trying:
                        limit[k] = tree[node]
                    continue
                place = cursor[k]
                cursor[k] += 1
                if place == left_out or place == left_out_there:
                    continue
                other = np.int64(to[place])
                seen = stamps[kind * room + other]
                if k == trying:
                    if seen != own:
                        return np.int64(EDGE), k, place
                elif seen == 2 * stamp + 1 - own:
                    return np.int64(WAY if kind == 1 else SPANNED), k, place
                elif seen != own:
                    stamps[kind * room + other] = own
                    queues[k * room + found[k]] = other
                    found[k] += 1
                    if kind == 1:
                        via[other] = place
    return np.int64(GIVEN_UP), np.int64(-1), np.int64(-1)
