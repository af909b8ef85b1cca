"""Components under change: an inserted edge merges two of them, a deleted one may split one; the smaller side is relabelled.

Each edge is inserted or deleted as a whole or not at all: where the journal or the pool has no room, the caller makes room and
continues at that edge.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel.build import exclusive, part
from tidelog.local.kernel.closures.connectivity import edge_lists
from tidelog.local.kernel.closures.connectivity import search as searching
from tidelog.local.kernel.closures.connectivity import words as word
from tidelog.local.kernel.closures.connectivity.journal import has_room, put
from tidelog.local.kernel.closures.connectivity.words import numbers_at, pool_at
from tidelog.local.kernel.closures.virtual_access import COMPONENT, ID_COUNT, IS_IRREFLEXIVE, NODE_COUNT, NODE_OF, TERMS
from tidelog.local.kernel.memory import int32s

_WRITES_A_NODE, _FEW_WRITES = 5, 64
"""How many writes the journal needs at most for a node that gets another component, and beside everything else."""


@exclusive
def number_nodes(W: Int64s, rows: Int32s) -> None:
    """Give a node to each id in some pairs that has none; there is room."""
    nodes, terms = int32s(W[NODE_OF], W[ID_COUNT]), int32s(W[TERMS], W[word.NODE_ROOM])
    for i in range(rows.shape[0]):
        for j in range(2):
            if nodes[rows[i, j]] < 0:
                terms[W[NODE_COUNT]] = rows[i, j]
                nodes[rows[i, j]] = W[NODE_COUNT]
                W[NODE_COUNT] += 1


@exclusive
def nodes_of(W: Int64s, rows: Int32s, source: Int32s, target: Int32s) -> None:
    """Pairs of ids as pairs of nodes."""
    nodes = int32s(W[NODE_OF], W[ID_COUNT])
    for i in range(rows.shape[0]):
        source[i], target[i] = nodes[rows[i, 0]], nodes[rows[i, 1]]


@exclusive
def build_rings(W: Int64s, count: int) -> None:
    """Make rings of the members of so many components, in the order of the nodes."""
    component, following, previous = numbers_at(W, COMPONENT), numbers_at(W, word.NEXT), numbers_at(W, word.PREVIOUS)
    head, size, loop = numbers_at(W, word.HEAD), numbers_at(W, word.SIZE), numbers_at(W, word.LOOP)
    for node in range(W[NODE_COUNT]):
        c = component[node]
        W[word.LOOP_COUNT] += loop[node]
        if c < 0:
            continue
        if size[c] == 0:
            head[c] = previous[node] = node
        last = previous[head[c]]
        following[last], previous[node] = node, last
        following[node], previous[head[c]] = head[c], node
        W[word.ACTIVE] += 1
        W[word.SQUARES] += 2 * size[c] + 1
        size[c] += 1
    W[word.NUMBERS], W[word.FREE] = count, -1


@part
def _new_number(W: Int64s) -> int:
    number = W[word.FREE]
    if number >= 0:
        W[word.FREE] = numbers_at(W, word.HEAD)[number]
        return number
    W[word.NUMBERS] += 1
    return W[word.NUMBERS] - 1


@part
def _release(W: Int64s, number: int) -> None:
    put(W, word.SIZE, number, 0)
    put(W, word.HEAD, number, W[word.FREE])
    W[word.FREE] = number


@part
def _enter(W: Int64s, node: int) -> None:
    """Make a component for a node that has none."""
    if numbers_at(W, COMPONENT)[node] >= 0:
        return
    number = _new_number(W)
    put(W, COMPONENT, node, number)
    put(W, word.NEXT, node, node)
    put(W, word.PREVIOUS, node, node)
    put(W, word.HEAD, number, node)
    put(W, word.SIZE, number, 1)
    W[word.ACTIVE] += 1
    W[word.SQUARES] += 1
    W[word.GAINS] = 1


@part
def _leave_if_alone(W: Int64s, node: int) -> None:
    """A node without edges and loops is in no component."""
    number = np.int64(numbers_at(W, COMPONENT)[node])
    if number < 0 or edge_lists.degree(W, node) > 0 or numbers_at(W, word.LOOP)[node] != 0:
        return
    put(W, COMPONENT, node, -1)
    _release(W, number)
    W[word.ACTIVE] -= 1
    W[word.SQUARES] -= 1
    W[word.LOSSES] = 1


@part
def _merge(W: Int64s, u: int, v: int) -> None:
    """Relabel the smaller of two components, and make one ring of both."""
    component, following, size = numbers_at(W, COMPONENT), numbers_at(W, word.NEXT), numbers_at(W, word.SIZE)
    if size[component[u]] < size[component[v]]:
        u, v = v, u
    kept, other = np.int64(component[u]), np.int64(component[v])
    here, there, node = np.int64(size[kept]), np.int64(size[other]), v
    for _ in range(there):
        put(W, COMPONENT, node, kept)
        node = np.int64(following[node])
    after_u, after_v = np.int64(following[u]), np.int64(following[v])
    put(W, word.NEXT, u, after_v)
    put(W, word.PREVIOUS, after_v, u)
    put(W, word.NEXT, v, after_u)
    put(W, word.PREVIOUS, after_u, v)
    put(W, word.SIZE, kept, here + there)
    _release(W, other)
    W[word.SQUARES] += 2 * here * there
    W[word.GAINS] = 1


@exclusive
def insert_edges(W: Int64s, source: Int32s, target: Int32s, at: int) -> int:
    """Insert edges from one on; how many have been inserted when it ends, which are all unless there is no room."""
    component, size = numbers_at(W, COMPONENT), numbers_at(W, word.SIZE)
    for i in range(at, len(source)):
        u, v = np.int64(source[i]), np.int64(target[i])
        smaller = np.int64(1)
        if component[u] >= 0 and component[v] >= 0:
            smaller = np.int64(min(size[component[u]], size[component[v]]))
        moving = (edge_lists.room_to_move(W, u) + edge_lists.room_to_move(W, v)) if u != v else np.int64(0)
        needed = edge_lists.WRITES_A_MOVED_EDGE * moving + 2 * edge_lists.WRITES_AN_EDGE + smaller + _FEW_WRITES
        if not has_room(W, needed) or W[word.POOL_USED] + moving > W[word.POOL_ROOM]:
            return np.int64(i)
        _enter(W, u)
        if u == v:
            put(W, word.LOOP, u, 1)
            W[word.LOOP_COUNT] += 1
            W[word.GAINS] |= W[IS_IRREFLEXIVE]
            continue
        _enter(W, v)
        place = edge_lists.insert(W, u, v)
        if component[u] != component[v]:
            edge_lists.promote(W, place)
            _merge(W, u, v)
    return np.int64(len(source))


@part
def _split(W: Int64s, stays: int, leaving: Int32s) -> None:
    """Make some nodes a component of their own; `stays` is one that stays."""
    component, following, previous = numbers_at(W, COMPONENT), numbers_at(W, word.NEXT), numbers_at(W, word.PREVIOUS)
    old, number, count = np.int64(component[stays]), _new_number(W), len(leaving)
    size = np.int64(numbers_at(W, word.SIZE)[old])
    for i in range(count):
        before, after = np.int64(previous[leaving[i]]), np.int64(following[leaving[i]])
        put(W, word.NEXT, before, after)
        put(W, word.PREVIOUS, after, before)
    for i in range(count):
        node = np.int64(leaving[i])
        put(W, COMPONENT, node, number)
        put(W, word.NEXT, node, np.int64(leaving[i + 1 if i + 1 < count else 0]))
        put(W, word.PREVIOUS, node, np.int64(leaving[i - 1 if i > 0 else count - 1]))
    put(W, word.HEAD, old, stays)
    put(W, word.SIZE, old, size - count)
    put(W, word.HEAD, number, np.int64(leaving[0]))
    put(W, word.SIZE, number, count)
    W[word.SQUARES] -= 2 * count * (size - count)
    W[word.LOSSES] = 1


@part
def _way_length(W: Int64s, place: int, u: int, v: int) -> int:
    """How many edges the way has that leads from one end to the other by an edge where two sides met."""
    via, count = numbers_at(W, word.VIA), np.int64(1)
    for node in (np.int64(pool_at(W, word.TO)[place]), edge_lists.owner(W, place)):
        while node != u and node != v:
            node = edge_lists.owner(W, np.int64(via[node]))
            count += 1
    return count


@part
def _span_way(W: Int64s, place: int, u: int, v: int) -> None:
    """Let all edges of that way span."""
    via = numbers_at(W, word.VIA)
    first, second = np.int64(pool_at(W, word.TO)[place]), edge_lists.owner(W, place)
    edge_lists.promote(W, place)
    for node in (first, second):
        while node != u and node != v:
            before = edge_lists.owner(W, np.int64(via[node]))
            edge_lists.promote(W, np.int64(via[node]))
            node = before


@part
def _delete(W: Int64s, u: int, v: int, place: int, found: Int64s) -> int:
    """Delete an edge: 1 if that is done, 0 if there is no room, -1 if it takes too long."""
    answer, queue, other = np.int64(searching.SPANNED), np.int64(0), np.int64(-1)
    if edge_lists.spans(W, place):
        answer, queue, other = searching.search(W, u, v, place, found)
    if answer == searching.GIVEN_UP:
        return np.int64(-1)
    needed = np.int64(2 * edge_lists.WRITES_AN_EDGE + _FEW_WRITES)
    if answer == searching.WAY:
        needed += edge_lists.WRITES_AN_EDGE * _way_length(W, other, u, v)
    elif answer == searching.SPLIT:
        needed += _WRITES_A_NODE * found[queue]
    if not has_room(W, needed):
        return np.int64(0)
    if answer == searching.WAY:  # first, since the places of edges change when one is removed
        _span_way(W, other, u, v)
    elif answer == searching.EDGE:
        edge_lists.promote(W, other)
    edge_lists.remove(W, place)
    if answer == searching.SPLIT:
        room = W[word.NODE_ROOM]
        queues = int32s(W[word.QUEUES], 4 * room)
        _split(W, v if queue & 1 == 0 else u, queues[queue * room : queue * room + found[queue]])
        _leave_if_alone(W, u)
        _leave_if_alone(W, v)
    return np.int64(1)


@exclusive
def delete_edges(W: Int64s, source: Int32s, target: Int32s, at: int) -> int:
    """Delete edges from one on; how many have been deleted when it ends, -1 if it takes too long, -2 if there is no such edge."""
    found = np.zeros(4, np.int64)
    for i in range(at, len(source)):
        u, v = np.int64(source[i]), np.int64(target[i])
        if u == v:
            if numbers_at(W, word.LOOP)[u] == 0:
                return np.int64(-2)
            if not has_room(W, np.int64(_FEW_WRITES)):
                return np.int64(i)
            put(W, word.LOOP, u, 0)
            W[word.LOOP_COUNT] -= 1
            W[word.LOSSES] |= W[IS_IRREFLEXIVE]
            _leave_if_alone(W, u)
            continue
        place = edge_lists.find(W, u, v)
        if place < 0:
            return np.int64(-2)
        done = _delete(W, u, v, place, found)
        if done <= 0:
            return np.int64(i) if done == 0 else np.int64(-1)
    return np.int64(len(source))
