"""Plans by their addresses, for kernels that run several of them in one call: `Q` has a row for each."""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int64s
from tidelog.local.kernel.build import part
from tidelog.local.kernel.join import ask, run
from tidelog.local.kernel.layout import BACKWARD, BUDGET, ENTERING, FORWARD, NODES, STATE_WIDTH, STATUS, STEPS_AT
from tidelog.local.kernel.memory import int32s, int64s

# Q: a plan's buffers.
CODE, CODE_LENGTH, SLOTS, SLOT_LENGTH, CURSOR, STEPS, LISTS, KEY, KEY_LENGTH, STACK, STACK_LENGTH, STATE, SERVICES = range(13)
PLAN_WIDTH = 13


@part
def run_plan(M: Int64s, X: Int64s, V: Int64s, T: Int64s, Q: Int64s, plan: int) -> int:
    """Run a plan from where it stands; why it stopped."""
    q = Q[plan]
    steps, S = q[STEPS], int64s(q[STATE], STATE_WIDTH)
    run(
        M,
        X,
        V,
        T,
        int64s(q[SERVICES], 2),
        int32s(q[CODE], q[CODE_LENGTH]),
        int32s(q[SLOTS], q[SLOT_LENGTH]),
        int64s(q[CURSOR], steps),
        int64s(q[LISTS], 4 * steps).reshape((steps, 4)),
        int32s(q[KEY], q[KEY_LENGTH]),
        int64s(q[STACK], q[STACK_LENGTH]),
        S,
    )
    return S[STATUS]


@part
def restart(Q: Int64s, plan: int, budget: int) -> None:
    """Let a plan stand at its beginning."""
    S = int64s(Q[plan, STATE], STATE_WIDTH)
    S[:] = 0
    S[ENTERING] = 1
    S[BUDGET] = budget


@part
def ask_again(V: Int64s, Q: Int64s, plan: int, depth: int) -> None:
    """Fill the lists of virtual relations that a plan walks, down to some step, for it goes on where it stood."""
    q = Q[plan]
    P, slots = int32s(q[CODE], q[CODE_LENGTH]), int32s(q[SLOTS], q[SLOT_LENGTH])
    for step in range(depth + 1):
        at = np.int64(P[STEPS_AT + step])
        op = np.int64(P[at])
        if op == NODES or op == FORWARD or op == BACKWARD:
            lists = int64s(q[LISTS], 4 * q[STEPS])[4 * step : 4 * step + 4]
            ask(int64s(q[SERVICES], 2), op, V[P[at + 1]], np.int64(slots[P[at + 2]]), np.int64(0), lists)
