"""Plans in a table, for kernels that run several of them in one call: `Q` has a row for each (`layout.PLAN_CODE` and so on)."""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int64s
from tidelog.local.kernel.build import hot, part
from tidelog.local.kernel.join import virtual_step
from tidelog.local.kernel.layout import (
    BACKWARD,
    BUDGET,
    ENTERING,
    FORWARD,
    NODES,
    PLAN_CODE,
    PLAN_CODE_LENGTH,
    PLAN_LISTS,
    PLAN_SERVICES,
    PLAN_SLOT_COUNT,
    PLAN_SLOTS,
    PLAN_STATE,
    PLAN_STEP_COUNT,
    STATE_WIDTH,
    STEPS_AT,
)
from tidelog.local.kernel.memory import int32s, int64_matrix, int64s


@hot
def run_state(plan: Int64s) -> Int64s:
    """The state of a plan's run."""
    return int64s(plan[PLAN_STATE], STATE_WIDTH)


@part
def restart(plan: Int64s, budget: int) -> None:
    """Reset a plan to its beginning."""
    state = run_state(plan)
    state[:] = 0
    state[ENTERING] = 1
    state[BUDGET] = budget


@part
def refill_lists(VR: Int64s, plan: Int64s, depth: int) -> None:
    """Make the lists of virtual relations again that the steps of a plan down to `depth` read: runs share their scratch."""
    code, slots = int32s(plan[PLAN_CODE], plan[PLAN_CODE_LENGTH]), int32s(plan[PLAN_SLOTS], plan[PLAN_SLOT_COUNT])
    lists = int64_matrix(plan[PLAN_LISTS], plan[PLAN_STEP_COUNT], 4)
    for step in range(depth + 1):
        at = np.int64(code[STEPS_AT + step])
        op = np.int64(code[at])
        if op == NODES or op == FORWARD or op == BACKWARD:
            services = int64s(plan[PLAN_SERVICES], 2)
            virtual_step(services, op, VR[code[at + 1]], np.int64(slots[code[at + 2]]), np.int64(0), lists[step])
