"""The array types that both engines share, and set membership of rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
UInt64s = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
Rows = NDArray[np.int32]
"""Facts of one relation: a matrix with one row of dictionary ids per fact."""


def isin_rows(rows: Rows, others: Rows) -> NDArray[np.bool_]:
    """For each row whether it is one of `others`, as `np.isin` does for scalars.

    Two columns are packed into one 64-bit key; each further column is packed behind the rank of the key so far.
    """
    if not len(rows) or not len(others):
        return np.zeros(len(rows), np.bool_)
    if rows.shape[1] == 0:
        return np.ones(len(rows), np.bool_)
    if rows.shape[1] == 1:
        return np.isin(rows[:, 0], others[:, 0])
    both = np.concatenate([rows, others])
    keys: Int64s = both[:, 0].astype(np.int64)
    for at in range(1, both.shape[1]):
        ranks = keys if at == 1 else np.unique(keys, return_inverse=True)[1].reshape(-1)
        keys = (ranks << 32) | (both[:, at].astype(np.int64) & 0xFFFFFFFF)
    return np.isin(keys[: len(rows)], keys[len(rows) :])
