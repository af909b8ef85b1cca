"""Tables: the rows of a relation.  Rows are appended and never move; a deleted row leaves a tombstone (a negative first column).

An exception may come between any two instructions: out of memory, a signal handler, another thread.  What belongs together is
allocated first, and changed while `is_torn` is set; `repair` mends a table that was left torn.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Int64s, resized
from tidelog.local.kernel import layout
from tidelog.local.kernel import table_rows as kernel
from tidelog.local.kernel.memory import address_of
from tidelog.local.kernel.rows import many_rows, row_times
from tidelog.local.kernel.rows import row_removal as removal
from tidelog.local.storage import row_buffers
from tidelog.local.storage.budget import DROPPED
from tidelog.local.storage.pairs.places import Places
from tidelog.local.storage.versions import TableVersion

_SPARE = 8
"""Room for so many rows, one is spare."""
_MANY_TOMBSTONES, _ROWS_A_TOMBSTONE = 4096, 4
"""Fewer tombstones than that, or than one for so many rows, stay.  Later compactions would copy less, but memory would go up and
down by the size of the table."""
_MUCH_ROOM = 4
"""Room for so many times the rows is given back by a compaction."""
_MANY_CHANGES = 1 << 12
"""To look through more changes takes about as long as to look through a version."""
_ALL_COLUMNS = np.arange(1 << 16, dtype=np.int32)
"""All possible column numbers."""


class Table(row_buffers.RowBuffers):
    """The rows of one relation."""

    _compacted: tuple[Int32s, int, NDArray[np.int32] | None, tuple[Int64s, int]] | None = None
    """Rows without tombstones, their number, counters and times, which are about to be the table's."""

    # --- rows ------------------------------------------------------------------------------------------------------------

    def insert(self, rows: NDArray[np.int32]) -> int:
        """Append the rows that the table does not hold; returns their number."""
        before, done = self.store.M.item(self.number, layout.COUNT), 0
        rows = np.ascontiguousarray(rows, np.int32)
        if len(rows) > row_buffers.FIRST_CAPACITY:
            self.reserve(before + len(rows), rows)
        while (done := many_rows.insert_rows(self.store.M, self.number, rows, done)) < len(rows):
            self.grow()
        return self.store.M.item(self.number, layout.COUNT) - before

    def fill(self, rows: NDArray[np.int32]) -> None:
        """Append different rows to an empty table, with room for more, so that the next one is as quick."""
        if not self.arity or self.end:
            self.insert(rows)
            return
        self.reserve(len(rows) + len(rows) // _SPARE + row_buffers.FIRST_CAPACITY, np.ascontiguousarray(rows))
        self._rows[: rows.size] = rows.reshape(-1)
        self._words[layout.COUNT] = len(rows)
        (kernel.fill_bits if len(self._bits) else kernel.rehash_rows)(self.store.M, self.number)

    def refill(self, rows: NDArray[np.int32]) -> None:
        """Replace all rows; the table must not have tombstones."""
        data, store = np.ascontiguousarray(rows, np.int32), self.store
        done = many_rows.refill_table(store.M, store.X, self.number, self._index_numbers(), data)
        if done < len(data):
            self.insert(data[done:])
            self.mark_delta()

    def contains(self, rows: NDArray[np.int32]) -> NDArray[np.bool_]:
        """For each row whether the table holds it."""
        found = np.empty(len(rows), np.int32)
        many_rows.contain_rows(self.store.M, self.number, np.ascontiguousarray(rows, np.int32), found)
        return found.astype(np.bool_)

    def numbers_of(self, rows: NDArray[np.int32]) -> NDArray[np.int32]:
        """The number of each row, or -1 if the table does not hold it; needs a hash table."""
        numbers = np.full(len(rows), len(self) - 1, np.int32)  # correct for rows without columns
        if self.arity:
            many_rows.number_rows(self.store.M, self.number, np.ascontiguousarray(rows, np.int32), numbers)
        return numbers

    @property
    def placed_ids(self) -> Int32s:
        """The ids that have places in the bit matrix, if not all ids have."""
        return np.empty(0, np.int32) if self._places is None else self._places.ids

    def use_hash_table(self) -> None:
        """Use a hash table from now on, so that `numbers_of` works."""
        self.uses_bits = False
        if len(self._bits):
            self._choose_search(self.end, rebuild=True)

    def truncate_to(self, count: int) -> None:
        """Remove the rows from number `count` on: undoes appends."""
        if count < self.end:
            for index in self.all_indexes:
                kernel.shorten_index(self.store.M, self.store.X, index.number, count)
            kernel.shorten_table(self.store.M, self.number, count)

    def contents(self) -> dict[str, Any]:
        """The buffers of the table, for `reattach` after `empty`."""
        buffers = {
            name: getattr(self, name)
            for name in ("_rows", "_slots", "_bits", "_places", "_removed", "_times", "_pair_rows", "_numbering", "_capacity")
        }
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
            index.next = np.empty(self._capacity, np.int32)
            self.clear_index(index)
        self._clear_orders()
        self.is_torn = False

    def reattach(self, kept: dict[str, Any]) -> None:
        """Restore the rows of `contents`; a second time changes nothing."""
        self.is_torn = True
        self._words[:] = 0
        self._capacity = row_buffers.FIRST_CAPACITY
        for name, buffer in kept["buffers"].items():  # the capacity is the last of them
            setattr(self, name, buffer)
        self._words[:] = kept["words"]
        for index in self.indexes.values():
            if index.number in kept["indexes"]:
                index.heads, index.next, index.newer, self.store.X[index.number] = kept["indexes"][index.number]
            else:  # created since then
                index.next = np.empty(self._capacity, np.int32)
                self.clear_index(index)
        self._clear_orders()
        self._sync()
        self.is_torn = False

    def version(self) -> TableVersion:
        """The rows as they are now: later changes of the table do not show in it, and it costs no copy."""
        return TableVersion(self._rows, self.arity, self.end, self._removed, self.tombstones, self._numbering)

    def held_by(self, version: TableVersion, row: NDArray[np.int32]) -> bool | None:
        """Whether an earlier version has a row, from what the table has now and what has changed since; None if that is much."""
        now, contains = self.version(), bool(self.contains(row)[0])
        if not now.numbers_like(version) or now.distance(version) > _MANY_CHANGES:
            return None
        if not now.distance(version):
            return contains
        removed, appended = now.difference(version)
        return bool((removed == row).all(axis=1).any()) or (contains and not (appended == row).all(axis=1).any())

    @property
    def tombstones(self) -> int:
        """How many rows have been removed since the last compaction."""
        return self.store.M.item(self.number, layout.TOMBSTONES)

    def copy_to(self, result: Table, numberings: dict[int, Places]) -> Table:
        """Copy rows and indexes to an empty table of another store; `numberings` gathers copies of those."""
        end = self.end
        result._rows, result._capacity = resized(self._rows[: end * self.arity], self._capacity * self.arity), self._capacity
        result._slots, result._bits, result._removed = self._slots.copy(), self._bits.copy(), self._removed.copy()
        result._times = self._times.copy()
        if self._places is not None:
            if id(self._places) not in numberings:
                numberings[id(self._places)] = self._places.copied()
                result.store.numberings.keep(numberings[id(self._places)])
            result._places = numberings[id(self._places)]
        result._words[:] = self._words
        result.uses_bits, result.counters = self.uses_bits, None if self.counters is None else self.counters.copy()
        for columns, index in self.indexes.items():
            copied = result.index_on(columns)
            copied.heads, copied.next, copied.newer = index.heads.copy(), index.next.copy(), index.newer.copy()
            result.store.X[copied.number] = self.store.X[index.number]
        result._sync()
        return result

    # --- when rows came --------------------------------------------------------------------------------------------------

    @property
    def is_timed(self) -> bool:
        """Whether it is noted when rows come."""
        return self._is_timed

    @property
    def is_ordered(self) -> bool:
        """Whether it is known of most rows which came first."""
        return 2 * int(self._words[layout.UNORDERED]) <= self.end

    def note_time(self, begin: int, *, is_continued: bool) -> None:
        """Note that the rows from a number on came just now, by one rule; `is_continued` if it has appended others before."""
        row_times.note_rows(self.store.M, self.number, begin, is_continued)

    def forget_times(self, unordered: int = 0) -> None:
        """Forget which rows came before those of other tables, and of so many which came before others of this one."""
        words, clock = self._words, self.store.clock
        if self._is_timed:
            clock[0] += 1
            self._times[: row_times.TIMES_WIDTH] = 0, 0, clock[0]
            words[layout.TIME_COUNT] = 1 if words[layout.COUNT] else 0
            words[layout.UNORDERED] = max(unordered, int(words[layout.UNORDERED]))

    def forget_order(self) -> None:
        """Forget which rows came first."""
        self.forget_times(self.end)

    def came(self, row: int) -> tuple[int, int] | None:
        """Between which ticks of the clock a row came; None if it is not known which of the first rows came first."""
        words = self._words
        if not self._is_timed or row < words[layout.UNORDERED]:
            return None
        times = self._times[: words[layout.TIME_COUNT] * row_times.TIMES_WIDTH].reshape(-1, row_times.TIMES_WIDTH)
        at = int(np.searchsorted(times[:, row_times.BEGIN], row, "right")) - 1
        return (int(times[at, row_times.FIRST]), int(times[at, row_times.LAST])) if at >= 0 else (0, int(row_times.NEVER))

    def take_times(self, other: Table, *, is_whole: bool) -> None:
        """Take over when the rows of another table came, which this one has in the same order, if these are all of them."""
        if not self._is_timed:
            return
        if not is_whole:
            self.forget_order()
            return
        times, unordered = other.live_times()
        self.set_times(times, unordered)

    def live_times(self) -> tuple[Int64s, int]:
        """The entries, and of how many rows the order is unknown, when the rows without tombstones are numbered anew."""
        words = self._words
        times: Int64s = self._times[: words[layout.TIME_COUNT] * row_times.TIMES_WIDTH].reshape(-1, row_times.TIMES_WIDTH).copy()
        unordered = min(int(words[layout.UNORDERED]), self.end)
        if self.tombstones:
            before = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.are_rows())])
            times[:, row_times.BEGIN] = before[np.minimum(times[:, row_times.BEGIN], self.end)]
            unordered = int(before[unordered])
        return times, unordered

    def set_times(self, times: Int64s, unordered: int) -> None:
        """Let these be the entries, neighbours merged where there is no room for them."""
        words = self._words
        while times.size > len(self._times):
            times[: len(times) - 1 : 2, row_times.LAST] = times[1::2, row_times.LAST]
            times = times[::2]
        self._times[: times.size] = times.reshape(-1)
        words[layout.TIME_COUNT], words[layout.UNORDERED] = len(times), unordered

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
            for index, stale in zip(list(self.indexes.values()), is_stale.tolist(), strict=False):  # those in order follow
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
        is_worth_it = tombstones > _MANY_TOMBSTONES and _ROWS_A_TOMBSTONE * tombstones > self.end
        if is_worth_it:
            room = self._capacity if _MUCH_ROOM * len(self) > self._capacity else max(2 * len(self), row_buffers.FIRST_CAPACITY)
            counters, rows = self.counters, np.empty(room * self.arity, np.int32)
            if counters is not None:
                counters = counters[:, : self.end][:, self.are_rows()]
            count = removal.copy_rows(self.store.M, self.number, rows)
            DROPPED.note(4 * self._capacity * self._buffers_a_row())
            self._compacted = rows, count, counters, self.live_times()
            self._take_compacted()
        return is_worth_it

    def _take_compacted(self) -> None:
        """The second half of a compaction, which `repair` repeats."""
        assert self._compacted is not None
        self._rows, count, self.counters, times = self._compacted
        self._capacity = len(self._rows) // self.arity
        self.set_times(*times)
        self._words[layout.COUNT], self._words[layout.TOMBSTONES] = count, 0
        self._removed, self._numbering = np.empty(0, np.int32), object()
        self._words[layout.NUMBERED] = 0
        self._rebuild_search()
        self._compacted = None
