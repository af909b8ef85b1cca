"""Virtual relations inside the kernel: lists of what a value is related to, and tests of pairs.  No pair is stored.

A *closure* is R = S ∘ E*: the pairs (x, z) such that S(x, y) and a path of E leads from y to z; for the transitive closure S
is E itself. What a component of E leads to is a row of bits, or, where that would take too much, found by a search each time in
a digraph (`kernel.digraphs`). It may be irreflexive: then a pair (x, x) is in R only if it was given. A *partition*, all pairs
within a connected component, shares the first words and those from LEFTS to RIGHT_COUNT; for its other words see
`connectivity.words`.

`W` is a virtual relation's row of `VR`; `local.closure` owns the buffers. A closure of paths at the *start* of facts is stored
turned round (IS_TURNED).
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s, UInt64s
from tidelog.local.kernel.build import hot, part
from tidelog.local.kernel.digraphs import listing, pages, records
from tidelog.local.kernel.memory import ONE, ZERO, bytes_at, int32s, int64s, lowest_one, uint64s

IS_PARTITION, IS_TURNED, IS_IRREFLEXIVE, LOOPS, ID_COUNT, NODE_OF, NODE_COUNT, TERMS, COMPONENT, COMPONENT_COUNT = range(10)
MEMBER_START, MEMBER_END, MEMBERS, MEMBER_ROOM, IS_SIMPLE, IS_CYCLIC, IS_LOOP = range(10, 17)
BITS, ROW_COUNT, WORDS, COMPONENT_ROW, ROW_OF, ROW_OF_COUNT = range(17, 23)
LIST_COUNT, STEP_START, STEP_END, STEP_TO, STEP_ROOM, BACK_START, BACK_END, BACK_TO, BACK_ROOM = range(23, 32)
HAS_STARTS, START_START, START_END, START_TO, START_ROOM, ENDS_START, ENDS_END, ENDS_TO, ENDS_ROOM = range(32, 41)
STAMPS, QUEUE, LEFTS, LEFT_COUNT, RIGHTS, RIGHT_COUNT, NODE_STAMPS = range(41, 48)
VIRTUAL_WIDTH = pages.DIGRAPH_END  # `kernel.digraphs.pages` names the words behind NODE_STAMPS
# LOOPS            how many pairs (x, x) there are; -1 if they have not been counted
# NODE_OF          int32[ID_COUNT]: the node of an id, or -1, or a later version's;  TERMS int32[NODE_COUNT]: the id of a node
# COMPONENT        int32[NODE_COUNT]
# MEMBERS          int32[MEMBER_ROOM]: ids of nodes; those of a component from its MEMBER_START to its MEMBER_END
# IS_SIMPLE        whether each component is one node, whose id stands in MEMBERS at the component's number
# BITS             uint64[ROW_COUNT * WORDS]: the components that a row leads to; row 0 is empty; 0 if a digraph is searched
# COMPONENT_ROW    int32[COMPONENT_COUNT]: the row of each component
# ROW_OF           int32[ROW_OF_COUNT]: the row of each component, or, if HAS_STARTS, of each node
# STEP_*, BACK_*   edges of E between nodes, and turned round, where there are bits
# HAS_STARTS       whether S is another relation than E;  START_*, ENDS_*: S between nodes, and turned round
# STAMPS           int32[COMPONENT_COUNT + 1]: the search that last reached a component; the last word numbers the searches
# QUEUE            int32[COMPONENT_COUNT];  NODE_STAMPS int32[NODE_COUNT]: more scratch of searches
# LEFTS, RIGHTS    ids that have a pair on that side; RIGHTS may have more, if HAS_STARTS; of a digraph, all

_EDGES_A_ROW = 4
"""Looking at a row of bits costs about as much as following that many edges."""


@part
def node_of(W: Int64s, term: int) -> int:
    """The node of an id, or -1."""
    if term >= W[ID_COUNT]:
        return np.int64(-1)
    node = np.int64(int32s(W[NODE_OF], W[ID_COUNT])[term])
    return node if node < W[NODE_COUNT] else np.int64(-1)


@part
def component_of(W: Int64s, node: int) -> int:
    """The component of a node."""
    return np.int64(components_of(W)[node])


@hot
def components_of(W: Int64s) -> Int32s:
    """The component of each node."""
    return int32s(W[COMPONENT], W[NODE_COUNT])


@hot
def bits_of_rows(W: Int64s) -> UInt64s:
    """All rows of bits."""
    return uint64s(W[BITS], W[ROW_COUNT] * W[WORDS])


@hot
def lists_at(W: Int64s, first: int, count: int) -> tuple[Int64s, Int64s, Int32s]:
    """Lists of edges or members, by the word of their starts: where each of so many begins and ends, and what is in them."""
    return int64s(W[first], count), int64s(W[first + 1], count), int32s(W[first + 2], W[first + 3])


@part
def row_of(W: Int64s, node: int) -> int:
    """The row of bits of a node."""
    return np.int64(int32s(W[ROW_OF], W[ROW_OF_COUNT])[node if W[HAS_STARTS] != 0 else component_of(W, node)])


@part
def has_bit(W: Int64s, row: int, component: int) -> bool:
    """Whether a row leads to a component."""
    word = bits_of_rows(W)[row * W[WORDS] + (component >> 6)]
    return (word >> np.uint64(component & 63)) & ONE != ZERO


@part
def _add_members(W: Int64s, component: int, left_out: int, out: Int32s, count: int) -> int:
    """Append the ids of a component, one of them perhaps left out."""
    begin, end, members = lists_at(W, MEMBER_START, W[COMPONENT_COUNT])
    for i in range(begin[component], end[component]):
        if members[i] != left_out:
            out[count] = members[i]
            count += 1
    return count


@part
def left_out_of(W: Int64s, node: int, term: int) -> int:
    """The id that must not be paired with itself, or -1."""
    if W[IS_IRREFLEXIVE] == 0:
        return np.int64(-1)
    if W[BITS] == 0:
        return np.int64(-1) if records.get(W, node, records.FLAGS) & records.IS_GIVEN_LOOP != 0 else np.int64(term)
    return np.int64(term) if bytes_at(W[IS_LOOP], W[NODE_COUNT])[node] == 0 else np.int64(-1)


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
def steps_lead(W: Int64s, x: int, y: int) -> bool:
    """Whether a path of E, perhaps of no edge, leads from a node to a node; of a closure."""
    if W[BITS] == 0:
        return listing.steps_lead(W, x, y)
    a, b = component_of(W, x), component_of(W, y)
    return a == b or has_bit(W, np.int64(int32s(W[COMPONENT_ROW], W[COMPONENT_COUNT])[a]), b)


@part
def forward(W: Int64s, term: int, out: Int32s) -> int:
    """Write down the ids that an id leads to; how many."""
    node = node_of(W, term)
    if node < 0:
        return np.int64(0)
    left_out, count = left_out_of(W, node, term), np.int64(0)
    if W[BITS] == 0:
        found = listing.reached_from(W, node, W[HAS_STARTS] != 0)
        return listing.members(W, found, int32s(W[TERMS], W[NODE_COUNT]), left_out, out)
    row, words, bits = row_of(W, node), W[WORDS], bits_of_rows(W)
    is_simple, members = W[IS_SIMPLE] != 0, int32s(W[MEMBERS], W[MEMBER_ROOM])
    for w in range(words):
        word = bits[row * words + w]
        while word != ZERO:
            component = 64 * w + lowest_one(word)
            word &= word - ONE
            if is_simple:
                if members[component] != left_out:
                    out[count] = members[component]
                    count += 1
            else:
                count = _add_members(W, component, left_out, out, count)
    return count


@part
def _enqueue_before(W: Int64s, component: int, found: int) -> int:
    """Enqueue the components that lead to one in a single step; edges are between nodes."""
    begin, end, members = lists_at(W, MEMBER_START, W[COMPONENT_COUNT])
    start, stop, to = lists_at(W, BACK_START, W[LIST_COUNT])
    for i in range(begin[component], end[component]):
        node = node_of(W, np.int64(members[i]))
        for e in range(start[node], stop[node]):
            found = _enqueue(W, component_of(W, np.int64(to[e])), found)
    return found


@part
def _edges_before(W: Int64s, component: int) -> int:
    begin, end, members = lists_at(W, MEMBER_START, W[COMPONENT_COUNT])
    start, stop, _ = lists_at(W, BACK_START, W[LIST_COUNT])
    count = np.int64(0)
    for i in range(begin[component], end[component]):
        node = node_of(W, np.int64(members[i]))
        count += 1 + stop[node] - start[node]
    return count


@part
def _leading_to(W: Int64s, own: int, with_own: bool) -> int:
    """Put into the queue all components that lead to one, by edges, or by a column of bits if the edges are many; how many."""
    _next_stamp(W)
    queue, found, at = int32s(W[QUEUE], W[COMPONENT_COUNT]), np.int64(0), np.int64(-1)
    rows, work = int32s(W[COMPONENT_ROW], W[COMPONENT_COUNT]), np.int64(0)
    if with_own:
        found, at = _enqueue(W, own, found), np.int64(0)
    while at < found:
        component = np.int64(queue[at]) if at >= 0 else own
        work += _edges_before(W, component)
        if work > _EDGES_A_ROW * W[COMPONENT_COUNT]:
            for c in range(W[COMPONENT_COUNT]):
                if has_bit(W, np.int64(rows[c]), own):
                    found = _enqueue(W, np.int64(c), found)
            return found
        found = _enqueue_before(W, component, found)
        at += 1
    return found


@part
def backward(W: Int64s, term: int, out: Int32s) -> int:
    """Write down the ids that lead to an id; how many."""
    node, count = node_of(W, term), np.int64(0)
    if node < 0:
        return count
    left_out = left_out_of(W, node, term)
    has_starts = W[HAS_STARTS] != 0
    if W[BITS] == 0:
        found, terms = listing.reaching(W, node, has_starts), int32s(W[TERMS], W[NODE_COUNT])
        if has_starts:
            return listing.left_ends(W, found, terms, left_out, out)
        return listing.members(W, found, terms, left_out, out)
    own = component_of(W, node)
    queue, found = int32s(W[QUEUE], W[COMPONENT_COUNT]), _leading_to(W, own, has_starts)
    for i in range(found):
        if has_starts:
            count = _add_starts(W, np.int64(queue[i]), left_out, out, count)
        else:
            count = _add_members(W, np.int64(queue[i]), left_out, out, count)
    return count


@part
def _add_starts(W: Int64s, component: int, left_out: int, out: Int32s, count: int) -> int:
    """Append the left ends of S whose right ends are in a component, each once in a search."""
    begin, end, members = lists_at(W, MEMBER_START, W[COMPONENT_COUNT])
    start, stop, to = lists_at(W, ENDS_START, W[NODE_COUNT])
    stamps, terms = int32s(W[NODE_STAMPS], W[NODE_COUNT]), int32s(W[TERMS], W[NODE_COUNT])
    stamp = int32s(W[STAMPS], W[COMPONENT_COUNT] + 1)[W[COMPONENT_COUNT]]
    for i in range(begin[component], end[component]):
        reached = node_of(W, np.int64(members[i]))
        for e in range(start[reached], stop[reached]):
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
    if W[BITS] == 0:
        return listing.has_path(W, x, y, W[HAS_STARTS] != 0)
    goal = component_of(W, y)
    return has_bit(W, row_of(W, x), goal)
