"""Matrices of bits compared: the pairs that one table has and another does not, 64 at a time."""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, UInt64s
from tidelog.local.kernel.build import kernel
from tidelog.local.kernel.memory import lowest_one, ones_in

_ZERO = np.uint64(0)
_ONE = np.uint64(1)


@kernel
def only_in(one: UInt64s, other: UInt64s, rows: Int32s) -> int:
    """Write the pairs of one matrix that another does not have, as far as there is room; how many there are."""
    count = 0
    for x in range(one.shape[0]):
        for at in range(one.shape[1]):
            word = one[x, at]
            if x < other.shape[0] and at < other.shape[1]:
                word &= ~other[x, at]
            if len(rows) == 0:
                count += ones_in(word)
                continue
            while word != _ZERO and count < len(rows):
                rows[count, 0] = x
                rows[count, 1] = 64 * at + lowest_one(word)
                count += 1
                word &= word - _ONE
    return count
