"""The states of an aggregate's large groups and the results of its small ones, kept from one update to the next.

A group of few members is folded from all of them.  Of a large one, exact sum or order (`group_states`) are built when its result
is first needed and does not follow from the one before; then they follow the rows of the aggregate's bindings: those that have
been appended and removed since the last visit, whatever brought them.  Where that cannot be told, since rows have been restored
by a rollback or have other numbers, all is forgotten, and built again when it is needed.

What is not needed for as many changes as there are members is given back, so that building it again is paid for by these.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Int64s, Rows
from tidelog.core.rules import Aggregation
from tidelog.local.evaluation.aggregation import results_of
from tidelog.local.kernel.aggregates.group_members import copy_members, count_members
from tidelog.local.maintenance.aggregates.group_states import GroupState, OrderedGroup
from tidelog.local.maintenance.unit_runtime import UnitRuntime
from tidelog.local.storage.tables import Table

LEAST = 1_000
"""Groups of so many members are large: to fold one takes more than 0.1 ms."""
FEW_CHANGES = 0.125
"""Nothing is kept of a group of which a larger share changes at once."""


class KeptGroups:
    """What is kept of the large groups of one aggregate."""

    def __init__(self, name: str, special: Aggregation, runtime: UnitRuntime) -> None:
        self._name, self._special, self._runtime, self._state = name, special, runtime, runtime.state
        self._width = special.groups
        self._groups: list[GroupState] = []
        """In the order of the rows of `_keys`."""
        self._keys: Table | None = None
        """The keys of the groups; none if there is one group without a key."""
        self._follow()
        self._state.followers.add(self)

    @property
    def nbytes(self) -> int:
        """The memory that it takes."""
        return sum(group.nbytes for group in self._groups)

    def __len__(self) -> int:
        return len(self._groups)

    @property
    def _inner(self) -> Table:
        return self._state.table(self._special.inner)

    def _follow(self) -> None:
        """Be up to date with the bindings as they are now."""
        self._seen, self._rollbacks = self._inner.version().without_rows(), self._state.rollbacks

    def _numbers(self, keys: Rows) -> Int32s:
        """The number of each kept group, by its key; -1 for others."""
        if not self._groups:
            return np.full(len(keys), -1, np.int32)
        return np.zeros(len(keys), np.int32) if self._keys is None else self._keys.numbers_of(keys)

    def _keep_only(self, numbers: list[int]) -> None:
        """Give back all groups but some."""
        kept = [self._groups[number] for number in numbers]
        keys = self._keys.rows[numbers] if self._keys is not None else np.empty((0, self._width), np.int32)
        self._groups = []
        if self._width:
            self._keys = self._runtime.table("kept", self._name, self._width, keys)
        self._groups = kept

    def _keep(self, key: Rows, group: GroupState) -> None:
        if self._width:
            self._keys = self._keys if self._groups and self._keys is not None else self._empty_keys()
            self._keys.insert(key)
        self._groups.append(group)

    def _empty_keys(self) -> Table:
        return self._runtime.table("kept", self._name, self._width)

    # --- following the bindings ------------------------------------------------------------------------------------------

    def catch_up(self) -> None:
        """Follow what has happened to the bindings since the last visit."""
        now = self._inner.version()
        if self._groups:
            if self._rollbacks != self._state.rollbacks or not now.numbers_like(self._seen):
                self._keep_only([])
            else:
                removed, appended = now.difference(self._seen)
                touched = self._change(appended, joins=True) | self._change(removed, joins=False)
                self._give_back(touched)
        self._follow()

    def _change(self, rows: Rows, *, joins: bool) -> set[int]:
        """Let bindings join their groups or leave them; the kept groups among these."""
        if not len(rows):
            return set()
        numbers, targets = (
            self._numbers(rows[:, list(self._special.columns)]),
            np.ascontiguousarray(rows[:, self._special.target]),
        )
        if len(rows) > 1:
            order = np.argsort(numbers, kind="stable")
            numbers, targets = numbers[order], targets[order]
        touched = np.unique(numbers[numbers >= 0])
        bounds = [*np.searchsorted(numbers, touched).tolist(), len(numbers)]
        for at, number in enumerate(touched.tolist()):
            group, members = self._groups[number], targets[bounds[at] : bounds[at + 1]]
            group.unused += len(members)
            if joins:
                group.join(members)
            else:
                group.leave(members)
        return set(touched.tolist())

    def _give_back(self, touched: set[int]) -> None:
        """Give back what groups keep that nobody has needed for long, or that takes far more than it should."""
        gone = {number for number in touched if _is_unneeded(self._groups[number])}
        if gone:
            self._keep_only([number for number in range(len(self._groups)) if number not in gone])

    # --- results ---------------------------------------------------------------------------------------------------------

    def results(self, keys: Rows, changes: Int64s) -> Int32s:
        """For each group the id of its result, or -1; `changes` are the bindings that each has gained and lost just now."""
        results, numbers = np.full(len(keys), -1, np.int32), self._numbers(keys)
        for at in np.flatnonzero(numbers >= 0).tolist():
            group = self._groups[numbers[at]]
            group.unused = 0
            results[at] = group.result() if group.size else -1
        others = np.flatnonzero(numbers < 0)
        if len(others):
            is_large = self._counts(keys[others], LEAST) >= LEAST
            small, large = others[~is_large], others[is_large]
            results[small] = self._folded(keys[small], self._counts(keys[small], LEAST))
            results[large] = self._of_large(keys[large], changes[large])
        return results

    def _of_large(self, keys: Rows, changes: Int64s) -> Int32s:
        """Results of large groups of which nothing is kept so far."""
        counts, results = self._counts(keys, len(self._inner)), np.empty(len(keys), np.int32)
        for at, count in enumerate(counts.tolist()):
            key = keys[at : at + 1]
            if changes[at] > FEW_CHANGES * count or not self._state.budget.has_room(OrderedGroup.bytes_for(count)):
                results[at] = self._folded(key, counts[at : at + 1])[0]
            else:
                group = GroupState.of(self._special.function, self._state, self._members(key, counts[at : at + 1])[0])
                self._keep(key, group)
                results[at] = group.result()
        return results

    def _folded(self, keys: Rows, counts: Int64s) -> Int32s:
        """Results of groups from all of their members."""
        results: Int32s = np.full(len(keys), -1, np.int32)
        has_members = counts > 0
        if has_members.any():
            members, starts = self._members(keys[has_members], counts[has_members])
            results[has_members] = results_of(self._special.function, self._state, members, starts)
        return results

    # --- members ---------------------------------------------------------------------------------------------------------

    def _index(self) -> int:
        """The index of the bindings by group, up to date."""
        inner = self._inner
        index = inner.index_on(self._special.columns)
        inner.mark_delta()
        inner.extend_index(index)
        return index.number

    def _counts(self, keys: Rows, most: int) -> Int64s:
        """How many members each group has, or `most` where it has so many or more."""
        counts = np.empty(len(keys), np.int64)
        if not self._width:
            counts[:] = min(most, len(self._inner))
        elif len(keys):
            index, store = self._index(), self._state.store
            count_members(store.M, store.X, index, np.ascontiguousarray(keys), most, counts)
        return counts

    def _members(self, keys: Rows, counts: Int64s) -> tuple[Int32s, Int64s]:
        """The targets of all members, group by group, and where each group begins."""
        inner, target = self._inner, self._special.target
        assert target is not None, "what counts rows keeps nothing"
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        if not self._width:
            return np.ascontiguousarray(inner.rows[:, target]), starts
        members, index, store = np.empty(starts[-1], np.int32), self._index(), self._state.store
        copy_members(store.M, store.X, index, np.ascontiguousarray(keys), target, starts, members)
        return members, starts


def _is_unneeded(group: GroupState) -> bool:
    """Whether it is not worth keeping."""
    return not group.size or group.unused > group.size or group.is_wasteful


def have_members(inner: Table, columns: tuple[int, ...], keys: Rows) -> NDArray[np.bool_]:
    """For each group, which has its key in some columns, whether anything is in it."""
    if not columns:
        return np.full(len(keys), len(inner) > 0)
    return inner.have_keys(columns, keys)
