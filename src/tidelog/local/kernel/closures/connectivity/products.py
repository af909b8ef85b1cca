"""The pairs in which two versions of a partition differ: products of the nodes that have moved, and the others there.

A node has moved if its component has another number.  Two nodes that have not moved are together in both versions or in none, so
each pair that differs has a node that has moved; what it is paired with is read from the component's ring only when the pairs are
written down.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel.build import exclusive, kernel
from tidelog.local.kernel.closures.connectivity import words as word
from tidelog.local.kernel.closures.connectivity.reading import holds
from tidelog.local.kernel.closures.connectivity.words import numbers_at
from tidelog.local.kernel.closures.virtual_access import COMPONENT, NODE_COUNT, TERMS
from tidelog.local.kernel.memory import int32s


@exclusive
def write_products(W: Int64s, version: int, nodes: Int32s, here: Int32s, there: Int32s, rows: Int32s) -> int:
    """The pairs that one of two versions has and the other has not; how many, -1 if the buffers do not hold the later one.

    `here` and `there` are the components of the nodes that have moved, in the version that has the pairs and in the other one;
    they are sorted by both.  Nodes in no component of the other version have a number of their own there, below 0.  Without room
    in `rows` pairs are only counted.
    """
    if not holds(W, version):
        return np.int64(-1)
    room, terms = W[word.NODE_ROOM], int32s(W[TERMS], W[NODE_COUNT])
    marks, component, size = int32s(W[word.MARKS], 2 * room), numbers_at(W, COMPONENT), numbers_at(W, word.SIZE)
    for i in range(len(nodes)):
        marks[nodes[i]] = 1
        if component[nodes[i]] >= 0:
            marks[room + component[nodes[i]]] += 1
    count, first, total = np.int64(0), 0, len(nodes)
    while first < total:
        last = first
        while last < total and here[last] == here[first]:
            last += 1
        number = np.int64(here[first])
        others = np.empty(size[number] - marks[room + number] if number >= 0 and len(rows) > 0 else 0, np.int32)
        if len(others) > 0:
            node, found = np.int64(numbers_at(W, word.HEAD)[number]), 0
            for _ in range(size[number]):
                if marks[node] == 0:
                    others[found] = terms[node]
                    found += 1
                node = np.int64(numbers_at(W, word.NEXT)[node])
        begin = first if number >= 0 else last
        while begin < last:  # one group, which was together, after the other
            end = begin
            while end < last and there[end] == there[begin]:
                end += 1
            if len(rows) == 0:
                stayed = np.int64(size[number] - marks[room + number])
                count += (end - begin) * (last - first - (end - begin) + 2 * stayed)
                begin = end
                continue
            for i in range(begin, end):
                for j in range(last - first - (end - begin)):
                    at = first + j if first + j < begin else end + j - (begin - first)
                    rows[count, 0], rows[count, 1] = terms[nodes[i]], terms[nodes[at]]
                    count += 1
                for j in range(len(others)):
                    rows[count, 0], rows[count, 1] = terms[nodes[i]], others[j]
                    rows[count + 1, 0], rows[count + 1, 1] = others[j], terms[nodes[i]]
                    count += 2
            begin = end
        first = last
    for i in range(len(nodes)):
        marks[nodes[i]] = 0
        if component[nodes[i]] >= 0:
            marks[room + component[nodes[i]]] = 0
    return count


@kernel
def write_across(ids: Int32s, component: Int32s, group: Int32s, rows: Int32s) -> int:
    """All pairs of ids of one component and different groups; sorted by component and group.  How many; of none, only counts."""
    count, begin, total = np.int64(0), 0, len(ids)
    while begin < total:
        end = begin
        while end < total and component[end] == component[begin]:
            end += 1
        first = begin
        while first < end:
            last = first
            while last < end and group[last] == group[first]:
                last += 1
            if len(rows) == 0:
                count += (last - first) * (end - begin - (last - first))
            else:
                for i in range(first, last):
                    for j in range(end - begin - (last - first)):
                        rows[count, 0] = ids[i]
                        rows[count, 1] = ids[begin + j if begin + j < first else last + j - (first - begin)]
                        count += 1
            first = last
        begin = end
    return count
