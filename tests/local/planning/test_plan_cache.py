"""Plans are kept by rule and delta until sizes differ much."""

from __future__ import annotations

from dataclasses import replace

from tests.local.small_engine import CHAIN, PATHS, SmallEngine

from tidelog.local.planning.plan_cache import PlanCache


def test_a_plan_is_made_once_for_a_rule_and_a_delta() -> None:
    small, cache = SmallEngine(PATHS + CHAIN), PlanCache()
    first, recursive = small.unit("path").rules
    made = cache.plan(recursive, small.state)
    assert cache.plan(recursive, small.state) is made
    by_delta = cache.plan(recursive, small.state, 0)
    assert by_delta is not made
    assert cache.plan(recursive, small.state, 0) is by_delta
    assert cache.plan(replace(recursive), small.state) is not made, "another rule object, another plan"
    cache.plan(first, small.state)
    assert len(cache) == 4
    cache.clear()
    assert len(cache) == 0
    assert cache.plan(recursive, small.state) is not made


def test_a_plan_serves_until_sizes_differ_much() -> None:
    small, cache = SmallEngine(PATHS + CHAIN), PlanCache()
    edges, (rule, _) = small.state.tables["edge"], small.unit("path").rules
    edges.mark_delta()
    made = cache.plan(rule, small.state)
    edges.insert(small.rows((8, 9)))
    edges.mark_delta()
    assert cache.plan(rule, small.state) is made
    edges.insert(small.rows(*((node, 0) for node in range(2000))))
    edges.mark_delta()
    larger = cache.plan(rule, small.state)
    assert larger is not made
    edges.truncate_to(3)
    edges.mark_delta()
    assert cache.plan(rule, small.state) is not larger


def test_plans_are_taken_over_for_some_rules() -> None:
    small, cache, other = SmallEngine(PATHS + CHAIN), PlanCache(), PlanCache()
    first, recursive = small.unit("path").rules
    plans = [cache.plan(recursive, small.state, delta) for delta in (None, 0, 1)]
    cache.plan(first, small.state)
    other.inherit(cache, [recursive])
    assert len(other) == 3
    assert [other.plan(recursive, small.state, delta) for delta in (None, 0, 1)] == plans
