"""The undo log of an update: how every table was before it, so that a rollback restores all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int64s
from tidelog.local.kernel import layout
from tidelog.local.kernel.rows.many_rows import contain_rows, number_rows
from tidelog.local.storage.replacements import Version
from tidelog.local.storage.state import State
from tidelog.local.storage.tables import Table


class UndoLog:
    """How a state was: a rollback removes appended rows, restores removed ones, and reattaches what was truncated."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.tables, self.explicit = state.share()
        self._words: Int64s = state.store.M.copy()
        self.virtual = dict(state.virtual)
        self.answered = dict(state.answered)
        self.truncated: dict[int, tuple[Table, dict[str, Any]]] = {}

    def truncate(self, table: Table) -> None:
        """Empty a table; a rollback restores its rows."""
        if table.number not in self.truncated:
            self.truncated[table.number] = table, table.contents()
        table.empty()

    def end_before(self, table: Table) -> int:
        """The number that the next row of a table would have had."""
        return self._word_before(table, layout.COUNT)

    def _word_before(self, table: Table, place: int) -> int:
        return int(self._words[table.number, place]) if table.number < len(self._words) else 0

    def rows_before(self, table: Table) -> NDArray[np.int32]:
        """The rows that a table had when it was truncated."""
        kept = self.truncated[table.number][1]
        end = int(kept["words"][layout.COUNT])
        rows: NDArray[np.int32] = kept["buffers"]["_rows"][: end * table.arity].reshape(end, table.arity)
        return rows[rows[:, 0] >= 0] if kept["words"][layout.TOMBSTONES] else rows

    def version_before(self, table: Table, removed: NDArray[np.int32] | None = None) -> Version:
        """What a table held when it was truncated, and some rows that had been removed from it before."""
        kept = self.truncated[table.number][1]
        words, bits = kept["words"], kept["buffers"]["_bits"]

        def contained(rows: NDArray[np.int32]) -> NDArray[np.bool_]:
            found = np.empty(len(rows), np.int32)
            contain_rows(words.reshape(1, -1), 0, np.ascontiguousarray(rows, np.int32), found)
            return found.astype(np.bool_)

        def numbered(rows: NDArray[np.int32]) -> NDArray[np.int32]:
            numbers = np.empty(len(rows), np.int32)
            number_rows(words.reshape(1, -1), 0, np.ascontiguousarray(rows, np.int32), numbers)
            return numbers

        is_numbered = not len(bits) and table.arity and not words[layout.TOMBSTONES]
        is_by_id = len(bits) > 0 and words[layout.PLACES] == 0
        matrix = bits.reshape(-1, int(words[layout.DOMAIN]) // 64) if is_by_id else None
        version = Version(self.rows_before(table), matrix, contained, numbered if is_numbered else None)
        return version if removed is None or not len(removed) else version.with_rows(removed)

    def rollback(self) -> None:
        """Restore the state.  Where an exception stops it, a second time does the rest; after that, it does nothing."""
        state = self.state
        state.rollbacks += 1
        for number, (table, kept) in list(self.truncated.items()):
            table.reattach(kept)
            del self.truncated[number]  # attached again later, it would get the buffers that it has used since
        before = {table.number: table for table in (*self.tables.values(), *self.explicit.values())}
        for table in before.values():
            table.restore_rows(self.end_before(table), self._word_before(table, layout.TOMBSTONES))
            table.counters = None
            table.mark_delta()
        for table in (*state.tables.values(), *state.explicit.values()):
            if table.number not in before:
                state.store.release(table)
        state.restore(self.tables, self.explicit)
        state.virtual = dict(self.virtual)
        for name, relation in self.virtual.items():
            state.set_virtual(name, relation)
        state.answered = dict(self.answered)

    def compact_tables(self) -> None:
        """After the update: give back what tombstones take, where that is much."""
        state = self.state
        before = self._words[:, layout.TOMBSTONES]
        for number in np.flatnonzero(state.store.M[: len(before), layout.TOMBSTONES] > before).tolist():
            state.store.tables[number].compact()
        for name, count in state.answered.items():  # everything that was requested has been computed
            state.answered[name] = min(count, state.tables[name].end) if name in state.tables else count
