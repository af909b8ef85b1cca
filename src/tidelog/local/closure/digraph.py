"""Versions of a digraph, for a transitive relation that is searched: each costs the pages that differ from the version before.

`kernel.digraphs` reads and writes the pages. A version is never changed, so that readers in other threads, rollback and earlier
results may keep it; it holds a token, by which `frames` knows that its pages are still read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.closure.adjacency import Lists
from tidelog.local.closure.frames import Frames, Token
from tidelog.local.kernel.closures import graphs
from tidelog.local.kernel.digraphs import building, growing, pair_counts, records, shrinking
from tidelog.local.kernel.digraphs import pages as kernel
from tidelog.local.kernel.memory import address_of

_WORK = 4
"""A change may take so many times what the digraph has of nodes and edges; beyond that it is made from scratch."""
_LITTLE_WORK = 1 << 16
"""A change may always take so many steps."""

Ends = tuple[Int32s, Int32s]
"""Edges by their sources and targets, as nodes."""


class Seen:
    """Which ids the last searches have reached, by a number for each search: nothing has to be cleared."""

    def __init__(self) -> None:
        self.searches = 0
        self._stamps: Int32s = np.zeros(0, np.int32)

    def stamps_for(self, ids: int, searches: int) -> Int32s:
        """The stamps of so many ids, for so many searches more."""
        if len(self._stamps) < ids or self.searches + searches >= np.iinfo(np.int32).max:
            self._stamps, self.searches = np.zeros(ids + ids // 4, np.int32), 0
        return self._stamps


class Scratch:
    """What searches in a digraph need; those of one thread share it, whatever the version."""

    def __init__(self, room: int) -> None:
        self.room, self.seen = room, Seen()
        self._stamps, self._marks = np.zeros(room + 1, np.int32), np.zeros(room + 1, np.int32)
        self._queue, self._index = np.empty(2 * room + 2, np.int32), np.empty(room + 1, np.int32)
        buffers = self._stamps, self._marks, self._queue, self._index
        self.words = np.array([*map(address_of, buffers), room], np.int64)
        """Where it is, for the kernel: the words from STAMPS to ROOM."""


@dataclass(slots=True)
class Change:
    """What a version has and the version before has not, between nodes; nodes from `nodes` on are new."""

    deleted: Ends
    inserted: Ends
    deleted_starts: Ends | None = None
    inserted_starts: Ends | None = None
    """Of S, where that is another relation than E."""
    loops: tuple[Int32s, Int32s] | None = None
    """Nodes that have lost, or got, a pair (x, x) of S, where that makes a difference."""


class Digraph:
    """A version."""

    def __init__(self, frames: Frames | None, scratch: Scratch, node_pages: Int64s, list_pages: Int64s, node_count: int) -> None:
        """`frames` is None where others may make versions from this one as well; then `scratch` is lent by its pool."""
        self.frames, self.scratch, self.node_count = frames, scratch, node_count
        self.node_pages, self.list_pages = node_pages, list_pages
        self.token = Token()
        self.pool: list[Scratch] = []
        """Scratch for other readers: kept for the next one, as it is large."""
        self._is_lent = False
        self.borrowed: tuple[object, ...] = ()
        """Tokens and frames of others, whose pages this version and those after it read."""

    def describe(self, words: Int64s) -> None:
        """Tell the kernel where the pages are, by a row of `V`."""
        words[kernel.NODE_PAGES], words[kernel.NODE_PAGE_COUNT] = address_of(self.node_pages), len(self.node_pages)
        words[kernel.LIST_PAGES], words[kernel.LIST_PAGE_COUNT] = address_of(self.list_pages), len(self.list_pages)
        words[kernel.STAMPS : kernel.ROOM + 1] = self.scratch.words

    def __del__(self) -> None:
        if getattr(self, "_is_lent", False):
            self.pool.append(self.scratch)

    @classmethod
    def build(cls, steps: Ends, starts: Ends | None, found: Int32s, components: int, is_given: NDArray[np.uint8]) -> Digraph:
        """The digraph of some edges, whose strongly connected components have been found."""
        count = len(found)
        lists = [(records.OUT, *_adjacency(*steps, count)), (records.IN, *_adjacency(*steps[::-1], count))]
        if starts is not None:
            lists += [(records.STARTS, *_adjacency(*starts, count)), (records.ENDS, *_adjacency(*starts[::-1], count))]
        room = records.HEADER + sum(building.words_of_lists(start) for _, start, _ in lists)
        frames = Frames()
        list_pages = frames.chunk(-(-room // kernel.PAGE))
        entries = frames.buffer(list_pages).view(np.int32)
        node_pages = frames.chunk(-(-(count * records.RECORD) // kernel.PAGE))
        words = frames.buffer(node_pages).view(np.int32)
        words[:] = 0
        top = records.HEADER
        for kind, start, to in lists:
            top = building.write_lists(words, entries, kind, start, to, top)
        members_from, members = np.zeros(components + 1, np.int64), np.empty(count, np.int32)
        graphs.adjacency(found, np.arange(count, dtype=np.int32), members_from, members)
        building.write_header(entries, top, components)
        building.write_components(words, *lists[0][1:], found, members_from, members)
        building.write_loops(words, *lists[0][1:], is_given)
        result = cls(frames, Scratch(count + count // 4 + 64), node_pages, list_pages, count)
        frames.first(result.token)
        return result

    def for_reader(self) -> Digraph:
        """The same version for another thread, or another owner: with scratch of its own, and no frames for later versions."""
        try:
            scratch = self.pool.pop()
        except IndexError:
            scratch = Scratch(self.scratch.room)
        if scratch.room < self.node_count:
            scratch = Scratch(self.scratch.room)
        result = Digraph(None, scratch, self.node_pages, self.list_pages, self.node_count)
        result.token, result.borrowed, result.pool = self.token, (*self.borrowed, self.frames), self.pool
        result._is_lent = True
        return result

    def next(self, words: Int64s, node_count: int, change: Change) -> Digraph | None:
        """The next version, which `words` describe afterwards; None if making it from scratch takes less."""
        frames, token, borrowed = self.frames, self.token, self.borrowed
        if frames is None:
            frames, token, borrowed = Frames(is_mixed=True), Token(), (*borrowed, token)
            frames.first(token)
        elif frames.is_spent(len(self.node_pages) + len(self.list_pages)):
            return None
        scratch = self.scratch
        if scratch.room < node_count or self._is_lent:
            scratch = Scratch(node_count + node_count // 2)
        end = growing.end_of_lists(words) + _growth_of(words, self.node_count, change)
        node_pages = _extended(self.node_pages, -(-(node_count * records.RECORD) // kernel.PAGE))
        list_pages = _extended(self.list_pages, -(-end // kernel.PAGE))
        most = len(node_pages) + len(list_pages)
        after = Digraph(frames, scratch, node_pages, list_pages, node_count)
        after.borrowed = borrowed
        if not self._is_lent:
            after.pool = self.pool
        after.describe(words)
        frames.begin(token, most)
        owned, retired = np.zeros(most + 2, np.uint8), np.empty(most, np.int64)
        update = np.zeros(kernel.UPDATE_WIDTH, np.int64)
        update[kernel.NODE_OWNED] = address_of(owned)
        update[kernel.LIST_OWNED] = update[kernel.NODE_OWNED] + len(node_pages)
        update[kernel.FREE], update[kernel.FREE_COUNT] = address_of(frames.free), len(frames.free)
        update[kernel.NEXT_FRAME] = frames.next
        update[kernel.RETIRED], update[kernel.RETIRED_ROOM] = address_of(retired), most
        update[kernel.WORK] = _WORK * most * kernel.PAGE + _LITTLE_WORK
        after._apply(words, update, self.node_count, change)
        if update[kernel.WORK] < 0:
            return None
        count = int(update[kernel.RETIRED_COUNT])
        if len(list_pages) > len(self.list_pages):  # there was room for more than was needed
            after.list_pages = list_pages[: len(list_pages) - int((list_pages[::-1] != 0).argmax())]
            words[kernel.LIST_PAGE_COUNT] = len(after.list_pages)
        frames.end(token, after.token, update, retired[:count].copy())
        return after

    def _apply(self, words: Int64s, update: Int64s, first: int, change: Change) -> None:
        if self.node_count > first:
            growing.make_nodes(words, update, first, self.node_count)
        steps: tuple[tuple[Ends | None, Callable[..., None]], ...] = (
            (change.deleted, shrinking.delete_edges),
            (change.inserted, growing.insert_edges),
            (change.deleted_starts, shrinking.delete_starts),
            (change.inserted_starts, growing.insert_starts),
        )
        for ends, step in steps:
            if ends is not None and len(ends[0]) and update[kernel.WORK] >= 0:
                step(words, update, *ends)
        for nodes, is_given in zip(change.loops or (), (False, True), strict=False):
            growing.set_given_loops(words, update, nodes, is_given)

    def pair_count(self, words: Int64s, edges: int, poll: Callable[[], None]) -> int:
        """How many pairs the closure of all edges has."""
        start, sizes = np.empty(self.node_count + 1, np.int64), np.empty(self.node_count + 1, np.int64)
        to = pair_counts.condensation(words, self.node_count, start, sizes, edges)
        count = int((sizes < 0).argmax())
        start, sizes, reached = start[: count + 1], sizes[:count], np.zeros(count, np.int64)
        if not pair_counts.count_by_search(start, to, sizes, count, reached, (len(to) + count) * (1 + count // 64)):
            reached[:] = 0
            bits = np.empty((count, pair_counts.BLOCK), np.uint64)
            for first in range(0, count, 64 * pair_counts.BLOCK):
                pair_counts.count_block(start, to, sizes, first, bits, reached)
                poll()
        within, missing = pair_counts.loops(words, self.node_count)
        return int((sizes * reached).sum()) + within - missing

    @property
    def nbytes(self) -> int:
        """The memory of its pages."""
        return (len(self.node_pages) + len(self.list_pages)) * kernel.PAGE_BYTES


def sampled_reach(steps: Lists, found: Int32s, components: int, most: int) -> tuple[float, float]:
    """About how many components a node leads to, and a component, on average, each counted up to `most`."""
    start, nodes, ones = (
        np.append(steps.start, steps.end[-1:]),
        np.arange(len(found), dtype=np.int32),
        np.empty(components, np.int32),
    )
    ones[found] = nodes  # one node of each component
    by_node, by_component = (
        building.sampled_reach(start, steps.pool.buffer, found, roots, components, most) for roots in (nodes, ones)
    )
    return by_node, by_component


def _growth_of(words: Int64s, known: int, change: Change) -> int:
    """An upper bound on the words that lists may grow by, behind those that are there."""
    growth = 64
    for ends, kinds in ((change.inserted, (records.OUT, records.IN)), (change.inserted_starts, (records.STARTS, records.ENDS))):
        if ends is not None and len(ends[0]):
            for nodes, kind in zip(ends, kinds, strict=True):
                growth += growing.growth(words, known, nodes, kind)
    return growth


def _adjacency(source: Int32s, target: Int32s, count: int) -> tuple[Int64s, Int32s]:
    start, to = np.zeros(count + 1, np.int64), np.empty(len(source), np.int32)
    graphs.adjacency(source, target, start, to)
    return start, to


def _extended(pages: Int64s, count: int) -> Int64s:
    """A copy of a directory, with room for pages that do not exist yet."""
    result = np.empty(max(count, len(pages)), np.int64)
    result[: len(pages)], result[len(pages) :] = pages, 0
    return result
