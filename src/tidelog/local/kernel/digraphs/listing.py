"""What a node of a digraph leads to, and what leads to it, as lists of ids; and whether it leads to another one.

`has_starts` says whether the pairs begin with one of S, which is another relation than E.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Bytes, Int32s, Int64s
from tidelog.local.kernel.build import kernel, part
from tidelog.local.kernel.digraphs import pages, paths
from tidelog.local.kernel.digraphs.pages import entry_of
from tidelog.local.kernel.digraphs.records import ENDS, NEXT, OUT, STARTS, component, get, length_of, list_of
from tidelog.local.kernel.memory import int32s

_FEW = 16
"""Up to so many pairs of S, each is followed by itself."""


@part
def reached_from(W: Int64s, node: int, has_starts: bool) -> int:
    """Put into the queue all components that a node leads to; how many."""
    stamp = paths.next_stamp(W)
    if has_starts:
        found = paths.enqueue_after(W, node, STARTS, stamp, np.int64(0))
    else:
        found = paths.enqueue_next(W, component(W, node), False, stamp)
    return paths.reach(W, False, stamp, found)


@part
def reaching(W: Int64s, node: int, has_starts: bool) -> int:
    """Put into the queue all components that lead to a node by E, its own included if pairs begin with one of S; how many."""
    stamp, own = paths.next_stamp(W), component(W, node)
    found = paths.enqueue(W, own, stamp, np.int64(0)) if has_starts else paths.enqueue_next(W, own, True, stamp)
    return paths.reach(W, True, stamp, found)


@part
def reached_by_steps(W: Int64s, node: int, terms: Int32s, out: Int32s) -> int:
    """Write down the ids that a path of E leads to from a node, which may have no edge; how many."""
    stamp = paths.next_stamp(W)
    found = paths.reach(W, False, stamp, paths.enqueue(W, component(W, node), stamp, np.int64(0)))
    return members(W, found, terms, np.int64(-1), out)


@part
def members(W: Int64s, found: int, terms: Int32s, left_out: int, out: Int32s) -> int:
    """Write down the ids in all components in the queue, one of them perhaps left out; how many."""
    queue, count = paths.queue_of(W), np.int64(0)
    for i in range(found):
        node = np.int64(queue[i])
        while True:
            if terms[node] != left_out:
                out[count] = terms[node]
                count += 1
            node = get(W, node, NEXT)
            if node == queue[i]:
                break
    return count


@part
def left_ends(W: Int64s, found: int, terms: Int32s, left_out: int, out: Int32s) -> int:
    """Write down the left ends of S whose right ends are in a component in the queue; how many."""
    queue, count = paths.queue_of(W), np.int64(0)
    marks, stamp = int32s(W[pages.MARKS], W[pages.ROOM]), paths.next_stamp(W)
    for i in range(found):
        node = np.int64(queue[i])
        while True:
            at, length = list_of(W, node, ENDS)
            for e in range(length):
                left = np.int64(entry_of(W, at + e))
                if marks[left] != stamp and terms[left] != left_out:
                    marks[left] = stamp
                    out[count] = terms[left]
                    count += 1
            node = get(W, node, NEXT)
            if node == queue[i]:
                break
    return count


@part
def has_path(W: Int64s, x: int, y: int, has_starts: bool) -> bool:
    """Whether a node leads to a node."""
    if not has_starts:
        return paths.leads_to(W, x, y)
    at, length = list_of(W, x, STARTS)
    if length > _FEW:
        found, queue, goal = reached_from(W, x, True), paths.queue_of(W), component(W, y)
        for i in range(found):
            if queue[i] == goal:
                return True
        return False
    for e in range(length):
        if steps_lead(W, np.int64(entry_of(W, at + e)), y):
            return True
    return False


@part
def steps_lead(W: Int64s, x: int, y: int) -> bool:
    """Whether a path of E, perhaps of no edge, leads from a node to a node."""
    a, b = component(W, x), component(W, y)
    return a == b or paths.meets(W, a, b, np.int64(-1))


@kernel
def mark_lefts(W: Int64s, is_left: Bytes, has_starts: bool) -> None:
    """Mark the nodes that lead to any."""
    for node in range(len(is_left)):
        is_left[node] = length_of(W, np.int64(node), STARTS if has_starts else OUT) > 0
