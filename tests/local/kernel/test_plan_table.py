"""The buffers of a plan: reset to its beginning."""

from __future__ import annotations

from tests.local.kernel.test_join import BODIES, prepared

from tidelog.core.arrays import Int64s
from tidelog.local.kernel import layout, plan_table
from tidelog.local.kernel.build import kernel


@kernel
def restart(plan: Int64s, budget: int) -> None:
    plan_table.restart(plan, budget)


def test_a_plan_is_reset_to_its_beginning() -> None:
    _, _, plan = prepared(BODIES["probes"])
    plan.state[:] = 17
    restart(plan.addresses, 5)
    words = dict(enumerate(plan.state.tolist()))
    assert words.pop(layout.ENTERING) == 1
    assert words.pop(layout.BUDGET) == 5
    assert set(words.values()) == {0}
