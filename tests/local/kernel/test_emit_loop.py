"""The fused last step: joining rows of bits derives what walking the chain derives."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.local.storage.test_tables import Terms, matrix
from tests.local_engine import placed

from tidelog.core.arrays import Int64s
from tidelog.local.kernel import emit_loop, layout
from tidelog.local.kernel.build import kernel
from tidelog.local.storage.store import Store
from tidelog.local.storage.tables import Table

PAIRS = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), min_size=40, max_size=120, unique=True)


@kernel
def compose(M: Int64s, table: int, head: int, x: int, y: int, state: Int64s) -> int:
    return emit_loop.compose(M, table, head, x, y, state)


@kernel
def can_compose(M: Int64s, table: int, head: int, column: int, position: int, keys: int) -> bool:
    return emit_loop.can_compose(M, table, head, column, position, keys)


def with_bits(store: Store, rows: list[tuple[int, int]]) -> Table:
    table = store.new_table(2)
    table.insert(matrix(rows, 2))
    assert table.has_bits
    return table


@pytest.mark.parametrize("places", [False, True])
@given(PAIRS, PAIRS, st.data())
def test_a_row_of_bits_is_added_to_another(
    places: bool, source: list[tuple[int, int]], target: list[tuple[int, int]], data: st.DataObject
) -> None:
    store = Store(Terms(100))
    with placed() if places else nullcontext():
        table, head = with_bits(store, source), with_bits(store, target)
        head.reserve(1024)
    x = data.draw(st.sampled_from(sorted({a for pair in target for a in pair})))
    assume(table.store.M[table.number, layout.PLACES] == table.store.M[head.number, layout.PLACES])
    assume(table.store.M[table.number, layout.DOMAIN] <= table.store.M[head.number, layout.DOMAIN])
    state = np.zeros(layout.STATE_WIDTH, np.int64)
    y = source[0][0]
    assert compose(store.M, table.number, head.number, x, y, state) == -1
    given_rows = {b for a, b in source if a == y}
    assert {tuple(row) for row in head.rows.tolist()} == {*target, *((x, b) for b in given_rows)}
    assert state[layout.DERIVATIONS] == len(given_rows)


def test_a_head_without_room_says_where_it_stopped() -> None:
    store = Store(Terms(100))
    table, head = with_bits(store, [(0, n) for n in range(90)]), with_bits(store, [(5, n) for n in range(40)])
    head.reserve(200)
    store.M[head.number, layout.CAPACITY] = head.end + 64  # less than there is
    state = np.zeros(layout.STATE_WIDTH, np.int64)
    assert compose(store.M, table.number, head.number, 7, 0, state) == 1
    assert state[layout.DERIVATIONS] == 64
    store.M[head.number, layout.CAPACITY] = 200
    assert compose(store.M, table.number, head.number, 7, 0, state) == -1
    assert head.end == 40 + 90


def test_rows_are_composed_only_in_full_matrices_along_the_second_column() -> None:
    store = Store(Terms(100))
    full, sparse = with_bits(store, [(a, b) for a in range(30) for b in range(30)]), with_bits(store, [(n, n) for n in range(40)])
    assert can_compose(store.M, full.number, sparse.number, 1, 1, 1)
    assert not can_compose(store.M, sparse.number, full.number, 1, 1, 1)
    assert not can_compose(store.M, full.number, sparse.number, 0, 1, 1)
    assert not can_compose(store.M, full.number, sparse.number, 1, 1, 2)


def test_rows_are_composed_where_places_are_the_same() -> None:
    with placed():
        store = Store(Terms(5_000))
        full = [(40 * a, 40 * b) for a in range(30) for b in range(30)]
        table, head = with_bits(store, full), with_bits(store, [(40 * a, 40 * a) for a in range(40)])
        more = with_bits(store, [(40 * a, 40 * (b % 90)) for a in range(30) for b in range(a, a + 30)])
        other = with_bits(store, [(7 * n, 7 * n) for n in range(60)])
    assert can_compose(store.M, table.number, head.number, 1, 1, 1)
    assert not can_compose(store.M, table.number, other.number, 1, 1, 1), "other places"
    assert can_compose(store.M, table.number, more.number, 1, 1, 1)
    state = np.zeros(layout.STATE_WIDTH, np.int64)
    head.reserve(200)
    assert compose(store.M, table.number, head.number, 0, 40, state) == -1
    assert {tuple(row) for row in head.rows.tolist()} == {(0, 40 * b) for b in range(30)} | {(40 * a, 40 * a) for a in range(40)}
