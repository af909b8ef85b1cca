"""Reachability in a digraph, by search: what a component leads to, and whether there is a path.

A search for a path goes from both ends in turns, so that it costs no more than twice the cheaper side; labels bound both sides.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel.build import kernel, part
from tidelog.local.kernel.digraphs import pages
from tidelog.local.kernel.digraphs.pages import entry_of
from tidelog.local.kernel.digraphs.records import IN, NEXT, OUT, component, get, is_cyclic, label, length_of, list_of
from tidelog.local.kernel.memory import int32s

_LAST_STAMP = 2147483640


@part
def next_stamp(W: Int64s) -> int:
    """A number for a search; the number before it is unused as well."""
    room = W[pages.ROOM]
    stamps = int32s(W[pages.STAMPS], room + 1)
    if stamps[room] > _LAST_STAMP:
        stamps[:] = 0
        int32s(W[pages.MARKS], room)[:] = 0
    stamps[room] += 2
    return np.int64(stamps[room])


@part
def queue_of(W: Int64s) -> Int32s:
    """The components, or nodes, that a search has reached."""
    return int32s(W[pages.QUEUE], 2 * W[pages.ROOM] + 2)


@part
def enqueue(W: Int64s, c: int, stamp: int, found: int) -> int:
    """Add a component to what a search has reached; how many these are."""
    stamps = int32s(W[pages.STAMPS], W[pages.ROOM])
    if stamps[c] == stamp:
        return found
    stamps[c] = stamp
    queue_of(W)[found] = c
    return found + 1


@part
def enqueue_after(W: Int64s, node: int, kind: int, stamp: int, found: int) -> int:
    """Add the components that a list of a node leads to; how many a search has reached."""
    at, length = list_of(W, node, kind)
    for i in range(length):
        found = enqueue(W, component(W, np.int64(entry_of(W, at + i))), stamp, found)
    return found


@part
def enqueue_next(W: Int64s, c: int, is_back: bool, stamp: int) -> int:
    """Begin a search with the components one edge away from a component, itself included if it is cyclic; how many."""
    if is_cyclic(W, c):
        return enqueue(W, c, stamp, np.int64(0))
    return enqueue_after(W, c, IN if is_back else OUT, stamp, np.int64(0))


@part
def reach(W: Int64s, is_back: bool, stamp: int, found: int) -> int:
    """Follow edges from the components in the queue; how many there are in the end."""
    queue, at, kind = queue_of(W), 0, IN if is_back else OUT
    while at < found:
        first = np.int64(queue[at])
        node = first
        at += 1
        while True:
            found = enqueue_after(W, node, kind, stamp, found)
            node = get(W, node, NEXT)
            if node == first:
                break
    return found


@part
def meets(W: Int64s, source: int, target: int, within: int) -> bool:
    """Whether there is a path from one component to another, not the same; or between nodes of the component `within`, inside it.

    The sides take turns: the one that has looked at fewer edges, the next node included, goes on.
    """
    low, high = np.int64(0), np.int64(0)
    if within < 0:
        low, high = label(W, source), label(W, target)
        if low >= high:
            return False
    backward = next_stamp(W)
    forward = backward - 1
    stamps, queue = int32s(W[pages.STAMPS], W[pages.ROOM]), queue_of(W)
    stamps[source], stamps[target] = forward, backward
    last = len(queue) - 1
    queue[0], queue[last] = source, target
    at, found, node, work = 0, 1, source, np.int64(0)  # the forward side fills the queue from its beginning
    back_at, back_found, back_node, back_work = 0, 1, target, np.int64(0)  # the other one from its end
    while at < found and back_at < back_found:
        is_forward = work + length_of(W, node, OUT) <= back_work + length_of(W, back_node, IN)
        begin, length = list_of(W, node if is_forward else back_node, OUT if is_forward else IN)
        own, other = (forward, backward) if is_forward else (backward, forward)
        for i in range(length):
            reached = np.int64(entry_of(W, begin + i))
            if within < 0:
                reached = component(W, reached)
            elif component(W, reached) != within:
                continue
            if stamps[reached] == own:
                continue
            if stamps[reached] == other:
                return True
            if within < 0 and not low < label(W, reached) < high:
                continue
            stamps[reached] = own
            if is_forward:
                queue[found] = reached
                found += 1
            else:
                queue[last - back_found] = reached
                back_found += 1
        if is_forward:
            work += 1 + length
            node = np.int64(queue[at]) if within >= 0 else get(W, node, NEXT)
            if node == queue[at]:
                at += 1
                node = np.int64(queue[min(at, found - 1)])
        else:
            back_work += 1 + length
            back_node = np.int64(queue[last - back_at]) if within >= 0 else get(W, back_node, NEXT)
            if back_node == queue[last - back_at]:
                back_at += 1
                back_node = np.int64(queue[last - min(back_at, back_found - 1)])
    return False


@part
def leads_to(W: Int64s, source: int, target: int) -> bool:
    """Whether a path of at least one edge leads from a node to a node."""
    a, b = component(W, source), component(W, target)
    return is_cyclic(W, a) if a == b else meets(W, a, b, np.int64(-1))


@kernel
def is_left_smaller(W: Int64s, source: int, target: int) -> bool:
    """Whether what leads to a node is less than what another one leads to: two searches in turns, until one ends."""
    forward = next_stamp(W)
    stamps, marks, queue = int32s(W[pages.STAMPS], W[pages.ROOM]), int32s(W[pages.MARKS], W[pages.ROOM]), queue_of(W)
    last = len(queue) - 1
    node, back_node = component(W, target), component(W, source)
    queue[0], queue[last] = node, back_node
    stamps[node], marks[back_node] = forward, forward
    at, found, work, back_at, back_found, back_work = 0, 1, np.int64(0), 0, 1, np.int64(0)
    while at < found and back_at < back_found:
        is_forward = work + length_of(W, node, OUT) <= back_work + length_of(W, back_node, IN)
        begin, length = list_of(W, node if is_forward else back_node, OUT if is_forward else IN)
        for i in range(length):
            c = component(W, np.int64(entry_of(W, begin + i)))
            if is_forward and stamps[c] != forward:
                stamps[c] = forward
                queue[found] = c
                found += 1
            elif not is_forward and marks[c] != forward:
                marks[c] = forward
                queue[last - back_found] = c
                back_found += 1
        if is_forward:
            work += 1 + length
            node = get(W, node, NEXT)
            if node == queue[at]:
                at += 1
                node = np.int64(queue[min(at, found - 1)])
        else:
            back_work += 1 + length
            back_node = get(W, back_node, NEXT)
            if back_node == queue[last - back_at]:
                back_at += 1
                back_node = np.int64(queue[last - min(back_at, back_found - 1)])
    return back_at == back_found
