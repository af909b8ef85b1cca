"""Tables: the rows of a relation, and how they are found.  Python owns the buffers and makes them larger.

Buffers live in `Store`, one for a knowledge base: the matrices `M` and `X` tell the kernel where they are.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, UInt64s
from tidelog.local.kernel import layout
from tidelog.local.kernel import row_removal as removal
from tidelog.local.kernel import table_rows as kernel
from tidelog.local.kernel.memory import address_of
from tidelog.local.storage.indexes import Indexed, Matrices

LARGEST_DOMAIN = 1 << 15
"""A matrix of bits has at most that many rows and columns: 128 MiB."""
_BYTES_A_FACT = 16
"""A matrix of bits may take that much memory for each fact: about what a hash table takes ..."""
_EARLY_BYTES_A_FACT, _EARLY_BYTES = 1024, 16 << 20
"""... or that much, up to 16 MiB: most relations that are worth it grow, and the hash table would be in vain."""
_FIRST_CAPACITY = 32
_MANY_HOLES = 4096
_WORD = 64
"""The kernel appends up to that many rows at once, and asks for room if there is less."""


_EVERY = np.arange(1 << 16, dtype=np.int32)
"""All columns there may be."""


class Table(Indexed):
    """The rows of one relation."""

    uses_bits = True
    """Whether pairs may be found by a matrix of bits."""
    counters: NDArray[np.int32] | None = None
    """Numbers beside the rows (`counting`), of which nobody here knows more than that they belong to them."""

    def __init__(self, store: Store, number: int, arity: int) -> None:
        super().__init__(store, number, arity)
        self._lent: list[weakref.ref[Int32s]] = []
        self._begin()

    def _begin(self) -> None:
        """An empty table."""
        self._rows: Int32s = np.empty(_FIRST_CAPACITY * self.arity, np.int32)
        self._slots: Int32s = np.zeros(2 * _FIRST_CAPACITY, np.int32)
        self._bits: UInt64s = np.empty(0, np.uint64)
        self.counters = None
        self._capacity = _FIRST_CAPACITY
        self._words[:] = 0
        self._words[layout.ARITY] = self.arity
        self._sync()

    def __len__(self) -> int:
        item, number = self.store.M.item, self.number
        return item(number, layout.COUNT) - item(number, layout.TOMBSTONES)

    @property
    def end(self) -> int:
        """The number that the next row will have; rows that have gone keep theirs."""
        return self.store.M.item(self.number, layout.COUNT)

    def length_of(self, span: int) -> int:
        """How many rows a loop over a span sees; of all rows, those that have gone do not count."""
        words = self._words
        if span == layout.DELTA:
            return int(words[layout.ALL] - words[layout.OLD])
        return int(words[layout.OLD]) if span == layout.BEFORE else max(0, int(words[layout.ALL] - words[layout.TOMBSTONES]))

    @property
    def rows(self) -> NDArray[np.int32]:
        """All rows, as a matrix that must not be changed."""
        return self.rows_from(0)

    def rows_from(self, begin: int) -> NDArray[np.int32]:
        """The rows from a number on, without those that have gone."""
        end = self.end
        rows: NDArray[np.int32] = self._rows[begin * self.arity : end * self.arity].reshape(end - begin, self.arity)
        return rows[rows[:, 0] >= 0] if self._words[layout.TOMBSTONES] else rows

    def appended_since(self, begin: int) -> NDArray[np.int32]:
        """A copy of the rows from a number on, of which none has gone."""
        end, arity = self.end, self.arity
        if begin == end:
            return np.empty((0, arity), np.int32)
        return self._rows[begin * arity : end * arity].reshape(end - begin, arity).copy()

    @property
    def size_in_bytes(self) -> int:
        """The memory of all buffers, as far as they are in use."""
        indexes = sum(index.heads.nbytes + 4 * len(self) for index in self.indexes.values())
        return 4 * len(self) * self.arity + self._slots.nbytes + self._bits.nbytes + indexes

    def _sync(self) -> None:
        """Tell the kernel where the buffers are."""
        words = self._words
        words[layout.CAPACITY], words[layout.ROWS] = self._capacity, address_of(self._rows)
        words[layout.SLOTS], words[layout.SLOT_COUNT] = address_of(self._slots), len(self._slots)
        words[layout.BITS] = address_of(self._bits) if len(self._bits) else 0
        for index in self.indexes.values():
            self._tell_index(index)

    # --- growing ---------------------------------------------------------------------------------------------------------

    def reserve(self, count: int) -> None:
        """Make room for so many rows, and choose how they are found."""
        if count > self._capacity:
            self._capacity = max(count, 2 * self._capacity)
            self._rows = _resized(self._rows, self._capacity * self.arity)
            for index in self.indexes.values():
                index.next = _resized(index.next, self._capacity)
                index.newer = _resized(index.newer, self._capacity) if len(index.newer) else index.newer
            self._sync()
        self._choose_search(count)

    def _choose_search(self, count: int, *, anew: bool = False) -> None:
        """Have a hash table or a matrix of bits for so many rows, made anew if asked for."""
        domain = self._domain_for(count)
        if domain:
            if anew or domain > self._words[layout.DOMAIN] or not len(self._bits):
                self._bits, self._slots = np.zeros(domain * domain // 64, np.uint64), np.empty(0, np.int32)
                self._words[layout.DOMAIN] = domain
                self._sync()
                kernel.fill_bits(self.store.M, self.number)
        elif anew or len(self._bits) or 2 * count > len(self._slots):
            self._bits, self._slots = np.empty(0, np.uint64), np.zeros(1 << (2 * count).bit_length(), np.int32)
            self._sync()
            kernel.rehash_rows(self.store.M, self.number)

    def _domain_for(self, count: int) -> int:
        """How many rows and columns a matrix of bits would have, if it is worth having; else 0."""
        if self.arity != 2 or not self.uses_bits:
            return 0
        domain = 1 << max(6, (self.store.term_count() - 1).bit_length())
        affordable = domain * domain // 8 <= max(_BYTES_A_FACT * count, min(_EARLY_BYTES, _EARLY_BYTES_A_FACT * count))
        return domain if domain <= LARGEST_DOMAIN and affordable else 0

    @property
    def matrix(self) -> UInt64s | None:
        """The matrix of bits by which pairs are found, if they are."""
        return self._bits.reshape(-1, int(self._words[layout.DOMAIN]) // _WORD) if len(self._bits) else None

    def grow(self) -> None:
        """More room, after the kernel found none."""
        count = self.end
        if count + _WORD <= self._capacity and len(self._bits):
            self.reserve(count)  # an id beyond the matrix
        else:
            self.reserve(2 * count + _WORD)

    # --- rows ------------------------------------------------------------------------------------------------------------

    def insert(self, rows: NDArray[np.int32]) -> int:
        """Append those rows that are not there yet; how many there were."""
        before, done = self.end, 0
        rows = np.ascontiguousarray(rows, np.int32)
        if len(rows) > _FIRST_CAPACITY:
            self.reserve(before + len(rows))
        while (done := kernel.insert_rows(self.store.M, self.number, rows, done)) < len(rows):
            self.grow()
        return self.end - before

    def refill(self, rows: NDArray[np.int32]) -> None:
        """Hold these rows and no others; none of those before may have gone."""
        data, store = np.ascontiguousarray(rows, np.int32), self.store
        done = kernel.refill_table(store.M, store.X, self.number, self._index_numbers(), data)
        if done < len(data):
            self.insert(data[done:])
            self.mark_delta()

    def contains(self, rows: NDArray[np.int32]) -> NDArray[np.bool_]:
        """For each row whether it is there."""
        found = np.empty(len(rows), np.int32)
        kernel.contain_rows(self.store.M, self.number, np.ascontiguousarray(rows, np.int32), found)
        return found.astype(np.bool_)

    def numbers_of(self, rows: NDArray[np.int32]) -> NDArray[np.int32]:
        """The number of each row, or -1 if it is not there; only where rows are found by a hash table."""
        numbers = np.full(len(rows), len(self) - 1, np.int32)  # right if rows have no columns
        if self.arity:
            kernel.number_rows(self.store.M, self.number, np.ascontiguousarray(rows, np.int32), numbers)
        return numbers

    def find_by_number(self) -> None:
        """Let rows have numbers that can be asked for, from now on."""
        self.uses_bits = False
        if len(self._bits):
            self._choose_search(self.end, anew=True)

    def shorten(self, count: int) -> None:
        """Forget the rows from number `count` on: the way back from anything that only appended."""
        if count < self.end:
            for index in self.indexes.values():
                kernel.shorten_index(self.store.M, self.store.X, index.number, count)
            kernel.shorten_table(self.store.M, self.number, count)

    def detach(self) -> dict[str, Any]:
        """Empty the table; what is returned brings its rows back."""
        before = {name: getattr(self, name) for name in ("_rows", "_slots", "_bits", "_capacity")}
        kept: dict[str, Any] = {"words": self._words.copy(), "buffers": before, "indexes": {}}
        for index in self.indexes.values():
            kept["indexes"][index.number] = index.heads, index.next, index.newer, self.store.X[index.number].copy()
            index.heads, index.next = np.zeros(1, np.int32), np.empty(_FIRST_CAPACITY, np.int32)
            index.newer = np.empty(0, np.int32)
            self.store.X[index.number] = 0
        self._begin()
        return kept

    def reattach(self, kept: dict[str, Any]) -> None:
        """The rows as they were when they were set aside."""
        for name, buffer in kept["buffers"].items():
            setattr(self, name, buffer)
        self._words[:] = kept["words"]
        for index in self.indexes.values():
            if index.number in kept["indexes"]:
                index.heads, index.next, index.newer, self.store.X[index.number] = kept["indexes"][index.number]
            else:  # made since then
                index.next = np.empty(self._capacity, np.int32)
                self.forget_index(index)
        self._sync()

    def snapshot(self) -> NDArray[np.int32]:
        """All rows, for somebody who may look at them later and is to see what is there now."""
        rows = self.rows
        self._lent = [lent for lent in self._lent if lent() is not None]
        self._lent.append(weakref.ref(rows))
        return rows

    # --- rows that go ----------------------------------------------------------------------------------------------------

    def remove(self, rows: NDArray[np.int32]) -> Int32s:
        """Remove those rows that are there; their numbers, which `take_back` brings back."""
        if self.arity == 0:
            gone = np.zeros(min(len(rows), len(self)), np.int32)
            self.shorten(0 if len(rows) else self.end)
            return gone[:1]
        self.detach_snapshots()
        first = self.prepare_removal()
        gone, every = np.empty(len(rows), np.int32), _EVERY[: self.arity]
        rows = np.ascontiguousarray(rows, np.int32)
        count = removal.remove_rows(self.store.M, self.store.X, self.number, self._index_numbers(), first, rows, every, gone)
        return gone[:count]

    def detach_snapshots(self) -> None:
        """Let what was handed out stay what it was, and be no more the table's."""
        if self._lent:
            if any(lent() is not None for lent in self._lent):
                self._rows = self._rows.copy()
                self._sync()
            self._lent = []

    def prepare_removal(self) -> int:
        """Have what the kernel needs to find rows and take them out of chains; the index that it finds them by, or -1."""
        first = -1
        if len(self._bits):  # there a row is found along the chain of its first column
            by_first = self.index_on((0,))
            self.mark_delta()
            self.extend_index(by_first)
            first = by_first.number
        for index in self.indexes.values():
            if not len(index.newer):
                index.newer = np.empty(self._capacity, np.int32)
                self._tell_index(index)
                removal.link_newer(self.store.M, self.store.X, self.number, index.number)
        return first

    def take_back(self, end: int, gone: Int32s) -> None:
        """Bring removed rows back and forget those from number `end` on; what finds rows is made anew."""
        if self.arity == 0:
            self.shorten(0)
            self.insert(np.empty((end, 0), np.int32))
            return
        removal.restore_rows(self.store.M, self.number, end, gone)
        self._find_anew()

    def compact(self) -> bool:
        """Give the place of removed rows back if they are many; whether they are, for rows get other numbers then."""
        holes = self.store.M.item(self.number, layout.TOMBSTONES)
        is_worth_it = holes > _MANY_HOLES and 2 * holes > self.end
        if is_worth_it:
            if self.counters is not None:
                firsts = self._rows[: self.end * self.arity : self.arity]
                self.counters = self.counters[:, : self.end][:, firsts >= 0]
            removal.compact(self.store.M, self.number)
            self._find_anew()
        return is_worth_it

    def _find_anew(self) -> None:
        self._choose_search(self.end, anew=True)
        self._sync()
        for index in self.indexes.values():
            self.forget_index(index)


class Store(Matrices):
    """All tables of a knowledge base, and what the kernel sees of them."""

    def __init__(self, terms: Any) -> None:
        """`terms` is the dictionary, whose size tells how ids are found fastest."""
        super().__init__(terms)
        self.tables: list[Table] = []
        self._free: list[int] = []

    def new_table(self, arity: int) -> Table:
        """An empty table."""
        if self._free:
            number = self._free.pop()
            self.tables[number] = Table(self, number, arity)
            return self.tables[number]
        number = len(self.tables)
        if number == len(self.M):
            self.M = np.concatenate([self.M, np.zeros_like(self.M)])
        table = Table(self, number, arity)
        self.tables.append(table)
        return table

    def release(self, table: Table) -> None:
        """Give the places of a table and its indexes to others."""
        self._free.append(table.number)
        self.release_indexes(table.indexes.values())
        table.indexes.clear()
        table.detach()


def _resized(buffer: Int32s, length: int) -> Int32s:
    larger = np.empty(length, np.int32)
    larger[: len(buffer)] = buffer
    return larger
