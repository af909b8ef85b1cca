"""Incremental maintenance of virtual relations: the next version, at a cost that follows the change.

The module functions of Hu, Motik and Horrocks, "Modular Materialisation of Datalog Programs" (AAAI 2019), for the transitive
closure (TC); a symmetric-transitive one (STC) is changed in place by `connectivity.partition_update`:

- Add (`_add`).  The bit rows of all components that reach a new edge gain the row of its target, and components on a cycle merge.
- Del and Red (`_delete`).  Bit rows that reached through a deleted edge are recomputed from their successors, until one stays the
  same; a component that lost an inner edge is split into strongly connected components.
- Diff (`closure_diff`).  Bit rows of two versions are compared where the two do not share them.

Departures: the paper stores pairs, so it over-deletes and rederives pairs; here Del and Red are one step, as a bit row is
recomputed as a whole.  A version is immutable: the next one shares all unchanged rows and lists (`adjacency`,
`kernel.closures.versioned_lists`), so that rollback and earlier results keep the old one.  The price is a copy of a few numbers
per node.  Where a search replaces the bit rows, versions share the pages of a digraph, and only those that change are copied.
Where a change is so large that building from scratch is cheaper, there is no incremental version.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Int64s, resized
from tidelog.local.closure.adjacency import Lists, Numbering, Pairs
from tidelog.local.closure.connectivity.partition import Partition
from tidelog.local.closure.connectivity.partition_update import changed
from tidelog.local.closure.digraph import Change, Ends
from tidelog.local.closure.virtual_relation import Poll, VirtualRelation
from tidelog.local.kernel.closures import edge_deletion, edge_insertion
from tidelog.local.kernel.closures import next_version as kernel
from tidelog.local.kernel.closures import virtual_access as words

T = TypeVar("T", bound=np.generic)

_LARGE = 512
"""A delta with more pairs than this counts as large ..."""
_SHARE = 4
"""... if it also has more than one in so many of all pairs."""
_ROUNDS = 1
"""Recomputing bit rows may cost so many times what writing all of them costs."""
_NO_NODES = np.empty(0, np.int32), np.empty(0, np.int32)
_ALL = slice(None)
_STEPS = 1 << 16
"""Work that is always within the budget."""


@dataclass(frozen=True, slots=True)
class EdgeDelta:
    """The delta of an edge relation: inserted and deleted pairs."""

    inserted: Pairs
    deleted: Pairs

    def __len__(self) -> int:
        return len(self.inserted) + len(self.deleted)

    def inverse(self) -> EdgeDelta:
        """The delta of the inverse relation."""
        return EdgeDelta(self.inserted[:, ::-1], self.deleted[:, ::-1])


def next_version(
    before: VirtualRelation,
    starts: EdgeDelta,
    steps: EdgeDelta | None,
    given: Callable[[], tuple[Pairs, Pairs | None]],
    poll: Poll,
) -> VirtualRelation:
    """The next version after a delta of S, and of E where that is not S; built from `given`, all pairs of both, if need be."""
    after = incremental_version(before, starts, steps, poll)
    if after is not None:
        return after
    if isinstance(before, Partition):
        return Partition(given()[0], is_irreflexive=before.is_irreflexive, poll=poll)
    flags = before.words
    return VirtualRelation(
        *given(),
        is_irreflexive=bool(flags[words.IS_IRREFLEXIVE]),
        is_turned=bool(flags[words.IS_TURNED]),
        budget=before.budget,
        poll=poll,
        follows=before,
    )


def incremental_version(
    before: VirtualRelation, starts: EdgeDelta, steps: EdgeDelta | None, poll: Poll
) -> VirtualRelation | None:
    """The next version after a delta of S, and of E where that is not S; None if building from scratch is cheaper."""
    if isinstance(before, Partition):
        return changed(before, starts.inserted, starts.deleted, poll)
    if before.words[words.IS_TURNED]:
        starts, steps = starts.inverse(), steps.inverse() if steps is not None else None
    if before.digraph is not None:
        return _next_digraph(before, starts, steps, poll)
    return _NextVersion(before).make(starts, steps, poll)


def _next_digraph(before: VirtualRelation, starts: EdgeDelta, steps: EdgeDelta | None, poll: Poll) -> VirtualRelation | None:
    """The next version of a relation that is searched: its digraph shares all pages that do not change."""
    after, edges, digraph = before.successor(), starts if steps is None else steps, before.digraph
    assert digraph is not None
    if len(edges) > _LARGE and _SHARE * len(edges) > before.step_count:
        return None
    inserted = [starts.inserted] if steps is None else [starts.inserted, steps.inserted]
    numbering = before.numbering.extended(before.node_count, *map(np.ascontiguousarray, inserted))
    after.set_numbering(numbering)
    change = Change(_nodes(numbering, edges.deleted), _nodes(numbering, edges.inserted))
    if steps is not None:
        change.deleted_starts, change.inserted_starts = (
            _nodes(numbering, starts.deleted),
            _nodes(numbering, starts.inserted),
        )
    if after.words[words.IS_IRREFLEXIVE]:
        lost, got = (numbering.node_of[rows[rows[:, 0] == rows[:, 1], 0]] for rows in (starts.deleted, starts.inserted))
        change.loops = lost, got
    poll()
    following = digraph.next(after.words, after.node_count, change)
    if following is None:
        return None
    after.start_count += len(starts.inserted) - len(starts.deleted)
    after.step_count += len(edges.inserted) - len(edges.deleted)
    after.set_digraph(following)
    poll()
    return after


def _nodes(numbering: Numbering, pairs: Pairs) -> Ends:
    if not len(pairs):
        return _NO_NODES
    return numbering.nodes(np.ascontiguousarray(pairs))


class _NextVersion:
    """Builds the next version of a relation with a bit matrix from the version before: TC, R = S ∘ E*."""

    def __init__(self, before: VirtualRelation) -> None:
        self.before, self.after = before, before.successor()
        self.scratch: Int64s = np.zeros(kernel.SCRATCH_WIDTH, np.int64)
        self._touched: list[Int32s] = []
        """The nodes at the ends of pairs that came or went."""

    def make(self, starts: EdgeDelta, steps: EdgeDelta | None, poll: Poll) -> VirtualRelation | None:
        """The next version, or None."""
        after, edges = self.after, starts if steps is None else steps
        is_large = len(edges) > _LARGE and _SHARE * len(edges) > int((self.before.steps.end - self.before.steps.start).sum())
        if is_large or not self._begin([starts.inserted] if steps is None else [starts.inserted, steps.inserted]):
            return None
        poll()
        for pairs, step in ((edges.deleted, self._delete), (edges.inserted, self._add)):
            if len(pairs):
                source, target = after.numbering.nodes(np.ascontiguousarray(pairs))
                self._touched += source, target
                if not step(source, target):
                    return None
                poll()
        if steps is not None and not self._follow_starts(starts):
            return None
        self._set_loops(starts)
        self._end()
        return after

    def _begin(self, inserted: list[Pairs]) -> bool:
        """Number new nodes, and copy what can change; False if there is no room."""
        before, after = self.before, self.after
        after.set_numbering(before.numbering.extended(before.node_count, *map(np.ascontiguousarray, inserted)))
        after.set_steps(before.steps.copied(after.node_count), before.back.copied(after.node_count))
        room, rows = len(before.members.start), before.bit_rows
        assert rows is not None
        self.rows = rows
        component_row = before.component_row.copy()
        has_starts = before.starts is not None
        after.set_rows(component_row, _extended(before.row_of, after.node_count, 0) if has_starts else component_row)
        affordable = _ROUNDS * (rows.used * rows.bits.shape[1] + len(before.steps.pool.buffer)) + _STEPS
        self.scratch[kernel.USED_ROWS] = self.scratch[kernel.FIRST_OWN_ROW] = rows.used
        self.scratch[kernel.WORK], self.scratch[kernel.COLUMNS] = affordable, room
        return self._enter_nodes(room)

    def _enter_nodes(self, room: int) -> bool:
        """Give each new node a component, if there is room."""
        after, pool = self.after, self.after.members.pool
        new, first = after.node_count - self.before.node_count, int(after.words[words.COMPONENT_COUNT])
        if first + new > room or pool.used + new > len(pool.buffer):
            return False
        if new:
            self._own_components()
            places = np.arange(pool.used, pool.used + new)
            pool.buffer[places] = after.terms[self.before.node_count :]
            after.component[self.before.node_count :] = np.arange(first, first + new)
            after.members.start[first : first + new], after.members.end[first : first + new] = places, places + 1
            is_simple = bool(after.words[words.IS_SIMPLE]) and pool.used == first
            after.set_words(COMPONENT_COUNT=first + new, IS_SIMPLE=is_simple)
        self.scratch[kernel.USED_MEMBERS] = pool.used + new
        return True

    def _own_components(self) -> None:
        """Copy the components, for they are to change."""
        after, before = self.after, self.before
        if after.component is before.component:
            after.component = _extended(before.component, after.node_count, -1)
            after.set_buffer(words.COMPONENT, after.component)
            after.set_members(before.members.copied(len(before.members.start)))

    def _delete(self, source: Int32s, target: Int32s) -> bool:
        """Del and Red: delete edges; False if building from scratch is cheaper."""
        if not (self.after.steps.delete(source, target) and self.after.back.delete(target, source)):
            return False
        after, room, size = self.after, len(self.after.members.start), 0
        heap = np.empty(room, np.int64), np.empty(room, np.int32), np.zeros(room, np.uint8), np.zeros(room, np.uint8)
        is_inside = (after.component[source] == after.component[target]).any()
        if is_inside and not edge_deletion.stay_together(after.words, source, target):
            self._own_components()
            size = edge_deletion.split_components(after.words, self.scratch, source, target, heap)
        return size >= 0 and edge_deletion.delete_edges(after.words, self.scratch, source, target, heap, size)

    def _add(self, source: Int32s, target: Int32s) -> bool:
        """Add: insert edges, and merge the components of a cycle; False if there is no room."""
        has_room = self.after.steps.insert(source, target) and self.after.back.insert(target, source)
        at = 0 if has_room else -1
        while 0 <= at < len(source):
            at = edge_insertion.insert_edges(self.after.words, self.scratch, source, target, at)
            if 0 <= at < len(source):  # this edge closes a cycle
                self._own_components()
                is_merged = edge_insertion.merge_cycle(self.after.words, self.scratch, int(source[at]), int(target[at]))
                at = at + 1 if is_merged else -1
        return at >= 0

    def _follow_starts(self, starts: EdgeDelta) -> bool:
        """Apply a delta of S where E is another relation; False if there is no room."""
        before, after = self.before, self.after
        assert before.starts is not None
        assert before.ends is not None
        after.set_starts(before.starts.copied(after.node_count), before.ends.copied(after.node_count))
        assert after.starts is not None
        assert after.ends is not None
        is_touched = np.zeros(after.node_count, np.uint8)
        for pairs, change in ((starts.deleted, Lists.delete), (starts.inserted, Lists.insert)):
            if len(pairs):
                source, target = after.numbering.nodes(np.ascontiguousarray(pairs))
                is_touched[source] = 1
                self._touched += source, target
                if not (change(after.starts, source, target) and change(after.ends, target, source)):
                    return False
        return kernel.follow_starts(after.words, before.words, self.scratch, is_touched)

    def _set_loops(self, starts: EdgeDelta) -> None:
        """Update the nodes with an external pair (x, x); only irreflexive relations need them."""
        after = self.after
        if not after.words[words.IS_IRREFLEXIVE]:
            return
        loops = [rows[rows[:, 0] == rows[:, 1], 0] for rows in (starts.deleted, starts.inserted)]
        if after.node_count > len(after.is_loop) or any(map(len, loops)):
            after.is_loop = _extended(after.is_loop, after.node_count, 0)
            for ids, value in zip(loops, (0, 1), strict=True):
                after.is_loop[after.numbering.node_of[ids]] = value
            after.set_buffer(words.IS_LOOP, after.is_loop)

    def _end(self) -> None:
        """Record how much of the shared buffers is used, and which nodes are left and right ends."""
        after, before = self.after, self.before
        after.members.pool.used = int(self.scratch[kernel.USED_MEMBERS])
        self.rows.used = int(self.scratch[kernel.USED_ROWS])
        if after.node_count > before.node_count or self._moves_ends():
            is_left, is_right = _is_used(after.starts or after.steps), _is_used(after.back)
            if after.ends is not None:
                is_right |= _is_used(after.ends)
            after.set_ends(is_left, is_right)
        if after.words[words.COMPONENT_COUNT] != before.words[words.COMPONENT_COUNT]:
            after.make_scratch()

    def _moves_ends(self) -> bool:
        """Whether a node has got its first entry in some list, or lost its last one; there are no more nodes than before."""
        nodes = np.concatenate(self._touched) if self._touched else _NO_NODES[0]
        both = ((getattr(self.before, name), getattr(self.after, name)) for name in ("steps", "back", "starts", "ends"))
        return any((_is_used(was, nodes) != _is_used(now, nodes)).any() for was, now in both if was is not None)


def _is_used(lists: Lists, nodes: Int32s | slice = _ALL) -> NDArray[np.bool_]:
    is_used: NDArray[np.bool_] = lists.end[nodes] > lists.start[nodes]
    return is_used


def _extended(values: NDArray[T], count: int, value: int) -> NDArray[T]:
    """A copy of an array, extended by a value."""
    result = resized(values, count)
    result[len(values) :] = value
    return result
