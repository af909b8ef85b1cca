"""Many rows at once: all are found, where slots are read ahead and where they are not."""

from __future__ import annotations

import numpy as np
import pytest
from tests.local.kernel.test_table_rows import table_of
from tests.local.storage.test_tables import matrix

from tidelog.local.kernel import layout
from tidelog.local.kernel.rows import many_rows


@pytest.mark.parametrize("arity", [1, 2, 3])
def test_many_rows_are_found_where_their_slots_are_read_ahead(arity: int) -> None:
    """More slots than caches are taken to hold, rows that are there twice, and a last block that is not full."""
    random, table = np.random.default_rng(arity), table_of(arity)
    table.uses_bits = False
    rows = random.integers(0, 1_000_000 if arity == 1 else 1_000, (60_100, arity)).astype(np.int32)
    first = np.unique(rows[:40_000], axis=0)
    assert table.insert(rows[:40_000]) == len(first)
    assert table.insert(rows) == len(np.unique(rows, axis=0)) - len(first)
    assert table.store.M[table.number, layout.SLOT_COUNT] > many_rows._CACHED
    assert table.contains(rows).all()
    others = random.integers(-5, 1_000, (1_000, arity)).astype(np.int32)
    known = set(map(tuple, rows.tolist()))
    assert table.contains(others).tolist() == [tuple(row) in known for row in others.tolist()]
    order = list(dict.fromkeys(map(tuple, rows.tolist())))
    assert table.rows.tolist() == [list(row) for row in order], "in the order in which they came"


def test_a_table_that_is_refilled_has_only_the_new_rows_and_no_delta() -> None:
    table = table_of(1)
    table.insert(matrix([(1,), (2,), (3,)], 1))
    none = np.empty(0, np.int32)
    assert many_rows.refill_table(table.store.M, table.store.X, table.number, none, matrix([(3,), (4,)], 1)) == 2
    assert table.rows.tolist() == [[3], [4]]
    assert table.length_of(layout.DELTA) == 0
    assert table.length_of(layout.WHOLE) == 2
