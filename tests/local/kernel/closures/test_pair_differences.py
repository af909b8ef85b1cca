"""Two versions of a virtual relation: which pairs one has and the other does not."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.local.closure.test_virtual_relation import Case, as_set, matrix

from tidelog.core.arrays import UInt64s
from tidelog.local.closure.incremental import EdgeDelta, incremental_version
from tidelog.local.kernel.closures import pair_differences as kernel
from tidelog.local.kernel.closures import virtual_access as words

EDGES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=18, unique=True)


@given(EDGES, EDGES)
def test_pairs_of_one_version_that_the_other_lacks(first: list[tuple[int, int]], second: list[tuple[int, int]]) -> None:
    before = Case(first).build()
    inserted, deleted = [edge for edge in second if edge not in first], [edge for edge in first if edge not in second]
    after = incremental_version(before, EdgeDelta(matrix(inserted), matrix(deleted)), None, lambda: None)
    assert after is not None
    for a, b in ((before, after), (after, before)):
        changed = np.zeros(max(int(a.words[words.WORDS]), int(b.words[words.WORDS])), np.uint64)
        any_changed = kernel.changed_components(a.words, b.words, changed) > 0
        expected = as_set(a) - as_set(b)
        found = np.empty(len(a.lefts), np.int32)
        count = kernel.changed_lefts(a.words, b.words, a.lefts, True, changed, any_changed, found)
        ids = found[:count]
        assert {x for x, _ in expected} <= set(ids.tolist()), "no left end that differs is missed"
        counts = np.empty(count, np.int64)
        kernel.count_new(a.words, b.words, ids, changed, counts)
        assert counts.tolist() == [sum(x == left for x, _ in expected) for left in ids.tolist()]
        rows = np.empty((int(counts.sum()), 2), np.int32)
        kernel.write_new(a.words, b.words, ids, changed, rows)
        assert {(x, y) for x, y in rows.tolist()} == expected


PAIRS = st.sets(st.tuples(st.integers(0, 127), st.integers(0, 127)), max_size=60)


def bits(pairs: set[tuple[int, int]], size: int) -> UInt64s:
    result: UInt64s = np.zeros((size, size // 64), np.uint64)
    for x, y in pairs:
        result[x, y // 64] |= np.uint64(1) << np.uint64(y % 64)
    return result


@given(PAIRS, PAIRS)
def test_pairs_are_counted_and_then_written(one: set[tuple[int, int]], other: set[tuple[int, int]]) -> None:
    for size in (128, 64):  # a matrix that is smaller lacks the pairs beyond it
        small = {(x, y) for x, y in other if max(x, y) < size}
        count = kernel.only_in_matrix(bits(one, 128), bits(small, size), np.empty((0, 2), np.int32))
        rows = np.empty((count, 2), np.int32)
        assert kernel.only_in_matrix(bits(one, 128), bits(small, size), rows) == count == len(one - small)
        assert {(x, y) for x, y in rows.tolist()} == one - small
