"""Tables: the rows of a relation, with a hash table or a bit matrix to find them.  Python owns and grows the buffers.

Rows are appended and never move; a deleted row leaves a tombstone (a negative first column).  The
matrices `M` and `X` of the `Store` tell the kernel the addresses of all buffers.

An exception may come between any two instructions: out of memory, a signal handler, another thread.  What belongs together is
allocated first, and changed while `is_torn` is set; `repair` mends a table that was left torn.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, UInt64s, resized
from tidelog.local.kernel import layout
from tidelog.local.kernel import row_removal as removal
from tidelog.local.kernel import table_rows as kernel
from tidelog.local.kernel.memory import address_of
from tidelog.local.storage.indexes import Indexed, Matrices
from tidelog.local.storage.versions import TableVersion

LARGEST_DOMAIN = 1 << 15
"""Most rows and columns of a bit matrix: 128 MiB."""
_BYTES_A_FACT = 16
"""Memory of a bit matrix per fact: about what a hash table takes ..."""
_EARLY_BYTES_A_FACT, _EARLY_BYTES = 1024, 16 << 20
"""... or so much while it is below 16 MiB: relations that profit usually grow, so a hash table first would be wasted."""
_FIRST_CAPACITY = 32
_MANY_TOMBSTONES = 4096
_WORD = 64
"""The kernel appends up to so many rows at once, and stops if there is less room."""


_ALL_COLUMNS = np.arange(1 << 16, dtype=np.int32)
"""All possible column numbers."""


class Table(Indexed):
    """The rows of one relation."""

    uses_bits = True
    """Whether a bit matrix may replace the hash table of a table of pairs."""
    counters: NDArray[np.int32] | None = None
    """Derivation counters of the rows, owned by `maintenance.counting`; only compaction moves them."""
    _compacted: tuple[Int32s, int, NDArray[np.int32] | None] | None = None
    """Rows without tombstones, their number and counters, which are about to be the table's."""

    def __init__(self, store: Matrices, number: int, arity: int) -> None:
        super().__init__(store, number, arity)
        self._begin()

    def _begin(self) -> None:
        """Allocate the buffers of an empty table.  At no moment are there more rows than the buffers have room for."""
        self._words[:] = 0
        self._capacity = _FIRST_CAPACITY
        self._rows: Int32s = np.empty(_FIRST_CAPACITY * self.arity, np.int32)
        self._slots: Int32s = np.zeros(2 * _FIRST_CAPACITY, np.int32)
        self._bits: UInt64s = np.empty(0, np.uint64)
        self._removed: Int32s = np.empty(0, np.int32)
        self._numbering = object()
        self.counters = None
        self._sync()

    def __len__(self) -> int:
        item, number = self.store.M.item, self.number
        return item(number, layout.COUNT) - item(number, layout.TOMBSTONES)

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
        end, arity = self.end, self.arity
        if begin == end:
            return np.empty((0, arity), np.int32)
        return self._rows[begin * arity : end * arity].reshape(end - begin, arity).copy()

    def _sync(self) -> None:
        """Write the addresses of the buffers to the table's row of M."""
        words = self._words
        words[layout.ARITY] = self.arity
        words[layout.CAPACITY], words[layout.ROWS] = self._capacity, address_of(self._rows)
        words[layout.SLOTS], words[layout.SLOT_COUNT] = address_of(self._slots), len(self._slots)
        words[layout.BITS] = address_of(self._bits) if len(self._bits) else 0
        words[layout.REMOVED] = address_of(self._removed) if len(self._removed) else 0
        for index in self.indexes.values():
            self._sync_index(index)

    # --- growing ---------------------------------------------------------------------------------------------------------

    def reserve(self, count: int) -> None:
        """Make room for `count` rows, and choose between hash table and bit matrix."""
        if count > self._capacity:
            capacity = max(count, 2 * self._capacity)
            self.store.budget.ask(4 * (capacity - self._capacity) * self._buffers_a_row())
            rows = resized(self._rows, capacity * self.arity)
            removed = resized(self._removed, capacity) if len(self._removed) else self._removed
            links = [
                (index, resized(index.next, capacity), resized(index.newer, capacity) if len(index.newer) else index.newer)
                for index in self.indexes.values()
            ]
            self.is_torn = True  # all memory is there
            self._rows, self._removed = rows, removed
            for index, following, newer in links:
                index.next, index.newer = following, newer
            self._capacity = capacity
            self._sync()
            self.is_torn = False
        self._choose_search(count)

    def _choose_search(self, count: int, *, rebuild: bool = False) -> None:
        """Build a hash table or a bit matrix for `count` rows where the present one does not do; always with `rebuild`."""
        domain = self._domain_for(count)
        if domain:
            if rebuild or domain > self._words[layout.DOMAIN] or not len(self._bits):
                self.store.budget.ask(domain * domain // 8 - self._bits.nbytes - self._slots.nbytes)
                bits, no_slots = np.zeros(domain * domain // 64, np.uint64), np.empty(0, np.int32)
                self.is_torn = True
                self._bits, self._slots = bits, no_slots
                self._words[layout.DOMAIN] = domain
                self._sync()
                kernel.fill_bits(self.store.M, self.number)
                self.is_torn = False
        elif rebuild or len(self._bits) or 2 * count > len(self._slots):
            count_of_slots = 1 << (2 * count).bit_length()
            self.store.budget.ask(4 * count_of_slots - self._bits.nbytes - self._slots.nbytes)
            no_bits, slots = np.empty(0, np.uint64), np.zeros(count_of_slots, np.int32)
            self.is_torn = True
            self._bits, self._slots = no_bits, slots
            self._sync()
            kernel.rehash_rows(self.store.M, self.number)
            self.is_torn = False

    def _domain_for(self, count: int) -> int:
        """The rows and columns of a bit matrix if it pays; else 0."""
        if self.arity != 2 or not self.uses_bits:
            return 0
        domain = 1 << max(6, (self.store.term_count() - 1).bit_length())
        affordable = domain * domain // 8 <= max(_BYTES_A_FACT * count, min(_EARLY_BYTES, _EARLY_BYTES_A_FACT * count))
        return domain if domain <= LARGEST_DOMAIN and affordable else 0

    @property
    def matrix(self) -> UInt64s | None:
        """The bit matrix, if the table has one."""
        return self._bits.reshape(-1, int(self._words[layout.DOMAIN]) // _WORD) if len(self._bits) else None

    def trim(self) -> None:
        """Give back room for rows if there is far more than used."""
        needed = max(_FIRST_CAPACITY, self.end)
        if 4 * needed <= self._capacity:
            self._cut(needed)
            self._rebuild_search()

    def grow(self) -> None:
        """Make more room, after the kernel stopped for it."""
        count = self.end
        if count + _WORD <= self._capacity and len(self._bits):
            self.reserve(count)  # an id beyond the matrix
        else:
            self.reserve(2 * count + _WORD)

    # --- rows ------------------------------------------------------------------------------------------------------------

    def insert(self, rows: NDArray[np.int32]) -> int:
        """Append the rows that the table does not hold; returns their number."""
        before, done = self.end, 0
        rows = np.ascontiguousarray(rows, np.int32)
        if len(rows) > _FIRST_CAPACITY:
            self.reserve(before + len(rows))
        while (done := kernel.insert_rows(self.store.M, self.number, rows, done)) < len(rows):
            self.grow()
        return self.end - before

    def refill(self, rows: NDArray[np.int32]) -> None:
        """Replace all rows; the table must not have tombstones."""
        data, store = np.ascontiguousarray(rows, np.int32), self.store
        done = kernel.refill_table(store.M, store.X, self.number, self._index_numbers(), data)
        if done < len(data):
            self.insert(data[done:])
            self.mark_delta()

    def contains(self, rows: NDArray[np.int32]) -> NDArray[np.bool_]:
        """For each row whether the table holds it."""
        found = np.empty(len(rows), np.int32)
        kernel.contain_rows(self.store.M, self.number, np.ascontiguousarray(rows, np.int32), found)
        return found.astype(np.bool_)

    def numbers_of(self, rows: NDArray[np.int32]) -> NDArray[np.int32]:
        """The number of each row, or -1 if the table does not hold it; needs a hash table."""
        numbers = np.full(len(rows), len(self) - 1, np.int32)  # correct for rows without columns
        if self.arity:
            kernel.number_rows(self.store.M, self.number, np.ascontiguousarray(rows, np.int32), numbers)
        return numbers

    def use_hash_table(self) -> None:
        """Use a hash table from now on, so that `numbers_of` works."""
        self.uses_bits = False
        if len(self._bits):
            self._choose_search(self.end, rebuild=True)

    def truncate_to(self, count: int) -> None:
        """Remove the rows from number `count` on: undoes appends."""
        if count < self.end:
            for index in self.indexes.values():
                kernel.shorten_index(self.store.M, self.store.X, index.number, count)
            kernel.shorten_table(self.store.M, self.number, count)

    def contents(self) -> dict[str, Any]:
        """The buffers of the table, for `reattach` after `empty`."""
        buffers = {name: getattr(self, name) for name in ("_rows", "_slots", "_bits", "_removed", "_numbering", "_capacity")}
        indexes = {
            index.number: (index.heads, index.next, index.newer, self.store.X[index.number].copy())
            for index in self.indexes.values()
        }
        return {"words": self._words.copy(), "buffers": buffers, "indexes": indexes}

    def empty(self) -> None:
        """Remove all rows, with the buffers; indexes keep their numbers."""
        self.is_torn = True
        self._begin()
        for index in self.indexes.values():
            index.next = np.empty(_FIRST_CAPACITY, np.int32)
            self.clear_index(index)
        self.is_torn = False

    def reattach(self, kept: dict[str, Any]) -> None:
        """Restore the rows of `contents`; a second time changes nothing."""
        self.is_torn = True
        self._words[:] = 0
        self._capacity = _FIRST_CAPACITY
        for name, buffer in kept["buffers"].items():  # the capacity is the last of them
            setattr(self, name, buffer)
        self._words[:] = kept["words"]
        for index in self.indexes.values():
            if index.number in kept["indexes"]:
                index.heads, index.next, index.newer, self.store.X[index.number] = kept["indexes"][index.number]
            else:  # created since then
                index.next = np.empty(self._capacity, np.int32)
                self.clear_index(index)
        self._sync()
        self.is_torn = False

    def version(self) -> TableVersion:
        """The rows as they are now: later changes of the table do not show in it, and it costs no copy."""
        return TableVersion(self._rows, self.arity, self.end, self._removed, self.tombstones, self._numbering)

    @property
    def tombstones(self) -> int:
        """How many rows have been removed since the last compaction."""
        return self.store.M.item(self.number, layout.TOMBSTONES)

    def copy_to(self, result: Table) -> Table:
        """Copy rows and indexes to an empty table of another store."""
        end = self.end
        result._rows, result._capacity = resized(self._rows[: end * self.arity], self._capacity * self.arity), self._capacity
        result._slots, result._bits, result._removed = self._slots.copy(), self._bits.copy(), self._removed.copy()
        result._words[:] = self._words
        result.uses_bits, result.counters = self.uses_bits, None if self.counters is None else self.counters.copy()
        for columns, index in self.indexes.items():
            copied = result.index_on(columns)
            copied.heads, copied.next, copied.newer = index.heads.copy(), index.next.copy(), index.newer.copy()
            result.store.X[copied.number] = self.store.X[index.number]
        result._sync()
        return result

    # --- deletion --------------------------------------------------------------------------------------------------------

    def remove(self, rows: NDArray[np.int32]) -> int:
        """Remove the rows that the table holds; returns their number."""
        before = len(self)
        if self.arity == 0:
            self.truncate_to(0 if len(rows) else self.end)
        else:
            first, every = self.prepare_removal(), _ALL_COLUMNS[: self.arity]
            rows = np.ascontiguousarray(rows, np.int32)
            removal.remove_rows(self.store.M, self.store.X, self.number, self._index_numbers(), first, rows, every)
        return before - len(self)

    def prepare_removal(self) -> int:
        """Prepare the indexes for deletions by the kernel; returns the index that finds rows beside a bit matrix, or -1."""
        first = -1
        if not len(self._removed):
            self._removed = np.empty(self._capacity, np.int32)
            self._words[layout.REMOVED] = address_of(self._removed)
        if len(self._bits):  # with a bit matrix, the chain of its first column finds a row
            by_first = self.index_on((0,))
            self.mark_delta()
            self.extend_index(by_first)
            first = by_first.number
        for index in self.indexes.values():
            if not len(index.newer):
                self.is_torn = True
                index.newer = np.empty(self._capacity, np.int32)
                self._sync_index(index)
                removal.link_newer(self.store.M, self.store.X, self.number, index.number)
                self.is_torn = False
        return first

    def restore_rows(self, end: int, tombstones: int) -> None:
        """Undo appends and removals since the table had `end` rows and so many tombstones: the cost follows their number."""
        if self.arity == 0:
            self.truncate_to(0)
            self.insert(np.empty((end, 0), np.int32))
        elif self.tombstones == tombstones:
            self.truncate_to(end)
        else:
            self.is_torn = True
            for index in self.indexes.values():
                if not len(index.newer):  # created since the removal
                    self.clear_index(index)
            numbers, every = self._index_numbers(), _ALL_COLUMNS[: self.arity]
            is_stale = np.zeros(len(numbers), np.int32)
            removal.restore_rows(self.store.M, self.store.X, self.number, numbers, end, tombstones, every, is_stale)
            for index, stale in zip(list(self.indexes.values()), is_stale.tolist(), strict=True):
                if stale:
                    self.clear_index(index)
            self.is_torn = False

    def repair(self) -> None:
        """Mend a table that an exception has left between two steps: what finds rows is built again where it may be wrong."""
        if self._compacted is not None:
            self._take_compacted()
        elif self.is_torn:
            self._rebuild_search()
        else:
            self._sync()

    def compact(self) -> bool:
        """Compact the table if it has many tombstones; whether it did, for rows get other numbers then.

        The rows get new buffers: versions may still refer to the old ones.
        """
        tombstones = self.tombstones
        is_worth_it = tombstones > _MANY_TOMBSTONES and 2 * tombstones > self.end
        if is_worth_it:
            counters, rows = self.counters, np.empty_like(self._rows)
            if counters is not None:
                counters = counters[:, : self.end][:, self.are_rows()]
            count = removal.copy_rows(self.store.M, self.number, rows)
            self._compacted = rows, count, counters
            self._take_compacted()
        return is_worth_it

    def _take_compacted(self) -> None:
        """The second half of a compaction, which `repair` repeats."""
        assert self._compacted is not None
        self._rows, count, self.counters = self._compacted
        self._words[layout.COUNT], self._words[layout.TOMBSTONES] = count, 0
        self._removed, self._numbering = np.empty(0, np.int32), object()
        self._rebuild_search()
        self._compacted = None

    def _rebuild_search(self) -> None:
        self.is_torn = True
        for index in self.indexes.values():
            self.clear_index(index)
        self._choose_search(self.end, rebuild=True)  # which ends with a whole table
