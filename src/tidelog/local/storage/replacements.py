"""Relations derived from scratch during an update: insertions and deletions are computed on request.

Where a unit is derived from scratch, its readers may be too, and then only the user can request the difference.  The number of
insertions and deletions is known at once, from bit matrices or by a probe of the larger version with the smaller one, which gives
both differences where rows have numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Rows, UInt64s, isin_rows
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.kernel.closures.pair_differences import only_in_matrix
from tidelog.local.storage.tables import Table
from tidelog.local.storage.versions import TableVersion


@dataclass(slots=True)
class Version:
    """The rows of a table at one moment; later changes of the table do not show in them."""

    held: Rows | TableVersion
    bits: UInt64s | None
    """The table's bit matrix, if it has one; valid during the update."""
    find: Callable[[Rows], NDArray[np.bool_]] | None
    """For each row whether it is one of these; valid during the update."""
    number: Callable[[Rows], Int32s] | None = None
    """For each row its number among these, or -1, if that takes no longer; valid during the update."""

    @classmethod
    def now(cls, table: Table) -> Version:
        """The version of a table as it is now."""
        is_numbered = table.arity and not table.has_bits and not table.tombstones
        return cls(table.version(), table.matrix, table.contains, table.numbers_of if is_numbered else None)

    @property
    def rows(self) -> Rows:
        """The rows as a matrix."""
        return self.held if isinstance(self.held, np.ndarray) else self.held.rows

    def with_rows(self, more: Rows) -> Version:
        """The version with some rows added, which it must not hold."""
        bits, find = self.bits, self.find
        if bits is not None:
            x, y, bits = more[:, 0], more[:, 1], bits.copy()
            np.bitwise_or.at(bits, (x, y >> 6), np.uint64(1) << (y & 63).astype(np.uint64))
        found = None if find is None else lambda rows: find(rows) | isin_rows(rows, more)
        return Version(np.concatenate([self.rows, more]), bits, found)

    def __len__(self) -> int:
        return len(self.held)

    def contains(self, rows: Rows) -> NDArray[np.bool_]:
        """For each row whether the version holds it."""
        return isin_rows(rows, self.rows) if self.find is None else self.find(rows)


AnyVersion = Version | VirtualRelation
"""A virtual relation is a version of itself: it is immutable."""


class Replacement:
    """A relation before and after it was derived from scratch."""

    def __init__(self, before: AnyVersion, after: AnyVersion) -> None:
        self._before, self._after = before, after
        self._inserted: Rows | None = None
        self._deleted: Rows | None = None
        more, both = len(after) - len(before), _matrices(before, after)
        if both is not None:
            lost = int(only_in_matrix(*both, _NO_ROOM))
        else:  # the sizes give the other number
            lost = len(self.deleted()) if more >= 0 else len(self.inserted()) - more
        self.gained, self.lost = lost + more, lost
        """The numbers of inserted and deleted rows."""

    @property
    def can_gain(self) -> bool:
        """Whether there are insertions."""
        return self.gained > 0

    @property
    def can_lose(self) -> bool:
        """Whether there are deletions."""
        return self.lost > 0

    @property
    def is_mostly_new(self) -> bool:
        """Whether at least half of the rows are new."""
        return 2 * self.gained >= len(self._after)

    def inserted(self) -> Rows:
        """The rows of the version after that the version before lacks."""
        if self._inserted is None:
            self._inserted, self._deleted = _differences(self._after, self._before, self._deleted)
        return self._inserted

    def deleted(self) -> Rows:
        """The rows of the version before that the version after lacks."""
        if self._deleted is None:
            self._deleted, self._inserted = _differences(self._before, self._after, self._inserted)
        return self._deleted

    def end(self) -> None:
        """End of the update: drop what later changes of the tables invalidate."""
        for version in (self._before, self._after):
            if isinstance(version, Version):
                version.bits = version.find = version.number = None


_NO_ROOM = np.empty((0, 2), np.int32)


def _matrices(one: AnyVersion, other: AnyVersion) -> tuple[UInt64s, UInt64s] | None:
    if not isinstance(one, Version) or not isinstance(other, Version) or one.bits is None or other.bits is None:
        return None
    return one.bits, other.bits


def _differences(one: AnyVersion, other: AnyVersion, only_in_other: Rows | None) -> tuple[Rows, Rows | None]:
    """The rows of one version that another lacks; and the other way round, if that is known or the same search tells."""
    numbered = other.number if isinstance(other, Version) else None
    if only_in_other is not None or numbered is None:
        return _only_in(one, other), only_in_other
    rows, is_only = one.rows, np.ones(len(other), np.bool_)
    numbers = numbered(rows)
    is_there = numbers >= 0
    is_only[numbers[is_there]] = False
    return rows[~is_there], other.rows[is_only]


def _only_in(one: AnyVersion, other: AnyVersion) -> Rows:
    """The rows of one version that another lacks."""
    both = _matrices(one, other)
    if both is None:
        rows = one.rows
        return rows[~other.contains(rows)]
    rows = np.empty((int(only_in_matrix(*both, _NO_ROOM)), 2), np.int32)
    if len(rows):
        only_in_matrix(*both, rows)
    return rows
