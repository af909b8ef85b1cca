"""The edges of each node: a list with the edges that span first, each with the place of its mate, the same edge at its other end.

So an edge is taken out of the longer of two lists without looking for it there, and a search along the edges that span meets no
others.  Loops are not in the lists; two nodes may have several edges.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel.build import kernel, part
from tidelog.local.kernel.closures.connectivity import words as word
from tidelog.local.kernel.closures.connectivity.journal import put
from tidelog.local.kernel.closures.connectivity.words import numbers_at, pool_at
from tidelog.local.kernel.closures.virtual_access import COMPONENT, NODE_COUNT

_LEAST = 4
"""Places that a list gets at least when it moves."""
WRITES_A_MOVED_EDGE, WRITES_AN_EDGE = 3, 40
"""How many writes the journal needs at most to move a list by an edge, and to insert, delete or promote an edge."""


@part
def degree(W: Int64s, node: int) -> int:
    """How many edges a node has."""
    return np.int64(numbers_at(W, word.EDGE_END)[node] - numbers_at(W, word.EDGE_START)[node])


@part
def room_to_move(W: Int64s, node: int) -> int:
    """How many places the list of a node needs at the end of the pool for one edge more; 0 if there is room where it is."""
    if numbers_at(W, word.EDGE_END)[node] < numbers_at(W, word.EDGE_LIMIT)[node]:
        return np.int64(0)
    return max(np.int64(_LEAST), 2 * degree(W, node))


@part
def _make_room(W: Int64s, node: int) -> None:
    """Move the list of a node to the end of the pool if there is no room for another edge."""
    room = room_to_move(W, node)
    if room == 0:
        return
    start, tree = np.int64(numbers_at(W, word.EDGE_START)[node]), np.int64(numbers_at(W, word.TREE_END)[node])
    count, begin = degree(W, node), W[word.POOL_USED]
    to, mate = pool_at(W, word.TO), pool_at(W, word.MATE)
    for i in range(count):
        put(W, word.TO, begin + i, np.int64(to[start + i]))
        put(W, word.MATE, begin + i, np.int64(mate[start + i]))
        put(W, word.MATE, np.int64(mate[start + i]), begin + i)
    put(W, word.EDGE_START, node, begin)
    put(W, word.TREE_END, node, begin + tree - start)
    put(W, word.EDGE_END, node, begin + count)
    put(W, word.EDGE_LIMIT, node, begin + room)
    W[word.POOL_USED] += room


@part
def insert(W: Int64s, u: int, v: int) -> int:
    """Insert an edge that does not span; its place in the list of `u`."""
    _make_room(W, u)
    _make_room(W, v)
    end = numbers_at(W, word.EDGE_END)
    here, there = np.int64(end[u]), np.int64(end[v])
    put(W, word.TO, here, v)
    put(W, word.MATE, here, there)
    put(W, word.TO, there, u)
    put(W, word.MATE, there, here)
    put(W, word.EDGE_END, u, here + 1)
    put(W, word.EDGE_END, v, there + 1)
    return here


@part
def find(W: Int64s, u: int, v: int) -> int:
    """The place of an edge in the shorter list of its two ends; -1 if there is none."""
    if degree(W, v) < degree(W, u):
        u, v = v, u
    to = pool_at(W, word.TO)
    for place in range(numbers_at(W, word.EDGE_START)[u], numbers_at(W, word.EDGE_END)[u]):
        if to[place] == v:
            return np.int64(place)
    return np.int64(-1)


@part
def owner(W: Int64s, place: int) -> int:
    """The node in whose list an edge stands at a place."""
    return np.int64(pool_at(W, word.TO)[pool_at(W, word.MATE)[place]])


@part
def spans(W: Int64s, place: int) -> bool:
    """Whether the edge at a place spans."""
    return place < numbers_at(W, word.TREE_END)[owner(W, place)]


@part
def _swap(W: Int64s, i: int, j: int) -> None:
    """Exchange two edges of one list; what a search has noted of them goes with them."""
    if i == j:
        return
    to, mate, via = pool_at(W, word.TO), pool_at(W, word.MATE), numbers_at(W, word.VIA)
    first, second = np.int64(to[i]), np.int64(to[j])
    first_mate, second_mate = np.int64(mate[i]), np.int64(mate[j])
    put(W, word.TO, i, second)
    put(W, word.TO, j, first)
    put(W, word.MATE, i, second_mate)
    put(W, word.MATE, j, first_mate)
    put(W, word.MATE, second_mate, i)
    put(W, word.MATE, first_mate, j)
    was_first, was_second = via[first] == i, via[second] == j
    if was_first:
        via[first] = j
    if was_second:
        via[second] = i


@part
def _promote(W: Int64s, place: int) -> int:
    """Let an edge span in the list where it stands; its place then."""
    node = owner(W, place)
    end = np.int64(numbers_at(W, word.TREE_END)[node])
    _swap(W, place, end)
    put(W, word.TREE_END, node, end + 1)
    return end


@part
def promote(W: Int64s, place: int) -> None:
    """Let an edge span."""
    if not spans(W, place):
        _promote(W, np.int64(pool_at(W, word.MATE)[_promote(W, place)]))


@part
def _take_out(W: Int64s, node: int, place: int) -> None:
    tree, end = np.int64(numbers_at(W, word.TREE_END)[node]), np.int64(numbers_at(W, word.EDGE_END)[node])
    if place < tree:
        _swap(W, place, tree - 1)
        put(W, word.TREE_END, node, tree - 1)
        place = tree - 1
    _swap(W, place, end - 1)
    put(W, word.EDGE_END, node, end - 1)


@part
def remove(W: Int64s, place: int) -> None:
    """Remove an edge from both lists."""
    mate = np.int64(pool_at(W, word.MATE)[place])
    u, v = np.int64(pool_at(W, word.TO)[mate]), np.int64(pool_at(W, word.TO)[place])
    _take_out(W, u, place)
    _take_out(W, v, mate)


@kernel
def build(W: Int64s, source: Int32s, target: Int32s) -> None:
    """Build all lists, and let the trees of a breadth-first search span: the side that leaves one is small as a rule."""
    count, log_room = W[NODE_COUNT], W[word.LOG_ROOM]
    start, end, limit = numbers_at(W, word.EDGE_START), numbers_at(W, word.EDGE_END), numbers_at(W, word.EDGE_LIMIT)
    tree, to, mate = numbers_at(W, word.TREE_END), pool_at(W, word.TO), pool_at(W, word.MATE)
    for i in range(len(source)):
        if source[i] != target[i]:
            limit[source[i]] += 1
            limit[target[i]] += 1
    at = np.int64(0)
    for node in range(count):
        start[node] = tree[node] = end[node] = at
        at += limit[node]
        limit[node] = at
    W[word.POOL_USED] = at
    for i in range(len(source)):
        u, v = source[i], target[i]
        if u != v:
            to[end[u]], mate[end[u]] = v, end[v]
            to[end[v]], mate[end[v]] = u, end[u]
            end[u] += 1
            end[v] += 1
    W[word.LOG_ROOM] = 0
    _grow_trees(W)
    W[word.LOG_ROOM] = log_room


@part
def _grow_trees(W: Int64s) -> None:
    """Let the edges span by which a breadth-first search first reaches a node."""
    count, component, to = W[NODE_COUNT], numbers_at(W, COMPONENT), pool_at(W, word.TO)
    queue, is_seen = np.empty(count, np.int32), np.zeros(count, np.uint8)
    for root in range(count):
        if is_seen[root] != 0 or component[root] < 0:
            continue
        queue[0] = root
        is_seen[root] = 1
        at, found = 0, 1
        while at < found:
            node = queue[at]
            at += 1
            for place in range(numbers_at(W, word.EDGE_START)[node], numbers_at(W, word.EDGE_END)[node]):
                other = to[place]
                if is_seen[other] == 0:
                    is_seen[other] = 1
                    promote(W, np.int64(place))
                    queue[found] = other
                    found += 1
