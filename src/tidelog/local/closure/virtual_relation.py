"""Virtual relations: transitive and symmetric-transitive relations whose pairs are computed on request.

After Hu, Motik and Horrocks, "Modular Materialisation of Datalog Programs" (AAAI 2019), the modules TC and STC.  Departure: the
paper stores the closure; here it is the condensation of the graph with a bit matrix of reachability, or a partition, and the join
kernel walks it (`kernel.closures.virtual_access`).  Above a memory budget there is no bit matrix, and each access is a graph
search.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.closure.adjacency import Lists, Numbering, Pairs, spare_room
from tidelog.local.closure.condensation import FEW, BitRows, Condensation
from tidelog.local.kernel.closures import graphs, pairs
from tidelog.local.kernel.closures import virtual_access as kernel

BITS_BUDGET = 256 << 20
"""Most bytes that the bit matrix of one relation may take when it is built."""
_CHUNK = 1 << 22
"""Words of bits, or pairs, between two polls."""

Poll = Callable[[], None]
"""Checks limits and Ctrl-C; may raise."""


class VirtualRelation(Condensation):
    """R = S ∘ E*, or all pairs within the connected components of S.  Immutable; `incremental` builds the next version."""

    previous: weakref.ref[VirtualRelation] | None = None
    """The version whose node numbers this one extends."""

    def __init__(
        self,
        starts: Pairs,
        steps: Pairs | None,
        *,
        is_symmetric: bool = False,
        is_irreflexive: bool = False,
        is_turned: bool = False,
        budget: int | None = None,
        poll: Poll = lambda: None,
        follows: VirtualRelation | None = None,
    ) -> None:
        """Build from the external pairs S and the edges E (None where E is S); `follows` is a version to share numbers with."""
        super().__init__()
        self._count: int | None = None
        self._poll = poll
        self.budget = BITS_BUDGET if budget is None else budget
        if is_turned:
            starts, steps = starts[:, ::-1], None if steps is None else steps[:, ::-1]
        self.set_words(IS_TURNED=is_turned, IS_IRREFLEXIVE=is_irreflexive, IS_PARTITION=is_symmetric, LOOPS=-1)
        starts = np.ascontiguousarray(starts)
        steps = starts if steps is None else np.ascontiguousarray(steps)
        follows = self._number_nodes(starts, steps, follows)
        source, target = self.numbering.nodes(starts)
        if is_symmetric:
            self._partition(source, target)
        else:
            step_source, step_target = (source, target) if steps is starts else self.numbering.nodes(steps)
            self.set_words(HAS_STARTS=steps is not starts)
            self._close(source, target, step_source, step_target, follows)
        self._find_ends(source, target, None if steps is starts else step_target)
        self._poll = lambda: None  # later accesses belong to no evaluation

    def successor(self) -> VirtualRelation:
        """A copy of this version that shares its buffers, to become the next version."""
        result = VirtualRelation.__new__(VirtualRelation)
        result.__dict__.update(self.__dict__)
        result.words, result._buffers, result._count = self.words.copy(), dict(self._buffers), None
        result.previous = weakref.ref(self)
        result.words[kernel.LOOPS] = -1
        return result

    def for_reader(self) -> VirtualRelation:
        """The same version with scratch buffers of its own: another thread may read it at the same time."""
        result = self.successor()
        result.previous, result._count, result.words[kernel.LOOPS] = self.previous, self._count, self.words[kernel.LOOPS]
        if kernel.STAMPS in self._buffers:
            result.make_scratch()
        return result

    def renumbered(self, ids: Int32s, count: int) -> VirtualRelation:
        """The same pairs with other ids: `ids` has the new one of each id, and there are `count`."""
        result, nodes = self.successor(), self.node_count
        result.previous, result._count = None, self._count
        numbering = Numbering(count, len(self.numbering.terms))
        numbering.terms[:nodes], numbering.count = ids[self.terms], nodes
        numbering.node_of[numbering.terms[:nodes]] = np.arange(nodes, dtype=np.int32)
        result.set_numbering(numbering)
        members = self.members.compacted()
        used = members.pool.used
        members.pool.buffer[:used] = ids[members.pool.buffer[:used]]
        result.set_members(members)
        result.lefts = ids[self.lefts]
        result.set_buffer(kernel.LEFTS, result.lefts)
        result.set_buffer(kernel.RIGHTS, ids[self._buffers[kernel.RIGHTS]])
        if kernel.STAMPS in self._buffers:
            result.make_scratch()
        return result

    # --- building --------------------------------------------------------------------------------------------------------

    def _number_nodes(self, starts: Pairs, steps: Pairs, follows: VirtualRelation | None) -> VirtualRelation | None:
        """Number the nodes, extending another version unless most of its nodes are unused; returns that version."""
        sets = [starts] if steps is starts else [starts, steps]
        largest = max((int(rows.max()) for rows in sets if len(rows)), default=-1)
        if follows is not None and follows.node_count > 4 * sum(map(len, sets)) + FEW:
            follows = None
        if follows is not None:
            numbering = follows.numbering.extended(follows.node_count, *sets)
            self.previous = weakref.ref(follows)
        else:
            numbering = Numbering(largest + 1, min(largest + 1, 2 * sum(map(len, sets)))).extended(0, *sets)
        self.set_numbering(numbering)
        self.is_loop = np.zeros(self.node_count, np.uint8)
        self.is_loop[numbering.node_of[starts[starts[:, 0] == starts[:, 1], 0]]] = 1
        self.set_buffer(kernel.IS_LOOP, self.is_loop)
        return follows

    def _partition(self, source: Int32s, target: Int32s) -> None:
        component = np.empty(self.node_count, np.int32)
        count = graphs.connected_components(source, target, component)
        self.set_components(component, count, count)
        self.edges = source, target

    def make_lists(self) -> None:
        """Build the edge lists of a partition, which only incremental maintenance needs."""
        if self.edges is not None:
            source, target = self.edges
            self.set_steps(*_with_inverse(source, target, self.node_count))
            self.edges = None

    def _close(
        self, source: Int32s, target: Int32s, step_source: Int32s, step_target: Int32s, follows: VirtualRelation | None
    ) -> None:
        """Condense E by its strongly connected components, and close it as a bit matrix if that fits the budget."""
        nodes = np.arange(self.node_count, dtype=np.int32)
        steps = Lists.from_pairs(step_source, step_target, self.node_count, spare_room(len(step_source)))
        found = np.empty(self.node_count, np.int32)
        count = graphs.strong_components(steps.start, steps.end, steps.pool.buffer, nodes, np.zeros_like(nodes), found)
        if self.words[kernel.HAS_STARTS]:
            self.set_starts(*_with_inverse(source, target, self.node_count))
        numbers, room = np.arange(count, dtype=np.int32), count
        if follows is not None and follows.bit_rows is not None:
            numbers, room = _kept_numbers(found, count, follows)
        left_count = int(np.count_nonzero(self.starts.end > self.starts.start)) if self.starts is not None else 0
        size = 8 * (count + left_count)
        words = max(1, (room + 63) // 64)
        if size * words > self.budget:
            self._condense(found, count, step_source, step_target)
            return
        if size * (words + _spare_words(words)) <= self.budget:
            words += _spare_words(words)
        self.set_components(numbers[found], room, 64 * words)
        self.set_words(IS_SIMPLE=count == room == self.node_count)
        back = Lists.from_pairs(step_target, step_source, self.node_count, spare_room(len(step_source)))
        self.set_steps(steps, back)
        self.make_scratch()
        self._fill_rows(found, numbers, left_count, words)

    def _condense(self, component: Int32s, count: int, source: Int32s, target: Int32s) -> None:
        """Store the edges between components, for graph searches in place of a bit matrix."""
        self.set_components(component, count, count)
        is_cyclic = np.zeros(count, np.uint8)
        above, below = np.empty(len(source), np.int32), np.empty(len(source), np.int32)
        edges = graphs.condense(source, target, component, is_cyclic, above, below)
        self.set_lists(kernel.STEP_START, Lists.from_pairs(above[:edges], below[:edges], count))
        self.set_lists(kernel.BACK_START, Lists.from_pairs(below[:edges], above[:edges], count))
        self.set_words(LIST_COUNT=count)
        self.set_buffer(kernel.IS_CYCLIC, is_cyclic)
        self.make_scratch()

    def _fill_rows(self, found: Int32s, numbers: Int32s, left_count: int, words: int) -> None:
        """Fill the bit rows of components in reverse topological order, and those of S's sources where E is not S."""
        count = len(numbers)
        bits = np.zeros((1 + count + left_count + spare_room(count + left_count), words), np.uint64)
        nodes_from, nodes = np.zeros(count + 1, np.int64), np.empty(self.node_count, np.int32)
        graphs.adjacency(found, np.arange(self.node_count, dtype=np.int32), nodes_from, nodes)
        rows, tops = np.zeros(64 * words, np.int32), np.zeros(64 * words, np.int32)
        rows[numbers] = np.arange(1, count + 1, dtype=np.int32)
        steps, piece = self.steps, max(1, _CHUNK // words)
        edges = steps.start, steps.end, steps.pool.buffer
        for begin in range(0, count, piece):
            members = nodes_from[begin : begin + piece + 1], nodes
            graphs.close(edges, self.component, members, numbers[begin : begin + piece], rows, bits, tops)
            self._poll()
        row_of = rows
        if self.starts is not None:
            starts, row_of = self.starts, np.zeros(self.node_count, np.int32)
            lefts = np.flatnonzero(starts.end > starts.start).astype(np.int32)
            row_of[lefts] = np.arange(count + 1, count + 1 + len(lefts), dtype=np.int32)
            for begin in range(0, len(lefts), piece):
                some = lefts[begin : begin + piece]
                graphs.close_starts((starts.start, starts.end, starts.pool.buffer), some, self.component, rows, row_of, bits)
                self._poll()
        self.bit_rows = BitRows(bits, 1 + count + left_count)
        self.set_words(ROW_COUNT=len(bits), WORDS=words)
        self.set_buffer(kernel.BITS, bits)
        self.set_rows(rows, row_of)

    def _find_ends(self, source: Int32s, target: Int32s, more: Int32s | None) -> None:
        """Find the ids with a pair on the left and on the right."""
        sides: tuple[tuple[Int32s, ...], ...] = (
            ((source, target), (source, target)) if self.is_partition else ((source,), (target,))
        )
        if more is not None:
            sides = (sides[0], (target, more))
        marks = [np.zeros(self.node_count, np.bool_) for _ in sides]
        for mark, nodes in zip(marks, sides, strict=True):
            for part in nodes:
                mark[part] = True
        self.set_ends(*marks)

    # --- reading ---------------------------------------------------------------------------------------------------------

    @property
    def is_searched(self) -> bool:
        """Whether there is no bit matrix, so that each access is a graph search."""
        return not self.words[kernel.IS_PARTITION] and not self.words[kernel.BITS]

    @property
    def longest_list(self) -> int:
        """An upper bound on the number of successors of one value."""
        return self.node_count

    def _counts(self, lefts: Int32s) -> Int64s:
        counts, scratch = np.zeros(len(lefts), np.int64), np.empty(self.longest_list if self.is_searched else 0, np.int32)
        piece = max(1, _CHUNK // max(1, self.longest_list)) if self.is_searched else max(1, len(lefts))
        for begin in range(0, len(lefts), piece):
            pairs.count_lists(self.words, lefts[begin : begin + piece], counts[begin : begin + piece], scratch)
            self._poll()
        return counts

    def __len__(self) -> int:
        if self._count is None:
            self._count = int(self.for_reader()._counts(self.lefts).sum())
        return self._count

    @property
    def estimated_size(self) -> int:
        """The number of pairs, or an upper bound where counting takes a search per node."""
        return self.longest_list**2 if self._count is None and self.is_searched else len(self)

    def count_loops(self) -> int:
        """Count the pairs (x, x)."""
        self.words[kernel.LOOPS] = pairs.loops_among(self.words, self.lefts)
        return int(self.words[kernel.LOOPS])

    def contains(self, rows: Pairs) -> NDArray[np.bool_]:
        """For each pair whether the relation holds it."""
        found = np.empty(len(rows), np.int32)
        if self.words[kernel.IS_TURNED]:
            rows = rows[:, ::-1]
        reader = self.for_reader() if self.is_searched else self  # it holds what its words point to
        words = reader.words.copy()
        words[kernel.IS_TURNED] = 0
        pairs.test_pairs(words, np.ascontiguousarray(rows), found)
        return found.astype(np.bool_)

    def chunks(
        self, most: int = _CHUNK, share: tuple[int, int] = (0, 1), *, first: int | None = None
    ) -> Iterator[tuple[Int32s, Int32s]]:
        """All pairs, or one share of them (which, of how many), in column pairs of about `most` rows.

        With `first`, the pairs of so many nodes are counted and given first, then of ever more: a few cost what they are.
        """
        reader, all_lefts = self.for_reader(), np.ascontiguousarray(self.lefts[share[0] :: share[1]])
        done, count = 0, first or len(all_lefts)
        while done < len(all_lefts):
            lefts = all_lefts[done : done + count]
            ends, begin = np.cumsum(reader._counts(lefts)), 0
            while begin < len(lefts):
                base = ends[begin - 1] if begin else 0
                end = max(begin + 1, int(np.searchsorted(ends, base + most, "right")))
                size = int(ends[min(end, len(ends)) - 1] - base)
                left, right = np.empty(size, np.int32), np.empty(size, np.int32)
                pairs.write_pairs(reader.words, lefts[begin:end], left, right)
                self._poll()
                yield (right, left) if self.words[kernel.IS_TURNED] else (left, right)
                begin = end
            done, count = done + count, 4 * count

    @property
    def rows(self) -> Pairs:
        """All pairs, as a matrix."""
        chunks = [np.stack(columns, axis=1) for columns in self.chunks()]
        return np.concatenate(chunks) if chunks else np.empty((0, 2), np.int32)


def _with_inverse(source: Int32s, target: Int32s, count: int) -> tuple[Lists, Lists]:
    room = spare_room(len(source))
    return Lists.from_pairs(source, target, count, room), Lists.from_pairs(target, source, count, room)


def _spare_words(words: int) -> int:
    """Spare words in each bit row, for new components."""
    return max(1, words // 32)


def _kept_numbers(found: Int32s, count: int, before: VirtualRelation) -> tuple[Int32s, int]:
    """Numbers for components, the same as before for unchanged components, and the number of numbers."""
    numbers = np.empty(count, np.int32)
    sizes = (before.members.end - before.members.start).astype(np.int32)
    room = int(graphs.keep_numbers(found, count, before.component, numbers, sizes))
    return (numbers, room) if room <= 2 * count + FEW else (np.arange(count, dtype=np.int32), count)
