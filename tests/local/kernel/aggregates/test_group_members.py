"""The members of groups by the chains of an index: counted up to a number, and copied."""

from __future__ import annotations

import numpy as np
from tests.some_values import i

from tidelog.local.kernel.aggregates import group_members as kernel
from tidelog.local.storage.state import State


def test_members_are_counted_and_copied_group_by_group() -> None:
    state = State()
    state.terms.encode([i(number) for number in range(100)])  # ids
    table = state.helper("#rows", 3)
    rows = [(at % 3, at, 10 * at) for at in range(9)]
    table.insert(np.array(rows, np.int32))
    table.remove(np.array([rows[3]], np.int32))
    index, store, keys = table.index_on((0,)), state.store, np.array([[0], [7], [2]], np.int32)
    table.mark_delta()
    table.extend_index(index)
    counts = np.empty(3, np.int64)
    kernel.count_members(store.M, store.X, index.number, keys, 2, counts)
    assert counts.tolist() == [2, 0, 2]
    kernel.count_members(store.M, store.X, index.number, keys, 100, counts)
    assert counts.tolist() == [2, 0, 3]
    starts, members = np.array([0, 2, 2, 5], np.int64), np.empty(5, np.int32)
    kernel.copy_members(store.M, store.X, index.number, keys, 2, starts, members)
    assert sorted(members[:2].tolist()) == [0, 60]
    assert sorted(members[2:].tolist()) == [20, 50, 80]
