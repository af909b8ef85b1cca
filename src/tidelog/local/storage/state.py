"""What a knowledge base holds: the dictionary, a table or virtual relation for each relation, and the way back.

Facts that the user gives of a relation with rules are kept apart as well (`explicit`), so that what the rules derive can be
derived anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Int64s
from tidelog.core.rules import Core
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.kernel import layout
from tidelog.local.kernel.closures import virtual_access as kernel
from tidelog.local.storage.dictionary import Dictionary
from tidelog.local.storage.replacements import Version
from tidelog.local.storage.tables import Store, Table

_KEPT, _KEPT_A_RELATION = 4_000, 64
"""So many rules that were made from others are kept from one update to the next, and so many more for each relation."""


class State:
    """All facts, in the form in which the kernel works on them."""

    def __init__(self) -> None:
        self.terms = Dictionary()
        self.store = Store(self.terms)
        self.tables: dict[str, Table] = {}
        self.explicit: dict[str, Table] = {}
        self._is_shared = False
        """Whether a way back holds these two dictionaries, too: then others take their place before anything changes in them."""
        self.virtual: dict[str, VirtualRelation] = {}
        self.helpers: dict[str, Table] = {}
        """Tables that an update needs while it lasts; they keep their places and their indexes for the next one."""
        self.filled: set[tuple[str, bool]] = set()
        """Relations whose tables of facts that came (True) or went (False) may not be empty (`deltas`)."""
        self.plans: dict[Any, Any] = {}
        """Plans of rules that will be asked for again (`planning.cached_plan`)."""
        self.variants: dict[Any, Any] = {}
        """Rules made from rules, for what came and what went (`deltas`)."""
        self.costs: dict[int, Any] = {}
        """What units took (`choosing.Costs`), by the identity of the unit."""
        self.answered: dict[str, int] = {}
        """For each relation of asked arguments how many have been answered."""
        self.explicit_version = 0
        """Another number whenever there are other tables of explicit facts."""
        self.V: Int64s = np.zeros((0, kernel.VIRTUAL_WIDTH), np.int64)
        self._numbers: dict[str, int] = {}
        """The rows of `V`; a relation keeps its row, for plans that are kept name it by that."""

    def prepare(self, core: Core) -> None:
        """Tables for all relations of a program."""
        for name, arity in core.arities.items():
            if name not in core.given:
                self.ensure_table(name, arity)

    def ensure_table(self, name: str, arity: int) -> Table:
        """The table of a relation, made if need be."""
        if name not in self.tables:
            self._own()
            self.tables[name] = self.store.new_table(arity)
        return self.tables[name]

    def drop_table(self, name: str) -> None:
        """Empty a table that nobody needs any more and leave its place to another."""
        self.store.release(self.take_table(name))

    def take_table(self, name: str) -> Table:
        """Let a relation have no table any more; the one it had."""
        self._own()
        return self.tables.pop(name)

    def take_explicit(self, name: str) -> Table | None:
        """Let a relation have no table of explicit facts any more; the one it had."""
        self._own()
        self.explicit_version += 1
        return self.explicit.pop(name, None)

    def forget_some(self) -> None:
        """Between two updates: let go of plans and rules that were kept, if they are many.  Who needs one makes it anew.

        They are kept for changes of certain relations, and updates of many relations change ever other ones together.
        """
        if len(self.variants) > _KEPT + _KEPT_A_RELATION * len(self.tables):
            self.variants.clear()
            self.plans.clear()

    def share(self) -> tuple[dict[str, Table], dict[str, Table]]:
        """The tables as they are now, and those of explicit facts: dictionaries that nobody changes any more."""
        self._is_shared = True
        return self.tables, self.explicit

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
        """Leave the places of helpers to others; nothing may be left that would use them."""
        for name in names:
            if name in self.helpers:
                self.store.release(self.helpers.pop(name))

    def set_virtual(self, name: str, relation: VirtualRelation) -> None:
        """Let a virtual relation be what it now is."""
        self.virtual[name] = relation
        number = self.number_of(name)  # which may make `V` larger
        self.V[number] = relation.words

    def drop_virtual(self, name: str) -> VirtualRelation:
        """Let a relation be virtual no more; what it was.  Its row of `V` waits for it."""
        return self.virtual.pop(name)

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


class UndoLog:
    """The way back to what a state was: rows that were appended go, tables that were begun anew come back."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.tables, self.explicit = state.share()
        self._ends: Int64s = state.store.M[:, layout.COUNT].copy()
        self.virtual = dict(state.virtual)
        self.answered = dict(state.answered)
        self.aside: dict[int, tuple[Table, dict[str, Any]]] = {}
        self.removed: dict[int, list[Int32s]] = {}

    def truncate(self, table: Table) -> None:
        """Empty a table for as long as nobody goes back."""
        if table.number in self.aside:
            table.detach()
        else:
            self.aside[table.number] = table, table.detach()

    def remove(self, table: Table, rows: NDArray[np.int32]) -> int:
        """Remove rows, as far as they are there, for as long as nobody goes back; how many there were."""
        gone = table.remove(rows)
        self.record_removed(table, gone)
        return len(gone)

    def record_removed(self, table: Table, numbers: Int32s) -> None:
        """Note the numbers of rows that were removed."""
        if len(numbers) and table.number not in self.aside:
            self.removed.setdefault(table.number, []).append(numbers)

    def end_before(self, table: Table) -> int:
        """The number that the next row of a table would have had."""
        return int(self._ends[table.number]) if table.number < len(self._ends) else 0

    def rows_before(self, table: Table) -> NDArray[np.int32]:
        """The rows that a table had when it was begun anew."""
        kept = self.aside[table.number][1]
        end = int(kept["words"][layout.COUNT])
        rows: NDArray[np.int32] = kept["buffers"]["_rows"][: end * table.arity].reshape(end, table.arity)
        return rows[rows[:, 0] >= 0] if kept["words"][layout.TOMBSTONES] else rows

    def version_before(self, table: Table, removed: NDArray[np.int32] | None = None) -> Version:
        """What a table held when it was begun anew, and some rows that had been removed from it before."""
        kept = self.aside[table.number][1]
        words, bits = kept["words"], kept["buffers"]["_bits"]

        def contained(rows: NDArray[np.int32]) -> NDArray[np.bool_]:
            own, now = self.state.store.M[table.number].copy(), self.state.store.M[table.number]
            now[:] = words
            found = table.contains(rows)
            now[:] = own
            return found

        matrix = bits.reshape(-1, int(words[layout.DOMAIN]) // 64) if len(bits) else None
        version = Version(self.rows_before(table), matrix, contained)
        return version if removed is None or not len(removed) else version.with_rows(removed)

    def rollback(self) -> None:
        """Make the state what it was; a second time does nothing."""
        state = self.state
        for table, kept in self.aside.values():
            table.reattach(kept)
        self.aside = {}  # brought back twice, a table would get the buffers that it has used since then
        for table in (*state.tables.values(), *state.explicit.values()):
            if table.number in self.removed:
                table.restore_rows(self.end_before(table), np.concatenate(self.removed[table.number]))
            else:
                table.truncate_to(self.end_before(table))
            table.counters = None
        self.removed = {}
        before = {table.number for table in (*self.tables.values(), *self.explicit.values())}
        for table in (*state.tables.values(), *state.explicit.values()):
            if table.number not in before:
                state.store.release(table)
        state.tables, state.explicit = self.tables, self.explicit
        state.share()
        state.explicit_version += 1
        state.virtual = {}
        for name, relation in self.virtual.items():
            state.set_virtual(name, relation)
        state.answered = dict(self.answered)
