"""Chains of facts behind the pairs of closed relations, which are not stored.

A pair of a transitive relation is a path of its external facts; of a symmetric-transitive one, a path that may take them either
way; of a linear one, an external fact prolonged by a path of edges at one of its ends (`program.modules`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Protocol, overload

import numpy as np

from tidelog.core.arrays import Int32s
from tidelog.explain.access import Key, Row
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.kernel.closures import shortest_paths as kernel
from tidelog.local.storage.tables import Table
from tidelog.program.modules import Module, ModuleKind

_Nodes = Sequence[int] | Int32s
_Steps = Callable[[int], Iterator[int]]


class Links(Sequence[Key]):
    """The facts along a path, made when they are asked for: a path may have a million."""

    def __init__(self, nodes: _Nodes, name: str, first: Sequence[Key] = (), last: Sequence[Key] = ()) -> None:
        """`name` is the relation of the facts between two neighbours; `first` and `last` are further facts at the ends."""
        self._nodes, self._name, self._first, self._last = nodes, name, first, last

    def __len__(self) -> int:
        return len(self._first) + max(0, len(self._nodes) - 1) + len(self._last)

    @overload
    def __getitem__(self, at: int) -> Key: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Key]: ...

    def __getitem__(self, at: int | slice) -> Key | Sequence[Key]:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(len(self)))]
        if at < 0 or at >= len(self):
            raise IndexError(at)
        if at < len(self._first):
            return self._first[at]
        at -= len(self._first)
        if at < len(self._nodes) - 1:
            return self._name, (int(self._nodes[at]), int(self._nodes[at + 1]))
        return self._last[at - max(0, len(self._nodes) - 1)]


class Facts(Protocol):
    """What is asked of the facts."""

    def stored(self, name: str) -> Table | VirtualRelation | None:
        """What holds the facts of a name."""

    def given(self, name: str) -> str:
        """The name of the external facts of a relation."""

    def holds(self, name: str, row: Row) -> bool:
        """Whether it is a fact."""

    def matching(self, name: str, columns: tuple[int, ...], key: Row) -> Iterator[tuple[int, ...]]:
        """The facts with some cells in some columns."""


class Chains:
    """Searches in one state of a knowledge base."""

    def __init__(self, access: Facts) -> None:
        self._access = access

    def between(self, module: Module, left: int, right: int) -> Sequence[Key] | None:
        """The chain behind a pair of a closed relation."""
        given = self._access.given(module.relation)
        if self._access.holds(given, (left, right)):
            return [(given, (left, right))]
        if module.kind is ModuleKind.LINEAR:
            return self._linear(module, given, left, right)
        is_symmetric = module.kind is ModuleKind.SYMMETRIC_TRANSITIVE
        nodes = self._search(given, [left], [right], both_ways=is_symmetric)
        if nodes is None:
            return None
        if not is_symmetric:
            return Links(nodes, given)
        pairs = ((int(one), int(other)) for one, other in pairwise(nodes))
        return [(given, pair if self._access.holds(given, pair) else pair[::-1]) for pair in pairs]

    def _linear(self, module: Module, given: str, left: int, right: int) -> Sequence[Key] | None:
        assert module.edge is not None
        if module.extends == "end":
            starts = [int(row[1]) for row in self._access.matching(given, (0,), (left,))]
            nodes = self._search(module.edge, starts, [right]) if starts else None
            return None if nodes is None else Links(nodes, module.edge, first=[(given, (left, int(nodes[0])))])
        ends = [int(row[0]) for row in self._access.matching(given, (1,), (right,))]
        nodes = self._search(module.edge, [left], ends) if ends else None
        return None if nodes is None else Links(nodes, module.edge, last=[(given, (int(nodes[-1]), right))])

    def _search(self, name: str, sources: list[int], targets: list[int], *, both_ways: bool = False) -> _Nodes | None:
        """The nodes of a shortest path of one edge or more."""
        table = self._access.stored(name)
        if isinstance(table, Table):
            return self._compiled(table, sources, targets, both_ways=both_ways)
        if table is None:
            return None
        return _in_plain_python(self._neighbours(name), sources, set(targets))

    def _compiled(self, table: Table, sources: list[int], targets: list[int], *, both_ways: bool) -> _Nodes | None:
        columns = ((0,), (1,))
        for each in columns:
            table.newest_with_keys(each, np.zeros((1, 1), np.int32))  # the index is there, and up to date
        numbers = [table.indexes[each].number for each in columns]
        ids = table.store.term_count()
        before, after, path = np.zeros(ids, np.int32), np.zeros(ids, np.int32), np.empty(2 * ids + 2, np.int32)
        indexes = np.array([*numbers, 1] if both_ways else numbers, np.int32)
        ends = np.array(sources, np.int32), np.array(targets, np.int32)
        count = kernel.find_path(table.store.M, table.store.X, indexes, *ends, before, after, path)
        return path[:count] if count else None

    def _neighbours(self, name: str) -> _Steps:
        return lambda node: (int(row[1]) for row in self._access.matching(name, (0,), (node,)))


def _in_plain_python(after: _Steps, sources: Sequence[int], targets: set[int]) -> list[int] | None:
    """A shortest path, where the edges are not stored either."""
    before: dict[int, int | None] = dict.fromkeys(sources)
    queue = deque(sources)
    while queue:
        node = queue.popleft()
        for reached in after(node):
            if reached in targets:
                path = [reached]
                at: int | None = node
                while at is not None:
                    path.append(at)
                    at = before[at]
                return path[::-1]
            if reached not in before:
                before[reached] = node
                queue.append(reached)
    return None
