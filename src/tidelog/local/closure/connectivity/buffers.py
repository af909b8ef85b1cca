"""The buffers of a partition, and their addresses for the kernel.

They are changed in place, and replaced by larger ones when they are full.  At every moment all addresses lead to buffers that are
alive and as long as the words say, so that an exception may come anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.closure.adjacency import Pairs
from tidelog.local.kernel.closures import graphs
from tidelog.local.kernel.closures import virtual_access as virtual
from tidelog.local.kernel.closures.connectivity import components, edge_lists
from tidelog.local.kernel.closures.connectivity import words as word
from tidelog.local.kernel.memory import address_of

_FEW = 64
"""Nodes that there is room for at least."""
_JOURNAL = 1 << 10
"""Writes that the journal has room for at first."""
_READ = (virtual.COMPONENT, word.NEXT, word.HEAD, word.SIZE, word.LOOP)
"""What readers need; the others are for the writer, from the first update on."""
_OF_NODES = (word.PREVIOUS, word.EDGE_START, word.TREE_END, word.EDGE_END, word.EDGE_LIMIT, word.VIA)
_SCRATCH = ((word.STAMPS, 2), (word.MARKS, 2), (word.QUEUES, 4))
"""Scratch, and how many numbers it has for each node: zeros, but for the queues."""


class Buffers:
    """All buffers of a partition, or of a copy for readers."""

    def __init__(self) -> None:
        self.words: Int64s = np.zeros(word.WIDTH, np.int64)
        self.words[virtual.IS_PARTITION] = 1
        self.words[word.FREE] = -1
        self._held: list[Int32s] = []
        self._edges: tuple[Int32s, Int32s] | None = None
        """The edges between nodes, until their lists are built."""

    @property
    def nbytes(self) -> int:
        """The memory of its buffers."""
        return sum(buffer.nbytes for buffer in self._held)

    @property
    def node_count(self) -> int:
        """How many nodes have been numbered."""
        return int(self.words[virtual.NODE_COUNT])

    @property
    def terms(self) -> Int32s:
        """The ids of the nodes."""
        return self.at(virtual.TERMS)[: self.node_count]

    def at(self, place: int) -> Int32s:
        """The buffer whose address is in a word."""
        wanted = self.words[place]
        for buffer in self._held:
            if address_of(buffer) == wanted:
                return buffer
        raise AssertionError(place)

    def set(self, place: int, buffer: Int32s) -> None:
        """Let a word have the address of a buffer; the one that it had before goes."""
        self._held.append(buffer)
        self.words[place] = address_of(buffer)

    def release_unused(self) -> None:
        """Release the buffers that no word has the address of."""
        addresses = set(self.words.tolist())
        self._held = [buffer for buffer in self._held if address_of(buffer) in addresses]

    # --- building --------------------------------------------------------------------------------------------------------

    @classmethod
    def of(cls, starts: Pairs, *, is_irreflexive: bool) -> Buffers:
        """All pairs within the connected components of some pairs."""
        self, words = cls(), None
        words = self.words
        words[virtual.IS_IRREFLEXIVE] = is_irreflexive
        words[virtual.ID_COUNT] = int(starts.max()) + 1 if len(starts) else 0
        self.set(virtual.NODE_OF, np.full(words[virtual.ID_COUNT], -1, np.int32))
        terms = np.empty(min(int(words[virtual.ID_COUNT]), 2 * len(starts)) + _FEW, np.int32)
        self.set(virtual.TERMS, terms)
        words[word.NODE_ROOM] = len(terms)
        components.number_nodes(words, starts)
        room = self.node_count + self.node_count // 8 + _FEW
        self.set(virtual.TERMS, np.zeros(room, np.int32))
        self.at(virtual.TERMS)[: self.node_count] = terms[: self.node_count]
        words[word.NODE_ROOM] = room
        self._make_rings(starts)
        self.release_unused()
        return self

    def _make_rings(self, starts: Pairs) -> None:
        source, target = self.nodes(starts)
        component, loop = np.full(self.words[word.NODE_ROOM], -1, np.int32), np.zeros(self.words[word.NODE_ROOM], np.int32)
        count = graphs.connected_components(source, target, component[: self.node_count])
        loop[source[source == target]] = 1
        for place in (*_READ, word.PREVIOUS):
            made = {virtual.COMPONENT: component, word.LOOP: loop}.get(place)
            self.set(place, np.zeros(len(component), np.int32) if made is None else made)
        components.build_rings(self.words, count)
        self._edges = source, target

    def nodes(self, rows: Pairs) -> tuple[Int32s, Int32s]:
        """Pairs of ids as pairs of nodes."""
        source, target = np.empty(len(rows), np.int32), np.empty(len(rows), np.int32)
        components.nodes_of(self.words, rows, source, target)
        return source, target

    def build_lists(self) -> None:
        """Build what only updates need, before the first one."""
        if self._edges is None:
            return
        words, (source, target) = self.words, self._edges
        room, pool = int(words[word.NODE_ROOM]), 3 * len(source) + 4 * _FEW
        for place in _OF_NODES[1:]:
            self.set(place, np.zeros(room, np.int32))
        self._set_scratch(room)
        for place in (word.TO, word.MATE):
            self.set(place, np.empty(pool, np.int32))
        words[word.POOL_ROOM] = pool
        edge_lists.build(words, source, target)
        self.set(word.LOG, np.empty(4 * _JOURNAL, np.int32))
        words[word.LOG_ROOM] = _JOURNAL
        self.release_unused()
        self._edges = None

    def _set_scratch(self, room: int) -> None:
        for place, times in _SCRATCH:
            self.set(place, (np.empty if place == word.QUEUES else np.zeros)(times * room, np.int32))

    # --- growing ---------------------------------------------------------------------------------------------------------

    def number(self, rows: Pairs) -> None:
        """Make nodes of all ids in some pairs."""
        words, largest = self.words, int(rows.max())
        if largest >= words[virtual.ID_COUNT]:
            self._grow((virtual.NODE_OF,), 2 * (largest + 1), fill=-1)
            words[virtual.ID_COUNT] = 2 * (largest + 1)
        if self.node_count + 2 * len(rows) > words[word.NODE_ROOM]:
            room = self.node_count + self.node_count // 2 + 2 * len(rows) + _FEW
            self._grow((virtual.COMPONENT,), room, fill=-1)
            self._grow((*_READ[1:], *_OF_NODES, virtual.TERMS), room)
            self._set_scratch(room)
            words[word.NODE_ROOM] = room
            self.release_unused()
        components.number_nodes(words, rows)

    def make_room(self) -> None:
        """Make room in the journal if it needs some, otherwise for edges."""
        words = self.words
        if words[word.NEEDED]:
            room = 2 * int(words[word.LOG_COUNT] + words[word.NEEDED])
            self._grow((word.LOG,), 4 * room)
            words[word.LOG_ROOM], words[word.NEEDED] = room, 0
        else:
            room = 3 * int(words[word.POOL_ROOM]) // 2 + _FEW
            self._grow((word.TO, word.MATE), room)
            words[word.POOL_ROOM] = room
        self.release_unused()

    def _grow(self, places: Iterable[int], room: int, fill: int = 0) -> None:
        """Replace buffers by larger ones, which hold the same."""
        self.release_unused()  # what an exception may have left
        for place in places:
            old = self.at(place)
            larger = np.full(room, fill, np.int32) if fill else np.zeros(room, np.int32)
            larger[: len(old)] = old
            self.set(place, larger)

    # --- copies ----------------------------------------------------------------------------------------------------------

    def copied(self) -> Buffers:
        """A copy of everything; what stands in the journal is not copied, so nothing must."""
        other = Buffers()
        other._edges = self._edges
        other.words[:] = self.words
        for place in (virtual.NODE_OF, virtual.TERMS, *_READ, *_OF_NODES, word.TO, word.MATE):
            if self.words[place]:
                other.set(place, self.at(place).copy())
        if self._edges is None:
            other._set_scratch(int(self.words[word.NODE_ROOM]))
            other.set(word.LOG, np.empty(4 * int(self.words[word.LOG_ROOM]), np.int32))
        other.release_unused()
        return other

    def for_reading(self) -> Buffers | None:
        """Buffers with room for a copy of what readers need; they share the nodes of ids, which are only added to.

        None if the writer has just replaced a buffer, in another thread: then one tries again.
        """
        other, words = Buffers(), self.words.copy()
        held = {address_of(buffer): buffer for buffer in self._held}
        for place in (virtual.NODE_OF, virtual.TERMS):
            if int(words[place]) not in held:
                return None
            other.set(place, held[int(words[place])])
        for place in (virtual.IS_IRREFLEXIVE, virtual.ID_COUNT, word.NODE_ROOM):
            other.words[place] = words[place]
        room = int(words[word.NODE_ROOM])
        for place in _READ:
            other.set(place, np.full(room, -1, np.int32) if place == virtual.COMPONENT else np.zeros(room, np.int32))
        other.set(word.MARKS, np.zeros(2 * room, np.int32))
        return other

    def renumber(self, ids: Int32s, count: int) -> None:
        """Give the nodes other ids: `ids` has the new one of each, and there are `count`."""
        terms, node_of = self.at(virtual.TERMS), np.full(count, -1, np.int32)
        nodes = np.arange(self.node_count, dtype=np.int32)
        renamed = terms.copy()
        renamed[: self.node_count] = ids[terms[: self.node_count]]
        node_of[renamed[: self.node_count]] = nodes
        self.set(virtual.TERMS, renamed)
        self.set(virtual.NODE_OF, node_of)
        self.words[virtual.ID_COUNT] = count
        self.release_unused()
