"""Aggregates over groups of ids that stand one after the other.

Ordinary groups are folded here; what needs more than 64 bits, or meets an infinity, is `HARD` and left to
`functions.aggregates`, so that there is one definition of the hard cases. Float sums are exact and rounded once, by
Shewchuk's algorithm as in Python's `math.fsum`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Bytes, Int32s, Int64s
from tidelog.local.kernel.build import kernel, part
from tidelog.local.kernel.memory import bits_of, bytes_at, float_of, int32s, int64s
from tidelog.local.kernel.terms import CAPACITY, FLOAT, INT, KINDS, LENGTHS, PAYLOADS, UNORDERED, compare_values

SUM, MIN, MAX, AVG, MEDIAN = range(5)
UNDEFINED, HARD, SAME_ID = 255, 254, 253
"""Outcomes beside the kinds INT and FLOAT: no result, left to Python, and the id of one of the members."""

_EXACT = np.int64(1) << np.int64(52)
_MOST_PARTIALS = 64

Floats = NDArray[np.float64]


@part
def _add_exactly(partials: Floats, count: int, x: float) -> int:
    """Add a number to a sum held as non-overlapping partials; how many there are, -1 if there is no room."""
    kept = 0
    for i in range(count):
        y = partials[i]
        if abs(x) < abs(y):
            x, y = y, x
        high = x + y
        low = y - (high - x)
        if low != 0.0:
            partials[kept] = low
            kept += 1
        x = high
    if kept >= _MOST_PARTIALS:
        return -1
    partials[kept] = x
    return kept + 1


@part
def _rounded(partials: Floats, count: int) -> float:
    """The sum of the partials, rounded once, half to even."""
    if count == 0:
        return 0.0
    count -= 1
    high, low = partials[count], 0.0
    while count > 0:
        x = high
        count -= 1
        y = partials[count]
        high = x + y
        low = y - (high - x)
        if low != 0.0:
            break
    if count > 0 and ((low < 0.0 and partials[count - 1] < 0.0) or (low > 0.0 and partials[count - 1] > 0.0)):
        twice = low * 2.0
        x = high + twice
        if twice == x - high:
            high = x
    return high


@part
def _numbers(T: Int64s, targets: Int32s, begin: int, end: int, numbers: Floats) -> int:
    """The numbers of a group as floats: INT if all are integers, FLOAT if not, HARD or UNDEFINED."""
    kinds, payloads = bytes_at(T[KINDS], T[CAPACITY]), int64s(T[PAYLOADS], T[CAPACITY])
    outcome = INT
    is_hard = False
    for i in range(begin, end):
        kind, payload = kinds[targets[i]], payloads[targets[i]]
        if kind == INT:
            is_hard = is_hard or payload > _EXACT or payload < -_EXACT
            numbers[i - begin] = np.float64(payload)
        elif kind == FLOAT:
            number = float_of(payload)
            if np.isnan(number):
                return UNDEFINED
            is_hard = is_hard or np.isinf(number)
            outcome = FLOAT
            numbers[i - begin] = number
        else:
            return UNDEFINED
    return HARD if is_hard else outcome


@part
def _extreme(T: Int64s, function: int, targets: Int32s, begin: int, end: int) -> int:
    """The smallest or largest of a group as an id, -1 if some have no order."""
    kinds, payloads = bytes_at(T[KINDS], T[CAPACITY]), int64s(T[PAYLOADS], T[CAPACITY])
    lengths = int32s(T[LENGTHS], T[CAPACITY])
    best = targets[begin]
    for i in range(begin, end):
        other = targets[i]
        order = compare_values(
            T,
            np.int64(kinds[other]),
            payloads[other],
            np.int64(lengths[other]),
            np.int64(kinds[best]),
            payloads[best],
            np.int64(lengths[best]),
        )
        if order == UNORDERED:
            return -1
        tie = order == 0 and kinds[other] == INT and kinds[best] == FLOAT
        if tie or (function == MIN and order < 0) or (function == MAX and order > 0):
            best = other
    return best


@kernel
def fold_groups(
    T: Int64s, function: int, starts: Int64s, targets: Int32s, outcomes: Bytes, payloads: Int64s, numbers: Floats
) -> None:
    """Fold each group: its outcome, and the payload or id of its result.  `numbers` has room for the largest group."""
    partials = np.empty(_MOST_PARTIALS, np.float64)
    for group in range(len(starts) - 1):
        begin, end = starts[group], starts[group + 1]
        if function == MIN or function == MAX:
            best = _extreme(T, function, targets, begin, end)
            outcomes[group] = SAME_ID if best >= 0 else UNDEFINED
            payloads[group] = best
            continue
        kind = _numbers(T, targets, begin, end, numbers)
        outcomes[group] = kind
        if kind == UNDEFINED or kind == HARD:
            continue
        size = end - begin
        if function == MEDIAN:
            group_numbers = numbers[:size]
            group_numbers.sort()
            result = (group_numbers[(size - 1) // 2] + group_numbers[size // 2]) / 2.0
        else:
            used = 0
            for i in range(size):
                used = _add_exactly(partials, used, numbers[i])
                if used < 0:
                    break
            result = _rounded(partials, used) if used >= 0 else np.inf
            if np.isinf(result) or (kind == INT and abs(result) > np.float64(_EXACT)):
                outcomes[group] = HARD
                continue
            if function == SUM and kind == INT:
                payloads[group] = np.int64(result)
                continue
            if function == AVG:
                result = result / np.float64(size)
        if np.isinf(result) or np.isnan(result):
            outcomes[group] = HARD
            continue
        outcomes[group] = FLOAT
        payloads[group] = bits_of(result + 0.0)
