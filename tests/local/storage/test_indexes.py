"""Index chains: rows by key, distinct keys, and numbers that are used again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.local.storage.test_tables import Terms, matrix, tuples

from tidelog.local.storage.store import Store
from tidelog.local.storage.tables import Table

ROWS = st.lists(st.tuples(*[st.integers(0, 5)] * 3), max_size=40, unique=True)


def filled(rows: list[tuple[int, ...]], terms: int = 10) -> Table:
    table = Store(Terms(terms)).new_table(3)
    table.insert(matrix(rows, 3))
    return table


@given(ROWS, st.sampled_from([(0,), (1,), (0, 2), (2, 1)]), st.sampled_from([10, 1 << 20]))
def test_rows_with_keys(rows: list[tuple[int, ...]], columns: tuple[int, ...], terms: int) -> None:
    """Few ids have a head each; with many ids the heads are hashed."""
    table = filled(rows, terms)
    keys = [(key,) * len(columns) for key in range(7)]
    expected = sorted(row for row in rows if tuple(row[at] for at in columns) in keys)
    assert sorted(tuples(table.rows_with_keys(columns, matrix(keys, len(columns))))) == expected
    present = {tuple(row[at] for at in columns) for row in rows}
    assert table.have_keys(columns, matrix(keys, len(columns))).tolist() == [key in present for key in keys]
    assert table.distinct_keys(columns) == len(present)


@given(ROWS, ROWS)
def test_deleted_rows_leave_the_chains(rows: list[tuple[int, ...]], deleted: list[tuple[int, ...]]) -> None:
    table = filled(rows)
    table.rows_with_keys((0,), matrix([(0,)], 1))
    table.remove(matrix(deleted, 3))
    left = [row for row in rows if row not in deleted]
    for key in range(6):
        assert sorted(tuples(table.rows_with_keys((0,), matrix([(key,)], 1)))) == sorted(r for r in left if r[0] == key)


def test_an_index_is_empty_until_it_is_extended() -> None:
    table = filled([(1, 2, 3), (1, 4, 5)])
    index = table.index_on((0,))
    assert table.index_on([0]) is index
    assert table.distinct_keys((0,)) == 0
    table.mark_delta()
    table.extend_index(index)
    assert table.distinct_keys((0,)) == 1
    table.clear_index(index)
    assert table.distinct_keys((0,)) == 0
    assert len(table.rows_with_keys((0,), matrix([(1,)], 1))) == 2


def test_rows_that_are_just_being_derived_are_not_indexed() -> None:
    table = filled([(1, 2, 3)])
    index = table.index_on((0,))
    table.mark_delta()
    table.insert(matrix([(7, 2, 3)], 3))
    table.extend_index(index)
    assert table.distinct_keys((0,)) == 1


def test_a_poll_may_stop_the_extension() -> None:
    from unittest.mock import patch

    from tidelog.local.storage import indexes

    table = filled([(n % 6, n // 6, 0) for n in range(30)])
    index = table.index_on((0,))
    table.mark_delta()

    def poll() -> None:
        raise KeyboardInterrupt

    with patch.object(indexes, "_PIECE", 4), pytest.raises(KeyboardInterrupt):
        table.extend_index(index, poll)
    table.extend_index(index)
    found = table.rows_with_keys((0,), np.arange(6, dtype=np.int32).reshape(6, 1))
    assert sorted(tuples(found)) == sorted(tuples(table.rows))
