"""The queue of facts to look at, those that came first in front: a binary heap of (tick, row, relation).

With the relation goes whether the fact was looked at before it was queued, and had no support: that does not come back.
"""

from __future__ import annotations

from tidelog.core.arrays import Int64s
from tidelog.local.kernel.build import hot, part
from tidelog.local.kernel.memory import int64_matrix
from tidelog.local.maintenance.backward_forward import unit_layout as unit

TICK, ROW, OF = range(3)
QUEUE_WIDTH = 3


@hot
def queue_of(U: Int64s) -> Int64s:
    """The queue; `Z[QUEUED]` facts are in it."""
    return int64_matrix(U[unit.QUEUE], U[unit.QUEUE_ROOM], QUEUE_WIDTH)


@part
def is_before(queue: Int64s, i: int, j: int) -> bool:
    """Whether one place of the queue is to be in front of another."""
    for word in range(QUEUE_WIDTH):
        if queue[i, word] != queue[j, word]:
            return queue[i, word] < queue[j, word]  # type: ignore[no-any-return]
    return False


@part
def _swap(queue: Int64s, i: int, j: int) -> None:
    for word in range(QUEUE_WIDTH):
        queue[i, word], queue[j, word] = queue[j, word], queue[i, word]


@part
def push(U: Int64s, tick: int, row: int, k: int, falls: bool) -> None:
    """Add a fact, that falls for sure or not; there must be room."""
    queue, Z = queue_of(U), unit.progress_of(U)
    at = Z[unit.QUEUED]
    queue[at, TICK], queue[at, ROW], queue[at, OF] = tick, row, 2 * k + falls
    Z[unit.QUEUED] += 1
    while at > 0 and is_before(queue, at, (at - 1) >> 1):
        _swap(queue, at, (at - 1) >> 1)
        at = (at - 1) >> 1


@part
def pop(U: Int64s) -> None:
    """Remove the front; there must be one."""
    queue, Z = queue_of(U), unit.progress_of(U)
    Z[unit.QUEUED] -= 1
    count, at = Z[unit.QUEUED], 0
    _swap(queue, 0, count)
    while 2 * at + 1 < count:
        child = 2 * at + 1
        if child + 1 < count and is_before(queue, child + 1, child):
            child += 1
        if not is_before(queue, child, at):
            break
        _swap(queue, child, at)
        at = child
