"""Virtual relations as a whole: pairs counted, tested, listed."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from tests.local.closure.test_virtual_relation import Case, closed

from tidelog.core.arrays import Int32s
from tidelog.local.kernel.closures import pairs as kernel


def unturned(case: Case) -> set[tuple[int, int]]:
    return {(y, x) for x, y in case.expected} if case.is_turned else case.expected


def ids_of(case: Case) -> Int32s:
    return np.array(sorted({x for x, _ in unturned(case)}), np.int32)


@given(closed)
def test_pairs_are_counted_tested_and_marked(case: Case) -> None:
    for budget in (None, 0):  # rows of bits, or a search each time
        relation, expected, ids = case.build(budget), unturned(case), ids_of(case)
        words, scratch = relation.words, np.empty(relation.node_count + 1, np.int32)
        counts = np.empty(len(ids), np.int64)
        kernel.count_lists(words, ids, counts, scratch)
        assert counts.tolist() == [sum(x == left for x, _ in expected) for left in ids.tolist()]
        tested = np.array([(x, y) for x in range(12) for y in range(12)], np.int32)
        found = np.empty(len(tested), np.int32)
        kernel.test_pairs(words, tested, found)
        assert [bool(bit) for bit in found] == [(x, y) in expected for x, y in tested.tolist()]
        assert kernel.loops_among(words, ids) == sum(x == y for x, y in expected)
        for right in sorted({y for _, y in expected})[:1]:
            found = scratch[: kernel.list_ends(words, right, True, scratch)].tolist()
            assert sorted(found) == sorted(x for x, y in expected if y == right)


@given(closed)
def test_what_paths_of_e_connect(case: Case) -> None:
    steps = case.starts if case.steps is None else case.steps
    connected = Case(steps).expected | {(x, x) for x in range(300)}
    tested = [(x, y) for x in range(12) for y in (*range(12), 70)]
    for budget in (None, 0):
        relation, found = case.build(budget), np.empty(len(tested), np.int32)
        oriented = [(y, x) for x, y in tested] if case.is_turned else tested
        kernel.test_steps(relation.words, np.array(oriented, np.int32), found)
        assert [bool(bit) for bit in found] == [pair in connected for pair in tested]


@given(closed, closed)
def test_pairs_of_one_relation_that_another_lacks_are_listed(one: Case, other: Case) -> None:
    """By left ends and by right ends, in pieces."""
    here, there, new = one.build(), other.build(), unturned(one) - unturned(other)
    lists = np.empty((2, 500), np.int32)
    for side in (0, 1):
        ids = np.array(sorted({pair[side] for pair in unturned(one)}), np.int32)
        stamps, done, found = np.zeros(500, np.int32), np.zeros(3, np.int64), set()
        while done[0] < len(ids):
            rows, done[1] = np.empty((200, 2), np.int32), 0
            kernel.list_new(here.words, there.words, ids, side == 1, done, lists, stamps, rows)
            found |= {(x, y) for x, y in rows[: done[1]].tolist()}
        assert found == new
