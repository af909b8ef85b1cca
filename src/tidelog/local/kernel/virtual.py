"""Virtual relations inside the kernel: lists of what a value is related to, tests of pairs, counts.  No pair is stored.

A *closure* is R = S ∘ E*: the pairs (x, z) such that S(x, y) and a path of E leads from y to z; for the transitive closure S
is E itself. What a component of E leads to is a row of bits, or, where the matrix would be too large, found by a search each
time. A *partition* is all pairs within a connected component. Both may be irreflexive: then a pair (x, x) is in R only if it
was given.

`W` is a virtual relation's row of `V`; `local.virtual` owns the buffers. A closure of paths at the *start* of facts is kept
turned round.
"""

from __future__ import annotations

import numpy as np

from tidelog.local.kernel.build import part, service
from tidelog.local.kernel.layout import FORWARD, HAS_PAIR, NODES
from tidelog.local.kernel.memory import Int32s, Int64s, bytes_at, int32s, int64s, lowest_one, uint64s

IS_PARTITION, IS_TURNED, IS_IRREFLEXIVE, LOOPS, ID_COUNT, NODE_OF, NODE_COUNT, TERMS, COMPONENT, COMPONENT_COUNT = range(10)
MEMBER_START, MEMBERS, IS_CYCLIC, IS_LOOP, ROW_OF, BITS, ROW_COUNT, WORDS = range(10, 18)
STEP_START, STEP_TO, STEP_COUNT, BACK_START, BACK_TO = range(18, 23)
HAS_STARTS, START_START, START_TO, START_COUNT, ENDS_START, ENDS_TO = range(23, 29)
STAMPS, QUEUE, LEFTS, LEFT_COUNT, RIGHTS, RIGHT_COUNT, NODE_STAMPS = range(29, 36)
VIRTUAL_WIDTH = 36
# LOOPS            how many pairs (x, x) there are; -1 while nobody has counted
# NODE_OF          int32[ID_COUNT]: the node of an id, or -1;  TERMS int32[NODE_COUNT]: the id of a node
# COMPONENT        int32[NODE_COUNT];  MEMBERS int32[NODE_COUNT]: the ids of each component's nodes, from MEMBER_START on
# ROW_OF           int32[NODE_COUNT]: the node's row of bits, -1 if it leads nowhere
# BITS             uint64[ROW_COUNT * WORDS]: the components that a row leads to; 0 if they are searched for
# STEP_*, BACK_*   edges of E between components, and turned round;  START_*, ENDS_*: S between nodes, and turned round
# HAS_STARTS       whether S is another relation than E
# STAMPS           int32[COMPONENT_COUNT + 1]: the search that last reached a component; the last word numbers the searches
# QUEUE            int32[COMPONENT_COUNT];  NODE_STAMPS int32[NODE_COUNT]: more scratch of searches
# LEFTS, RIGHTS    ids that have a pair on that side

_ZERO = np.uint64(0)
_ONE = np.uint64(1)


@part
def node_of(W: Int64s, term: int) -> int:
    """The node of an id, or -1."""
    return np.int64(int32s(W[NODE_OF], W[ID_COUNT])[term]) if term < W[ID_COUNT] else -1


@part
def component_of(W: Int64s, node: int) -> int:
    """The component of a node."""
    return np.int64(int32s(W[COMPONENT], W[NODE_COUNT])[node])


@part
def _add_members(W: Int64s, component: int, left_out: int, out: Int32s, count: int) -> int:
    """Append the ids of a component, one of them perhaps left out."""
    start = int32s(W[MEMBER_START], W[COMPONENT_COUNT] + 1)
    members = int32s(W[MEMBERS], W[NODE_COUNT])
    for i in range(start[component], start[component + 1]):
        if members[i] != left_out:
            out[count] = members[i]
            count += 1
    return count


@part
def left_out_of(W: Int64s, node: int, term: int) -> int:
    """The id that must not be paired with itself, or -1."""
    if W[IS_IRREFLEXIVE] != 0 and bytes_at(W[IS_LOOP], W[NODE_COUNT])[node] == 0:
        return np.int64(term)
    return np.int64(-1)


@part
def _search(W: Int64s, is_back: bool, found: int) -> int:
    """Follow edges between components from those in the queue, which are stamped; how many there are in the end."""
    count = W[COMPONENT_COUNT]
    stamps, queue = int32s(W[STAMPS], count + 1), int32s(W[QUEUE], count)
    stamp = stamps[count]
    start = int64s(W[BACK_START] if is_back else W[STEP_START], count + 1)
    to = int32s(W[BACK_TO] if is_back else W[STEP_TO], W[STEP_COUNT])
    at = 0
    while at < found:
        u = queue[at]
        at += 1
        for e in range(start[u], start[u + 1]):
            if stamps[to[e]] != stamp:
                stamps[to[e]] = stamp
                queue[found] = to[e]
                found += 1
    return found


@part
def _enqueue(W: Int64s, component: int, found: int) -> int:
    count = W[COMPONENT_COUNT]
    stamps, queue = int32s(W[STAMPS], count + 1), int32s(W[QUEUE], count)
    if stamps[component] == stamps[count]:
        return found
    stamps[component] = stamps[count]
    queue[found] = component
    return found + 1


@part
def _next_stamp(W: Int64s) -> None:
    count = W[COMPONENT_COUNT]
    stamps = int32s(W[STAMPS], count + 1)
    if stamps[count] == 2147483647:
        stamps[:] = 0
        int32s(W[NODE_STAMPS], W[NODE_COUNT])[:] = 0
    stamps[count] += 1


@part
def _reached_by_search(W: Int64s, node: int) -> int:
    """Put into the queue all components that a node leads to; how many."""
    _next_stamp(W)
    found = np.int64(0)
    if W[HAS_STARTS] != 0:
        start, to = int64s(W[START_START], W[NODE_COUNT] + 1), int32s(W[START_TO], W[START_COUNT])
        for e in range(start[node], start[node + 1]):
            found = _enqueue(W, component_of(W, np.int64(to[e])), found)
        return _search(W, False, found)
    own = component_of(W, node)
    if bytes_at(W[IS_CYCLIC], W[COMPONENT_COUNT])[own] != 0:
        return _search(W, False, _enqueue(W, own, found))
    start, to = int64s(W[STEP_START], W[COMPONENT_COUNT] + 1), int32s(W[STEP_TO], W[STEP_COUNT])
    for e in range(start[own], start[own + 1]):
        found = _enqueue(W, np.int64(to[e]), found)
    return _search(W, False, found)


@part
def forward(W: Int64s, term: int, out: Int32s) -> int:
    """Write down the ids that an id leads to; how many."""
    node = node_of(W, term)
    if node < 0:
        return 0
    left_out = left_out_of(W, node, term)
    if W[IS_PARTITION] != 0:
        return _add_members(W, component_of(W, node), left_out, out, np.int64(0))
    count = np.int64(0)
    if W[BITS] == 0:
        queue = int32s(W[QUEUE], W[COMPONENT_COUNT])
        for i in range(_reached_by_search(W, node)):
            count = _add_members(W, np.int64(queue[i]), left_out, out, count)
        return count
    row = np.int64(int32s(W[ROW_OF], W[NODE_COUNT])[node])
    if row < 0:
        return 0
    words = W[WORDS]
    bits = uint64s(W[BITS], W[ROW_COUNT] * words)
    is_simple = W[COMPONENT_COUNT] == W[NODE_COUNT]
    members = int32s(W[MEMBERS], W[NODE_COUNT])
    for w in range(words):
        word = bits[row * words + w]
        while word != _ZERO:
            component = 64 * w + lowest_one(word)
            word &= word - _ONE
            if is_simple:
                if members[component] != left_out:
                    out[count] = members[component]
                    count += 1
            else:
                count = _add_members(W, component, left_out, out, count)
    return count


@part
def _backward(W: Int64s, term: int, out: Int32s) -> int:
    """Write down the ids that lead to an id; how many."""
    node = node_of(W, term)
    if node < 0:
        return 0
    left_out = left_out_of(W, node, term)
    own = component_of(W, node)
    if W[IS_PARTITION] != 0:
        return _add_members(W, own, left_out, out, np.int64(0))
    _next_stamp(W)
    queue, count = int32s(W[QUEUE], W[COMPONENT_COUNT]), np.int64(0)
    if W[HAS_STARTS] == 0:
        found = np.int64(0)
        if bytes_at(W[IS_CYCLIC], W[COMPONENT_COUNT])[own] != 0:
            found = _enqueue(W, own, found)
        else:
            start, to = int64s(W[BACK_START], W[COMPONENT_COUNT] + 1), int32s(W[BACK_TO], W[STEP_COUNT])
            for e in range(start[own], start[own + 1]):
                found = _enqueue(W, np.int64(to[e]), found)
        for i in range(_search(W, True, found)):
            count = _add_members(W, np.int64(queue[i]), left_out, out, count)
        return count
    found = _search(W, True, _enqueue(W, own, np.int64(0)))
    member_start, members = int32s(W[MEMBER_START], W[COMPONENT_COUNT] + 1), int32s(W[MEMBERS], W[NODE_COUNT])
    start, to = int64s(W[ENDS_START], W[NODE_COUNT] + 1), int32s(W[ENDS_TO], W[START_COUNT])
    stamps, terms = int32s(W[NODE_STAMPS], W[NODE_COUNT]), int32s(W[TERMS], W[NODE_COUNT])
    stamp = int32s(W[STAMPS], W[COMPONENT_COUNT] + 1)[W[COMPONENT_COUNT]]
    for i in range(found):
        for j in range(member_start[queue[i]], member_start[queue[i] + 1]):
            reached = node_of(W, np.int64(members[j]))
            for e in range(start[reached], start[reached + 1]):
                if stamps[to[e]] != stamp and terms[to[e]] != left_out:
                    stamps[to[e]] = stamp
                    out[count] = terms[to[e]]
                    count += 1
    return count


@part
def has_pair(W: Int64s, left: int, right: int) -> bool:
    """Whether the pair is in the relation, before turning."""
    x, y = node_of(W, left), node_of(W, right)
    if x < 0 or y < 0 or (x == y and left_out_of(W, x, left) >= 0):
        return False
    goal = component_of(W, y)
    if W[IS_PARTITION] != 0:
        return component_of(W, x) == goal
    if W[BITS] == 0:
        _reached_by_search(W, x)
        stamps = int32s(W[STAMPS], W[COMPONENT_COUNT] + 1)
        return stamps[goal] == stamps[W[COMPONENT_COUNT]]
    row, words = np.int64(int32s(W[ROW_OF], W[NODE_COUNT])[x]), W[WORDS]
    if row < 0:
        return False
    bits = uint64s(W[BITS], W[ROW_COUNT] * words)
    return (bits[row * words + (goal >> 6)] >> np.uint64(goal & 63)) & _ONE != _ZERO


# --- for the join kernel; `L` holds for a step: address and length of its list, address and length of its scratch ---------


@part
def ask(op: int, W: Int64s, first: int, second: int, L: Int64s) -> int:
    """What the steps of a plan ask of a virtual relation: make a list, or say whether something is there.

    FORWARD lists the right ends of pairs with the left end `first`, BACKWARD the left ends of pairs with the right end `first`,
    NODES all left ends; their number is returned.  Otherwise 1 or 0.
    """
    is_turned = W[IS_TURNED] != 0
    if op == HAS_PAIR:
        left, right = (second, first) if is_turned else (first, second)
        return np.int64(has_pair(W, left, right))
    if op == NODES:
        L[0] = W[RIGHTS] if is_turned else W[LEFTS]
        L[1] = W[RIGHT_COUNT] if is_turned else W[LEFT_COUNT]
        return L[1]
    scratch = int32s(L[2], L[3])
    L[0] = L[2]
    L[1] = forward(W, first, scratch) if (op == FORWARD) != is_turned else _backward(W, first, scratch)
    return L[1]


@service
def ask_at(op: int, W: int, first: int, second: int, L: int, unused: int) -> int:  # noqa: ARG001
    """`ask`, with addresses."""
    return ask(op, int64s(W, VIRTUAL_WIDTH), first, second, int64s(L, 4))


@part
def has_any(W: Int64s) -> bool:
    """Whether there is a pair at all."""
    return W[LEFT_COUNT] > 0  # each given fact is a pair


@part
def has_any_loop(W: Int64s) -> bool:
    """Whether there is a pair (x, x)."""
    return W[LOOPS] > 0
