"""Virtual relations: transitive and symmetric-transitive ones, of which no pair is stored until somebody asks for it.

After Hu, Motik and Horrocks, "Modular Materialisation of Datalog Programs" (AAAI 2019): a module has an algorithm of its own
beside the rules. Departure: the paper stores the closure; here it is a condensation with rows of bits, or a partition, and
the join kernel walks it (`kernel.virtual`). Above a budget of memory the rows of bits give way to a search each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from tidelog.local.kernel import graphs, pairs
from tidelog.local.kernel import virtual as kernel
from tidelog.local.kernel.memory import Int32s, Int64s

BITS_BUDGET = 256 << 20
"""Bytes that the rows of bits of one relation may take."""
_CHUNK = 1 << 22
"""Words of bits, or pairs, worked on before looking up."""

Pairs = NDArray[np.int32]
LookUp = Callable[[], None]
"""Called between two pieces of work; may raise."""


class VirtualRelation:
    """R = S ∘ E*, or all pairs within the connected components of S."""

    def __init__(
        self,
        starts: Pairs,
        steps: Pairs | None,
        *,
        is_symmetric: bool = False,
        is_irreflexive: bool = False,
        is_turned: bool = False,
        budget: int | None = None,
        look_up: LookUp = lambda: None,
    ) -> None:
        """From the given facts S and the steps E, or None where E is S."""
        self.words: Int64s = np.zeros(kernel.VIRTUAL_WIDTH, np.int64)
        self._buffers: dict[int, NDArray[np.generic]] = {}
        self._count: int | None = None
        self._look_up = look_up
        if is_turned:
            starts, steps = starts[:, ::-1], None if steps is None else steps[:, ::-1]
        self._put(IS_TURNED=is_turned, IS_IRREFLEXIVE=is_irreflexive, IS_PARTITION=is_symmetric, LOOPS=-1)
        starts = np.ascontiguousarray(starts)
        steps = starts if steps is None else np.ascontiguousarray(steps)
        self._number_nodes(starts, steps)
        source, target = self._renumbered(starts)
        if is_symmetric:
            self._partition(source, target)
        else:
            is_closure = steps is starts
            step_source, step_target = (source, target) if is_closure else self._renumbered(steps)
            self._condense(step_source, step_target)
            if not is_closure:
                self._keep_starts(source, target)
            self._close(BITS_BUDGET if budget is None else budget)
        self._find_ends(source, target, None if steps is starts else step_target)
        self._look_up = lambda: None  # what is asked later is nobody's evaluation

    def _put(self, **words: int) -> None:
        for name, word in words.items():
            self.words[getattr(kernel, name)] = word

    def _keep(self, **buffers: NDArray[np.generic]) -> None:
        """Tell the kernel of buffers, and keep them alive."""
        for name, buffer in buffers.items():
            place = getattr(kernel, name)
            self._buffers[place] = buffer
            self.words[place] = buffer.ctypes.data

    # --- building --------------------------------------------------------------------------------------------------------

    def _number_nodes(self, starts: Pairs, steps: Pairs) -> None:
        largest = max((int(rows.max()) for rows in (starts, steps) if len(rows)), default=-1)
        self._node_of = np.full(largest + 1, -1, np.int32)
        terms = np.empty(min(largest + 1, 2 * (len(starts) + len(steps))), np.int32)
        count = graphs.number_nodes(starts, self._node_of, terms, 0)
        if steps is not starts:
            count = graphs.number_nodes(steps, self._node_of, terms, count)
        self._terms = terms[:count].copy()
        self._put(ID_COUNT=len(self._node_of), NODE_COUNT=count)
        self._keep(NODE_OF=self._node_of, TERMS=self._terms)
        is_loop = np.zeros(count, np.uint8)
        is_loop[self._node_of[starts[starts[:, 0] == starts[:, 1], 0]]] = 1
        self._keep(IS_LOOP=is_loop)

    def _renumbered(self, rows: Pairs) -> tuple[Int32s, Int32s]:
        source, target = np.empty(len(rows), np.int32), np.empty(len(rows), np.int32)
        graphs.renumber(rows, self._node_of, source, target)
        return source, target

    def _set_components(self, component: Int32s, count: int) -> None:
        start, members = np.zeros(count + 1, np.int32), np.empty(len(component), np.int32)
        pairs.fill_members(component, self._terms, start, members)
        self._component = component
        self._put(COMPONENT_COUNT=count)
        self._keep(COMPONENT=component, MEMBER_START=start, MEMBERS=members)

    def _partition(self, source: Int32s, target: Int32s) -> None:
        component = np.empty(len(self._terms), np.int32)
        self._set_components(component, graphs.connected_components(source, target, component))

    def _condense(self, source: Int32s, target: Int32s) -> None:
        start, to = _adjacency(source, target, len(self._terms))
        component = np.empty(len(self._terms), np.int32)
        count = graphs.strong_components(start, to, component)
        self._set_components(component, count)
        is_cyclic = np.zeros(count, np.uint8)
        above, below = np.empty(len(source), np.int32), np.empty(len(source), np.int32)
        edges = graphs.condense(source, target, component, is_cyclic, above, below)
        self._steps = _adjacency(above[:edges], below[:edges], count)
        back = _adjacency(below[:edges], above[:edges], count)
        self._put(STEP_COUNT=edges)
        self._keep(IS_CYCLIC=is_cyclic, STEP_START=self._steps[0], STEP_TO=self._steps[1], BACK_START=back[0], BACK_TO=back[1])
        self._keep(STAMPS=np.zeros(count + 1, np.int32), QUEUE=np.empty(count, np.int32))
        self._keep(NODE_STAMPS=np.zeros(len(self._terms), np.int32))
        self._is_cyclic = is_cyclic

    def _keep_starts(self, source: Int32s, target: Int32s) -> None:
        start, to = _adjacency(source, target, len(self._terms))
        ends_start, ends_to = _adjacency(target, source, len(self._terms))
        self._put(HAS_STARTS=1, START_COUNT=len(source))
        self._keep(START_START=start, START_TO=to, ENDS_START=ends_start, ENDS_TO=ends_to)
        self._starts = start, to

    def _close(self, budget: int) -> None:
        """Rows of bits for components, and for left ends where they are others, if they fit the budget."""
        count = int(self.words[kernel.COMPONENT_COUNT])
        words = max(1, (count + 63) // 64)
        has_starts = bool(self.words[kernel.HAS_STARTS])
        lefts = np.flatnonzero(np.diff(self._starts[0])).astype(np.int32) if has_starts else np.empty(0, np.int32)
        if 8 * words * (count + len(lefts)) > budget:
            return
        bits = np.zeros((count + len(lefts), words), np.uint64)
        piece = max(1, _CHUNK // words)
        for begin in range(0, count, piece):
            graphs.close(*self._steps, self._is_cyclic, bits[:count], begin, min(count, begin + piece))
            self._look_up()
        row_of = self._component
        if has_starts:
            row_of = np.full(len(self._terms), -1, np.int32)
            row_of[lefts] = np.arange(count, count + len(lefts), dtype=np.int32)
            for begin in range(0, len(lefts), piece):
                end = min(len(lefts), begin + piece)
                graphs.close_starts(*self._starts, lefts, self._component, bits[:count], bits[count:], begin, end)
                self._look_up()
        self._put(ROW_COUNT=len(bits), WORDS=words)
        self._keep(ROW_OF=row_of, BITS=bits)

    def _find_ends(self, source: Int32s, target: Int32s, more: Int32s | None) -> None:
        """The ids that have a pair on the left and on the right."""
        sides: tuple[tuple[Int32s, ...], ...] = (
            ((source, target), (source, target)) if self.words[kernel.IS_PARTITION] else ((source,), (target,))
        )
        if more is not None:
            sides = (sides[0], (target, more))
        marks = [np.zeros(len(self._terms), np.bool_) for _ in sides]
        for mark, nodes in zip(marks, sides, strict=True):
            for part in nodes:
                mark[part] = True
        self._lefts, rights = (self._terms[mark] for mark in marks)
        self._put(LEFT_COUNT=len(self._lefts), RIGHT_COUNT=len(rights))
        self._keep(LEFTS=self._lefts, RIGHTS=rights)

    # --- use -------------------------------------------------------------------------------------------------------------

    @property
    def is_searched(self) -> bool:
        """Whether there are no rows of bits, so that each question is a search."""
        return not self.words[kernel.IS_PARTITION] and not self.words[kernel.BITS]

    @property
    def longest_list(self) -> int:
        """How many values one value can be related to, at most."""
        return len(self._terms)

    def _counts(self, lefts: Int32s) -> Int64s:
        counts, scratch = np.zeros(len(lefts), np.int64), np.empty(self.longest_list, np.int32)
        piece = max(1, _CHUNK // max(1, self.longest_list)) if self.is_searched else max(1, len(lefts))
        for begin in range(0, len(lefts), piece):
            pairs.count_lists(self.words, lefts[begin : begin + piece], counts[begin : begin + piece], scratch)
            self._look_up()
        return counts

    def __len__(self) -> int:
        if self._count is None:
            self._count = int(self._counts(self._lefts).sum())
        return self._count

    @property
    def estimated_size(self) -> int:
        """How many pairs there are, or, where counting them takes a search each, there may be."""
        return self.longest_list**2 if self._count is None and self.is_searched else len(self)

    def count_loops(self) -> int:
        """How many pairs (x, x) there are."""
        self.words[kernel.LOOPS] = pairs.loops_among(self.words, self._lefts)
        return int(self.words[kernel.LOOPS])

    def contains(self, rows: Pairs) -> NDArray[np.bool_]:
        """For each pair whether it is there."""
        found = np.empty(len(rows), np.int32)
        if self.words[kernel.IS_TURNED]:
            rows = rows[:, ::-1]
        words = self.words.copy()
        words[kernel.IS_TURNED] = 0
        pairs.test_pairs(words, np.ascontiguousarray(rows), found)
        return found.astype(np.bool_)

    def chunks(self, most: int = _CHUNK, share: tuple[int, int] = (0, 1)) -> Iterator[tuple[Int32s, Int32s]]:
        """All pairs, as pairs of columns of about `most` rows; of several shares (which, of how many) one."""
        lefts = np.ascontiguousarray(self._lefts[share[0] :: share[1]])
        ends = np.cumsum(self._counts(lefts))
        begin = 0
        while begin < len(lefts):
            base = ends[begin - 1] if begin else 0
            end = max(begin + 1, int(np.searchsorted(ends, base + most, "right")))
            size = int(ends[min(end, len(ends)) - 1] - base)
            left, right = np.empty(size, np.int32), np.empty(size, np.int32)
            pairs.write_pairs(self.words, lefts[begin:end], left, right)
            self._look_up()
            yield (right, left) if self.words[kernel.IS_TURNED] else (left, right)
            begin = end

    @property
    def rows(self) -> Pairs:
        """All pairs, as a matrix."""
        chunks = [np.stack(columns, axis=1) for columns in self.chunks()]
        return np.concatenate(chunks) if chunks else np.empty((0, 2), np.int32)


def _adjacency(source: Int32s, target: Int32s, count: int) -> tuple[Int64s, Int32s]:
    start, to = np.zeros(count + 1, np.int64), np.empty(len(source), np.int32)
    graphs.adjacency(np.ascontiguousarray(source), np.ascontiguousarray(target), start, to)
    return start, to
