"""Relations that were made anew: what came and what went is worked out only if somebody asks.

Where a unit starts over, whatever reads it may start over as well, and then nobody but the user can ask for the difference.  How
many facts came and went is known at once, by matrices of bits or by a look at the smaller version.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Rows, UInt64s
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.kernel.closures import bit_matrices as matrices
from tidelog.local.storage.tables import Table


@dataclass(slots=True)
class Version:
    """The rows that a table has, or had, whatever becomes of it."""

    rows: Rows
    bits: UInt64s | None
    """The same as a matrix, if there is one; for as long as the update lasts."""
    find: Callable[[Rows], NDArray[np.bool_]] | None
    """For each row whether it is there; for as long as the update lasts."""

    @classmethod
    def now(cls, table: Table) -> Version:
        """What a table has now."""
        return cls(table.snapshot(), table.matrix, table.contains)

    def with_rows(self, more: Rows) -> Version:
        """The same with some rows that it does not have."""
        bits, find = self.bits, self.find
        if bits is not None:
            x, y, bits = more[:, 0], more[:, 1], bits.copy()
            np.bitwise_or.at(bits, (x, y >> 6), np.uint64(1) << (y & 63).astype(np.uint64))
        found = None if find is None else lambda rows: find(rows) | among(rows, more)
        return Version(np.concatenate([self.rows, more]), bits, found)

    def __len__(self) -> int:
        return len(self.rows)

    def contains(self, rows: Rows) -> NDArray[np.bool_]:
        """For each row whether it is there."""
        return among(rows, self.rows) if self.find is None else self.find(rows)


Held = Version | VirtualRelation
"""Virtual relations never change."""


class Replacement:
    """A relation before and after it was made anew."""

    def __init__(self, before: Held, after: Held) -> None:
        self._before, self._after = before, after
        self._came: Rows | None = None
        self._went: Rows | None = None
        more, both = len(after) - len(before), _matrices(before, after)
        if both is not None:
            lost = int(matrices.only_in(*both, _NO_ROOM))
        else:  # one side tells of the other
            lost = len(self.deleted()) if more >= 0 else len(self.inserted()) - more
        self.gained, self.lost = lost + more, lost
        """How many rows came and went."""

    @property
    def can_gain(self) -> bool:
        """Whether rows came."""
        return self.gained > 0

    @property
    def can_lose(self) -> bool:
        """Whether rows went."""
        return self.lost > 0

    @property
    def is_mostly_new(self) -> bool:
        """Whether at least half of the rows that there are have come."""
        return 2 * self.gained >= len(self._after)

    def inserted(self) -> Rows:
        """The rows that are there now and were not before."""
        if self._came is None:
            self._came = _only_in(self._after, self._before)
        return self._came

    def deleted(self) -> Rows:
        """The rows that were there before and are not now."""
        if self._went is None:
            self._went = _only_in(self._before, self._after)
        return self._went

    def end(self) -> None:
        """The update is over: tables go on to change, and only rows are kept."""
        for version in (self._before, self._after):
            if isinstance(version, Version):
                version.bits = version.find = None


_NO_ROOM = np.empty((0, 2), np.int32)


def _matrices(one: Held, other: Held) -> tuple[UInt64s, UInt64s] | None:
    if not isinstance(one, Version) or not isinstance(other, Version) or one.bits is None or other.bits is None:
        return None
    return one.bits, other.bits


def _only_in(one: Held, other: Held) -> Rows:
    """The rows that one version has and another does not."""
    both = _matrices(one, other)
    if both is None:
        rows = one.rows
        return rows[~other.contains(rows)]
    rows = np.empty((int(matrices.only_in(*both, _NO_ROOM)), 2), np.int32)
    if len(rows):
        matrices.only_in(*both, rows)
    return rows


def among(rows: Rows, others: Rows) -> NDArray[np.bool_]:
    """For each row whether it is among others."""
    if not len(others):
        return np.zeros(len(rows), np.bool_)
    if not rows.shape[1]:
        return np.ones(len(rows), np.bool_)
    one, other = (np.ascontiguousarray(r).view([("", np.int32)] * rows.shape[1]).ravel() for r in (rows, others))
    return np.isin(one, other)
