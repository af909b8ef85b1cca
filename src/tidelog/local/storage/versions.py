"""Versions of tables: the rows of a table at one moment, without a copy, also while another thread changes the table.

Rows are appended and never move, and the first column of a removed row can be computed from its tombstone.  So the number of rows
and the number of tombstones at one moment say which rows the table had: those before `end`, without the first `tombstones` of
the list of removed rows.  Where a table gets new buffers (it grew, or was compacted), a version keeps the old ones.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Rows

_NOTHING = np.empty(0, np.int32)
_FEW = 1 << 12
"""For so many rows it is looked up which are gone; for more, all that are gone are marked."""


class TableVersion:
    """The rows of a table at one moment."""

    __slots__ = ("_buffer", "_numbering", "_removed", "arity", "end", "tombstones")

    def __init__(self, buffer: Int32s, arity: int, end: int, removed: Int32s, tombstones: int, numbering: object) -> None:
        """`numbering` is another object whenever the rows of the table get other numbers."""
        self._buffer, self._removed, self._numbering = buffer, removed, numbering
        self.arity, self.end, self.tombstones = arity, end, tombstones

    def __len__(self) -> int:
        return self.end - self.tombstones

    @property
    def rows(self) -> Rows:
        """A copy of the rows, in the order of insertion."""
        return self._restored(0, self.end, self._are_rows())

    def chunks(self, size: int | None = None, first: int | None = None) -> Iterator[tuple[Int32s, ...]]:
        """The ids, column by column, some rows at a time: `first` rows at first, then ever more."""
        begin, count, are_rows = 0, first or size or self.end, None
        while begin < self.end:
            end = min(self.end, begin + count)
            if end - begin > _FEW and are_rows is None:
                are_rows = self._are_rows()
            rows = self._few_restored(begin, end) if are_rows is None else self._restored(begin, end, are_rows)
            if len(rows):
                yield tuple(np.ascontiguousarray(column) for column in rows.T)
            begin, count = end, min(size or self.end, 4 * count)

    def contains(self, rows: Rows) -> NDArray[np.bool_]:
        """For each row whether it is one of these; a scan of the first column."""
        return np.array([self._has(row) for row in rows], np.bool_)

    def _has(self, row: Int32s) -> bool:
        if not self.arity:
            return len(self) > 0
        own, first = self._buffer[: self.end * self.arity].reshape(self.end, self.arity), row[0]
        numbers = np.flatnonzero((own[:, 0] == first) | (own[:, 0] == -1 - first))
        for column in range(1, self.arity):
            numbers = numbers[own[numbers, column] == row[column]]
        return bool(len(numbers) and not np.isin(numbers, self._removed[: self.tombstones]).all())

    def without_rows(self) -> TableVersion:
        """The same moment, only to be compared with later versions: it keeps no buffers alive."""
        return TableVersion(_NOTHING, self.arity, self.end, _NOTHING, self.tombstones, self._numbering)

    # --- differences -----------------------------------------------------------------------------------------------------

    def numbers_like(self, other: TableVersion) -> bool:
        """Whether rows have the same numbers as in another version of the table; a row without columns leaves no tombstone."""
        return self._numbering is other._numbering and self.arity > 0

    def distance(self, other: TableVersion | None) -> int:
        """How many rows have been appended or removed between this version and another, or how many there are."""
        if other is None or not self.numbers_like(other):
            return len(self)
        return abs(self.end - other.end) + abs(self.tombstones - other.tombstones)

    def difference(self, other: TableVersion) -> tuple[Rows, Rows]:
        """The rows of another version, earlier or later, that numbers them alike and are not in this one; and the converse."""
        if other.end <= self.end and other.tombstones <= self.tombstones:
            return self.removed_since(other), self.appended_since(other)
        return other.appended_since(self), other.removed_since(self)

    def removed_since(self, before: TableVersion) -> Rows:
        """The rows of an earlier version that numbers them alike that are there no more."""
        numbers = self._removed[before.tombstones : self.tombstones]
        rows = self._buffer[: self.end * self.arity].reshape(self.end, self.arity)
        return _without_tombstones(rows[numbers[numbers < before.end]])

    def appended_since(self, before: TableVersion) -> Rows:
        """The rows that an earlier version that numbers them alike does not have, in the order of insertion."""
        numbers = self._removed[before.tombstones : self.tombstones]
        are_rows = np.ones(self.end - before.end, np.bool_)
        are_rows[numbers[numbers >= before.end] - before.end] = False
        rows = self._buffer[before.end * self.arity : self.end * self.arity].reshape(self.end - before.end, self.arity)
        return _without_tombstones(rows[are_rows])

    # --- tombstones ------------------------------------------------------------------------------------------------------

    def _are_rows(self) -> NDArray[np.bool_] | None:
        """For each row before the end whether it was no tombstone; None if none was."""
        if not self.tombstones:
            return None
        are_rows = np.ones(self.end, np.bool_)
        are_rows[self._removed[: self.tombstones]] = False
        return are_rows

    def _few_restored(self, begin: int, end: int) -> Rows:
        """A few of the rows: of those that are tombstones now, some were there at the moment of this version."""
        rows = self._buffer[begin * self.arity : end * self.arity].reshape(end - begin, self.arity).copy()
        if self.tombstones and len(gone := np.flatnonzero(rows[:, 0] < 0)):
            rows = np.delete(rows, gone[np.isin(gone + begin, self._removed[: self.tombstones])], axis=0)
        return _without_tombstones(rows)

    def _restored(self, begin: int, end: int, are_rows: NDArray[np.bool_] | None) -> Rows:
        rows = self._buffer[begin * self.arity : end * self.arity].reshape(end - begin, self.arity)
        return _without_tombstones(rows.copy() if are_rows is None else rows[are_rows[begin:end]])


def _without_tombstones(rows: Rows) -> Rows:
    """Rows of which some have become tombstones since, with the first column that they had; changes the matrix."""
    if rows.shape[1]:
        first = rows[:, 0]
        np.maximum(first, -1 - first, out=first)
    return rows
