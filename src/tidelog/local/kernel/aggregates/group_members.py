"""The members of groups, found by the chains of an index: counted, and copied one group after the other."""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel import layout
from tidelog.local.kernel.build import kernel
from tidelog.local.kernel.table_rows import chain, older_rows, rows_of


@kernel
def count_members(M: Int64s, X: Int64s, index: int, keys: Int32s, most: int, counts: Int64s) -> None:
    """How many rows each key has, given as a row of a matrix; `most` where there are so many or more."""
    following = older_rows(M, X, X[index, layout.TABLE], index)
    for i in range(keys.shape[0]):
        row, count = np.int64(chain(M, X, index, keys[i])), np.int64(0)
        while row >= 0 and count < most:
            count += 1
            row = np.int64(following[row]) - 1
        counts[i] = count


@kernel
def copy_members(M: Int64s, X: Int64s, index: int, keys: Int32s, column: int, starts: Int64s, members: Int32s) -> None:
    """Copy a column of the rows of each key to where these start; all of them must have been counted."""
    table = X[index, layout.TABLE]
    following, rows, arity = older_rows(M, X, table, index), rows_of(M, table), M[table, layout.ARITY]
    for i in range(keys.shape[0]):
        row = np.int64(chain(M, X, index, keys[i]))
        for at in range(starts[i], starts[i + 1]):
            members[at] = rows[row * arity + column]
            row = np.int64(following[row]) - 1
