"""Tables: the rows of a relation, how they are found, and their indexes.  Python owns the buffers and makes them larger.

Buffers live in `Store`, one for a knowledge base: the matrices `M` and `X` tell the kernel where they are.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tidelog.local.kernel import layout, removal
from tidelog.local.kernel import tables as kernel
from tidelog.local.kernel.memory import Int32s, Int64s, UInt64s

LARGEST_DOMAIN = 1 << 15
"""A matrix of bits has at most that many rows and columns: 128 MiB."""
_BYTES_A_FACT = 16
"""A matrix of bits may take that much memory for each fact: about what a hash table takes ..."""
_EARLY_BYTES_A_FACT, _EARLY_BYTES = 1024, 16 << 20
"""... or that much, up to 16 MiB: most relations that are worth it grow, and the hash table would be in vain."""
_FIRST_CAPACITY = 32
_MANY_HOLES = 4096
_PIECE = 1 << 20
"""Rows that are indexed between two looks at limits and Ctrl-C."""
_WORD = 64
"""The kernel appends up to that many rows at once, and asks for room if there is less."""


_EVERY = np.arange(1 << 16, dtype=np.int32)
"""All columns there may be."""


class Index:
    """The rows of a table by some of their columns."""

    def __init__(self, number: int, columns: tuple[int, ...], capacity: int) -> None:
        self.number, self.columns = number, columns
        self.key_columns: Int32s = np.array(columns, np.int32)
        self.heads: Int32s = np.zeros(1, np.int32)
        self.next: Int32s = np.empty(capacity, np.int32)
        self.newer: Int32s = np.empty(0, np.int32)
        """Filled from the first removal on."""


class Table:
    """The rows of one relation."""

    uses_bits = True
    """Whether pairs may be found by a matrix of bits."""
    counters: NDArray[np.int32] | None = None
    """Numbers beside the rows (`counting`), of which nobody here knows more than that they belong to them."""

    def __init__(self, store: Store, number: int, arity: int) -> None:
        self.store, self.number, self.arity = store, number, arity
        self.indexes: dict[tuple[int, ...], Index] = {}
        self._lent: list[weakref.ref[Int32s]] = []
        self._numbers: Int32s = np.empty(0, np.int32)
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
        self._tell()

    @property
    def _words(self) -> Int64s:
        """The table's row of `M`."""
        words: Int64s = self.store.M[self.number]
        return words

    def __len__(self) -> int:
        return int(self._words[layout.COUNT] - self._words[layout.HOLES])

    @property
    def end(self) -> int:
        """The number that the next row will have; rows that have gone keep theirs."""
        return int(self.store.M[self.number, layout.COUNT])

    def length_of(self, span: int) -> int:
        """How many rows a loop over a span sees."""
        words = self._words
        if span == layout.DELTA:
            return int(words[layout.ALL] - words[layout.OLD])
        return int(words[layout.OLD if span == layout.BEFORE else layout.ALL])

    def show_all(self, old: int | None = None) -> None:
        """Let rules see all rows; the delta is the rows from number `old` on, and without one there is none."""
        words = self._words
        words[layout.ALL] = words[layout.COUNT]
        words[layout.OLD] = words[layout.COUNT] if old is None else old

    @property
    def rows(self) -> NDArray[np.int32]:
        """All rows, as a matrix that must not be changed."""
        return self.rows_from(0)

    def rows_from(self, begin: int) -> NDArray[np.int32]:
        """The rows from a number on, without those that have gone."""
        end = self.end
        rows: NDArray[np.int32] = self._rows[begin * self.arity : end * self.arity].reshape(end - begin, self.arity)
        return rows[rows[:, 0] >= 0] if self._words[layout.HOLES] else rows

    def appended_since(self, begin: int) -> NDArray[np.int32]:
        """A copy of the rows from a number on, of which none has gone."""
        end, arity = self.end, self.arity
        return self._rows[begin * arity : end * arity].reshape(end - begin, arity).copy()

    @property
    def size_in_bytes(self) -> int:
        """The memory of all buffers, as far as they are in use."""
        indexes = sum(index.heads.nbytes + 4 * len(self) for index in self.indexes.values())
        return 4 * len(self) * self.arity + self._slots.nbytes + self._bits.nbytes + indexes

    def _tell(self) -> None:
        """Tell the kernel where the buffers are."""
        words = self._words
        words[layout.CAPACITY], words[layout.ROWS] = self._capacity, self._rows.ctypes.data
        words[layout.SLOTS], words[layout.SLOT_COUNT] = self._slots.ctypes.data, len(self._slots)
        words[layout.BITS] = self._bits.ctypes.data if len(self._bits) else 0
        for index in self.indexes.values():
            self._tell_index(index)

    def _tell_index(self, index: Index) -> None:
        words = self.store.X[index.number]
        words[layout.TABLE] = self.number
        words[layout.HEADS], words[layout.HEAD_COUNT] = index.heads.ctypes.data, len(index.heads)
        words[layout.NEXT] = index.next.ctypes.data
        words[layout.NEWER] = index.newer.ctypes.data if len(index.newer) else 0
        words[layout.KEY_COUNT], words[layout.KEY_COLUMNS] = len(index.columns), index.key_columns.ctypes.data

    # --- growing ---------------------------------------------------------------------------------------------------------

    def reserve(self, count: int) -> None:
        """Make room for so many rows, and choose how they are found."""
        if count > self._capacity:
            self._capacity = max(count, 2 * self._capacity)
            self._rows = _resized(self._rows, self._capacity * self.arity)
            for index in self.indexes.values():
                index.next = _resized(index.next, self._capacity)
                index.newer = _resized(index.newer, self._capacity) if len(index.newer) else index.newer
            self._tell()
        self._choose_search(count)

    def _choose_search(self, count: int, *, anew: bool = False) -> None:
        """Have a hash table or a matrix of bits for so many rows, made anew if asked for."""
        domain = self._domain_for(count)
        if domain:
            if anew or domain > self._words[layout.DOMAIN] or not len(self._bits):
                self._bits, self._slots = np.zeros(domain * domain // 64, np.uint64), np.empty(0, np.int32)
                self._words[layout.DOMAIN] = domain
                self._tell()
                kernel.fill_bits(self.store.M, self.number)
        elif anew or len(self._bits) or 2 * count > len(self._slots):
            self._bits, self._slots = np.empty(0, np.uint64), np.zeros(1 << (2 * count).bit_length(), np.int32)
            self._tell()
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

    def set_aside(self) -> dict[str, Any]:
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

    def bring_back(self, kept: dict[str, Any]) -> None:
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
        self._tell()

    def lend(self) -> NDArray[np.int32]:
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
        if self._lent:
            if any(lent() is not None for lent in self._lent):
                self._rows = self._rows.copy()  # what was handed out stays what it was
                self._tell()
            self._lent = []
        first = -1
        if len(self._bits):  # there a row is found along the chain of its first column
            by_first = self.index_on((0,))
            self.show_all()
            self.extend_index(by_first)
            first = by_first.number
        for index in self.indexes.values():
            if not len(index.newer):
                index.newer = np.empty(self._capacity, np.int32)
                self._tell_index(index)
                removal.link_back(self.store.M, self.store.X, self.number, index.number)
        if len(self._numbers) != len(self.indexes):
            self._numbers = np.array([index.number for index in self.indexes.values()], np.int32)
        gone, every = np.empty(len(rows), np.int32), _EVERY[: self.arity]
        rows = np.ascontiguousarray(rows, np.int32)
        count = removal.remove_rows(self.store.M, self.store.X, self.number, self._numbers, first, rows, every, gone)
        return gone[:count]

    def take_back(self, end: int, gone: Int32s) -> None:
        """Bring removed rows back and forget those from number `end` on; what finds rows is made anew."""
        if self.arity == 0:
            self.shorten(0)
            self.insert(np.empty((end, 0), np.int32))
            return
        removal.take_back(self.store.M, self.number, end, gone)
        self._find_anew()

    def close_holes(self) -> bool:
        """Give the place of removed rows back if they are many; whether they are, for rows get other numbers then."""
        holes = int(self._words[layout.HOLES])
        is_worth_it = holes > _MANY_HOLES and 2 * holes > self.end
        if is_worth_it:
            if self.counters is not None:
                firsts = self._rows[: self.end * self.arity : self.arity]
                self.counters = self.counters[:, : self.end][:, firsts >= 0]
            removal.close_holes(self.store.M, self.number)
            self._find_anew()
        return is_worth_it

    def _find_anew(self) -> None:
        self._choose_search(self.end, anew=True)
        self._tell()
        for index in self.indexes.values():
            self.forget_index(index)

    # --- indexes ---------------------------------------------------------------------------------------------------------

    def distinct_keys(self, columns: Sequence[int]) -> int:
        """How many keys the index on some columns has; 0 if there is none, or nothing in it."""
        index = self.indexes.get(tuple(columns))
        return int(self.store.X[index.number, layout.DISTINCT]) if index is not None else 0

    def index_on(self, columns: Sequence[int]) -> Index:
        """The index on some columns, made if need be; it holds nothing until the next `extend_index`."""
        key = tuple(columns)
        if key not in self.indexes:
            index = Index(self.store.new_index(), key, self._capacity)
            self.indexes[key] = index
            self._tell_index(index)
        return self.indexes[key]

    def rows_with_keys(self, columns: Sequence[int], keys: NDArray[np.int32]) -> NDArray[np.int32]:
        """The rows that have one of some different keys in these columns, by one probe of an index for each key."""
        index = self.index_on(columns)
        self.show_all()
        self.extend_index(index)
        found = np.empty(len(keys), np.int32)
        kernel.newest_rows(self.store.M, self.store.X, index.number, np.ascontiguousarray(keys, np.int32), found)
        rows, numbers = self._rows.reshape(self._capacity, self.arity), found[found >= 0]
        pieces = [rows[numbers]]
        while len(numbers):  # along all chains at once; where keys are kept, each has one row
            numbers = index.next[numbers] - 1
            numbers = numbers[numbers >= 0]
            pieces += [rows[numbers]] if len(numbers) else []
        return np.concatenate(pieces)

    def have_keys(self, columns: Sequence[int], keys: NDArray[np.int32]) -> NDArray[np.bool_]:
        """For each key whether any row has it in these columns."""
        index = self.index_on(columns)
        self.show_all()
        self.extend_index(index)
        found = np.empty(len(keys), np.int32)
        kernel.newest_rows(self.store.M, self.store.X, index.number, np.ascontiguousarray(keys, np.int32), found)
        return found >= 0

    def forget_index(self, index: Index) -> None:
        """Let an index hold nothing until the next `extend_index`."""
        index.heads, index.newer = np.zeros(1, np.int32), np.empty(0, np.int32)
        self.store.X[index.number] = 0
        self._tell_index(index)

    def extend_index(self, index: Index, look: Callable[[], None] = lambda: None) -> None:
        """Enter all rows but those that are just being derived into an index; `look` is called now and then, and may raise."""
        count = int(self._words[layout.ALL])
        words = self.store.X[index.number]
        if words[layout.UPTO] < count:
            self._make_room(index, words, count)
            for upto in range(int(words[layout.UPTO]) + _PIECE, count, _PIECE):
                kernel.extend_index(self.store.M, self.store.X, index.number, upto)
                look()
            kernel.extend_index(self.store.M, self.store.X, index.number, count)

    def make_room_in_index(self, index: Index) -> None:
        """Let the kernel extend an index by itself as far as the table has room."""
        self._make_room(index, self.store.X[index.number], self._capacity)
        if self.store.X[index.number, layout.UPTO] == 0:
            kernel.extend_index(self.store.M, self.store.X, index.number, int(self._words[layout.ALL]))

    def _make_room(self, index: Index, words: Int64s, count: int) -> None:
        """Heads for all keys there may be: one for each id if the index has one column and ids are not too many, else hashed."""
        ids = self.store.term_count()
        was_direct = bool(words[layout.IS_DIRECT])
        is_direct = len(index.columns) == 1 and ids <= (16 if was_direct else 2) * count + 4096  # no going back and forth
        if is_direct:
            if was_direct and len(index.heads) >= ids:
                return
            length = 2 * ids
        else:
            if not was_direct and len(index.heads) >= 2 * count:
                return
            length = 1 << (2 * count + 30).bit_length()
        if is_direct and was_direct:
            heads = np.zeros(length, np.int32)
            heads[: len(index.heads)] = index.heads
            index.heads = heads
        else:
            index.heads = np.zeros(length, np.int32)
            words[layout.UPTO] = words[layout.DISTINCT] = 0
        words[layout.IS_DIRECT] = is_direct
        self._tell_index(index)


class Store:
    """All tables of a knowledge base, and what the kernel sees of them."""

    def __init__(self, terms: Any) -> None:
        """`terms` is the dictionary, whose size tells how ids are found fastest."""
        self.terms = terms
        self.tables: list[Table] = []
        self.M: Int64s = np.zeros((16, layout.TABLE_WIDTH), np.int64)
        self.X: Int64s = np.zeros((16, layout.INDEX_WIDTH), np.int64)
        self._index_count = 0
        self._free: list[int] = []
        self._free_indexes: list[int] = []

    def term_count(self) -> int:
        """How many ids there are."""
        return max(1, len(self.terms))

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
        self._free_indexes += [index.number for index in table.indexes.values()]
        table.indexes.clear()
        table.set_aside()

    def new_index(self) -> int:
        """The number of a new index."""
        if self._free_indexes:
            number = self._free_indexes.pop()
            self.X[number] = 0
            return number
        if self._index_count == len(self.X):
            self.X = np.concatenate([self.X, np.zeros_like(self.X)])
        self._index_count += 1
        return self._index_count - 1


def _resized(buffer: Int32s, length: int) -> Int32s:
    larger = np.empty(length, np.int32)
    larger[: len(buffer)] = buffer
    return larger
