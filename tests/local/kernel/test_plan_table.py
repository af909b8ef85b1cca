"""Plans in a table: reset to their beginning, and lists of virtual relations made again."""

from __future__ import annotations

from tests.local.kernel.test_join import BODIES, prepared

from tidelog.core.arrays import Int64s
from tidelog.local.kernel import join, layout, plan_table
from tidelog.local.kernel.build import kernel


@kernel
def restart(plan: Int64s, budget: int) -> None:
    plan_table.restart(plan, budget)


@kernel
def refill_lists(VR: Int64s, plan: Int64s, depth: int) -> None:
    plan_table.refill_lists(VR, plan, depth)


def test_a_plan_is_reset_to_its_beginning() -> None:
    _, _, plan = prepared(BODIES["probes"])
    plan.state[:] = 17
    restart(plan.addresses, 5)
    words = dict(enumerate(plan.state.tolist()))
    assert words.pop(layout.ENTERING) == 1
    assert words.pop(layout.BUDGET) == 5
    assert set(words.values()) == {0}


def test_lists_that_other_runs_have_overwritten_are_made_again() -> None:
    state, rule, plan = prepared(BODIES["virtual, forward"])
    expected = {tuple(row) for row in state.table(rule.head.predicate).rows.tolist()}
    state.table(rule.head.predicate).truncate_to(0)
    restart(plan.addresses, 1)
    (walk,) = plan.walks
    status, seen = layout.PAUSED, 0
    while status == layout.PAUSED:
        status = join.run(state.store.M, state.store.X, state.V, state.terms.header, plan.addresses)
        plan.state[layout.BUDGET] = 1
        if plan.state[layout.DEPTH] >= walk.depth and not plan.state[layout.ENTERING]:
            seen += 1
            walk.scratch[:] = -1
            plan.lists[:, :2] = 0
            refill_lists(state.V, plan.addresses, int(plan.state[layout.DEPTH]))
    assert seen > 0
    assert {tuple(row) for row in state.table(rule.head.predicate).rows.tolist()} == expected
