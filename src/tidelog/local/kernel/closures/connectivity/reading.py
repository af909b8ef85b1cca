"""Pairs of a partition tested and written down, for Python.

A call names the version that it wants.  If the buffers hold another one, the answer is -1 and nothing is read: then the caller
makes a copy (`journal.copy_for_readers`).  Test and reading are one call that no other thread interrupts.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel.build import exclusive, part
from tidelog.local.kernel.closures.connectivity import words as word
from tidelog.local.kernel.closures.connectivity.words import are_together, leaves_itself_out, list_members, numbers_at
from tidelog.local.kernel.closures.virtual_access import COMPONENT, NODE_COUNT, TERMS, node_of
from tidelog.local.kernel.memory import int32s


@part
def holds(W: Int64s, version: int) -> bool:
    """Whether the buffers hold a version."""
    return W[word.VERSION] == version and W[word.LOG_COUNT] == 0


@exclusive
def test_pairs(W: Int64s, version: int, rows: Int32s, found: Int32s) -> int:
    """For each pair of ids whether it is in the relation."""
    if not holds(W, version):
        return np.int64(-1)
    for i in range(rows.shape[0]):
        found[i] = are_together(W, np.int64(rows[i, 0]), np.int64(rows[i, 1]))
    return np.int64(0)


@exclusive
def list_lefts(W: Int64s, version: int, lefts: Int32s, counts: Int64s) -> int:
    """The ids that have pairs, one component after the other, and how many pairs each has; how many ids."""
    if not holds(W, version):
        return np.int64(-1)
    size, following, terms = numbers_at(W, word.SIZE), numbers_at(W, word.NEXT), int32s(W[TERMS], W[NODE_COUNT])
    count = np.int64(0)
    for number in range(W[word.NUMBERS]):
        node = np.int64(numbers_at(W, word.HEAD)[number])
        for _ in range(size[number]):
            counts[count] = size[number] - (1 if leaves_itself_out(W, node) else 0)
            if counts[count] > 0:
                lefts[count] = terms[node]
                count += 1
            node = np.int64(following[node])
    return count


@exclusive
def list_components(W: Int64s, version: int, ids: Int32s, numbers: Int32s) -> int:
    """The ids that have a component, and its number; how many."""
    if not holds(W, version):
        return np.int64(-1)
    component, terms, count = numbers_at(W, COMPONENT), int32s(W[TERMS], W[NODE_COUNT]), np.int64(0)
    for node in range(W[NODE_COUNT]):
        if component[node] >= 0:
            ids[count], numbers[count] = terms[node], component[node]
            count += 1
    return count


@exclusive
def number_of(W: Int64s, version: int, term: int, found: Int32s) -> int:
    """The number of an id's component, -1 if it has none."""
    if not holds(W, version):
        return np.int64(-1)
    node = node_of(W, np.int64(term))
    found[0] = numbers_at(W, COMPONENT)[node] if node >= 0 else -1
    return np.int64(0)


@exclusive
def list_component(W: Int64s, version: int, number: int, ids: Int32s) -> int:
    """The ids in a component; how many."""
    if not holds(W, version):
        return np.int64(-1)
    terms, following = int32s(W[TERMS], W[NODE_COUNT]), numbers_at(W, word.NEXT)
    count, node = np.int64(numbers_at(W, word.SIZE)[number]), np.int64(numbers_at(W, word.HEAD)[number])
    for i in range(count):
        ids[i] = terms[node]
        node = np.int64(following[node])
    return count


@exclusive
def list_ids(W: Int64s, version: int, nodes: Int32s, ids: Int32s) -> int:
    """The ids of some nodes."""
    if not holds(W, version):
        return np.int64(-1)
    for i in range(len(nodes)):
        ids[i] = int32s(W[TERMS], W[NODE_COUNT])[nodes[i]]
    return np.int64(0)


@exclusive
def write_pairs(W: Int64s, version: int, lefts: Int32s, left: Int32s, right: Int32s) -> int:
    """All pairs of some left ends, into two columns; how many."""
    if not holds(W, version):
        return np.int64(-1)
    count, component, nodes = np.int64(0), numbers_at(W, COMPONENT), np.int64(-1)
    begin = end = np.int64(0)  # the last list that was made, of the component `nodes`, if it is whole
    for i in range(len(lefts)):
        node = node_of(W, np.int64(lefts[i]))
        own = np.int64(component[node])
        if own == nodes and not leaves_itself_out(W, node):
            found = end - begin
            for j in range(found):
                right[count + j] = right[begin + j]
        else:
            found = list_members(W, np.int64(lefts[i]), right[count:])
            if not leaves_itself_out(W, node):
                nodes, begin, end = own, count, count + found
        left[count : count + found] = lefts[i]
        count += found
    return count
