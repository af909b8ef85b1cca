"""The words of a partition, and how the join kernel reads it: all pairs within each component.

`W` begins as a row of `VR` (`virtual_access`, whose first words and last ones it shares); words from VIRTUAL_WIDTH on are for the
writer alone.  The members of a component are a ring, so that two of them are joined, and a node leaves one, by a few writes.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel.build import hot, part
from tidelog.local.kernel.closures.virtual_access import COMPONENT, IS_IRREFLEXIVE, NODE_COUNT, TERMS, VIRTUAL_WIDTH, node_of
from tidelog.local.kernel.memory import int32s

NODE_ROOM, NEXT, PREVIOUS, HEAD, SIZE, LOOP, EDGE_START, TREE_END, EDGE_END, EDGE_LIMIT, TO, MATE = range(10, 22)
POOL_ROOM, POOL_USED, FREE, NUMBERS, ACTIVE, LOOP_COUNT, SQUARES = range(22, 29)
COUNTS, COUNTS_END = POOL_USED, SQUARES + 1
VERSION, LOG, LOG_ROOM, LOG_COUNT, QUEUES, STAMPS, LAST_STAMP, VIA, MARKS, WORK, NEEDED, GAINS, LOSSES = range(
    VIRTUAL_WIDTH, VIRTUAL_WIDTH + 13
)
WIDTH = VIRTUAL_WIDTH + 13
# COMPONENT        int32[NODE_ROOM]: the component of each node, -1 if it has no pairs
# NEXT, PREVIOUS   int32[NODE_ROOM]: the other members of its component, in a ring
# HEAD, SIZE       int32[NODE_ROOM], by component: a member, and how many there are; of an unused number HEAD is the next one
# LOOP             int32[NODE_ROOM]: whether the pair (x, x) was given
# EDGE_START, TREE_END, EDGE_END, EDGE_LIMIT   int32[NODE_ROOM]: where the edges of a node begin, where those that span end, where
#                  all end, and how far they may grow
# TO, MATE         int32[POOL_ROOM]: the other end of an edge, and where the edge stands among those of that end
# POOL_USED        how much of TO and MATE is in use
# FREE             an unused component number below NUMBERS, or -1;  NUMBERS: how many have been used so far
# ACTIVE           how many nodes have pairs;  LOOP_COUNT: how many (x, x) were given;  SQUARES: the sum of SIZE * SIZE
# VERSION          the number of the version that is in the buffers, if nothing stands in the journal
# LOG              int32[4 * LOG_ROOM]: the journal: word of a buffer, place, old and new number;  LOG_COUNT: how many writes
# QUEUES           int32[4 * NODE_ROOM], STAMPS int32[2 * NODE_ROOM], VIA int32[NODE_ROOM], LAST_STAMP: scratch of `search`
# MARKS            int32[2 * NODE_ROOM]: scratch of `products`, all 0 between two calls
# WORK             steps that are left before making the partition again would be cheaper
# NEEDED           how many writes the journal needs room for, where there was none
# GAINS, LOSSES    whether pairs may have been gained and lost since the last version


@hot
def numbers_at(W: Int64s, place: int) -> Int32s:
    """The buffer of a word, with a number for each node or component."""
    return int32s(W[place], W[NODE_ROOM])


@hot
def pool_at(W: Int64s, place: int) -> Int32s:
    """The buffer of a word, with a number for each place in the lists of edges."""
    return int32s(W[place], W[POOL_ROOM])


@part
def leaves_itself_out(W: Int64s, node: int) -> bool:
    """Whether a node is not paired with itself."""
    return W[IS_IRREFLEXIVE] != 0 and numbers_at(W, LOOP)[node] == 0


@part
def list_members(W: Int64s, term: int, out: Int32s) -> int:
    """Write down the ids that an id is paired with; how many."""
    node = node_of(W, term)
    if node < 0:
        return np.int64(0)
    own = np.int64(numbers_at(W, COMPONENT)[node])
    if own < 0:
        return np.int64(0)
    following, terms = numbers_at(W, NEXT), int32s(W[TERMS], W[NODE_COUNT])
    count, at = np.int64(0), node
    if not leaves_itself_out(W, node):
        out[0] = term
        count += 1
    for _ in range(numbers_at(W, SIZE)[own] - 1):
        at = np.int64(following[at])
        out[count] = terms[at]
        count += 1
    return count


@part
def are_together(W: Int64s, left: int, right: int) -> bool:
    """Whether the pair is in the relation."""
    x, y = node_of(W, left), node_of(W, right)
    if x < 0 or y < 0 or (x == y and leaves_itself_out(W, x)):
        return False
    component = numbers_at(W, COMPONENT)
    return component[x] >= 0 and component[x] == component[y]
