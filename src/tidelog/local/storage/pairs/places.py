"""Dense numbers of the terms in matrices of bits, so that a matrix takes no room for the other terms of the dictionary.

Tables of the same terms share a numbering: only then rows of their matrices can be joined at once.  A number once given stays,
so whoever keeps an old matrix can read it.  What a numbering has gathered of terms that are in no row any more is left behind
when a table outgrows its matrix: then its terms are numbered anew.
"""

from __future__ import annotations

from weakref import WeakValueDictionary

import numpy as np

from tidelog.core.arrays import Int32s, Int64s, Rows
from tidelog.local.kernel.memory import address_of
from tidelog.local.kernel.rows import term_places as kernel

LEAST_DOMAIN = 64
_SHARED = 0.5
"""The share of a table's terms that a numbering must have already to be shared."""


class Places:
    """A numbering, which the kernel extends while there is room."""

    def __init__(self, ids: int, room: int) -> None:
        """For so many ids, the room for so many places."""
        self.words: Int64s = np.zeros(kernel.PLACES_WIDTH, np.int64)
        self._place_of: Int32s = np.zeros(ids, np.int32)  # pages of it that nobody writes take no memory
        self._id_at: Int32s = np.empty(room, np.int32)
        self._sync()

    def __len__(self) -> int:
        return self.words.item(kernel.PLACE_COUNT)

    @property
    def nbytes(self) -> int:
        """The memory of its buffers, at most."""
        return self._place_of.nbytes + self._id_at.nbytes

    @property
    def ids(self) -> Int32s:
        """The ids that have places, in the order of these."""
        return self._id_at[: len(self)]

    def make_room(self, ids: int) -> None:
        """Make room for so many ids and for further places."""
        if ids > len(self._place_of):
            place_of = np.zeros(2 * ids, np.int32)
            place_of[: len(self._place_of)] = self._place_of
            self._place_of = place_of
        if len(self) == len(self._id_at):
            self._id_at = np.concatenate([self._id_at, np.empty_like(self._id_at)])
        self._sync()

    def add(self, rows: Rows) -> bool:
        """Give places to all ids of some rows, also of removed ones; whether there was room."""
        return bool(kernel.place_terms(self.words, rows))

    def copied(self) -> Places:
        """An independent copy."""
        result = Places(len(self._place_of), len(self._id_at))
        result._place_of[self.ids] = self._place_of[self.ids]
        result._id_at[: len(self)] = self.ids
        result.words[kernel.PLACE_COUNT] = len(self)
        return result

    def _sync(self) -> None:
        words = self.words
        words[kernel.PLACE_OF], words[kernel.ID_ROOM] = address_of(self._place_of), len(self._place_of)
        words[kernel.ID_AT], words[kernel.PLACE_ROOM] = address_of(self._id_at), len(self._id_at)

    def with_ids_of(self, other: Places, most: int) -> bool:
        """Take in the ids of another numbering, if they are about the same, and no matrix gets larger than `most` by that."""
        known = int(np.count_nonzero(self._place_of[other.ids[other.ids < len(self._place_of)]]))
        together = len(self) + len(other) - known
        if known < _SHARED * len(other) or domain_for(together) > most:
            return False
        while not self.add(other.ids.reshape(-1, 1)):
            self.make_room(len(other._place_of))
        return True


class Numberings:
    """The numberings of a store that are in use."""

    def __init__(self) -> None:
        self._kept: WeakValueDictionary[int, Places] = WeakValueDictionary()
        self._count = 0

    @property
    def nbytes(self) -> int:
        """The memory of all buffers, at most."""
        return sum(places.nbytes for places in self._kept.values())

    def keep(self, places: Places) -> None:
        """Let other tables share a numbering, as long as one uses it."""
        self._kept[self._count] = places
        self._count += 1

    def of_rows(self, some: tuple[Rows, ...], ids: int, most: int) -> Places | None:
        """A numbering of the terms of some rows, of a dictionary of so many; None if they need a matrix larger than `most`."""
        found = Places(ids, most)
        if not all(map(found.add, some)) or domain_for(len(found)) > most:
            return None
        for places in list(self._kept.values()):
            if places.with_ids_of(found, most):
                return places
        self.keep(found)
        return found


def domain_for(count: int) -> int:
    """The rows and columns of a matrix of so many terms and two more: another pair must fit, or its table would never grow."""
    return max(LEAST_DOMAIN, 1 << (count + 1).bit_length())
