"""The buffers of a table: a bit matrix or a hash table, as rows and ids grow."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from tests.local.storage.test_tables import Terms, tuples
from tests.local_engine import USUAL, under

from tidelog.local.kernel import layout
from tidelog.local.storage import row_buffers
from tidelog.local.storage.row_buffers import FIRST_CAPACITY, LARGEST_DOMAIN, RowBuffers
from tidelog.local.storage.store import Store


def pairs(count: int, domain: int) -> NDArray[np.int32]:
    return np.stack(np.divmod(np.arange(count), domain), axis=1).astype(np.int32)


def has_bits(table: RowBuffers) -> bool:
    return bool(table.store.M[table.number, layout.BITS])


def test_bits_come_and_go() -> None:
    """A full relation over few terms is a matrix of bits, by places when there are many ids, and none with many terms."""
    terms = Terms(60)
    table = Store(terms).new_table(2)
    table.insert(pairs(3000, 60))
    assert has_bits(table)
    assert table.contains(pairs(3600, 60)).sum() == 3000
    terms.size = 1 << 20
    more = np.array([[5, 700_000], [700_001, 5], [5, 5]], np.int32)
    assert table.insert(more) == 2
    assert has_bits(table)
    assert len(table) == 3002
    assert table.contains(more).all()
    assert table.contains(pairs(3600, 60)).sum() == 3000
    domain = table.store.M[table.number, layout.DOMAIN]
    assert domain == 64
    assert table.insert(np.stack([np.arange(20_000), np.arange(20_000) + 70_000], axis=1).astype(np.int32)) == 20_000
    assert not has_bits(table)
    assert table.contains(more).all()
    assert table.contains(pairs(3600, 60)).sum() == 3000


def test_a_matrix_of_bits_grows_with_the_ids() -> None:
    terms = Terms(60)
    table = Store(terms).new_table(2)
    with under(replace(USUAL, bytes_a_fact=1 << 30)):
        table.insert(pairs(3000, 60))
        domain = table.store.M[table.number, layout.DOMAIN]
        terms.size = 500
        assert table.insert(np.array([[499, 1], [1, 499]], np.int32)) == 2
        assert has_bits(table)
        assert table.store.M[table.number, layout.DOMAIN] > domain
        assert table.contains(pairs(3600, 60)).sum() == 3000
        table.truncate_to(10)
        assert tuples(table.rows) == tuples(pairs(10, 60))
        assert table.contains(pairs(3600, 60)).sum() == 10


def test_an_empty_table_is_made_anew_as_a_hash_table() -> None:
    table = Store(Terms(1 << 20)).new_table(2)
    table.insert(np.array([(5, 700_000)], np.int32))
    table.truncate_to(0)
    table.is_torn = True
    table.repair()
    assert not has_bits(table)
    assert table.insert(np.array([(5, 700_000)], np.int32)) == 1


def test_which_row_numbers_are_rows() -> None:
    store = Store(Terms(5))
    table, nothing = store.new_table(2), store.new_table(0)
    table.insert(np.array([(1, 2), (0, 3), (4, 0)], np.int32))
    table.remove(np.array([(0, 3)], np.int32))
    assert table.are_rows().tolist() == [True, False, True]
    assert nothing.are_rows().tolist() == []
    nothing.insert(np.empty((1, 0), np.int32))
    assert nothing.are_rows().tolist() == [True]


def test_no_matrix_beyond_the_largest_domain() -> None:
    table = Store(Terms(LARGEST_DOMAIN + 1)).new_table(2)
    with under(replace(USUAL, bytes_a_fact=1 << 40)), patch.object(row_buffers, "PLACED_BYTES_A_FACT", 0):
        table.insert(pairs(FIRST_CAPACITY + 1, 60))
    assert not has_bits(table)
    assert len(table) == FIRST_CAPACITY + 1


def test_room_that_is_no_longer_used_is_given_back() -> None:
    table = Store(Terms(1 << 20)).new_table(2)
    table.insert(pairs(100_000, 1000))
    table.index_on([1])
    large = table.nbytes
    table.truncate_to(10)
    table.trim()
    assert table.nbytes < large / 1000
    assert tuples(table.rows) == tuples(pairs(10, 1000))
    assert table.contains(pairs(20, 1000)).sum() == 10


def test_rows_a_key_are_estimated_from_a_sample() -> None:
    table = Store(Terms(1 << 20)).new_table(3)
    assert table.rows_a_key([0]) == 1.0
    numbers = np.arange(60_000)
    table.insert(np.stack([numbers % 300, numbers, numbers % 2], axis=1).astype(np.int32))
    for columns, rows in (([0], 200), ([1], 1), ([2], 30_000), ([0, 2], 200), ([0, 1], 1)):
        assert rows / 2 <= table.rows_a_key(columns) <= 2 * rows, columns
    table.remove(table.rows[:20_000])
    assert 10_000 <= table.rows_a_key([2]) <= 40_000
