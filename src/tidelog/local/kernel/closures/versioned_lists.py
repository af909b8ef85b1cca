"""Lists of numbers in one buffer, of which an older version can still be read while the next one is made.

List u stands from `start[u]` to `end[u]`. The used part of the buffer is never overwritten: a list that changes moves behind it,
once in an update, with room for all that will be added. So a version is its own `start` and `end`, and nothing else.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Bytes, Int32s, Int64s
from tidelog.local.kernel.build import kernel, part


@part
def _move(start: Int64s, end: Int64s, to: Int32s, is_moved: Bytes, extra: Int32s, u: int, used: int) -> int:
    """Move a list, unless this update has moved it; the used length of the buffer, -1 if there is no room."""
    if is_moved[u] != 0:
        return used
    length = end[u] - start[u]
    if used + length + extra[u] > len(to):
        return np.int64(-1)
    for i in range(length):
        to[used + i] = to[start[u] + i]
    start[u], end[u] = used, used + length
    is_moved[u] = 1
    return used + length + extra[u]


@part
def remove_value(start: Int64s, end: Int64s, to: Int32s, used: int, is_moved: Bytes, extra: Int32s, u: int, v: int) -> int:
    """Remove a value from a list; the used length of the buffer, -1 if there is no room."""
    used = _move(start, end, to, is_moved, extra, u, used)
    if used >= 0:
        for e in range(start[u], end[u]):
            if to[e] == v:
                end[u] -= 1
                to[e] = to[end[u]]
                break
    return used


@kernel
def remove_values(start: Int64s, end: Int64s, to: Int32s, used: int, keys: Int32s, values: Int32s, limit: int) -> int:
    """Remove values from lists; the used length of the buffer, -1 if there is no room or it takes too many steps."""
    is_moved, extra = np.zeros(len(start), np.uint8), np.zeros(len(start), np.int32)
    for i in range(len(keys)):
        u = np.int64(keys[i])
        limit -= end[u] - start[u]
        used = remove_value(start, end, to, used, is_moved, extra, u, np.int64(values[i]))
        if used < 0 or limit < 0:
            return np.int64(-1)
    return used


@kernel
def insert_values(start: Int64s, end: Int64s, to: Int32s, used: int, keys: Int32s, values: Int32s) -> int:
    """Append values to lists that do not have them; the used length of the buffer, -1 if there is no room."""
    is_moved, extra = np.zeros(len(start), np.uint8), np.zeros(len(start), np.int32)
    for i in range(len(keys)):
        extra[keys[i]] += 1
    for i in range(len(keys)):
        u = np.int64(keys[i])
        used = _move(start, end, to, is_moved, extra, u, used)
        if used < 0:
            return np.int64(-1)
        to[end[u]] = values[i]
        end[u] += 1
    return used
