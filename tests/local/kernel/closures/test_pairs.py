"""Virtual relations as a whole: pairs counted, tested, listed."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from tests.local.closure.test_virtual_relation import Case, cases

from tidelog.core.arrays import Int32s
from tidelog.local.kernel.closures import pairs as kernel


def unturned(case: Case) -> set[tuple[int, int]]:
    return {(y, x) for x, y in case.expected} if case.is_turned else case.expected


def ids_of(case: Case) -> Int32s:
    return np.array(sorted({x for x, _ in unturned(case)}), np.int32)


@given(cases)
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
        rights = np.array(sorted({y for _, y in expected})[:1], np.int32)
        is_left = np.zeros(relation.node_count, np.uint8)
        kernel.mark_left_ends(words, rights, is_left, scratch)
        assert set(relation.terms[is_left == 1].tolist()) == {x for x, y in expected if y in rights}


@given(cases, cases)
def test_pairs_of_one_relation_that_another_lacks_are_listed(one: Case, other: Case) -> None:
    here, there, ids = one.build(), other.build(), ids_of(one)
    lists, stamps = np.empty((2, 500), np.int32), np.zeros(500, np.int32)
    counts = np.empty(len(ids), np.int64)
    kernel.list_new(here.words, there.words, ids, counts, lists, stamps, np.empty((0, 2), np.int32))
    new = unturned(one) - unturned(other)
    assert counts.tolist() == [sum(x == left for x, _ in new) for left in ids.tolist()]
    rows = np.empty((int(counts.sum()), 2), np.int32)
    stamps[:] = 0
    kernel.list_new(here.words, there.words, ids, counts, lists, stamps, rows)
    assert {(x, y) for x, y in rows.tolist()} == new
