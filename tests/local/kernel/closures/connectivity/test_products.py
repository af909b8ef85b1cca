"""The pairs in which two partitions differ: of nodes that have moved, and across groups of a component."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tidelog.local.kernel.closures.connectivity import products as kernel


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=12))
def test_pairs_across_groups_of_a_component(places: list[tuple[int, int]]) -> None:
    places.sort()
    ids = np.arange(len(places), dtype=np.int32)
    component, group = (np.array([place[i] for place in places], np.int32) for i in range(2))
    count = kernel.write_across(ids, component, group, np.empty((0, 2), np.int32))
    rows = np.empty((count, 2), np.int32)
    kernel.write_across(ids, component, group, rows)
    expected = {(i, j) for i, (c, g) in enumerate(places) for j, (d, h) in enumerate(places) if c == d and g != h}
    assert {(x, y) for x, y in rows.tolist()} == expected
    assert count == len(expected)
