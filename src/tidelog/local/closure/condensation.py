"""What a virtual relation holds: nodes, components, lists of edges, rows of bits; and the words that tell the kernel of them.

A version shares with the one before it whatever has not changed, so nothing here is written to once a version is complete.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Int64s, UInt64s
from tidelog.local.closure.adjacency import Lists, Numbering, Pool, is_crowded, spare
from tidelog.local.kernel.closures import pairs
from tidelog.local.kernel.closures import virtual_access as kernel
from tidelog.local.kernel.memory import address_of

FEW = 64
"""Room for so many more, whatever there is already."""


_LISTS = (
    ("steps", kernel.STEP_START),
    ("back", kernel.BACK_START),
    ("starts", kernel.START_START),
    ("ends", kernel.ENDS_START),
    ("members", kernel.MEMBER_START),
)
"""Lists of a closure with rows of bits, and where the kernel is told of them."""


@dataclass(slots=True)
class Rows:
    """Rows of bits that several versions use; what is used of them is never written again.  Row 0 is empty."""

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
    """E between nodes, and turned round; where rows of bits are, and from the first change of a partition on."""
    starts: Lists | None = None
    ends: Lists | None = None
    """S between nodes, and turned round, if it is not E."""
    rows_of_bits: Rows | None = None
    component_row: Int32s
    row_of: Int32s
    is_loop: NDArray[np.uint8]
    lefts: Int32s
    edges: tuple[Int32s, Int32s] | None = None
    """S between nodes, of a partition that has not changed yet."""

    def __init__(self) -> None:
        self.words: Int64s = np.zeros(kernel.VIRTUAL_WIDTH, np.int64)
        self._buffers: dict[int, NDArray[np.generic]] = {}

    def put(self, **words: int) -> None:
        """Tell the kernel numbers."""
        for name, word in words.items():
            self.words[getattr(kernel, name)] = word

    def keep(self, place: int, buffer: NDArray[np.generic]) -> None:
        """Tell the kernel of a buffer, and keep it alive."""
        if self._buffers.get(place) is not buffer:  # versions share what has not changed
            self._buffers[place] = buffer
            self.words[place] = address_of(buffer)

    def keep_lists(self, start: int, lists: Lists) -> None:
        """Tell the kernel of lists: where they start, where they end, what is in them, and how long that is."""
        self.keep(start, lists.start)
        self.keep(start + 1, lists.end)
        self.keep(start + 2, lists.pool.buffer)
        self.words[start + 3] = len(lists.pool.buffer)

    def keep_members(self, members: Lists) -> None:
        """Tell the kernel of the members of components."""
        self.members = members
        self.keep_lists(kernel.MEMBER_START, members)

    @property
    def is_partition(self) -> bool:
        """Whether it is all pairs within components."""
        return bool(self.words[kernel.IS_PARTITION])

    @property
    def terms(self) -> Int32s:
        """The ids of the nodes."""
        return self.numbering.terms[: self.node_count]

    def set_numbering(self, numbering: Numbering) -> None:
        """Have all nodes that a numbering has by now."""
        self.numbering, self.node_count = numbering, numbering.count
        self.words[kernel.ID_COUNT], self.words[kernel.NODE_COUNT] = len(numbering.node_of), self.node_count
        self.keep(kernel.NODE_OF, numbering.node_of)
        self.keep(kernel.TERMS, numbering.terms)

    def set_components(self, component: Int32s, count: int, room: int) -> None:
        """Have other components, with lists of members made anew, and room for so many components."""
        start, members = np.zeros(room + 1, np.int64), np.empty(2 * len(component) + spare(0), np.int32)
        pairs.fill_members(component, self.terms, start, members)
        self.component = component
        self.put(COMPONENT_COUNT=count)
        self.keep(kernel.COMPONENT, component)
        self.keep_members(Lists(start[:-1], start[1:], Pool(members, int(start[-1]))))

    def set_steps(self, steps: Lists, back: Lists) -> None:
        """Have other lists of edges between nodes."""
        self.steps, self.back = steps, back
        self.words[kernel.LIST_COUNT] = self.node_count
        self.keep_lists(kernel.STEP_START, steps)
        self.keep_lists(kernel.BACK_START, back)

    def set_starts(self, starts: Lists, ends: Lists) -> None:
        """Have other lists of S."""
        self.starts, self.ends = starts, ends
        self.keep_lists(kernel.START_START, starts)
        self.keep_lists(kernel.ENDS_START, ends)

    def make_room(self) -> bool:
        """Give lists and rows with hardly any room buffers of their own, which others do not share; whether there were any.

        A version that the next updates begin from again and again, because each is taken back, would soon have no room left.
        """
        if self.rows_of_bits is None:
            return False
        moved = False
        for name, place in _LISTS:
            lists: Lists | None = getattr(self, name)
            if lists is not None and lists.is_crowded:
                moved = True
                setattr(self, name, lists.spread())
                self.keep_lists(place, getattr(self, name))
        if is_crowded(self.rows_of_bits.used, len(self.rows_of_bits.bits)):
            moved = True
            self._gather_rows(self.rows_of_bits.bits)
        return moved

    def _gather_rows(self, bits: UInt64s) -> None:
        """Have the rows of bits that this version uses in a matrix of its own, with room behind them."""
        used = np.unique(np.concatenate([[0], self.component_row, self.row_of]))
        rows = self.rows_of_bits = Rows(np.zeros((len(used) + spare(len(used)), bits.shape[1]), np.uint64), len(used))
        rows.bits[: len(used)] = bits[used]
        component_row = np.searchsorted(used, self.component_row).astype(np.int32)
        is_own = self.row_of is self.component_row
        self.words[kernel.ROW_COUNT] = len(rows.bits)
        self.keep(kernel.BITS, rows.bits)
        self.set_rows(component_row, component_row if is_own else np.searchsorted(used, self.row_of).astype(np.int32))

    def make_scratch(self) -> None:
        """Have room for searches."""
        room = len(self.members.start)
        self.keep(kernel.STAMPS, np.zeros(room + 1, np.int32))
        self.keep(kernel.QUEUE, np.empty(room, np.int32))
        self.keep(kernel.NODE_STAMPS, np.zeros(self.node_count, np.int32))

    def set_rows(self, component_row: Int32s, row_of: Int32s) -> None:
        """Have other rows of bits for components and for left ends; the same array if these are not others."""
        self.component_row, self.row_of = component_row, row_of
        self.words[kernel.ROW_OF_COUNT] = len(row_of)
        self.keep(kernel.COMPONENT_ROW, component_row)
        self.keep(kernel.ROW_OF, row_of)

    def set_ends(self, is_left: NDArray[np.bool_], is_right: NDArray[np.bool_]) -> None:
        """Have other nodes with pairs on the left and on the right."""
        self.lefts, rights = self.terms[is_left], self.terms[is_right]
        self.words[kernel.LEFT_COUNT], self.words[kernel.RIGHT_COUNT] = len(self.lefts), len(rights)
        self.keep(kernel.LEFTS, self.lefts)
        self.keep(kernel.RIGHTS, rights)
