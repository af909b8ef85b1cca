"""Rules in one call: rounds until a fixpoint, whatever the call stops for."""

from __future__ import annotations

import numpy as np
from tests.local.storage.test_tables import matrix
from tests.local_engine import engine_of

from tidelog import KnowledgeBase
from tidelog.core.limits import Watch
from tidelog.core.rules import positive_atoms
from tidelog.core.statistics import Statistics
from tidelog.local.evaluation.fused_rules import Entry, FusedRules
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.kernel import fused_rounds as kernel
from tidelog.local.kernel import layout
from tidelog.local.planning.plan_cache import PlanCache
from tidelog.local.storage.state import State
from tidelog.values import Kind

RULES = "p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), e(Y, Z)."


def of_a_chain(length: int) -> tuple[State, FusedRules]:
    """The rules of a closure, with all edges of a chain as the delta, and nothing derived."""
    kb = KnowledgeBase(RULES, modules=False)
    kb.update(insert=[("e", n, n + 1) for n in range(length)])
    engine = engine_of(kb)
    (unit,) = (unit for unit in engine.core.units if unit.rules)
    entries: list[Entry] = [(rule, at) for rule in unit.rules for at, _ in positive_atoms(rule)]
    engine.state.table("p").truncate_to(0)
    rules = FusedRules(engine.state, PlanCache(), entries, unit)
    rules._begins[:] = 0
    for table in (engine.state.table("e"), engine.state.table("p")):
        table.mark_delta(0)
    rules.ensure_planned()
    return engine.state, rules


def run(state: State, rules: FusedRules, steps: int) -> list[int]:
    """Run to the fixpoint with so many steps of a rule at a time; why it stopped, each time."""
    evaluation, found = Evaluation(state, Watch(), Statistics()), list[int]()
    while not found or found[-1] != layout.DONE:
        rules.words[kernel.STEPS] = steps
        store = state.store
        kernel.run_rounds(store.M, store.X, state.V, state.terms.header, rules.addresses)
        found.append(rules.words.item(kernel.OUTCOME))
        assert found[-1] != kernel.TOO_LARGE
        rules.handle_stop(found[-1], evaluation)
    return found


def test_rounds_reach_the_fixpoint_however_often_they_are_paused() -> None:
    for steps in (1 << 16, 7):
        state, rules = of_a_chain(20)
        outcomes = run(state, rules, steps)
        assert (layout.PAUSED in outcomes) == (steps == 7)
        assert {tuple(row) for row in state.table("p").rows.tolist()} == {
            (a, b) for a in state.table("e").rows[:, 0].tolist() for b in state.table("e").rows[:, 1].tolist() if a < b
        }
        assert rules.words[kernel.ROUND] == 20


def test_every_instance_is_found_once() -> None:
    state, rules = of_a_chain(12)
    run(state, rules, 5)
    assert int(rules._counts[:, 0].sum()) == len(state.table("p")), "a path of a chain has one derivation"
    assert int(rules._counts[:, 1].sum()) == len(state.table("p"))


def test_plans_for_other_sizes_are_made_again() -> None:
    state, rules = of_a_chain(2)
    state.terms.encode_numbers(Kind.INT, np.arange(100, 700))
    state.table("e").insert(matrix([(n, n + 1) for n in range(10, 500)], 2))
    assert run(state, rules, 1 << 16)[0] == kernel.PLAN_ANEW


def test_a_large_delta_is_left_to_python() -> None:
    state, rules = of_a_chain(2)
    state.terms.encode_numbers(Kind.INT, np.arange(100, 40_100))
    state.table("e").insert(matrix([(n, n) for n in range(40_000)], 2))
    kernel.run_rounds(state.store.M, state.store.X, state.V, state.terms.header, rules.addresses)
    assert rules.words[kernel.OUTCOME] == kernel.TOO_LARGE
    assert not rules.has_begun
