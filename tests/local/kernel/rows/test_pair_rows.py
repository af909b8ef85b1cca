"""The rows of pairs, by cell and by hash, through removals, rows that come back and other rows in their place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.local.storage.test_tables import Terms, matrix
from tests.local_engine import placed

from tidelog.local.kernel import layout
from tidelog.local.kernel.rows import pair_rows
from tidelog.local.kernel.tiers.plain_numpy import View
from tidelog.local.storage import row_buffers
from tidelog.local.storage.store import Store
from tidelog.local.storage.tables import Table

PAIRS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=60, unique=True)


def table_of(rows: list[tuple[int, int]], *, has_places: bool = False) -> Table:
    table = Store(Terms(13)).new_table(2)
    with placed() if has_places else nullcontext():
        table.insert(matrix(rows, 2))
        table.reserve(65)  # which makes a matrix of bits
    assert table.store.M[table.number, layout.BITS]
    return table


def check_numbers(table: Table) -> None:
    """Number all pairs, and look each of them up."""
    words, number = table.store.M.view(View), table.number
    table.number_pairs()
    pair_rows.number_pairs(words, number)
    assert pair_rows.is_numbered(words, number)
    rows = table.all_rows
    for row in np.flatnonzero(table.are_rows()).tolist():
        assert pair_rows.row_of_pair(words, number, int(rows[row, 0]), int(rows[row, 1])) == row


@pytest.fixture(autouse=True)
def _hashes() -> Iterator[None]:
    """Here Python runs the kernel."""
    with np.errstate(over="ignore"):
        yield


@pytest.mark.parametrize("has_places", [False, True])
@pytest.mark.parametrize("bytes_a_number", [0, 8])
@given(first=PAIRS, data=st.data())
def test_the_row_of_each_pair(bytes_a_number: int, has_places: bool, first: list[tuple[int, int]], data: st.DataObject) -> None:
    with patch.multiple(row_buffers, _BYTES_A_NUMBER=bytes_a_number, _NUMBER_BYTES=0):
        table = table_of(first, has_places=has_places)
        check_numbers(table)
        for _ in range(data.draw(st.integers(1, 6))):
            end, tombstones = table.end, table.tombstones
            if data.draw(st.booleans()):
                table.remove(matrix(data.draw(PAIRS), 2))
            table.insert(matrix(data.draw(PAIRS), 2))
            if data.draw(st.booleans()):
                check_numbers(table)
            if data.draw(st.booleans()):
                table.restore_rows(end, tombstones)
            check_numbers(table)
        is_by_cell = int(table.store.M[table.number, layout.NUMBER_ROOM]) == int(table.store.M[table.number, layout.DOMAIN]) ** 2
        assert is_by_cell == (8 * table.end >= 4 * 64 * 64 and bytes_a_number == 8)


@pytest.mark.parametrize("uses_bits", [False, True])
def test_a_row_is_among_the_first(uses_bits: bool) -> None:
    table = Store(Terms(13)).new_table(2)
    table.uses_bits = uses_bits
    rows = [(at % 13, at // 13) for at in range(60)]
    table.insert(matrix(rows, 2))
    table.reserve(64)
    words, number = table.store.M.view(View), table.number
    words[number, layout.ALL] = 20
    unnumbered = [pair_rows.is_among_first(words, number, matrix([row], 2)[0]) for row in rows]
    assert unnumbered == [at < 20 or uses_bits for at in range(60)]
    if uses_bits:
        check_numbers(table)
    assert [pair_rows.is_among_first(words, number, matrix([row], 2)[0]) for row in rows] == [at < 20 for at in range(60)]
    assert not pair_rows.is_among_first(words, number, matrix([(12, 12)], 2)[0])
