"""The buffers of a plan: what the words of its row (`layout.PLAN_CODE` and so on) lead to, its slots, its state before a run."""

from __future__ import annotations

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel import layout
from tidelog.local.kernel.build import hot, part
from tidelog.local.kernel.memory import int32s, int64_matrix, int64s

BIND, CHECK = 0, 1
"""What a column does with its slot."""


@hot
def plan_code(plan: Int64s) -> Int32s:
    """The code of a plan."""
    return int32s(plan[layout.PLAN_CODE], plan[layout.PLAN_CODE_LENGTH])


@hot
def plan_slots(plan: Int64s) -> Int32s:
    """The values of a plan's variables and constants."""
    return int32s(plan[layout.PLAN_SLOTS], plan[layout.PLAN_SLOT_COUNT])


@hot
def plan_cursor(plan: Int64s) -> Int64s:
    """The next candidate of each loop."""
    return int64s(plan[layout.PLAN_CURSOR], plan[layout.PLAN_STEP_COUNT])


@hot
def plan_lists(plan: Int64s) -> Int64s:
    """The lists of virtual relations that steps read."""
    return int64_matrix(plan[layout.PLAN_LISTS], plan[layout.PLAN_STEP_COUNT], 4)


@hot
def plan_key(plan: Int64s) -> Int32s:
    """Scratch for a key."""
    return int32s(plan[layout.PLAN_KEY], plan[layout.PLAN_KEY_LENGTH])


@hot
def run_state(plan: Int64s) -> Int64s:
    """The state of a plan's run."""
    return int64s(plan[layout.PLAN_STATE], layout.STATE_WIDTH)


@part
def restart(plan: Int64s, budget: int) -> None:
    """Reset a plan to its beginning."""
    state = run_state(plan)
    state[:] = 0
    state[layout.ENTERING] = 1
    state[layout.BUDGET] = budget


@hot
def matches(rows: Int32s, base: int, code: Int32s, at: int, slots: Int32s) -> bool:
    """Bind and check the columns of a row; `at` is where their number stands, then (column, BIND or CHECK, slot) for each."""
    for j in range(code[at]):
        action = at + 1 + 3 * j
        value = rows[base + code[action]]
        if code[action + 1] == BIND:
            slots[code[action + 2]] = value
        elif slots[code[action + 2]] != value:
            return False
    return True


@hot
def load_key(code: Int32s, at: int, count: int, slots: Int32s, key: Int32s) -> None:
    """Read a key from slots."""
    for j in range(count):
        key[j] = slots[code[at + j]]
