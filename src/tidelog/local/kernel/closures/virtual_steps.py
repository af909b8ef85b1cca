"""Steps of plans that read a virtual relation of either kind: a closure (`virtual_access`) or a partition (`connectivity`).

`W` is the relation's row of `VR`.  `L` holds for a step: address and length of its list, address and length of its scratch.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int64s
from tidelog.local.kernel.build import part, service
from tidelog.local.kernel.closures import virtual_access as virtual
from tidelog.local.kernel.closures.connectivity.words import are_together, list_members
from tidelog.local.kernel.layout import FORWARD, HAS_PAIR, NODES
from tidelog.local.kernel.memory import int32s, int64s


@part
def run_step(op: int, W: Int64s, first: int, second: int, L: Int64s) -> int:
    """Run a step of a plan that reads a virtual relation: make a list, or test a pair.

    FORWARD lists the right ends of pairs with the left end `first`, BACKWARD the left ends of pairs with the right end `first`,
    NODES all left ends, perhaps more; their number is returned.  Otherwise 1 or 0.
    """
    is_turned, is_partition = W[virtual.IS_TURNED] != 0, W[virtual.IS_PARTITION] != 0
    if op == HAS_PAIR:
        if is_partition:
            return np.int64(are_together(W, first, second))
        left, right = (second, first) if is_turned else (first, second)
        return np.int64(virtual.has_pair(W, left, right))
    if op == NODES:
        L[0] = W[virtual.RIGHTS] if is_turned else W[virtual.LEFTS]
        L[1] = W[virtual.RIGHT_COUNT] if is_turned else W[virtual.LEFT_COUNT]
        return L[1]
    scratch = int32s(L[2], L[3])
    L[0] = L[2]
    if is_partition:
        L[1] = list_members(W, first, scratch)
    elif (op == FORWARD) != is_turned:
        L[1] = virtual.forward(W, first, scratch)
    else:
        L[1] = virtual.backward(W, first, scratch)
    return L[1]


@service
def run_step_at(op: int, W: int, first: int, second: int, L: int, unused: int) -> int:  # noqa: ARG001
    """`run_step`, with addresses."""
    return run_step(op, int64s(W, virtual.VIRTUAL_WIDTH), first, second, int64s(L, 4))


@part
def has_any(W: Int64s) -> bool:
    """Whether there is a pair at all."""
    return W[virtual.LEFT_COUNT] > 0  # each given fact is a pair


@part
def has_any_loop(W: Int64s) -> bool:
    """Whether there is a pair (x, x)."""
    return W[virtual.LOOPS] > 0
