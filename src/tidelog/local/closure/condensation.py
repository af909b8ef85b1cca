"""The buffers of a virtual relation: nodes, components, adjacency lists, bit matrix; and their addresses for the kernel.

Versions share unchanged buffers, so a buffer is never written to once its version is complete.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Int64s, UInt64s
from tidelog.local.closure.adjacency import Lists, Numbering, is_crowded, spare_room
from tidelog.local.kernel.closures import graphs
from tidelog.local.kernel.closures import virtual_access as kernel
from tidelog.local.kernel.memory import address_of

FEW = 64
"""Spare capacity that every buffer has at least."""


_LISTS = (
    ("steps", kernel.STEP_START),
    ("back", kernel.BACK_START),
    ("starts", kernel.START_START),
    ("ends", kernel.ENDS_START),
    ("members", kernel.MEMBER_START),
)
"""The adjacency lists of a closure with a bit matrix, and their first word in a row of V."""


@dataclass(slots=True)
class BitRows:
    """A bit matrix that several versions share: used rows are never written again.  Row 0 is empty."""

    bits: UInt64s
    used: int


class Condensation:
    """The buffers of a virtual relation, and its row of `V`."""

    numbering: Numbering
    node_count: int
    component: Int32s
    members: Lists
    """The ids of each component."""
    steps: Lists
    back: Lists
    """E between nodes, and its inverse; a partition has them from its first update on."""
    starts: Lists | None = None
    ends: Lists | None = None
    """S between nodes, and its inverse, if S is not E."""
    bit_rows: BitRows | None = None
    component_row: Int32s
    row_of: Int32s
    is_loop: NDArray[np.uint8]
    _lefts: Int32s | None = None
    """The ids that have a pair on the left side, before turning, if known."""

    def __init__(self) -> None:
        self.words: Int64s = np.zeros(kernel.VIRTUAL_WIDTH, np.int64)
        self._buffers: dict[int, NDArray[np.generic]] = {}

    def set_words(self, **words: int) -> None:
        """Set words of the row of V by their names in the kernel."""
        for name, word in words.items():
            self.words[getattr(kernel, name)] = word

    def set_buffer(self, place: int, buffer: NDArray[np.generic]) -> None:
        """Set the address of a buffer, and keep the buffer alive."""
        if self._buffers.get(place) is not buffer:  # versions share what has not changed
            self._buffers[place] = buffer
            self.words[place] = address_of(buffer)

    @property
    def nbytes(self) -> int:
        """The memory of its buffers."""
        return sum(buffer.nbytes for buffer in self._buffers.values())

    def set_lists(self, start: int, lists: Lists) -> None:
        """Set the addresses of adjacency lists: starts, ends, pool and the pool's length."""
        self.set_buffer(start, lists.start)
        self.set_buffer(start + 1, lists.end)
        self.set_buffer(start + 2, lists.pool.buffer)
        self.words[start + 3] = len(lists.pool.buffer)

    def set_members(self, members: Lists) -> None:
        """Set the member lists of the components."""
        self.members = members
        self.set_lists(kernel.MEMBER_START, members)

    @property
    def terms(self) -> Int32s:
        """The ids of the nodes."""
        return self.numbering.terms[: self.node_count]

    def set_numbering(self, numbering: Numbering) -> None:
        """Set the numbering; this version has all its nodes so far."""
        self.numbering, self.node_count = numbering, numbering.count
        self.words[kernel.ID_COUNT], self.words[kernel.NODE_COUNT] = len(numbering.node_of), self.node_count
        self.set_buffer(kernel.NODE_OF, numbering.node_of)
        self.set_buffer(kernel.TERMS, numbering.terms)

    def set_components(self, component: Int32s, count: int, room: int) -> None:
        """Set the components with new member lists, and room for `room` components."""
        self.component = component
        self.set_words(COMPONENT_COUNT=count)
        self.set_buffer(kernel.COMPONENT, component)
        self.set_members(Lists.from_pairs(component, self.terms, room, len(component) + spare_room(0)))

    def set_steps(self, steps: Lists, back: Lists) -> None:
        """Set the adjacency lists of E and its inverse."""
        self.steps, self.back = steps, back
        self.words[kernel.LIST_COUNT] = self.node_count
        self.set_lists(kernel.STEP_START, steps)
        self.set_lists(kernel.BACK_START, back)

    def set_starts(self, starts: Lists, ends: Lists) -> None:
        """Set the adjacency lists of S and its inverse."""
        self.starts, self.ends = starts, ends
        self.set_lists(kernel.START_START, starts)
        self.set_lists(kernel.ENDS_START, ends)

    def make_room(self) -> bool:
        """Copy lists and rows with little spare room into buffers of their own; whether there were any.

        A version that many updates start from, because each is rolled back, would run out of room in the shared buffers.
        """
        if self.bit_rows is None:
            return False
        moved = False
        for name, place in _LISTS:
            lists: Lists | None = getattr(self, name)
            if lists is not None and is_crowded(lists.pool.used, len(lists.pool.buffer)):
                moved = True
                setattr(self, name, lists.compacted())
                self.set_lists(place, getattr(self, name))
        if is_crowded(self.bit_rows.used, len(self.bit_rows.bits)):
            moved = True
            self._gather_rows(self.bit_rows.bits)
        return moved

    def _gather_rows(self, bits: UInt64s) -> None:
        """Copy the bit rows that this version uses into a matrix of its own, with spare room."""
        used = np.unique(np.concatenate([[0], self.component_row, self.row_of]))
        rows = self.bit_rows = BitRows(np.zeros((len(used) + spare_room(len(used)), bits.shape[1]), np.uint64), len(used))
        rows.bits[: len(used)] = bits[used]
        component_row = np.searchsorted(used, self.component_row).astype(np.int32)
        is_own = self.row_of is self.component_row
        self.words[kernel.ROW_COUNT] = len(rows.bits)
        self.set_buffer(kernel.BITS, rows.bits)
        self.set_rows(component_row, component_row if is_own else np.searchsorted(used, self.row_of).astype(np.int32))

    def make_scratch(self) -> None:
        """Allocate the scratch buffers of graph searches."""
        room = len(self.members.start)
        self.set_buffer(kernel.STAMPS, np.zeros(room + 1, np.int32))
        self.set_buffer(kernel.QUEUE, np.empty(room, np.int32))
        self.set_buffer(kernel.NODE_STAMPS, np.zeros(self.node_count, np.int32))

    def set_rows(self, component_row: Int32s, row_of: Int32s) -> None:
        """Set the bit rows of components and of left ends: the same array if S is E."""
        self.component_row, self.row_of = component_row, row_of
        self.words[kernel.ROW_OF_COUNT] = len(row_of)
        self.set_buffer(kernel.COMPONENT_ROW, component_row)
        self.set_buffer(kernel.ROW_OF, row_of)

    def set_ends(self, is_left: NDArray[np.bool_], is_right: NDArray[np.bool_]) -> None:
        """Set the nodes that have pairs on the left and on the right."""
        lefts, rights = self.terms[is_left], self.terms[is_right]
        self._lefts = lefts
        self.words[kernel.LEFT_COUNT], self.words[kernel.RIGHT_COUNT] = len(lefts), len(rights)
        self.set_buffer(kernel.LEFTS, lefts)
        self.set_buffer(kernel.RIGHTS, rights)


def kept_numbers(found: Int32s, count: int, before: Condensation) -> tuple[Int32s, int]:
    """Numbers for components, the same as before for unchanged components, and the number of numbers."""
    numbers = np.empty(count, np.int32)
    sizes = (before.members.end - before.members.start).astype(np.int32)
    room = int(graphs.keep_numbers(found, count, before.component, numbers, sizes))
    return (numbers, room) if room <= 2 * count + FEW else (np.arange(count, dtype=np.int32), count)


def spare_words(words: int) -> int:
    """Spare words in each bit row, for new components."""
    return max(1, words // 32)
