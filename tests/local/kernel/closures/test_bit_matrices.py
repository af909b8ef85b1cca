"""The pairs that one matrix of bits has and another does not."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tidelog.core.arrays import UInt64s
from tidelog.local.kernel.closures import bit_matrices as kernel

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
        count = kernel.only_in(bits(one, 128), bits(small, size), np.empty((0, 2), np.int32))
        rows = np.empty((count, 2), np.int32)
        assert kernel.only_in(bits(one, 128), bits(small, size), rows) == count == len(one - small)
        assert {(x, y) for x, y in rows.tolist()} == one - small
