"""Groups of the rows of a table, and the results of an aggregate over each, in one pass (`kernel.aggregates.row_groups`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Int64s
from tidelog.core.rules import Aggregation
from tidelog.local.kernel.aggregates import row_groups
from tidelog.local.storage.state import State
from tidelog.local.storage.tables import Table
from tidelog.values import Kind

FEWEST_GROUPS = 1 << 13
"""There is room for so many groups at first."""
_EXACT = 2.0**52
"""Floats have all integers up to there."""
_ROUNDING = 2.0**-52
"""Twice what rounding changes, as a share of a number."""

Sums = tuple[Int32s, NDArray[np.bool_]]
"""For each group the id of its result, or -1, and whether it is known."""


class RowGroups:
    """The groups of a table's rows from a number on, folded by a function."""

    def __init__(self, state: State, table: Table, folding: Aggregation, function: int, begin: int) -> None:
        """`function` is one of `row_groups`, or of `group_folding`."""
        self._state, self._table, self._begin = state, table, begin
        self._columns: Int32s = np.array(folding.columns, np.int32)
        self._firsts: Int64s = np.empty(0, np.int64)
        self._groups: Int64s = np.empty((0, row_groups.GROUP_WIDTH), np.int64)
        self._slots: Int32s = np.zeros(state.store.term_count() if len(self._columns) == 1 else 1, np.int32)
        target = -1 if folding.target is None else folding.target
        self._progress: Int64s = np.array([begin, 0, function, target], np.int64)
        self._grow(FEWEST_GROUPS)
        given = state.store.M, state.terms.header, table.number, self._progress, self._columns
        while not row_groups.fold_rows(*given, self._slots, self._firsts, self._groups):
            self._grow(4 * len(self._firsts))
        count = self._count
        self._firsts, self._groups = self._firsts[:count], self._groups[:count]

    @property
    def _count(self) -> int:
        return int(self._progress[row_groups.GROUPS])

    def _grow(self, room: int) -> None:
        """Make room for so many groups."""
        count, store = self._count, self._state.store
        store.budget.ask(8 * (1 + row_groups.GROUP_WIDTH) * room)
        firsts, groups = np.empty(room, np.int64), np.zeros((room, row_groups.GROUP_WIDTH), np.int64)
        firsts[:count], groups[:count] = self._firsts[:count], self._groups[:count]
        self._firsts, self._groups = firsts, groups
        if len(self._columns) > 1:
            self._slots = np.zeros(2 * room, np.int32)
            row_groups.enter_groups(store.M, self._table.number, count, self._columns, self._slots, firsts)

    @property
    def keys(self) -> NDArray[np.int32]:
        """The key of each group, as a row of a matrix."""
        rows: NDArray[np.int32] = self._table.all_rows[self._firsts]
        return rows[:, self._columns]

    @property
    def sizes(self) -> Int64s:
        """How many rows each group has."""
        return self._groups[:, row_groups.STATE] >> row_groups.SHIFT

    @property
    def _kinds(self) -> Int64s:
        return self._groups[:, row_groups.STATE] & (row_groups.ONE_MORE - 1)

    @property
    def _values(self) -> Int64s:
        return self._groups[:, row_groups.VALUE]

    def extremes(self) -> Sums:
        """The least or greatest of each group."""
        return self._values.astype(np.int32), self._kinds == 0

    def sums(self) -> Sums:
        """The sum of each group."""
        results, known = np.full(len(self._groups), -1, np.int32), self._kinds == row_groups.INTEGERS
        results[known] = self._state.terms.encode_numbers(Kind.INT, self._values[known])
        totals, are_known = self._rounded()
        results[are_known] = self._floats(totals[are_known])
        return results, known | are_known

    def averages(self) -> Sums:
        """The average of each group."""
        results, values = np.full(len(self._groups), -1, np.int32), self._values
        are_integers = (self._kinds == row_groups.INTEGERS) & (values <= _EXACT) & (values >= -_EXACT)
        totals, known = self._rounded()
        totals[are_integers] = values[are_integers]
        known |= are_integers
        results[known] = self._floats(totals[known] / self.sizes[known])
        return results, known

    def _floats(self, numbers: NDArray[np.float64]) -> Int32s:
        return self._state.terms.encode_numbers(Kind.FLOAT, (numbers + 0.0).view(np.int64))

    def _rounded(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The exact sum of the floats of each group, rounded once, and whether that is certain."""
        words = self._groups[:, row_groups.VALUE : row_groups.LOST + 1].view(np.float64)
        are_floats = self._kinds == row_groups.FLOATS
        high, low, lost = np.where(are_floats[:, None], words, 0.0).T
        with np.errstate(invalid="ignore", over="ignore"):
            bound = _ROUNDING * (self.sizes * lost + np.abs(low))
            least, most = high + (low - bound), high + (low + bound)
        return most, are_floats & (least == most) & np.isfinite(most)

    def members(self, chosen: NDArray[np.bool_]) -> tuple[Int32s, Int64s]:
        """The targets of some groups, one group after the other, and where each begins."""
        starts = np.concatenate([[0], np.cumsum(self.sizes[chosen])]).astype(np.int64)
        places, members = np.full(self._count, -1, np.int64), np.empty(starts[-1], np.int32)
        places[chosen] = starts[:-1]
        self._progress[row_groups.ROW] = self._begin
        given = self._table.number, self._progress, self._columns, self._slots, self._firsts
        row_groups.members_of_groups(self._state.store.M, *given, places, members)
        return members, starts
