"""Plans by their addresses, for kernels that run several of them in one call: `Q` has a row for each."""

from __future__ import annotations

from tidelog.local.kernel.build import part
from tidelog.local.kernel.join import run
from tidelog.local.kernel.layout import BUDGET, ENTERING, STATE_WIDTH, STATUS
from tidelog.local.kernel.memory import Int64s, int32s, int64s

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
