"""The array types that both engines share, larger copies of buffers, and set membership of rows."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=np.generic)
Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
UInt64s = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
Rows = NDArray[np.int32]
"""Facts of one relation: a matrix with one row of dictionary ids per fact."""


def resized(buffer: NDArray[T], length: int) -> NDArray[T]:
    """A copy of a buffer with room for `length` values; those behind the old ones are undefined."""
    larger = np.empty(length, buffer.dtype)
    larger[: len(buffer)] = buffer
    return larger


def isin_rows(rows: Rows, others: Rows) -> NDArray[np.bool_]:
    """For each row whether it is one of `others`, as `np.isin` does for scalars.

    Two columns are one 64-bit key; each further column is packed behind the rank of the key so far.
    """
    width = rows.shape[1]
    if not len(rows) or not len(others):
        return np.zeros(len(rows), np.bool_)
    if width <= 1:
        return np.isin(rows[:, 0], others[:, 0]) if width else np.ones(len(rows), np.bool_)
    mine, theirs = (np.ascontiguousarray(some[:, :2], np.int32).view(np.int64).ravel() for some in (rows, others))
    if width > 2 and len(others) > len(rows):  # most of many rows differ in their first columns
        is_near = np.isin(theirs, mine)
        others, theirs = others[is_near], theirs[is_near]
        if not len(others):
            return np.zeros(len(rows), np.bool_)
    for at in range(2, width):
        ranks = np.unique(np.concatenate([mine, theirs]), return_inverse=True)[1].reshape(-1)
        keys = (ranks << 32) | (np.concatenate([rows[:, at], others[:, at]]).astype(np.int64) & 0xFFFFFFFF)
        mine, theirs = keys[: len(rows)], keys[len(rows) :]
    return np.isin(mine, theirs)


def distinct_rows(rows: Rows) -> Rows:
    """Each row once, in the order of the first ones."""
    return rows[np.sort(_first_places(rows))]


def last_of_each_key(rows: Rows, key: tuple[int, ...]) -> Rows:
    """Of several rows with one key, the last; in their order."""
    return rows[np.sort(len(rows) - 1 - _first_places(rows[::-1, key]))]


def _first_places(rows: Rows) -> Int64s:
    """Where each row stands first; two columns are one 64-bit key, and each further one is packed behind the rank so far."""
    if not len(rows) or not rows.shape[1]:
        return np.arange(min(len(rows), 1))
    if rows.shape[1] == 1:
        return np.unique(rows[:, 0], return_index=True)[1]
    keys = np.ascontiguousarray(rows[:, :2], np.int32).view(np.int64).ravel()
    for at in range(2, rows.shape[1]):
        ranks = np.unique(keys, return_inverse=True)[1].reshape(-1)
        keys = (ranks << 32) | (rows[:, at].astype(np.int64) & 0xFFFFFFFF)
    return np.unique(keys, return_index=True)[1]
