"""A shortest path between sets of nodes, by two searches that take turns: along the indexes of a table of pairs.

Each turn takes a whole level of the side that has reached less.  So the first edge that joins what the sides have reached is on a
shortest path, and of a graph without long paths little is looked at.  `before` and `after` say, for each id, from which id a side
has reached it, plus 1; 0 if it has not; ends have their own.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel import layout
from tidelog.local.kernel.build import kernel, part
from tidelog.local.kernel.memory import int32s
from tidelog.local.kernel.table_rows import chain, older_rows, rows_of

BEGIN, END, TOP, NODE, MET = range(5)
"""The words of a side: its level in its queue, where the queue ends, and the edge by which the sides have met."""


@part
def _take_level(M: Int64s, X: Int64s, index: int, queue: Int32s, side: Int64s, own: Int32s, other: Int32s, key: Int32s) -> bool:
    """Follow the edges of a side's level, by one index; whether the sides have met."""
    table, column = X[index, layout.TABLE], 1 - np.int64(int32s(X[index, layout.KEY_COLUMNS], 1)[0])
    rows, following = rows_of(M, table), older_rows(M, X, table, index)
    for at in range(side[BEGIN], side[END]):
        key[0] = queue[at]
        row = chain(M, X, index, key)
        while row >= 0:
            reached = rows[2 * row + column]
            if other[reached] != 0:
                side[NODE], side[MET] = queue[at], reached
                return True
            if own[reached] == 0:
                own[reached] = queue[at] + 1
                queue[side[TOP]] = reached
                side[TOP] += 1
            row = np.int64(following[row]) - 1
    return False


@part
def _begin(ends: Int32s, queue: Int32s, side: Int64s, own: Int32s) -> None:
    for i in range(len(ends)):
        if own[ends[i]] == 0:
            own[ends[i]] = ends[i] + 1
            queue[side[TOP]] = ends[i]
            side[TOP] += 1
    side[END] = side[TOP]


@part
def _write(node: int, own: Int32s, path: Int32s, count: int) -> int:
    """Write down the way from a node back to the end of a side; how many nodes there are then."""
    while True:
        path[count] = node
        count += 1
        if own[node] == node + 1:
            return count
        node = np.int64(own[node]) - 1


@kernel
def find_path(
    M: Int64s, X: Int64s, indexes: Int32s, sources: Int32s, targets: Int32s, before: Int32s, after: Int32s, path: Int32s
) -> int:
    """Write down the nodes of a shortest path of one edge or more between some nodes and others; how many, or 0.

    `indexes` are those on the first and on the second column; with a third word, edges may be followed either way.
    """
    queue, back_queue, key = np.empty(len(before), np.int32), np.empty(len(before), np.int32), np.empty(1, np.int32)
    side, back = np.zeros(5, np.int64), np.zeros(5, np.int64)
    by_first, by_second, both_ways = np.int64(indexes[0]), np.int64(indexes[1]), len(indexes) > 2
    _begin(sources, queue, side, before)
    _begin(targets, back_queue, back, after)
    has_met, is_back = False, False
    while not has_met and side[BEGIN] < side[END] and back[BEGIN] < back[END]:
        is_back = back[END] - back[BEGIN] < side[END] - side[BEGIN]
        if is_back:
            has_met = _take_level(M, X, by_second, back_queue, back, after, before, key)
            if both_ways and not has_met:
                has_met = _take_level(M, X, by_first, back_queue, back, after, before, key)
            back[BEGIN], back[END] = back[END], back[TOP]
        else:
            has_met = _take_level(M, X, by_first, queue, side, before, after, key)
            if both_ways and not has_met:
                has_met = _take_level(M, X, by_second, queue, side, before, after, key)
            side[BEGIN], side[END] = side[END], side[TOP]
    if not has_met:
        return 0
    left, right = (back[MET], back[NODE]) if is_back else (side[NODE], side[MET])
    count = _write(left, before, path, 0)
    path[:count] = path[:count][::-1].copy()
    return _write(right, after, path, count)
