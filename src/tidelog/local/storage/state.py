"""What a knowledge base holds: the dictionary, and a table or virtual relation for each relation.

Explicit facts of a relation with rules are kept in a table of their own as well (`explicit`), so that the unit can be
rematerialised.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int64s
from tidelog.core.rules import Core
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.kernel.closures import virtual_access as kernel
from tidelog.local.storage.budget import MemoryBudget
from tidelog.local.storage.dictionary import Dictionary
from tidelog.local.storage.pairs.places import Places
from tidelog.local.storage.store import Store
from tidelog.local.storage.tables import Table


class Follower(Protocol):
    """What is kept beside the tables, such as the members of large groups in order."""

    @property
    def nbytes(self) -> int:
        """The memory that it takes."""


class State:
    """All facts, in the form in which the kernel works on them."""

    def __init__(self, terms: Dictionary | None = None) -> None:
        owner = weakref.proxy(self)  # no cycle of references, in which buffers would outlive the state
        self.budget = MemoryBudget(lambda: owner._bytes())  # noqa: PLW0108 - a method would hold the state
        self.terms = Dictionary(self.budget) if terms is None else terms
        self.terms.budget = self.budget
        self.store = Store(self.terms, self.budget)
        self.tables: dict[str, Table] = {}
        self.explicit: dict[str, Table] = {}
        self._is_shared = False
        """Whether an undo log holds these two dictionaries, too: then they are copied before anything changes in them."""
        self.virtual: dict[str, VirtualRelation] = {}
        self.helpers: dict[str, Table] = {}
        """Tables beside the relations that an update fills; they keep their places and their indexes for the next one."""
        self.filled: set[tuple[str, bool]] = set()
        """Relations whose tables `#plus` (True) or `#minus` (False) may not be empty (`maintenance.deltas`)."""
        self.answered: dict[str, int] = {}
        """For each relation of requested arguments, for how many the function has been computed."""
        self.calls = 0
        """How many results of functions have been computed since the last look for unused terms (`term_collection`)."""
        self.kept = self.next_look = 0
        """How many terms there were after that look; how many terms and calls there must be for the next one."""
        self.explicit_version = 0
        """Another number whenever there are other tables of explicit facts."""
        self.rollbacks = 0
        """How often tables have been restored: what follows their rows from one update to the next must begin anew."""
        self.followers: weakref.WeakSet[Follower] = weakref.WeakSet()
        """What is kept beside the tables and follows their rows; it counts as memory."""
        self.V: Int64s = np.zeros((0, kernel.VIRTUAL_WIDTH), np.int64)
        self._numbers: dict[str, int] = {}
        """The rows of `V`; a relation keeps its row, for plans that are kept name it by that."""

    def clone(self) -> State:
        """An independent copy; virtual relations are immutable, and the dictionary is copied when a value is added."""
        result, numberings = State(self.terms.clone()), dict[int, Places]()
        for name, table in self.tables.items():
            result.tables[name] = table.copy_to(result.store.new_table(table.arity, is_timed=True), numberings)
        result.store.clock[:] = self.store.clock
        for name, table in self.explicit.items():
            result.explicit[name] = table.copy_to(result.store.new_table(table.arity), numberings)
        result.answered = dict(self.answered)
        result.calls, result.kept, result.next_look = self.calls, self.kept, self.next_look
        for name, relation in self.virtual.items():
            result.set_virtual(name, relation.copied())
        return result

    def abandon(self) -> None:
        """End of its life: break cycles of references, in which buffers would outlive it.  Results may hold the dictionary."""
        self.store.tables = []
        self.budget = self.terms.budget = self.store.budget = MemoryBudget(lambda: 0)

    def prepare(self, core: Core) -> None:
        """Tables for all relations of a program."""
        for name, arity in core.arities.items():
            if name not in core.given:
                self.ensure_table(name, arity)

    def ensure_table(self, name: str, arity: int) -> Table:
        """The table of a relation, made if need be."""
        if name not in self.tables:
            self._own()
            self.tables[name] = self.store.new_table(arity, is_timed=True)
        return self.tables[name]

    def take_table(self, name: str) -> Table:
        """Let a relation have no table any more; the one it had."""
        self._own()
        return self.tables.pop(name)

    def take_explicit(self, name: str) -> Table | None:
        """Let a relation have no table of explicit facts any more; the one it had."""
        self._own()
        self.explicit_version += 1
        return self.explicit.pop(name, None)

    def share(self) -> tuple[dict[str, Table], dict[str, Table]]:
        """The tables as they are now, and those of explicit facts: dictionaries that nobody changes any more."""
        self._is_shared = True
        return self.tables, self.explicit

    def restore(self, tables: dict[str, Table], explicit: dict[str, Table]) -> None:
        """Let the tables be those that `share` gave once."""
        self._is_shared = True
        self.tables, self.explicit = tables, explicit
        self.explicit_version += 1

    def repair(self) -> None:
        """Mend what an exception has left between two steps, so that the kernel may work on it."""
        self.terms.finish_growing()
        for table in self.store.tables:
            table.repair()

    def release_unowned(self) -> None:
        """Release all helpers, and all tables that nobody owns: after an exception there may be any."""
        self.helpers, self.filled = {}, set()
        self.store.keep_only([*self.tables.values(), *self.explicit.values()])

    def _own(self) -> None:
        if self._is_shared:
            self.tables, self.explicit, self._is_shared = dict(self.tables), dict(self.explicit), False

    def table(self, name: str) -> Table:
        """The table of a stored relation, or a helper."""
        return self.tables[name] if name in self.tables else self.helpers[name]

    def stored(self, name: str) -> Table | VirtualRelation:
        """What holds the facts of a relation."""
        return self.virtual[name] if name in self.virtual else self.table(name)

    def helper(self, name: str, arity: int, rows: NDArray[np.int32] | None = None) -> Table:
        """An empty table beside the relations, or one with some rows."""
        if name not in self.helpers:
            self.helpers[name] = self.store.new_table(arity)
            self.helpers[name].uses_bits = False  # small, and emptied again and again
        table = self.helpers[name]
        assert table.arity == arity, name  # plans that are kept name it by its number
        table.refill(rows if rows is not None else np.empty((0, arity), np.int32))
        return table

    def explicit_table(self, name: str) -> Table:
        """The table of the facts that the user gave of a relation with rules."""
        if name not in self.explicit:
            self._own()
            self.explicit[name] = self.store.new_table(self.tables[name].arity)
            self.explicit_version += 1
        return self.explicit[name]

    def drop_helpers(self, names: Iterable[str]) -> None:
        """Release helper tables; no plan may be left that uses them."""
        for name in names:
            if name in self.helpers:
                self.store.release(self.helpers.pop(name))

    def drop_delta_tables(self, relations: Iterable[str]) -> None:
        """Release the delta tables of relations that nobody reads any more."""
        self.drop_helpers(f"#{role} {name}" for name in relations for role in ("plus", "minus", "marked"))

    def isin_rows(self, rows: NDArray[np.int32], others: NDArray[np.int32]) -> NDArray[np.bool_]:
        """As `core.arrays.isin_rows`, by the hash table of a scratch table: nothing is sorted, which counts in small updates."""
        width = rows.shape[1]
        if not len(rows) or not len(others) or others.shape[1] != width:
            return np.zeros(len(rows), np.bool_)
        others = np.ascontiguousarray(others)
        return self.helper(f"#scratch {width}", width, others).contains(np.ascontiguousarray(rows))

    def set_virtual(self, name: str, relation: VirtualRelation) -> None:
        """Let a virtual relation be what it now is."""
        relation.activate()
        if self.budget.limit is not None:
            self.budget.ask(relation.nbytes)
        self.virtual[name] = relation
        number = self.number_of(name)  # which may make `V` larger
        self.V[number] = relation.words

    def _bytes(self) -> int:
        """The memory of all buffers."""
        tables = sum(table.nbytes for table in self.store.tables)
        others = sum(thing.nbytes for thing in (*self.virtual.values(), *self.followers))
        return self.terms.nbytes + tables + others + self.store.numberings.nbytes

    def trim(self) -> None:
        """Give back what tables have grown for, after an evaluation that reached the limit on memory was rolled back."""
        self.budget.was_reached = False
        for table in (*self.tables.values(), *self.explicit.values(), *self.helpers.values()):
            table.trim()

    def number_of(self, name: str) -> int:
        """The row of `V` of a virtual relation."""
        number = self._numbers.setdefault(name, len(self._numbers))
        if number >= len(self.V):
            self.V = np.concatenate([self.V, np.zeros((1 + number, kernel.VIRTUAL_WIDTH), np.int64)])
        return number

    def count_loops(self, name: str) -> None:
        """Let the kernel know whether a virtual relation has pairs (x, x)."""
        relation = self.virtual[name]
        if relation.words[kernel.LOOPS] < 0:
            relation.count_loops()
            self.V[self.number_of(name)] = relation.words
