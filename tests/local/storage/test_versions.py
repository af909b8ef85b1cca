"""A version of a table shows what the table held at its moment, whatever happens to the table."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.local.storage.test_tables import Terms, matrix

from tidelog.local.storage import tables, versions
from tidelog.local.storage.store import Store
from tidelog.local.storage.tables import Table
from tidelog.local.storage.versions import TableVersion

PAIRS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30)


def check(version: TableVersion, rows: list[list[int]]) -> None:
    assert version.rows.tolist() == rows
    assert len(version) == len(rows)
    for size, first in ((4, None), (4, 1), (None, 2), (None, None)):
        pieces = [np.column_stack(piece).tolist() for piece in version.chunks(size, first)]
        assert [row for piece in pieces for row in piece] == rows
    if rows:
        assert version.contains(np.array([rows[0], [11, 11]], np.int32)).tolist() == [True, False]


@given(st.lists(st.tuples(st.booleans(), PAIRS), max_size=8))
def test_versions_stay_as_they_were(steps: list[tuple[bool, list[tuple[int, int]]]]) -> None:
    table = Store(Terms(12)).new_table(2)
    kept = [(table.version(), table.rows.tolist())]
    for inserts, rows in steps:
        before = kept[-1]
        _ = table.insert(matrix(rows, 2)) if inserts else table.remove(matrix(rows, 2))
        version = table.version()
        assert version.numbers_like(before[0])
        gained = {tuple(row) for row in version.appended_since(before[0]).tolist()}
        lost = {tuple(row) for row in version.removed_since(before[0]).tolist()}
        assert {tuple(row) for row in before[1]} - lost | gained == {tuple(row) for row in table.rows.tolist()}
        for one, shown in kept:
            now = [row for row in shown if row not in version.removed_since(one).tolist()] + version.appended_since(one).tolist()
            assert now == table.rows.tolist()
        kept.append((version, table.rows.tolist()))
        for one, shown in kept:
            check(one, shown)


def many(count: int) -> Table:
    table = Store(Terms(count + 1)).new_table(2)
    table.insert(matrix([(at, at) for at in range(count)], 2))
    return table


def test_compaction_leaves_the_rows_of_versions_alone() -> None:
    table = many(9000)
    whole = table.version()
    table.remove(matrix([(at, at) for at in range(8000)], 2))
    rest = table.version()
    assert table.compact()
    assert not table.version().numbers_like(rest)
    table.insert(matrix([(at, 0) for at in range(1, 5000)], 2))
    table.remove(matrix([(at, at) for at in range(8000, 8500)], 2))
    assert whole.rows.tolist() == [[at, at] for at in range(9000)]
    assert rest.rows.tolist() == [[at, at] for at in range(8000, 9000)]


def test_a_truncated_table_leaves_the_rows_of_versions_alone() -> None:
    table = many(100)
    version = table.version()
    table.empty()
    table.insert(matrix([(1, 2)], 2))
    assert version.rows.tolist() == [[at, at] for at in range(100)]
    assert not table.version().numbers_like(version)


def test_rows_without_columns() -> None:
    table = Store(Terms(1)).new_table(0)
    empty = table.version()
    table.insert(np.empty((1, 0), np.int32))
    assert (len(empty), len(table.version()), table.version().rows.shape) == (0, 1, (1, 0))


@given(st.lists(st.tuples(st.booleans(), PAIRS), min_size=1, max_size=8), st.sampled_from((2, 1 << 12)), st.booleans())
def test_the_table_as_it_is_now_tells_what_it_held_before(
    steps: list[tuple[bool, list[tuple[int, int]]]], most: int, uses_bits: bool
) -> None:
    """Unless so much has changed since that a scan of the version is no more work."""
    table = Store(Terms(12)).new_table(2)
    table.uses_bits = uses_bits
    kept = []
    for inserts, rows in steps:
        _ = table.insert(matrix(rows, 2)) if inserts else table.remove(matrix(rows, 2))
        kept.append((table.version(), table.rows.tolist()))
    with patch.object(tables, "_MANY_CHANGES", most), patch.object(versions, "_FEW", 3):
        for version, shown in kept:
            check(version, shown)
            for row in matrix([(x, y) for x in range(4) for y in range(10)], 2):
                found = table.held_by(version, row.reshape(1, -1))
                assert found is None if table.version().distance(version) > most else found == (row.tolist() in shown)
                assert version.contains(row.reshape(1, -1)).tolist() == [row.tolist() in shown]


def test_a_version_without_rows_is_only_compared() -> None:
    table = Store(Terms(12)).new_table(2)
    table.insert(matrix([(1, 2), (3, 4)], 2))
    before = table.version().without_rows()
    table.insert(matrix([(5, 6)], 2))
    table.remove(matrix([(1, 2)], 2))
    removed, appended = table.version().difference(before)
    assert (removed.tolist(), appended.tolist()) == ([[1, 2]], [[5, 6]])


def test_a_table_with_other_numbers_does_not_tell() -> None:
    table = Store(Terms(12)).new_table(1)
    table.insert(matrix([(1,)], 1))
    version = table.version()
    table.empty()
    assert table.held_by(version, matrix([(1,)], 1)) is None
    assert version.contains(matrix([(1,), (2,)], 1)).tolist() == [True, False]
