"""The runtime of a unit: what is kept, taken over, forgotten and released."""

from __future__ import annotations

from dataclasses import dataclass, replace
from unittest.mock import patch

import pytest
from tests.local.small_engine import CHAIN, PATHS, SmallEngine

from tidelog.local.maintenance import unit_runtime
from tidelog.local.maintenance.costs import Costs
from tidelog.local.maintenance.unit_runtime import UnitRuntime
from tidelog.local.storage.state import State
from tidelog.syntax.tree import Atom


@pytest.fixture
def small() -> SmallEngine:
    return SmallEngine(PATHS + CHAIN)


@pytest.fixture
def runtime(small: SmallEngine) -> UnitRuntime:
    return UnitRuntime("test", small.unit("path"), small.state)


@dataclass
class Note:
    """Something to keep."""

    text: str


def test_rules_are_made_once(runtime: UnitRuntime) -> None:
    first, recursive = runtime.unit.rules
    made = runtime.variant(recursive, ("lost", 0), first.body)
    assert made.body == first.body
    assert made.head == recursive.head
    assert made.serial != recursive.serial
    assert runtime.variant(recursive, ("lost", 0), ()) is made
    assert runtime.variant(recursive, ("lost", 1), first.body) is not made
    assert runtime.variant(first, ("lost", 0), first.body) is not made
    assert runtime.variant(first, "elsewhere", first.body, Atom("other", first.head.args)).head.predicate == "other"
    assert len(runtime._rules) == 4
    assert runtime.rule("mine", lambda: first) is first
    assert runtime.rule("mine", lambda: recursive) is first


def test_fused_rules_are_made_once(runtime: UnitRuntime) -> None:
    first, recursive = runtime.unit.rules
    fused = runtime.fused([(first, None), (recursive, 0)])
    assert runtime.fused([(first, None), (recursive, 0)]) is fused
    assert runtime.fused([(first, None), (recursive, 1)]) is not fused


def test_one_thing_of_each_type_and_key_is_kept(runtime: UnitRuntime) -> None:
    some = runtime.keep(Note("a"))
    other = runtime.keep(Note("b"), "key")
    assert runtime.kept(Note) is some
    assert runtime.kept(Note, "key") is other
    assert runtime.kept(Costs) is None


def test_no_two_units_share_a_helper_table(small: SmallEngine, runtime: UnitRuntime) -> None:
    other = UnitRuntime("other", runtime.unit, small.state)
    runtime.table("deleted", "path", 2, small.rows((1, 2)))
    other.table("deleted", "path", 2)
    assert small.facts(runtime.table_name("deleted", "path")) == [(1, 2)]
    assert small.facts(other.table_name("deleted", "path")) == []


def test_a_retired_unit_leaves_nothing(small: SmallEngine, runtime: UnitRuntime) -> None:
    helpers = set(small.state.helpers)
    first, _ = runtime.unit.rules
    runtime.table("deleted", "path", 2)
    runtime.table("suspect", "path", 2)
    kept = runtime.variant(first, "lost", first.body)
    runtime.plans.plan(first, small.state)
    runtime.keep(Note("a"))
    assert len(small.state.helpers) == len(helpers) + 2
    runtime.retire()
    assert set(small.state.helpers) == helpers
    assert (len(runtime._rules), len(runtime.plans), runtime.kept(Note)) == (0, 0, None)
    assert runtime.variant(first, "lost", first.body) is not kept


def test_a_unit_with_fewer_rules_shares_costs_and_takes_over_plans(small: SmallEngine, runtime: UnitRuntime) -> None:
    first, recursive = runtime.unit.rules
    plan = runtime.plans.plan(first, small.state)
    runtime.plans.plan(recursive, small.state)
    fewer = runtime.with_unit(replace(runtime.unit, rules=(first,)))
    assert fewer.costs is runtime.costs
    assert len(fewer.plans) == 1
    assert fewer.plans.plan(first, small.state) is plan
    assert fewer.table_name("deleted", "path") != runtime.table_name("deleted", "path")


def test_what_several_units_knew_is_taken_over(small: SmallEngine, runtime: UnitRuntime) -> None:
    first, recursive = runtime.unit.rules
    others = [UnitRuntime(tag, runtime.unit, small.state) for tag in "ab"]
    others[0].costs, others[1].costs = Costs(anew=1.0, rows=10), Costs(anew=2.0, rows=20)
    plans = [others[0].plans.plan(first, small.state), others[1].plans.plan(recursive, small.state)]
    runtime.inherit(others)
    assert runtime.costs == Costs(anew=3.0, rows=30)
    assert [runtime.plans.plan(rule, small.state) for rule in (first, recursive)] == plans


def test_many_delta_rules_are_forgotten(runtime: UnitRuntime) -> None:
    first, _ = runtime.unit.rules

    def make(count: int) -> None:
        for number in range(count):
            runtime.variant(first, number, first.body)

    with patch.multiple(unit_runtime, _MOST_RULES=4, _MORE_A_RELATION=2):  # of `path`, and of `edge` and `path` that it reads
        make(10)
        runtime.trim()
        assert len(runtime._rules) == 10
        make(11)
        runtime.trim()
        assert len(runtime._rules) == 0


def test_rows_of_a_unit_and_of_what_it_reads(runtime: UnitRuntime) -> None:
    assert runtime.row_count() == 3 + 6


def test_over_another_state_only_the_costs_are_kept(small: SmallEngine, runtime: UnitRuntime) -> None:
    runtime.table("deleted", "path", 2)
    runtime.plans.plan(runtime.unit.rules[0], small.state)
    state = State()
    moved = runtime.moved_to(state)
    assert (moved.tag, moved.unit, moved.state, moved.costs) == ("test", runtime.unit, state, runtime.costs)
    assert len(moved.plans) == 0
    assert state.helpers == {}


def test_what_is_forgotten_is_made_again(small: SmallEngine, runtime: UnitRuntime) -> None:
    first = runtime.unit.rules[0]
    plan, made = runtime.plans.plan(first, small.state), runtime.variant(first, "other", ())
    runtime.keep(Note("a"))
    runtime.forget()
    assert runtime.kept(Note) is None
    assert runtime.plans.plan(first, small.state) is not plan
    assert runtime.variant(first, "other", ()) is not made
