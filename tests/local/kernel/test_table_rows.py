"""Rows inside the kernel: what is full is said so, indexes find the newest row, and shortening is the inverse of appending."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.local.storage.test_tables import Terms, matrix

from tidelog.local.kernel import layout
from tidelog.local.kernel import table_rows as kernel
from tidelog.local.kernel.rows import many_rows
from tidelog.local.storage.store import Store
from tidelog.local.storage.tables import Table

ROWS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 3)), max_size=60)


def table_of(arity: int) -> Table:
    return Store(Terms(100)).new_table(arity)


def test_insertion_stops_where_the_table_is_full_and_continues_there() -> None:
    table = table_of(3)
    rows = matrix([(n, n + 1, n + 2) for n in range(100)], 3)
    capacity = int(table.store.M[table.number, layout.CAPACITY])
    done = many_rows.insert_rows(table.store.M, table.number, rows, 0)
    assert done == capacity < 100
    assert many_rows.insert_rows(table.store.M, table.number, rows[:done], 0) == done, "rows that are there need no room"
    table.grow()
    assert many_rows.insert_rows(table.store.M, table.number, rows, done) > done


@given(ROWS, ROWS)
def test_rows_are_found_and_numbered(rows: list[tuple[int, int, int]], others: list[tuple[int, int, int]]) -> None:
    table = table_of(3)
    table.insert(matrix(rows, 3))
    found, numbers = np.empty(len(others), np.int32), np.empty(len(others), np.int32)
    many_rows.contain_rows(table.store.M, table.number, matrix(others, 3), found)
    many_rows.number_rows(table.store.M, table.number, matrix(others, 3), numbers)
    order = list(dict.fromkeys(rows))
    assert found.tolist() == [row in order for row in others]
    assert numbers.tolist() == [order.index(row) if row in order else -1 for row in others]


@given(ROWS, st.integers(0, 60))
def test_shortening_an_index_is_the_inverse_of_extending_it(rows: list[tuple[int, int, int]], first: int) -> None:
    table = table_of(3)
    unique = list(dict.fromkeys(rows))
    table.insert(matrix(unique[:first], 3))
    index = table.index_on((1, 2))
    table.mark_delta()
    table.extend_index(index)
    store, count = table.store, table.end
    before = index.heads.copy(), store.X[index.number].copy()
    table.reserve(64)
    table.insert(matrix(unique[first:], 3))
    if 2 * table.end > len(index.heads):
        return  # there is no room for all rows: Python makes it larger first
    kernel.extend_index(store.M, store.X, index.number, table.end)
    keys = matrix([row[1:] for row in unique], 2)
    newest = np.empty(len(keys), np.int32)
    kernel.newest_rows(store.M, store.X, index.number, keys, newest)
    assert newest.tolist() == [max(i for i, row in enumerate(unique) if row[1:] == key) for key in map(tuple, keys.tolist())]
    kernel.shorten_index(store.M, store.X, index.number, count)
    assert index.heads.tolist() == before[0].tolist()
    assert store.X[index.number, [layout.UPTO, layout.DISTINCT]].tolist() == before[1][[layout.UPTO, layout.DISTINCT]].tolist()
