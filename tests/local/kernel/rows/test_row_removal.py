"""Removed rows leave tombstones, hash tables without gaps and chains that skip them; and they can be restored."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.local.storage.test_tables import Terms, matrix
from tests.local_engine import placed

from tidelog.local.kernel import layout
from tidelog.local.kernel.rows import row_removal as kernel
from tidelog.local.storage.store import Store
from tidelog.local.storage.tables import Table

PAIRS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=60, unique=True)


def table_of(rows: list[tuple[int, int]], *, finder: str = "hash") -> Table:
    table = Store(Terms(13)).new_table(2)
    table.uses_bits = finder != "hash"
    with placed() if finder == "places" else nullcontext():
        table.insert(matrix(rows, 2))
        table.reserve(65)  # which chooses between a hash table and a matrix of bits
    assert table.has_bits == table.uses_bits
    assert (len(table.placed_ids) > 0) == (finder == "places")
    index = table.index_on((1,))
    table.mark_delta()
    table.extend_index(index)
    return table


def chain_of(table: Table, value: int) -> set[tuple[int, int]]:
    """The rows of a chain of the index on the second column."""
    return set(newest_first(table, value))


def newest_first(table: Table, value: int) -> list[tuple[int, int]]:
    """The rows of a chain of the index on the second column, along both links."""
    index, rows = table.indexes[1,], table._rows.reshape(-1, 2)
    found, row, newer = list[tuple[int, int]](), int(index.heads[value]) - 1, 0
    while row >= 0:
        found.append((int(rows[row, 0]), int(rows[row, 1])))
        if len(index.newer):
            assert index.newer[row] == newer
        newer, row = row + 1, int(index.next[row]) - 1
    return found


@pytest.mark.parametrize("finder", ["hash", "bits", "places"])
@given(rows=PAIRS, data=st.data())
def test_removed_rows_are_not_found_and_the_others_are(finder: str, rows: list[tuple[int, int]], data: st.DataObject) -> None:
    table = table_of(rows, finder=finder)
    removed = data.draw(st.lists(st.sampled_from([*rows, (0, 0), (12, 12)]), unique=True))
    gone = [rows.index(row) for row in removed if row in rows]
    assert table.remove(matrix(removed, 2)) == len(gone)
    left = set(rows) - set(removed)
    assert table.store.M[table.number, layout.TOMBSTONES] == len(gone)
    assert table.contains(matrix(rows, 2)).tolist() == [row in left for row in rows]
    assert {row for value in range(13) for row in chain_of(table, value)} == left
    table.restore_rows(len(rows), 0)
    assert {tuple(row) for row in table.rows.tolist()} == set(rows)
    assert table.contains(matrix(rows, 2)).all()
    assert {row for value in range(13) for row in chain_of(table, value)} == set(rows)


@pytest.mark.parametrize("finder", ["hash", "bits", "places"])
@given(rows=PAIRS, data=st.data())
def test_a_rollback_restores_rows_and_chains(finder: str, rows: list[tuple[int, int]], data: st.DataObject) -> None:
    """Whatever was removed, appended, removed again, indexed and made anew in between."""
    table = table_of(rows, finder=finder)
    table.remove(matrix(data.draw(st.lists(st.sampled_from(rows), unique=True)), 2))
    before, version, end, tombstones = table.rows.tolist(), table.version(), table.end, table.tombstones
    for _ in range(data.draw(st.integers(1, 6))):
        match data.draw(st.sampled_from(["remove", "insert", "extend", "clear", "grow", "new index"])):
            case "remove":
                table.remove(matrix(data.draw(PAIRS), 2))
            case "insert":
                table.insert(matrix(data.draw(PAIRS), 2))
            case "extend":
                table.mark_delta()
                for index in table.indexes.values():
                    table.extend_index(index)
            case "clear":
                table.clear_index(table.indexes[1,])
            case "grow":
                table.reserve(2 * table._capacity)
            case "new index":
                table.mark_delta()
                table.extend_index(table.index_on((1, 0)))
        assert version.rows.tolist() == before
    table.restore_rows(end, tombstones)
    table.mark_delta()
    for index in table.indexes.values():
        table.extend_index(index)
    assert (table.rows.tolist(), len(table), table.tombstones) == (before, len(before), tombstones)
    assert version.rows.tolist() == before
    everything = [(x, y) for x in range(13) for y in range(13)]
    assert table.contains(matrix(everything, 2)).tolist() == [[x, y] in before for x, y in everything]
    assert [row for value in range(13) for row in newest_first(table, value)] == [
        tuple(row) for value in range(13) for row in reversed(before) if row[1] == value
    ]
    assert table.distinct_keys((1,)) == len({y for _, y in before})
    table.remove(matrix([tuple(row) for row in before[::2]], 2))
    assert [row for value in range(13) for row in newest_first(table, value)] == [
        tuple(row) for value in range(13) for row in reversed(before[1::2]) if row[1] == value
    ]


@given(PAIRS, st.sets(st.integers(0, 59)))
def test_compaction_drops_tombstones_and_keeps_the_order(rows: list[tuple[int, int]], places: set[int]) -> None:
    table = table_of(rows)
    table.remove(matrix([row for i, row in enumerate(rows) if i in places], 2))
    copied = np.empty(2 * len(rows), np.int32)
    count = kernel.copy_rows(table.store.M, table.number, copied)
    assert [tuple(row) for row in copied.reshape(-1, 2)[:count].tolist()] == [
        row for i, row in enumerate(rows) if i not in places
    ]
