"""Memory in pages that versions share: two spaces of int32 words, one for the records of nodes, one for lists.

A space is a directory of addresses of pages. A version has directories of its own; the pages are those of the version before,
until it writes to one: then that page is copied to a free frame. So what another version reads never changes, and a version costs
its directories and the pages that it has changed. `U` describes the version that is being made.
"""

from __future__ import annotations

from tidelog.core.arrays import Int64s
from tidelog.local.kernel.build import hot, part
from tidelog.local.kernel.memory import bytes_at, int32s, int64s

NODE_PAGES, NODE_PAGE_COUNT, LIST_PAGES, LIST_PAGE_COUNT = range(48, 52)
STAMPS, MARKS, QUEUE, INDEX, ROOM, DIGRAPH_END = range(52, 58)
# of `W`, behind the words of `virtual_access`:
# NODE_PAGES, LIST_PAGES   int64[NODE_PAGE_COUNT], int64[LIST_PAGE_COUNT]: where the pages of each space are, or 0
# STAMPS           int32[ROOM + 1], MARKS int32[ROOM]: the search that last reached a node; the last word numbers the searches
# QUEUE            int32[2 * ROOM + 2]: nodes that a search has reached;  INDEX int32[ROOM]: numbers of nodes within a component

NODE_OWNED, LIST_OWNED, FREE, FREE_COUNT, NEXT_FRAME, RETIRED, RETIRED_COUNT, RETIRED_ROOM, WORK, UPDATE_WIDTH = range(10)
# of `U`:
# NODE_OWNED, LIST_OWNED   a byte for each page: whether this version has copied it
# FREE             int64[FREE_COUNT]: free frames, to be used first;  NEXT_FRAME: behind it there are as many as could be needed
# RETIRED          int64[RETIRED_ROOM], of which RETIRED_COUNT are used: the pages of the version before that were copied
# WORK             how many steps are left; below 0, or if labels run out, the version is given up, and made from scratch

PAGE_BITS = 11
PAGE = 1 << PAGE_BITS
"""Words in a page."""
PAGE_BYTES = 4 * PAGE
_WITHIN = PAGE - 1


@hot
def word_of(W: Int64s, at: int) -> int:
    """A word of the space of records."""
    return int32s(int64s(W[NODE_PAGES], W[NODE_PAGE_COUNT])[at >> PAGE_BITS], PAGE)[at & _WITHIN]


@hot
def entry_of(W: Int64s, at: int) -> int:
    """A word of the space of lists."""
    return int32s(int64s(W[LIST_PAGES], W[LIST_PAGE_COUNT])[at >> PAGE_BITS], PAGE)[at & _WITHIN]


@hot
def long_of(W: Int64s, at: int) -> int:
    """Two words of the space of records, from an even place on, as one number."""
    return int64s(int64s(W[NODE_PAGES], W[NODE_PAGE_COUNT])[at >> PAGE_BITS], PAGE >> 1)[(at & _WITHIN) >> 1]


@hot
def long_entry_of(W: Int64s, at: int) -> int:
    """Two words of the space of lists, from an even place on, as one number."""
    return int64s(int64s(W[LIST_PAGES], W[LIST_PAGE_COUNT])[at >> PAGE_BITS], PAGE >> 1)[(at & _WITHIN) >> 1]


@part
def _own(pages: Int64s, is_owned: int, U: Int64s, page: int) -> None:
    """Let a page be this version's own, before it is first written to."""
    owned = bytes_at(is_owned, len(pages))
    if owned[page] != 0:
        return
    owned[page] = 1
    if U[FREE_COUNT] > 0:
        U[FREE_COUNT] -= 1
        frame = int64s(U[FREE], U[FREE_COUNT] + 1)[U[FREE_COUNT]]
    else:
        frame = U[NEXT_FRAME]
        U[NEXT_FRAME] += PAGE_BYTES
    shared = pages[page]
    if shared != 0:
        source, copy = int64s(shared, PAGE >> 1), int64s(frame, PAGE >> 1)
        for i in range(PAGE >> 1):
            copy[i] = source[i]
        int64s(U[RETIRED], U[RETIRED_ROOM])[U[RETIRED_COUNT]] = shared
        U[RETIRED_COUNT] += 1
    pages[page] = frame


@part
def set_word(W: Int64s, U: Int64s, at: int, value: int) -> None:
    """Set a word of the space of records."""
    pages = int64s(W[NODE_PAGES], W[NODE_PAGE_COUNT])
    _own(pages, U[NODE_OWNED], U, at >> PAGE_BITS)
    int32s(pages[at >> PAGE_BITS], PAGE)[at & _WITHIN] = value


@part
def set_long(W: Int64s, U: Int64s, at: int, value: int) -> None:
    """Set two words of the space of records, from an even place on."""
    pages = int64s(W[NODE_PAGES], W[NODE_PAGE_COUNT])
    _own(pages, U[NODE_OWNED], U, at >> PAGE_BITS)
    int64s(pages[at >> PAGE_BITS], PAGE >> 1)[(at & _WITHIN) >> 1] = value


@part
def set_entry(W: Int64s, U: Int64s, at: int, value: int) -> None:
    """Set a word of the space of lists."""
    pages = int64s(W[LIST_PAGES], W[LIST_PAGE_COUNT])
    _own(pages, U[LIST_OWNED], U, at >> PAGE_BITS)
    int32s(pages[at >> PAGE_BITS], PAGE)[at & _WITHIN] = value


@part
def set_long_entry(W: Int64s, U: Int64s, at: int, value: int) -> None:
    """Set two words of the space of lists, from an even place on."""
    pages = int64s(W[LIST_PAGES], W[LIST_PAGE_COUNT])
    _own(pages, U[LIST_OWNED], U, at >> PAGE_BITS)
    int64s(pages[at >> PAGE_BITS], PAGE >> 1)[(at & _WITHIN) >> 1] = value
