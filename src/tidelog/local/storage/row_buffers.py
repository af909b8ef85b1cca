"""The buffers of a table: its rows, and a hash table or a bit matrix that finds them.  Python owns and grows them.

The matrices `M` and `X` of the `Store` tell the kernel the addresses of all buffers.  Buffers and addresses that belong together
are allocated first, and changed while `is_torn` is set (`tables`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Int64s, Rows, UInt64s, resized
from tidelog.local.kernel import layout
from tidelog.local.kernel import table_rows as kernel
from tidelog.local.kernel.memory import address_of
from tidelog.local.kernel.rows import pair_rows, row_times
from tidelog.local.storage.budget import DROPPED
from tidelog.local.storage.indexes import Indexed, Matrices
from tidelog.local.storage.pairs.places import LEAST_DOMAIN, Places, domain_for

LARGEST_DOMAIN = 1 << 15
"""Most rows and columns of a bit matrix: 128 MiB."""
_BYTES_A_FACT = 16
"""Memory of a bit matrix per fact: about what a hash table takes ..."""
_EARLY_BYTES_A_FACT, _EARLY_BYTES = 1024, 16 << 20
"""... or so much while it is below 16 MiB: relations that profit usually grow, so a hash table first would be wasted."""
PLACED_BYTES_A_FACT, _EARLY_PLACED_BYTES_A_FACT = 32, 256
"""The same where only the terms of a relation have places in the matrix: the second for what rules derive."""
_NUMBERING_BYTES = 8 << 20
"""A numbering of a dictionary may take so much, or what its matrix may take; pages that nobody writes take nothing."""
DOMAIN_OF_ALL = 1 << 12
"""If all ids fit in so many rows and columns, 2 MiB, there is nothing to gain by places."""
_BYTES_A_NUMBER, _NUMBER_BYTES = 8, 16 << 20
"""The rows of pairs are noted by cell if that takes no more bytes a fact, or no more bytes ..."""
_ENTRIES_A_NUMBER = 1.5
"""... and by hash with so many entries a fact if it would."""
_NO_PAIRS: Int32s = np.empty(0, np.int32)
FIRST_CAPACITY = 32
_FEWEST_TIMES, _ROWS_A_TIME = 8, 16
"""Entries that say when rows came: so many at least, and one for so many rows; an even number."""
_SAMPLE = np.modf(np.sin(np.arange(1, 257)) ** 2 * 43_758.5453)[0]
"""For each row of a sample a number below 1 without a pattern: data has patterns."""
_WORD = 64
"""The kernel appends up to so many rows at once, and stops if there is less room."""


class RowBuffers(Indexed):
    """The rows of one relation, and what finds them: the base of `Table`."""

    uses_bits = True
    """Whether a bit matrix may replace the hash table of a table of pairs."""
    counters: NDArray[np.int32] | None = None
    """Derivation counters of the rows, owned by `maintenance.counting`; only compaction moves them."""

    def __init__(self, store: Matrices, number: int, arity: int, *, is_timed: bool = False) -> None:
        """`is_timed` if it is noted when rows come (`kernel.rows.row_times`)."""
        super().__init__(store, number, arity)
        self._is_timed = is_timed
        self._begin()

    def _begin(self) -> None:
        """Allocate the buffers of an empty table.  At no moment are there more rows than the buffers have room for."""
        self._words[:] = 0
        self._capacity = FIRST_CAPACITY
        self._rows: Int32s = np.empty(FIRST_CAPACITY * self.arity, np.int32)
        self._slots: Int32s = np.zeros(2 * FIRST_CAPACITY, np.int32)
        self._bits: UInt64s = np.empty(0, np.uint64)
        self._places: Places | None = None
        self._removed: Int32s = np.empty(0, np.int32)
        self._numbering = object()
        self._pair_rows: Int32s = _NO_PAIRS
        self._times: Int64s = np.empty(_FEWEST_TIMES * row_times.TIMES_WIDTH if self._is_timed else 0, np.int64)
        self.counters = None
        self._sync()

    def __len__(self) -> int:
        item, number = self.store.M.item, self.number
        return item(number, layout.COUNT) - item(number, layout.TOMBSTONES)

    @property
    def numbering(self) -> object:
        """Another object whenever rows may have got other numbers."""
        return self._numbering

    @property
    def end(self) -> int:
        """The number of the next row; tombstones count."""
        return self.store.M.item(self.number, layout.COUNT)

    def length_of(self, span: int) -> int:
        """The number of rows in a span (all, delta, before it); of all rows, without tombstones."""
        words = self._words
        if span == layout.DELTA:
            return int(words[layout.ALL] - words[layout.OLD])
        return int(words[layout.OLD]) if span == layout.BEFORE else max(0, int(words[layout.ALL] - words[layout.TOMBSTONES]))

    @property
    def rows(self) -> NDArray[np.int32]:
        """All rows, as a read-only matrix."""
        return self.rows_from(0)

    @property
    def all_rows(self) -> NDArray[np.int32]:
        """All rows, tombstones included."""
        return self._rows[: self.end * self.arity].reshape(self.end, self.arity)

    def rows_from(self, begin: int) -> NDArray[np.int32]:
        """The rows from a number on, without tombstones."""
        end = self.end
        rows: NDArray[np.int32] = self._rows[begin * self.arity : end * self.arity].reshape(end - begin, self.arity)
        return rows[rows[:, 0] >= 0] if self._words[layout.TOMBSTONES] else rows

    def are_rows(self) -> NDArray[np.bool_]:
        """For each row number whether it is no tombstone."""
        result: NDArray[np.bool_] = (
            self._rows[: self.end * self.arity : self.arity] >= 0 if self.arity else np.ones(self.end, np.bool_)
        )
        return result

    def appended_since(self, begin: int) -> NDArray[np.int32]:
        """A copy of the rows from a number on; none of them may be a tombstone."""
        end, arity = self.store.M.item(self.number, layout.COUNT), self.arity
        if begin == end:
            return np.empty((0, arity), np.int32)
        return self._rows[begin * arity : end * arity].reshape(end - begin, arity).copy()

    def rows_a_key(self, columns: Sequence[int]) -> float:
        """About how many rows agree with a row in some columns, from a sample of them."""
        if not self.end:
            return 1.0
        rows = self.all_rows[np.unique((_SAMPLE * self.end).astype(np.int64))]
        rows = rows[rows[:, 0] >= 0][:, list(columns)]
        count = len(rows)
        _, alike = np.unique(rows, axis=0, return_counts=True)
        return 1.0 + (len(self) - 1) * float((alike * (alike - 1)).sum()) / max(1, count * (count - 1))

    def _sync(self) -> None:
        """Write the addresses of the buffers to the table's row of M."""
        words = self._words
        words[layout.ARITY] = self.arity
        words[layout.CAPACITY], words[layout.ROWS] = self._capacity, address_of(self._rows)
        words[layout.SLOTS], words[layout.SLOT_COUNT] = address_of(self._slots), len(self._slots)
        words[layout.BITS] = address_of(self._bits) if len(self._bits) else 0
        words[layout.PLACES] = address_of(self._places.words) if self._places is not None else 0
        words[layout.REMOVED] = address_of(self._removed) if len(self._removed) else 0
        words[layout.TIMES] = address_of(self._times) if len(self._times) else 0
        words[layout.TIME_ROOM] = len(self._times) // row_times.TIMES_WIDTH
        words[layout.NUMBERS] = address_of(self._pair_rows) if len(self._pair_rows) else 0
        words[layout.NUMBER_ROOM] = len(self._pair_rows)
        words[layout.CLOCK] = address_of(self.store.clock)
        for index in self.indexes.values():
            self._sync_index(index)

    # --- growing ---------------------------------------------------------------------------------------------------------

    def reserve(self, count: int, expected: Rows | None = None) -> None:
        """Make room for `count` rows, and choose between hash table and bit matrix; `expected` are the next ones if known."""
        if count > self._capacity:
            capacity = max(count, 2 * self._capacity)
            self.store.budget.ask(4 * (capacity - self._capacity) * self._buffers_a_row())
            rows = resized(self._rows, capacity * self.arity)
            removed = resized(self._removed, capacity) if len(self._removed) else self._removed
            times, times_needed = self._times, row_times.TIMES_WIDTH * 2 * (capacity // _ROWS_A_TIME // 2)
            if self._is_timed and times_needed > len(times):
                times = resized(times, times_needed)
            links = [
                (index, resized(index.next, capacity), resized(index.newer, capacity) if len(index.newer) else index.newer)
                for index in self.indexes.values()
            ]
            DROPPED.note(4 * self._capacity * self._buffers_a_row())
            self.is_torn = True  # all memory is there
            self._rows, self._removed, self._times = rows, removed, times
            for index, following, newer in links:
                index.next, index.newer = following, newer
            self._capacity = capacity
            self._sync()
            self.is_torn = False
        self._choose_search(count, expected)

    def _choose_search(self, count: int, expected: Rows | None = None, *, rebuild: bool = False) -> None:
        """Build a hash table or a bit matrix for `count` rows where the present one does not do; always with `rebuild`."""
        domain, places = self._matrix_for(count, expected, rebuild=rebuild)
        if domain:
            if rebuild or domain > self._words[layout.DOMAIN] or places is not self._places or not len(self._bits):
                self.store.budget.ask(domain * domain // 8 - self._bits.nbytes - self._slots.nbytes)
                bits, no_slots = np.zeros(domain * domain // 64, np.uint64), np.empty(0, np.int32)
                DROPPED.note(self._bits.nbytes + self._slots.nbytes)
                self.is_torn = True
                self._bits, self._places, self._slots, self._pair_rows = bits, places, no_slots, _NO_PAIRS
                self._words[layout.DOMAIN], self._words[layout.NUMBERED] = domain, 0
                self._sync()
                kernel.fill_bits(self.store.M, self.number)
                self.is_torn = False
        elif rebuild or len(self._bits) or 2 * count > len(self._slots):
            count_of_slots = 1 << (2 * count).bit_length()
            self.store.budget.ask(4 * count_of_slots - self._bits.nbytes - self._slots.nbytes)
            no_bits, slots = np.empty(0, np.uint64), np.zeros(count_of_slots, np.int32)
            DROPPED.note(self._bits.nbytes + self._slots.nbytes)
            self.is_torn = True
            self._bits, self._places, self._slots, self._pair_rows = no_bits, None, slots, _NO_PAIRS
            self._sync()
            kernel.rehash_rows(self.store.M, self.number)
            self.is_torn = False

    def number_pairs(self) -> None:
        """Let the kernel keep the row of each pair beside the matrix of bits."""
        if not len(self._bits):
            return
        words, room = self._words, len(self._pair_rows)
        cells, end, numbered = int(words[layout.DOMAIN]) ** 2, self.end, int(words[layout.NUMBERED])
        used = int(words[layout.NUMBER_COUNT]) if numbered else 0
        if room == cells or (room and used + end - numbered <= pair_rows.MOST_OF_ROOM * room):
            return
        is_by_cell = 4 * cells <= max(_BYTES_A_NUMBER * end, _NUMBER_BYTES)
        room = cells if is_by_cell else max(int(_ENTRIES_A_NUMBER * end), FIRST_CAPACITY)
        self.store.budget.ask(4 * room - self._pair_rows.nbytes)
        self._pair_rows = np.empty(room, np.int32)
        words[layout.NUMBERED], words[layout.NUMBERS], words[layout.NUMBER_ROOM] = 0, address_of(self._pair_rows), room

    def _matrix_for(self, count: int, expected: Rows | None, *, rebuild: bool) -> tuple[int, Places | None]:
        """The rows and columns of a bit matrix if it pays, else 0; and the places of terms in it unless these are the ids.

        Where all ids are too many, the rows are read to see how many terms they have.  That happens when a table has doubled,
        and ends with the first term too many.
        """
        if self.arity != 2 or not self.uses_bits:
            return 0, None
        words, ids = self._words, self.store.term_count()
        if self._places is not None and not rebuild:
            self._places.make_room(ids)
            if len(self._places) <= words[layout.DOMAIN]:
                return int(words[layout.DOMAIN]), self._places
        domain = self._domain_for(count)
        if len(self._bits):
            is_kept = self._places is None and 0 < domain <= words[layout.DOMAIN]
        else:
            is_kept = 2 * count <= len(self._slots) and not domain
        if (is_kept and not rebuild) or 0 < domain <= DOMAIN_OF_ALL:
            return domain, None
        early = 0 if expected is not None else min(_EARLY_BYTES, _EARLY_PLACED_BYTES_A_FACT * count)
        affordable = max(PLACED_BYTES_A_FACT * count, early)
        most = min(LARGEST_DOMAIN, 1 << max(0, (8 * affordable).bit_length() - 1) // 2, domain // 2 or LARGEST_DOMAIN)
        is_affordable = most >= LEAST_DOMAIN and 4 * ids <= max(affordable, _NUMBERING_BYTES)
        if is_affordable and (self.end or expected is not None) and self.store.budget.has_room(4 * ids + most * most // 8):
            rows = (self.all_rows,) if expected is None else (self.all_rows, expected)
            places = self.store.numberings.of_rows(rows, ids, most)
            if places is not None:
                return domain_for(len(places)), places
        return domain, None

    def _domain_for(self, count: int) -> int:
        """The rows and columns of a bit matrix for all ids if it pays; else 0."""
        domain = 1 << max(6, (self.store.term_count() - 1).bit_length())
        affordable = domain * domain // 8 <= max(_BYTES_A_FACT * count, min(_EARLY_BYTES, _EARLY_BYTES_A_FACT * count))
        return domain if domain <= LARGEST_DOMAIN and affordable else 0

    @property
    def has_bits(self) -> bool:
        """Whether a bit matrix finds the rows."""
        return len(self._bits) > 0

    @property
    def matrix(self) -> UInt64s | None:
        """The bit matrix, if the table has one that is addressed by ids."""
        if not len(self._bits) or self._places is not None:
            return None
        return self._bits.reshape(-1, int(self._words[layout.DOMAIN]) // _WORD)

    def trim(self) -> None:
        """Give back room for rows if there is far more than used."""
        needed = max(FIRST_CAPACITY, self.end)
        if 4 * needed <= self._capacity:
            self._cut(needed)
            count = int(self._words[layout.TIME_COUNT])
            room = max(_FEWEST_TIMES, 2 * (needed // _ROWS_A_TIME // 2), count + count % 2) if self._is_timed else 0
            self._times = self._times[: room * row_times.TIMES_WIDTH].copy()
            self._rebuild_search()

    def grow(self) -> None:
        """Make more room, after the kernel stopped for it."""
        count = self.end
        if count + _WORD <= self._capacity and len(self._bits):
            self.reserve(count)  # an id beyond the matrix, or without a place
        else:
            self.reserve(2 * count + _WORD)

    def _rebuild_search(self) -> None:
        self.is_torn = True
        for index in self.indexes.values():
            self.clear_index(index)
        self._clear_orders()
        nothing = np.empty((0, self.arity), np.int32)  # more rows are not known to come, as they are where rules derive
        self._choose_search(self.end, nothing, rebuild=True)  # which ends with a whole table
