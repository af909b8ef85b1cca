"""Virtual relations: transitive and symmetric-transitive relations whose pairs are computed on request.

After Hu, Motik and Horrocks, "Modular Materialisation of Datalog Programs" (AAAI 2019), the modules TC and STC.  Departure: the
paper stores the closure; here it is the condensation of the graph with a bit matrix of reachability, or a partition, and the join
kernel walks it (`kernel.closures.virtual_access`).  Where a bit matrix would take more than the pairs, or more than a memory
budget, the graph is kept in pages (`digraph`), and each access is a search.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.closure.adjacency import Lists, Numbering, Pairs, spare_room, with_inverse
from tidelog.local.closure.condensation import FEW, BitRows, Condensation, kept_numbers, spare_words
from tidelog.local.closure.digraph import Digraph, sampled_reach
from tidelog.local.kernel.closures import graphs, pairs
from tidelog.local.kernel.closures import virtual_access as kernel
from tidelog.local.kernel.digraphs import listing

BITS_BUDGET = 256 << 20
"""Most bytes that the bit matrix of one relation may take when it is built."""
_SMALL = 2048
"""Up to so many nodes a bit matrix is made whatever it holds."""
_PAIRS_A_WORD = 1.0
"""Above that, each word of bits must hold so many pairs of components, or a search finds them in less memory and time."""
_CHUNK = 1 << 22
"""Words of bits, or pairs, between two polls."""

Poll = Callable[[], None]
"""Checks limits and Ctrl-C; may raise."""


class VirtualRelation(Condensation):
    """R = S ∘ E*.  Immutable; `incremental` builds the next version.  A partition is another kind (`connectivity.partition`)."""

    digraph: Digraph | None = None
    """What is searched where there is no bit matrix."""
    start_count = step_count = 0
    """How many pairs S has, and E."""
    _likely: float | None = None
    """About how many pairs there are, known from an earlier version or a sample."""
    recount: Callable[[VirtualRelation], int | None] | None = None
    """Counts the pairs from how many the version before had, if few have come and gone."""
    previous: weakref.ref[VirtualRelation] | None = None
    """The version whose node numbers this one extends."""

    def __init__(
        self,
        starts: Pairs,
        steps: Pairs | None,
        *,
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
        self.set_words(IS_TURNED=is_turned, IS_IRREFLEXIVE=is_irreflexive, LOOPS=-1)
        starts = np.ascontiguousarray(starts)
        steps = starts if steps is None else np.ascontiguousarray(steps)
        self.start_count, self.step_count = len(starts), len(steps)
        follows = self._number_nodes(starts, steps, follows)
        source, target = self.numbering.nodes(starts)
        step_source, step_target = (source, target) if steps is starts else self.numbering.nodes(steps)
        self.set_words(HAS_STARTS=steps is not starts)
        self._close(source, target, step_source, step_target, follows)
        if self.digraph is None:
            self._find_ends(source, target, None if steps is starts else step_target)
        self._poll = lambda: None  # later accesses belong to no evaluation

    def successor(self) -> VirtualRelation:
        """A copy of this version that shares its buffers, to become the next version."""
        result = VirtualRelation.__new__(VirtualRelation)
        result.__dict__.update(self.__dict__)
        result.words, result._buffers, result._count = self.words.copy(), dict(self._buffers), None
        result._likely = self._likely if self._count is None else self._count
        result.previous, result.recount = weakref.ref(self), None
        result.words[kernel.LOOPS] = -1
        return result

    def activate(self) -> None:
        """It is the version that plans read from now on."""

    def copied(self) -> VirtualRelation:
        """The same pairs for another knowledge base."""
        return self.for_reader()

    def for_reader(self, before: VirtualRelation | None = None) -> VirtualRelation:  # noqa: ARG002
        """The same version with scratch buffers of its own, to be read, or to make later versions from, at the same time.

        `before` is one that was made by this, and that nobody needs any more.
        """
        result = self.successor()
        if self.digraph is not None:
            result.digraph = self.digraph.for_reader()
            result.digraph.describe(result.words)
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
        if self.digraph is not None:
            result.set_digraph(self.digraph)
            return result
        members = self.members.compacted()
        used = members.pool.used
        members.pool.buffer[:used] = ids[members.pool.buffer[:used]]
        result.set_members(members)
        result._lefts = lefts = ids[self.lefts]
        result.set_buffer(kernel.LEFTS, lefts)
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

    def _close(
        self, source: Int32s, target: Int32s, step_source: Int32s, step_target: Int32s, follows: VirtualRelation | None
    ) -> None:
        """Condense E by its strongly connected components, and close it as a bit matrix if that fits the budget."""
        nodes = np.arange(self.node_count, dtype=np.int32)
        steps = Lists.from_pairs(step_source, step_target, self.node_count, spare_room(len(step_source)))
        found = np.empty(self.node_count, np.int32)
        count = graphs.strong_components(steps.start, steps.end, steps.pool.buffer, nodes, np.zeros_like(nodes), found)
        numbers, room = np.arange(count, dtype=np.int32), count
        if follows is not None and follows.bit_rows is not None:
            numbers, room = kept_numbers(found, count, follows)
        left_count = int(np.count_nonzero(np.bincount(source))) if self.words[kernel.HAS_STARTS] and len(source) else 0
        size = 8 * (count + left_count)
        words = max(1, (room + 63) // 64)
        if not self._pays(steps, found, count) or size * words > self.budget:  # in this order: plans need the estimate
            has_starts = bool(self.words[kernel.HAS_STARTS])
            edges = step_source, step_target
            digraph = Digraph.build(edges, (source, target) if has_starts else None, found, count, self.is_loop)
            digraph.describe(self.words)
            self.set_digraph(digraph)
            return
        if self.words[kernel.HAS_STARTS]:
            self.set_starts(*with_inverse(source, target, self.node_count))
        if size * (words + spare_words(words)) <= self.budget:
            words += spare_words(words)
        self.set_components(numbers[found], room, 64 * words)
        self.set_words(IS_SIMPLE=count == room == self.node_count)
        back = Lists.from_pairs(step_target, step_source, self.node_count, spare_room(len(step_source)))
        self.set_steps(steps, back)
        self.make_scratch()
        self._fill_rows(found, numbers, left_count, words)

    def _pays(self, steps: Lists, found: Int32s, count: int) -> bool:
        """Whether a bit matrix takes less than what it says; also estimates how many pairs there are."""
        if self.node_count <= _SMALL:
            return True
        by_node, by_component = sampled_reach(steps, found, count, max(_SMALL, count // 16))
        self._likely = by_node * self.node_count / count * self.node_count
        return 2 * count >= self.node_count and by_component >= _PAIRS_A_WORD * count / 64

    def set_digraph(self, digraph: Digraph) -> None:
        """Let searches in a digraph take the place of a bit matrix."""
        self.digraph, self._lefts = digraph, None
        count = self.node_count if self.start_count else 0
        self.set_words(LEFT_COUNT=count, RIGHT_COUNT=count)
        self.set_buffer(kernel.LEFTS, self.numbering.terms)
        self.set_buffer(kernel.RIGHTS, self.numbering.terms)

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
        sides: tuple[tuple[Int32s, ...], ...] = ((source,), (target,))
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
        return self.digraph is not None

    @property
    def lefts(self) -> Int32s:
        """The ids that have a pair on the left side, before turning."""
        if self._lefts is None:
            is_left = np.zeros(self.node_count, np.uint8)
            listing.mark_lefts(self.words, is_left, bool(self.words[kernel.HAS_STARTS]))
            self._lefts = self.terms[is_left != 0]
        return self._lefts

    @property
    def nbytes(self) -> int:
        """The memory of its buffers, or pages."""
        return super().nbytes + (self.digraph.nbytes if self.digraph is not None else 0)

    @property
    def longest_list(self) -> int:
        """An upper bound on the number of successors of one value."""
        return self.node_count

    @property
    def is_counted(self) -> bool:
        """Whether it is known how many pairs there are."""
        return self._count is not None

    def _counts(self, lefts: Int32s) -> Int64s:
        counts, scratch = np.zeros(len(lefts), np.int64), np.empty(self.longest_list if self.is_searched else 0, np.int32)
        piece = max(1, _CHUNK // max(1, self.longest_list)) if self.is_searched else max(1, len(lefts))
        for begin in range(0, len(lefts), piece):
            pairs.count_lists(self.words, lefts[begin : begin + piece], counts[begin : begin + piece], scratch)
            self._poll()
        return counts

    def __len__(self) -> int:
        if self._count is None and (recount := self.recount) is not None:
            self._count, self.recount = recount(self), None
        if self._count is None:
            reader = self.for_reader()
            if reader.digraph is None or self.words[kernel.HAS_STARTS]:
                self._count = int(reader._counts(self.lefts).sum())
            else:
                self._count = reader.digraph.pair_count(reader.words, self.step_count, self._poll)
        return self._count

    @property
    def estimated_size(self) -> int:
        """About how many pairs there are, from an earlier version or a sample if they have not been counted."""
        if self._count is not None or self._likely is None:
            return len(self)
        return max(int(self._likely), self.start_count)

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

    def related(self, term: int, *, is_back: bool) -> Int32s:
        """The ids that an id leads to, or that lead to it."""
        reader = self.for_reader() if self.is_searched else self
        out = np.empty(self.longest_list + 1, np.int32)
        if is_back != bool(self.words[kernel.IS_TURNED]):
            return out[: pairs.list_ends(reader.words, term, True, out)]
        return out[: pairs.write_pairs(reader.words, np.array([term], np.int32), np.empty_like(out), out)]

    def chunks(
        self, most: int = _CHUNK, lefts: Int32s | None = None, *, first: int | None = None
    ) -> Iterator[tuple[Int32s, Int32s]]:
        """All pairs, or those of some left ends, in column pairs of about `most` rows.

        With `first`, the pairs of so many nodes are counted and given first, then of ever more: a few cost what they are.
        """
        reader, all_lefts = self.for_reader(), np.ascontiguousarray(self.lefts if lefts is None else lefts)
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
