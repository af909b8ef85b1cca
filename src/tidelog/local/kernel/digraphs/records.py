"""Nodes, their edges and their components, in the pages of a version.

The nodes of a strongly connected component are a ring: NEXT of each is the next one. One of them represents the component; the
words COMPONENT of all name it, and SIZE, LABEL and LABELS are those in its record. Labels are a topological order of the
components: an edge between two leads to the higher label. Each component has 2 ** LABELS labels for its parts, its own first.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int64s
from tidelog.local.kernel.build import hot, part
from tidelog.local.kernel.digraphs.pages import (
    entry_of,
    long_entry_of,
    long_of,
    set_entry,
    set_long,
    set_long_entry,
    set_word,
    word_of,
)

RECORD_BITS = 4
RECORD = 1 << RECORD_BITS
"""Words of a record."""
COMPONENT, NEXT, SIZE, FLAGS, LABEL, LABELS, ROOMS = 4, 5, 6, 7, 8, 10, 11
# 0 .. 3, 12 .. 15   where the four lists of a node begin, and how long each is (`_place`)
# FLAGS            HAS_EDGE_TO_ITSELF, of E; IS_GIVEN_LOOP, of S
# ROOMS            a byte for each list: there is room for 2 ** (byte - 1) entries, none if it is 0
OUT, IN, STARTS, ENDS = range(4)
"""The lists: edges of E, the same turned round, pairs of S where that is another relation, the same turned round."""
HAS_EDGE_TO_ITSELF, IS_GIVEN_LOOP = 1, 2

TOP, LOWEST, HIGHEST, HEADER = 32, 34, 36, 64
# the first words of the space of lists: for each size the first free list; where unused space begins; the labels in use
MOST_LABELS = 32
"""A new component gets 2 ** MOST_LABELS labels."""


@hot
def _place(kind: int) -> int:
    """Where in a record a list is described."""
    return 2 * kind if kind < STARTS else 8 + 2 * kind


@hot
def get(W: Int64s, node: int, word: int) -> int:
    """A word of a node's record."""
    return np.int64(word_of(W, (node << RECORD_BITS) + word))


@part
def put(W: Int64s, U: Int64s, node: int, word: int, value: int) -> None:
    """Set a word of a node's record."""
    set_word(W, U, (node << RECORD_BITS) + word, value)


@hot
def component(W: Int64s, node: int) -> int:
    """The node that represents the component of a node."""
    return np.int64(word_of(W, (node << RECORD_BITS) + COMPONENT))


@hot
def label(W: Int64s, node: int) -> int:
    """The label of the component that a node represents."""
    return long_of(W, (node << RECORD_BITS) + LABEL)


@part
def set_label(W: Int64s, U: Int64s, node: int, value: int, labels: int) -> None:
    """Set the label of the component that a node represents, and the logarithm of how many labels it has."""
    set_long(W, U, (node << RECORD_BITS) + LABEL, value)
    put(W, U, node, LABELS, labels)


@part
def is_cyclic(W: Int64s, node: int) -> bool:
    """Whether some edges lead from the component that a node represents back to it."""
    return get(W, node, SIZE) > 1 or get(W, node, FLAGS) & HAS_EDGE_TO_ITSELF != 0


@hot
def list_of(W: Int64s, node: int, kind: int) -> tuple[int, int]:
    """Where a list of a node begins, and how long it is."""
    place = (node << RECORD_BITS) + _place(kind)
    return np.int64(word_of(W, place)), np.int64(word_of(W, place + 1))


@hot
def length_of(W: Int64s, node: int, kind: int) -> int:
    """How long a list of a node is."""
    return np.int64(word_of(W, (node << RECORD_BITS) + _place(kind) + 1))


@part
def make_node(W: Int64s, U: Int64s, node: int) -> None:
    """A node without edges."""
    for word in range(RECORD):
        put(W, U, node, word, 0)
    put(W, U, node, COMPONENT, node)
    put(W, U, node, NEXT, node)
    put(W, U, node, SIZE, 1)
    move_to_end(W, U, node)


@part
def move_to_end(W: Int64s, U: Int64s, node: int) -> None:
    """Give a component that leads nowhere a label above all others."""
    highest = long_entry_of(W, HIGHEST)
    set_label(W, U, node, highest, MOST_LABELS)
    set_long_entry(W, U, HIGHEST, highest + (1 << MOST_LABELS))


@part
def move_to_start(W: Int64s, U: Int64s, node: int) -> None:
    """Give a component that nothing leads to a label below all others."""
    lowest = long_entry_of(W, LOWEST) - (1 << MOST_LABELS)
    set_label(W, U, node, lowest, MOST_LABELS)
    set_long_entry(W, U, LOWEST, lowest)


@part
def append(W: Int64s, U: Int64s, node: int, kind: int, value: int) -> None:
    """Append an entry to a list, which moves to twice the room if it is full."""
    at, length = list_of(W, node, kind)
    rooms = get(W, node, ROOMS)
    size = (rooms >> (8 * kind)) & 255
    if size == 0 or length == 1 << (size - 1):
        free = np.int64(entry_of(W, size + 1))
        new = free
        if free != 0:
            set_entry(W, U, size + 1, np.int64(entry_of(W, free)))
        else:
            new = np.int64(entry_of(W, TOP))
            set_entry(W, U, TOP, new + (1 << size))
        for i in range(length):
            set_entry(W, U, new + i, np.int64(entry_of(W, at + i)))
        if size > 0:
            set_entry(W, U, at, np.int64(entry_of(W, size)))
            set_entry(W, U, size, at)
        put(W, U, node, ROOMS, rooms + (1 << (8 * kind)))
        put(W, U, node, _place(kind), new)
        at = new
    set_entry(W, U, at + length, value)
    put(W, U, node, _place(kind) + 1, length + 1)


@part
def remove(W: Int64s, U: Int64s, node: int, kind: int, value: int) -> None:
    """Remove an entry from a list; the last one takes its place."""
    at, length = list_of(W, node, kind)
    for i in range(length):
        if entry_of(W, at + i) == value:
            last = np.int64(entry_of(W, at + length - 1))
            if last != value:
                set_entry(W, U, at + i, last)
            put(W, U, node, _place(kind) + 1, length - 1)
            return
