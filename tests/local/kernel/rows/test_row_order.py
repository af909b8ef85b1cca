"""Ordered indexes: rows by value, with a run that is merged, shortened, and kept where rows are removed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.some_values import any_value, numbers, s, strings

from tidelog.functions.ordering import compare, ordered
from tidelog.local.kernel import layout
from tidelog.local.kernel.rows import row_order
from tidelog.local.storage.dictionary import Dictionary
from tidelog.local.storage.indexes import OrderedIndex
from tidelog.local.storage.store import Store
from tidelog.local.storage.tables import Table
from tidelog.values import Kind, Value

LONG = 3 * row_order.LEAST_TAIL


def table_of(values: list[Value], columns: tuple[int, ...] = ()) -> tuple[Table, OrderedIndex, Dictionary]:
    """A table with rows (number mod 3, value, number), and an index by value."""
    terms = Dictionary()
    table = Store(terms).new_table(3)
    index = table.order_on(columns, 1)
    append(table, terms, values)
    return table, index, terms


def append(table: Table, terms: Dictionary, values: list[Value]) -> None:
    ids = terms.encode(values)
    numbers = np.arange(table.end, table.end + len(values), dtype=np.int32)
    table.insert(np.stack([numbers % 3, ids, numbers], axis=1).astype(np.int32))
    table.mark_delta()


def run_of(table: Table, index: OrderedIndex) -> list[int]:
    """The rows of the run."""
    return index.run[row_order.ROW, : table.store.X[index.number, layout.SORTED]].tolist()  # type: ignore[no-any-return]


def is_sorted(values: list[Value]) -> bool:
    """Whether no value comes before a smaller one, and those that have an order with each other stand together."""
    places: dict[str, list[int]] = {}
    for at, value in enumerate(values):
        kind = "number" if value.kind in (Kind.INT, Kind.FLOAT) else str(value.kind)
        places.setdefault(kind if ordered(value, value) else "none", []).append(at)
    for kind, some in places.items():
        if some != list(range(some[0], some[-1] + 1)):
            return False
        if kind != "none" and any(compare("<", values[b], values[a]) for a, b in pairwise(some)):
            return False
    return True


@given(st.lists(any_value | numbers | strings, min_size=1, max_size=30), st.lists(any_value | numbers | strings, max_size=30))
@settings(max_examples=60)
def test_a_run_is_in_the_order_of_the_language(first: list[Value], more: list[Value]) -> None:
    """Repeated often enough for a run, then merged with others."""
    table, index, terms = table_of(first * LONG)
    table.extend_index(index)
    assert sorted(run_of(table, index)) == list(range(table.end))
    assert is_sorted([(first * LONG)[row] for row in run_of(table, index)])
    append(table, terms, more * LONG)
    table.extend_index(index)
    whole = [*(first * LONG), *(more * LONG)]
    assert sorted(run_of(table, index)) == list(range(len(whole)))
    assert is_sorted([whole[row] for row in run_of(table, index)])


def test_the_columns_of_the_key_come_first() -> None:
    values = [s(f"{n % 7}{n % 11}") for n in range(LONG)]
    for columns in ((0,), (0, 2)):
        table, index, _ = table_of(values, columns)
        table.extend_index(index)
        run = run_of(table, index)
        groups = [tuple(n % 3 if column == 0 else n for column in columns) for n in run]
        changes = sum(a != b for a, b in pairwise(groups))
        assert changes == len(set(groups)) - 1
        for group in set(groups):
            rows = [row for row, of in zip(run, groups, strict=True) if of == group]
            assert is_sorted([values[row] for row in rows])


def test_few_new_rows_are_a_tail() -> None:
    table, index, terms = table_of([s(str(n)) for n in range(row_order.LEAST_TAIL)])
    table.extend_index(index)
    assert run_of(table, index) == []
    append(table, terms, [s("more")])
    table.extend_index(index)
    assert len(run_of(table, index)) == row_order.LEAST_TAIL + 1


def test_a_shorter_table_has_a_shorter_run_and_tombstones_stay() -> None:
    table, index, _ = table_of([s(f"{n * 37 % 101:03}") for n in range(LONG)])
    table.extend_index(index)
    before = run_of(table, index)
    end, tombstones = table.end, table.tombstones
    assert table.remove(table.rows[5:9]) == 4
    assert run_of(table, index) == before
    table.restore_rows(end, tombstones)
    assert run_of(table, index) == before
    table.truncate_to(LONG // 2)
    assert run_of(table, index) == [row for row in before if row < LONG // 2]
    table.truncate_to(0)
    assert run_of(table, index) == []


def test_what_has_no_rows_any_more_has_no_run() -> None:
    values = [s(str(n)) for n in range(LONG)]
    table, index, terms = table_of(values)
    table.extend_index(index)
    kept = table.contents()
    table.empty()
    assert run_of(table, index) == []
    append(table, terms, values[: LONG // 2])
    table.extend_index(index)
    assert len(run_of(table, index)) == LONG // 2
    table.reattach(kept)
    assert run_of(table, index) == []
    table.extend_index(index)
    assert len(run_of(table, index)) == LONG
    assert table.nbytes > 24 * LONG
    assert isinstance(table.store, Store)
    table.store.release(table)
    assert not table.orders
