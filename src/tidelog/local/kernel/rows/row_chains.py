"""The chains of an index: all rows with some keys, for callers outside of the kernel."""

from __future__ import annotations

from tidelog.core.arrays import Int32s
from tidelog.local.kernel.build import kernel


@kernel
def rows_in_chains(following: Int32s, first: Int32s, found: Int32s) -> int:
    """The numbers of all rows in some chains, as far as there is room; how many there are.  -1 is an empty chain."""
    count = 0
    for i in range(len(first)):
        row = first[i]
        while row >= 0:
            if count < len(found):
                found[count] = row
            count += 1
            row = following[row] - 1
    return count
