"""The rules of a unit under change: deltas of facts, removed and added rules, and a deletion that is given up."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import pytest
from tests.local.small_engine import CHAIN, PATHS, SmallEngine

from tidelog import KnowledgeBase
from tidelog.core.units import UnitChange
from tidelog.local.maintenance import rule_maintenance
from tidelog.local.maintenance.cost_model import Choice
from tidelog.local.maintenance.deletion import Deadline
from tidelog.local.maintenance.propagation import Propagation
from tidelog.local.maintenance.rule_maintenance import RuleMaintenance
from tidelog.local.maintenance.unit_runtime import UnitRuntime
from tidelog.local.maintenance.update_context import UpdateContext


def begun(small: SmallEngine, context: UpdateContext) -> UpdateContext:
    """The context after the deltas of relations without rules have been recorded."""
    Propagation(context, small.engine.runtime).begin(small.engine.structure.deriver)
    context.evaluation.enter(small.number("path"), small.runtime("path").plans)
    return context


@pytest.mark.parametrize("algorithm", ["bf", "dred", "rematerialise"])
def test_deletions_and_insertions_are_one_delta(algorithm: str) -> None:
    small = SmallEngine(PATHS + CHAIN + "edge(1, 3).")
    context = small.context(algorithm)
    small.change("edge", delete=[(1, 2), (3, 4)], insert=[(3, 5)])
    RuleMaintenance(small.runtime("path"), begun(small, context)).run()
    assert small.facts("path") == [(1, 3), (1, 5), (2, 3), (2, 5), (3, 5)]
    delta = context.deltas.of["path"]
    assert small.tuples(delta.inserted_rows()) == [(1, 5), (2, 5), (3, 5)]
    assert small.tuples(delta.deleted_rows()) == [(1, 2), (1, 4), (2, 4), (3, 4)]


def test_insertions_alone_choose_no_algorithm() -> None:
    small = SmallEngine(PATHS + CHAIN)
    context = small.context()
    small.change("edge", insert=[(4, 5)])
    begin = small.state.tables["path"].end
    RuleMaintenance(small.runtime("path"), begun(small, context)).run()
    assert context.chosen == {}
    assert context.deltas.of["path"].begin == begin, "rows were only appended"
    assert context.counters.inserted == 4


def test_a_removed_rule_takes_its_instances_away() -> None:
    small = SmallEngine(PATHS + CHAIN + "path(1, 3).")
    first, recursive = small.unit("path").rules
    unit = replace(small.unit("path"), rules=(first,), uses=frozenset({"edge"}))
    runtime = UnitRuntime("after", unit, small.state)
    context = small.context("dred", changes_rules=True)
    context.evaluation.enter(0, runtime.plans)
    change = UnitChange((recursive,), (), (small.unit("path"),), has_new_operators=False)
    RuleMaintenance(runtime, context, change).run()
    assert small.facts("path") == [(1, 2), (1, 3), (2, 3), (3, 4)]
    assert small.tuples(context.deltas.of["path"].deleted_rows()) == [(1, 4), (2, 4)]
    assert not [name for name in small.state.helpers if "after" in name], "tables for the rules that stay are released"


def test_an_added_rule_is_applied_to_all_facts() -> None:
    small = SmallEngine(PATHS + CHAIN, derive=False)
    first, recursive = small.unit("path").rules
    before = replace(small.unit("path"), rules=(first,))
    small.evaluation().from_scratch(before)
    assert len(small.facts("path")) == 3
    context = begun(small, small.context(changes_rules=True))
    change = UnitChange((), (recursive,), (before,), has_new_operators=False)
    RuleMaintenance(small.runtime("path"), context, change).run()
    assert small.facts("path") == [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]
    assert small.tuples(context.deltas.of["path"].inserted_rows()) == [(1, 3), (1, 4), (2, 4)]


def test_a_deletion_that_takes_too_long_is_given_up() -> None:
    small = SmallEngine(PATHS + CHAIN)
    context = small.context()
    small.change("edge", delete=[(2, 3)])
    begun(small, context)
    small.runtime("path").costs.deletions = 0  # the first one makes plans, and does not count
    choice = Choice("dred", "for this test", 1, 0.0, lambda: Deadline(0.0, 0.0, 0.0, 0.0))
    with patch.object(rule_maintenance, "choose", lambda *_: choice):
        RuleMaintenance(small.runtime("path"), context).run()
    assert list(context.chosen) == ["dred", "rematerialise"]
    assert small.facts("path") == [(1, 2), (3, 4)]
    assert small.tuples(context.deltas.of["path"].deleted_rows()) == [(1, 3), (1, 4), (2, 3), (2, 4)]
    assert small.runtime("path").costs.per_fact > 0.0, "what it took so far is recorded"
    (cost,) = context.deletions
    assert (cost.unit, cost.algorithm, cost.lost, cost.gave_up) == (("path",), "dred", 1, True)
    assert cost.seconds > 0.0


def test_what_deletions_were_expected_to_take_is_recorded() -> None:
    kb = KnowledgeBase("path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z).", modules=False)
    kb.update(insert=[("edge", at, at + 1) for at in range(0, 300, 3)])
    for at in range(0, 15, 3):
        change = kb.update(delete=[("edge", at, at + 1)])
        assert [(cost.unit, cost.algorithm, cost.lost) for cost in change.stats.deletions] == [(("path",), "ranked", 1)]
    change = kb.update(delete=[("edge", at, at + 1) for at in range(60, 300, 3)])
    (cost,) = change.stats.deletions
    assert (cost.algorithm, cost.lost, cost.gave_up) == ("rematerialise", 80, False)
    assert cost.why in change.stats.algorithm
    assert min(cost.anew, cost.seconds) > 0.0
    assert not kb.update(insert=[("edge", 500, 501)]).stats.deletions
