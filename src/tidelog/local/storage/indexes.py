"""Indexes: the rows of a table by some columns, as chains of rows with equal keys, newest first; and in the order of a column.

The kernel walks and extends the chains.  Every table has a row in the matrix `M`, every index one in `X`; `kernel.layout` names
their words.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Int64s, UInt64s
from tidelog.local.kernel import layout
from tidelog.local.kernel import table_rows as kernel
from tidelog.local.kernel.memory import address_of
from tidelog.local.kernel.rows import row_chains, row_order
from tidelog.local.storage.budget import DROPPED, MemoryBudget
from tidelog.local.storage.pairs.places import Numberings

LEAST_TAIL = row_order.LEAST_TAIL
_PIECE = 1 << 20
"""Rows indexed between two polls."""


class Matrices:
    """The matrices M and X, which describe all tables and indexes of a knowledge base to the kernel."""

    def __init__(self, terms: Any, budget: MemoryBudget | None = None) -> None:
        """`terms` is the dictionary; its size decides between direct and hashed access by id.  `budget` is asked for memory."""
        self.terms, self.budget = terms, budget or MemoryBudget(lambda: 0)
        self.M: Int64s = np.zeros((16, layout.TABLE_WIDTH), np.int64)
        self.X: Int64s = np.zeros((16, layout.INDEX_WIDTH), np.int64)
        self.numberings = Numberings()
        self.clock: Int64s = np.zeros(1, np.int64)
        """When rows come (`kernel.rows.row_times`)."""
        self._index_count = 0
        self._free_indexes: dict[int, None] = {}

    def term_count(self) -> int:
        """The number of ids."""
        return max(1, len(self.terms))

    def release_indexes(self, indexes: Iterable[Index | OrderedIndex]) -> None:
        """Free the numbers of indexes for reuse; a second time changes nothing."""
        self._free_indexes.update((index.number, None) for index in indexes)

    def keep_indexes(self, numbers: Collection[int]) -> None:
        """Free all numbers but these."""
        self._free_indexes = {number: None for number in range(self._index_count) if number not in numbers}

    def new_index(self) -> int:
        """Reserve the number of a new index."""
        if self._free_indexes:
            number = self._free_indexes.popitem()[0]
            self.X[number] = 0
            return number
        if self._index_count == len(self.X):
            self.X = np.concatenate([self.X, np.zeros_like(self.X)])
        self._index_count += 1
        return self._index_count - 1


class Index:
    """The buffers of one index: the head of each chain, and links to the next older and next newer row."""

    def __init__(self, number: int, columns: tuple[int, ...], capacity: int) -> None:
        self.number, self.columns = number, columns
        self.key_columns: Int32s = np.array(columns, np.int32)
        self.heads: Int32s = np.zeros(1, np.int32)
        self.next: Int32s = np.empty(capacity, np.int32)
        self.newer: Int32s = np.empty(0, np.int32)
        """Filled from the first deletion on."""

    @property
    def nbytes(self) -> int:
        """The memory of its buffers."""
        return self.heads.nbytes + self.next.nbytes + self.newer.nbytes


class OrderedIndex:
    """The run of an ordered index: its rows by some columns, and then by the value of another (`kernel.rows.row_order`)."""

    def __init__(self, number: int, columns: tuple[int, ...], range_column: int) -> None:
        self.number, self.columns, self.range_column = number, columns, range_column
        self.key_columns: Int32s = np.array(columns, np.int32)
        self.run: Int64s = np.empty((row_order.ENTRY, 0), np.int64)


class Indexed:
    """A table's rows and indexes: the base of `Table`."""

    _rows: Int32s
    _slots: Int32s
    _bits: UInt64s
    _removed: Int32s
    _times: Int64s
    _pair_rows: Int32s
    _capacity: int
    is_torn = False
    """Whether buffers and words are being changed together; where an exception came in between, `Table.repair` is next."""

    def __init__(self, store: Matrices, number: int, arity: int) -> None:
        self.store, self.number, self.arity = store, number, arity
        self.indexes: dict[tuple[int, ...], Index] = {}
        self.orders: dict[tuple[tuple[int, ...], int], OrderedIndex] = {}
        self._numbers: Int32s = np.empty(0, np.int32)

    @property
    def _words(self) -> Int64s:
        """The table's row of `M`."""
        words: Int64s = self.store.M[self.number]
        return words

    @property
    def nbytes(self) -> int:
        """The memory of its buffers."""
        own = self._rows.nbytes + self._slots.nbytes + self._bits.nbytes + self._removed.nbytes
        own += self._times.nbytes + self._pair_rows.nbytes
        return (
            own + sum(index.nbytes for index in self.indexes.values()) + sum(order.run.nbytes for order in self.orders.values())
        )

    def _buffers_a_row(self) -> int:
        """How many 32-bit words a row takes, without the slots that find it."""
        return self.arity + bool(len(self._removed)) + sum(1 + bool(len(index.newer)) for index in self.indexes.values())

    def _cut(self, capacity: int) -> None:
        """Copy the buffers of rows to smaller ones; the caller tells the kernel their addresses."""
        self._capacity = capacity
        self._rows, self._removed = self._rows[: capacity * self.arity].copy(), self._removed[:capacity].copy()
        for index in self.indexes.values():
            index.next = index.next[:capacity].copy()

    def mark_delta(self, old: int | None = None) -> None:
        """Make all rows visible to rules; the delta is the rows from number `old` on, or empty."""
        words = self._words
        words[layout.ALL] = words[layout.COUNT]
        words[layout.OLD] = words[layout.COUNT] if old is None else old

    def _sync_index(self, index: Index) -> None:
        words = self.store.X[index.number]
        words[layout.TABLE] = self.number
        words[layout.HEADS], words[layout.HEAD_COUNT] = address_of(index.heads), len(index.heads)
        words[layout.NEXT] = address_of(index.next)
        words[layout.NEWER] = address_of(index.newer) if len(index.newer) else 0
        words[layout.KEY_COUNT], words[layout.KEY_COLUMNS] = len(index.columns), address_of(index.key_columns)

    @property
    def all_indexes(self) -> Iterator[Index | OrderedIndex]:
        """The indexes with chains, then those in order."""
        return chain(self.indexes.values(), self.orders.values())

    def _index_numbers(self) -> Int32s:
        if len(self._numbers) != len(self.indexes) + len(self.orders):
            self._numbers = np.array([index.number for index in self.all_indexes], np.int32)
        return self._numbers

    def distinct_keys(self, columns: Sequence[int]) -> int:
        """The number of distinct keys in the index on some columns; 0 without an index."""
        index = self.indexes.get(tuple(columns))
        return int(self.store.X[index.number, layout.DISTINCT]) if index is not None else 0

    def index_on(self, columns: Sequence[int]) -> Index:
        """The index on some columns, created if need be; empty until the next `extend_index`."""
        key = tuple(columns)
        if key not in self.indexes:
            self.store.budget.ask(4 * self._capacity)
            index = Index(self.store.new_index(), key, self._capacity)
            self.indexes[key] = index
            self._sync_index(index)
        return self.indexes[key]

    def rows_with_keys(self, columns: Sequence[int], keys: NDArray[np.int32]) -> NDArray[np.int32]:
        """The rows with one of some distinct keys in these columns, by one index probe per key."""
        index, first = self._newest_rows(columns, keys)
        found = np.empty(len(first), np.int32)  # a declared key has one row
        count = row_chains.rows_in_chains(index.next, first, found)
        if count > len(found):
            found = np.empty(count, np.int32)
            row_chains.rows_in_chains(index.next, first, found)
        rows: NDArray[np.int32] = self._rows.reshape(self._capacity, self.arity)[found[:count]]
        return rows

    def have_keys(self, columns: Sequence[int], keys: NDArray[np.int32]) -> NDArray[np.bool_]:
        """For each key whether a row has it in these columns."""
        return self.newest_with_keys(columns, keys) >= 0

    def newest_with_keys(self, columns: Sequence[int], keys: NDArray[np.int32]) -> Int32s:
        """For each key the number of the newest row that has it in these columns, or -1."""
        return self._newest_rows(columns, keys)[1]

    def _newest_rows(self, columns: Sequence[int], keys: NDArray[np.int32]) -> tuple[Index, Int32s]:
        """The index on some columns, up to date, and for each key the newest row that has it, or -1."""
        index = self.index_on(columns)
        self.mark_delta()
        self.extend_index(index)
        found = np.empty(len(keys), np.int32)
        kernel.newest_rows(self.store.M, self.store.X, index.number, np.ascontiguousarray(keys, np.int32), found)
        return index, found

    def clear_index(self, index: Index) -> None:
        """Empty an index, until the next `extend_index`."""
        DROPPED.note(index.heads.nbytes)
        was_torn, self.is_torn = self.is_torn, True
        index.heads, index.newer = np.zeros(1, np.int32), np.empty(0, np.int32)
        if len(index.next) != self._capacity:
            index.next = np.empty(self._capacity, np.int32)
        self.store.X[index.number] = 0
        self._sync_index(index)
        self.is_torn = was_torn

    def extend_index(self, index: Index | OrderedIndex, poll: Callable[[], None] = lambda: None) -> None:
        """Enter all visible rows into an index, with polls in between; a poll may raise."""
        if isinstance(index, OrderedIndex):
            self._extend_order(index)
            return
        count = int(self._words[layout.ALL])
        words = self.store.X[index.number]
        if words[layout.UPTO] < count:
            self._make_room(index, words, count)
            for upto in range(int(words[layout.UPTO]) + _PIECE, count, _PIECE):
                kernel.extend_index(self.store.M, self.store.X, index.number, upto)
                poll()
            kernel.extend_index(self.store.M, self.store.X, index.number, count)

    def make_room_in_index(self, index: Index) -> None:
        """Size an index for the table's capacity, so that the kernel can extend it by itself."""
        self._make_room(index, self.store.X[index.number], self._capacity)
        if self.store.X[index.number, layout.UPTO] == 0:
            kernel.extend_index(self.store.M, self.store.X, index.number, int(self._words[layout.ALL]))

    def _make_room(self, index: Index, words: Int64s, count: int) -> None:
        """Allocate heads for `count` keys: one per id if the index has one column and ids are few, else a hash table."""
        ids = self.store.term_count()
        was_direct = bool(words[layout.IS_DIRECT])
        is_direct = len(index.columns) == 1 and ids <= (16 if was_direct else 2) * count + 4096  # hysteresis
        if is_direct:
            if was_direct and len(index.heads) >= ids:
                return
            length = 2 * ids
        else:
            if not was_direct and len(index.heads) >= 2 * count:
                return
            length = 1 << (2 * count + 30).bit_length()
        self.store.budget.ask(4 * (length - len(index.heads)))
        heads = np.zeros(length, np.int32)
        DROPPED.note(index.heads.nbytes)
        self.is_torn = True
        if is_direct and was_direct:
            heads[: len(index.heads)] = index.heads
        else:
            words[layout.UPTO] = words[layout.DISTINCT] = 0
        index.heads, words[layout.IS_DIRECT] = heads, is_direct
        self._sync_index(index)
        self.is_torn = False

    # --- order -----------------------------------------------------------------------------------------------------------

    def order_on(self, columns: Sequence[int], range_column: int) -> OrderedIndex:
        """The index on some columns and the order of another, created if need be; empty until the next `extend_index`."""
        key = tuple(columns), range_column
        if key not in self.orders:
            self.orders[key] = OrderedIndex(self.store.new_index(), *key)
            self._clear_order(self.orders[key])
        return self.orders[key]

    def _clear_order(self, index: OrderedIndex) -> None:
        """Empty an ordered index: all rows are its tail."""
        words = self.store.X[index.number]
        words[layout.SORTED] = 0
        words[layout.TABLE], words[layout.RANGE_COLUMN] = self.number, index.range_column + 1
        words[layout.KEY_COUNT], words[layout.KEY_COLUMNS] = len(index.columns), address_of(index.key_columns)

    def _clear_orders(self) -> None:
        for index in self.orders.values():
            self._clear_order(index)

    def _extend_order(self, index: OrderedIndex) -> None:
        """Make the run anew if the tail has become long."""
        store, words = self.store, self.store.X[index.number]
        before, count = int(words[layout.SORTED]), int(self._words[layout.ALL])
        if count - before <= LEAST_TAIL or (count - before) ** 2 <= before:
            return
        store.budget.ask(8 * row_order.ENTRY * count)
        DROPPED.note(2 * index.run.nbytes)  # and what is in between
        given = store.M, store.X, store.terms.header, index.number
        fresh: Int64s = np.empty((row_order.ENTRY, count - before), np.int64)
        row_order.find_keys(*given, fresh, np.empty(len(index.columns) + 1, np.int32))
        keys, groups = fresh[row_order.KEY], fresh[row_order.GROUP]
        fresh = np.take(fresh, np.lexsort((keys, groups)) if index.columns else np.argsort(keys), axis=1)
        row_order.settle_ties(*given, fresh, np.empty(count - before, np.int64))
        run = fresh
        if before:
            run = np.empty((row_order.ENTRY, count), np.int64)
            row_order.merge(*given, fresh, run)
        words[layout.SORTED] = 0
        index.run = run
        words[layout.RUN], words[layout.RUN_ROOM] = address_of(run), count
        words[layout.SORTED] = count
