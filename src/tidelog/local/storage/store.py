"""The store: all tables of a knowledge base, and the numbers by which the kernel knows them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from tidelog.local.storage.budget import MemoryBudget
from tidelog.local.storage.indexes import Matrices
from tidelog.local.storage.tables import Table


class Store(Matrices):
    """All tables of a knowledge base, and the matrices M and X."""

    def __init__(self, terms: Any, budget: MemoryBudget | None = None) -> None:
        """`terms` is the dictionary; its size decides between direct and hashed access by id.  `budget` is asked for memory."""
        super().__init__(terms, budget)
        self.tables: list[Table] = []
        self._free: dict[int, None] = {}

    def new_table(self, arity: int, *, is_timed: bool = False) -> Table:
        """Create an empty table; `is_timed` if it is to note when rows come."""
        if self._free:
            number = self._free.popitem()[0]
            self.tables[number] = Table(self, number, arity, is_timed=is_timed)
            return self.tables[number]
        number = len(self.tables)
        if number == len(self.M):
            self.M = np.concatenate([self.M, np.zeros_like(self.M)])
        table = Table(self, number, arity, is_timed=is_timed)
        self.tables.append(table)
        return table

    def release(self, table: Table) -> None:
        """Free the numbers of a table and its indexes for reuse; a second time changes nothing."""
        self.release_indexes(table.all_indexes)
        table.indexes, table.orders = {}, {}
        table.empty()
        self._free[table.number] = None

    def keep_only(self, tables: Collection[Table]) -> None:
        """Release all tables but these, and all numbers that an exception has left without an owner."""
        kept = {table.number for table in tables}
        for table in self.tables:
            if table.number not in kept and table.number not in self._free:
                self.release(table)
        self.keep_indexes({index.number for table in tables for index in table.all_indexes})
