"""The journal of a partition: every write, with what was there before and what is there now.

An update writes through `put`.  Its entries become the way from one version to the next, and back: the buffers hold one version,
and any other one is reached by replaying entries, at the cost of what lies between.  Each function here is one call that no other
thread of Python interrupts, so readers see the buffers before it or after it.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel.build import exclusive, part
from tidelog.local.kernel.closures.connectivity import words as word
from tidelog.local.kernel.closures.virtual_access import COMPONENT, NODE_COUNT, NODE_OF, TERMS
from tidelog.local.kernel.memory import int32s


@part
def put(W: Int64s, place: int, at: int, value: int) -> None:
    """Write a number into a buffer, and into the journal; the caller has made sure that there is room."""
    buffer = int32s(W[place], W[word.POOL_ROOM] if place == word.TO or place == word.MATE else W[word.NODE_ROOM])
    if W[word.LOG_ROOM] > 0:  # else the lists are just being built
        log, end = int32s(W[word.LOG], 4 * W[word.LOG_ROOM]), 4 * W[word.LOG_COUNT]
        log[end], log[end + 1], log[end + 2], log[end + 3] = place, at, buffer[at], value
        W[word.LOG_COUNT] += 1
    buffer[at] = value


@part
def has_room(W: Int64s, count: int) -> bool:
    """Whether the journal has room for so many writes; if not, how many is noted."""
    if W[word.LOG_COUNT] + count <= W[word.LOG_ROOM]:
        return True
    W[word.NEEDED] = count
    return False


@part
def _replay(W: Int64s, log: Int32s, count: int, is_forward: bool, is_copy: bool) -> None:
    """Do writes again, or undo them; a copy has no buffers but those that readers need."""
    for i in range(count):
        entry = 4 * i if is_forward else 4 * (count - 1 - i)
        place = np.int64(log[entry])
        if is_copy and place != COMPONENT and (place < word.NEXT or place > word.LOOP or place == word.PREVIOUS):
            continue
        room = W[word.POOL_ROOM] if place == word.TO or place == word.MATE else W[word.NODE_ROOM]
        int32s(W[place], room)[log[entry + 1]] = log[entry + 3 if is_forward else entry + 2]


@exclusive
def go_to(W: Int64s, log: Int32s, is_forward: bool, is_copy: bool, counts: Int64s, version: int) -> None:
    """Replay the entries between two neighbouring versions; then the buffers, or a copy of them, hold the other one."""
    _replay(W, log, len(log) // 4, is_forward, is_copy)
    W[word.COUNTS : word.COUNTS_END] = counts
    W[word.VERSION] = version


@exclusive
def undo(W: Int64s, counts: Int64s) -> None:
    """Undo what stands in the journal."""
    _replay(W, int32s(W[word.LOG], 4 * W[word.LOG_ROOM]), W[word.LOG_COUNT], False, False)
    W[word.COUNTS : word.COUNTS_END] = counts
    W[word.LOG_COUNT] = W[word.GAINS] = W[word.LOSSES] = 0


@exclusive
def complete(W: Int64s, version: int) -> None:
    """What stands in the journal has made the next version."""
    W[word.VERSION] = version
    W[word.LOG_COUNT] = W[word.GAINS] = W[word.LOSSES] = 0


@exclusive
def copy_for_readers(W: Int64s, copy: Int64s) -> int:
    """Copy what readers need into other buffers, without what stands in the journal; the number of the version.

    -1 if the buffers have been replaced since the copy was begun.
    """
    count = W[NODE_COUNT]
    if count > copy[word.NODE_ROOM] or W[TERMS] != copy[TERMS] or W[NODE_OF] != copy[NODE_OF]:
        return np.int64(-1)
    for place in (COMPONENT, word.NEXT, word.HEAD, word.SIZE, word.LOOP):
        source, target = word.numbers_at(W, np.int64(place)), word.numbers_at(copy, np.int64(place))
        for i in range(count):
            target[i] = source[i]
    _replay(copy, int32s(W[word.LOG], 4 * W[word.LOG_ROOM]), W[word.LOG_COUNT], False, True)
    copy[NODE_COUNT] = count
    return W[word.VERSION]
