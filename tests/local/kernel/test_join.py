"""The join kernel: a run that stops after every few steps finds the same facts as one that does not."""

from __future__ import annotations

import numpy as np
import pytest
from tests.local_engine import engine_of

from tidelog import KnowledgeBase
from tidelog.core.arrays import Int64s
from tidelog.core.rules import CoreRule
from tidelog.local.kernel import join, layout
from tidelog.local.kernel.build import kernel
from tidelog.local.planning.join_order import plan
from tidelog.local.planning.plan import Plan
from tidelog.local.storage.state import State

FACTS = [
    *(("a", n % 7, n % 5) for n in range(40)),
    *(("b", n % 5, n) for n in range(30)),
    *(("road", n, (n * 3 + 1) % 11) for n in range(11)),
]
BODIES = {
    "probes": "h(X, Z) :- a(X, Y), b(Y, Z).",
    "tests": "h(X, Y) :- a(X, Y), not b(Y, X), X != Y.",
    "expressions": "h(X, Z) :- a(X, Y), Z = X * 100 + Y, Z > 200.",
    "virtual, forward": "reach(X, Y) :- road(X, Y). reach(X, Z) :- reach(X, Y), reach(Y, Z). h(X, Z) :- a(X, _), reach(X, Z).",
    "virtual, backward": "reach(X, Y) :- road(X, Y). reach(X, Z) :- reach(X, Y), reach(Y, Z). h(X, Z) :- a(X, _), reach(Z, X).",
    "virtual, pairs": "reach(X, Y) :- road(X, Y). reach(X, Z) :- reach(X, Y), reach(Y, Z). h(X, Y) :- a(X, Y), not reach(X, Y).",
}


def prepared(rules: str) -> tuple[State, CoreRule, Plan]:
    kb = KnowledgeBase(rules)
    kb.update(insert=FACTS)
    engine = engine_of(kb)
    (rule,) = (rule for unit in engine.core.units for rule in unit.rules if rule.head.predicate == "h")
    result = plan(rule, engine.state, None)
    for table, index in result.indexes:
        table.extend_index(index)
    return engine.state, rule, result


def run(state: State, prepared: Plan, budget: int) -> list[int]:
    """Run a plan to its end with so many steps at a time; why it stopped, each time."""
    prepared.state[:] = 0
    prepared.state[layout.ENTERING] = 1
    found: list[int] = []
    while not found or found[-1] != layout.DONE:
        prepared.state[layout.BUDGET] = budget
        store = state.store
        found.append(join.run(store.M, store.X, state.V, state.terms.header, prepared.addresses))
        assert prepared.state[layout.STATUS] == found[-1]
        if found[-1] == layout.GROW_TABLE:
            store.tables[prepared.state[layout.CULPRIT]].grow()
        elif found[-1] == layout.GROW_TERMS:
            state.terms.grow()
    return found


@pytest.mark.parametrize("rules", BODIES.values(), ids=BODIES)
def test_a_run_that_is_paused_finds_the_same(rules: str) -> None:
    state, rule, plan = prepared(rules)
    head = state.table(rule.head.predicate)
    expected = {tuple(row) for row in head.rows.tolist()}
    assert expected
    counts = []
    for budget in (1 << 20, 3, 1):
        head.truncate_to(0)
        outcomes = run(state, plan, budget)
        assert (layout.PAUSED in outcomes) == (budget < 10)
        assert {tuple(row) for row in head.rows.tolist()} == expected
        counts.append(int(plan.state[layout.DERIVATIONS]))
    assert len(set(counts)) == 1, "no instance twice"


def test_a_full_table_stops_a_run_which_continues_where_it_was() -> None:
    state, rule, plan = prepared(BODIES["expressions"].replace("Z > 200", "b(_, W), Z > W"))
    head = state.table(rule.head.predicate)
    expected = {tuple(row) for row in head.rows.tolist()}
    head.truncate_to(0)
    head.empty()
    state.store.M[head.number, layout.CAPACITY] = 2
    assert layout.GROW_TABLE in run(state, plan, 1 << 20)
    assert {tuple(row) for row in head.rows.tolist()} == expected


def test_services_that_a_plan_does_not_need_have_no_address() -> None:
    addresses = join.service_addresses(computes=False, reads_virtual=False)
    assert addresses.dtype == np.int64
    assert addresses.tolist() == [0] * layout.SERVICES


@kernel
def refill_lists(VR: Int64s, addresses: Int64s, depth: int) -> None:
    join.refill_lists(VR, addresses, depth)


def test_lists_that_other_runs_have_overwritten_are_made_again() -> None:
    state, rule, made = prepared(BODIES["virtual, forward"])
    expected = {tuple(row) for row in state.table(rule.head.predicate).rows.tolist()}
    state.table(rule.head.predicate).truncate_to(0)
    made.state[:] = 0
    made.state[layout.ENTERING], made.state[layout.BUDGET] = 1, 1
    (walk,) = made.walks
    status, seen = layout.PAUSED, 0
    while status == layout.PAUSED:
        status = join.run(state.store.M, state.store.X, state.V, state.terms.header, made.addresses)
        made.state[layout.BUDGET] = 1
        if made.state[layout.DEPTH] >= walk.depth and not made.state[layout.ENTERING]:
            seen += 1
            walk.scratch[:] = -1
            made.lists[:, :2] = 0
            refill_lists(state.V, made.addresses, int(made.state[layout.DEPTH]))
    assert seen > 0
    assert {tuple(row) for row in state.table(rule.head.predicate).rows.tolist()} == expected
