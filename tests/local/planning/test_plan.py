"""Plans: cached ones are planned again when sizes change, or when a virtual relation outgrows their buffers."""

from __future__ import annotations

import pytest
from tests.local_engine import engine_of

from tidelog import KnowledgeBase
from tidelog.core.rules import CoreRule
from tidelog.local.planning.plan_cache import PlanCache
from tidelog.local.storage.state import State

RULES = "r(X, Z) :- r(X, Y), r(Y, Z). h(X) :- s(X), r(X, _), not r(X, X). one(X) :- s(X), s(X)."


@pytest.fixture
def kb() -> KnowledgeBase:
    kb = KnowledgeBase(RULES)
    kb.update(insert=[("s", 1), ("r", 1, 2)])
    return kb


def rule_of(kb: KnowledgeBase, head: str) -> tuple[CoreRule, State]:
    engine = engine_of(kb)
    return engine.structure.units[engine.structure.deriver[head]].rules[0], engine.state


def test_a_plan_is_cached_while_sizes_are_similar(kb: KnowledgeBase) -> None:
    rule, state = rule_of(kb, "h")
    plans = PlanCache()
    first = plans.plan(rule, state)
    assert plans.plan(rule, state) is first
    kb.update(insert=[("s", n) for n in range(2, 40)])
    assert plans.plan(rule, state) is first
    kb.update(insert=[("s", n) for n in range(40, 1000)])
    assert plans.plan(rule, state) is not first


def test_a_virtual_relation_may_outgrow_the_buffers(kb: KnowledgeBase) -> None:
    rule, state = rule_of(kb, "h")
    plans = PlanCache()
    found = plans.plan(rule, state)
    assert found.walks
    assert found.can_walk(state)
    kb.update(insert=[("r", n, n + 1) for n in range(100, 200)])
    assert not found.can_walk(state)
    assert plans.plan(rule, state).can_walk(state)


def test_addresses_are_those_of_the_buffers(kb: KnowledgeBase) -> None:
    rule, state = rule_of(kb, "h")
    plans = PlanCache()
    found = plans.plan(rule, state)
    addresses = found.addresses
    assert addresses[:2].tolist() == [found.code.ctypes.data, len(found.code)]
    assert found.addresses is addresses
