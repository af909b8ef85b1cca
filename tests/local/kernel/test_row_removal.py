"""Removed rows leave tombstones, hash tables without gaps and chains that skip them; and they can be restored."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.local.storage.test_tables import Terms, matrix

from tidelog.local.kernel import layout
from tidelog.local.kernel import row_removal as kernel
from tidelog.local.storage.tables import Store, Table

PAIRS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=60, unique=True)


def table_of(rows: list[tuple[int, int]], *, uses_bits: bool) -> Table:
    table = Store(Terms(13)).new_table(2)
    table.uses_bits = uses_bits
    table.insert(matrix(rows, 2))
    table.reserve(64)  # which chooses between a hash table and a matrix of bits
    index = table.index_on((1,))
    table.mark_delta()
    table.extend_index(index)
    return table


def chain_of(table: Table, value: int) -> set[tuple[int, int]]:
    """The rows of a chain of the index on the second column, along both links."""
    index, rows = table.indexes[1,], table._rows.reshape(-1, 2)
    found, row, newer = set(), int(index.heads[value]) - 1, 0
    while row >= 0:
        found.add((int(rows[row, 0]), int(rows[row, 1])))
        if len(index.newer):
            assert index.newer[row] == newer
        newer, row = row + 1, int(index.next[row]) - 1
    return found


@pytest.mark.parametrize("uses_bits", [False, True])
@given(rows=PAIRS, data=st.data())
def test_removed_rows_are_not_found_and_the_others_are(uses_bits: bool, rows: list[tuple[int, int]], data: st.DataObject) -> None:
    table = table_of(rows, uses_bits=uses_bits)
    removed = data.draw(st.lists(st.sampled_from([*rows, (0, 0), (12, 12)]), unique=True))
    gone = [rows.index(row) for row in removed if row in rows]
    assert sorted(table.remove(matrix(removed, 2)).tolist()) == sorted(gone)
    left = set(rows) - set(removed)
    assert table.store.M[table.number, layout.TOMBSTONES] == len(gone)
    assert table.contains(matrix(rows, 2)).tolist() == [row in left for row in rows]
    assert {row for value in range(13) for row in chain_of(table, value)} == left
    table.restore_rows(len(rows), np.array(gone, np.int32))
    assert {tuple(row) for row in table.rows.tolist()} == set(rows)
    assert table.contains(matrix(rows, 2)).all()


@given(PAIRS, st.sets(st.integers(0, 59)))
def test_compaction_drops_tombstones_and_keeps_the_order(rows: list[tuple[int, int]], places: set[int]) -> None:
    table = table_of(rows, uses_bits=False)
    table.remove(matrix([row for i, row in enumerate(rows) if i in places], 2))
    kernel.compact(table.store.M, table.number)
    assert [tuple(row) for row in table._rows.reshape(-1, 2)[: table.end].tolist()] == [
        row for i, row in enumerate(rows) if i not in places
    ]
    assert table.store.M[table.number, layout.TOMBSTONES] == 0
