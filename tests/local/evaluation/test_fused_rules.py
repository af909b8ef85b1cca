"""Rules that run in one call of the kernel: to a fixpoint or once, and back to Python where a delta is large."""

from __future__ import annotations

import numpy as np
from tests.local.small_engine import CHAIN, PATHS, SmallEngine

from tidelog.core.rules import positive_atoms
from tidelog.local.evaluation.fused_rules import Entry, FusedRules, can_fuse
from tidelog.local.planning.plan_cache import PlanCache

LARGE = 1 << 15
"""The largest delta of `kernel.fused_rounds`."""


def fused_paths(small: SmallEngine) -> FusedRules:
    """All rules of `path`, with the delta of each atom."""
    unit = small.unit("path")
    entries: list[Entry] = [(rule, at) for rule in unit.rules for at, _ in positive_atoms(rule)]
    return FusedRules(small.state, PlanCache(), entries, unit)


def test_a_delta_is_followed_to_the_fixpoint() -> None:
    small = SmallEngine(PATHS + CHAIN)
    fused, edges = fused_paths(small), small.state.tables["edge"]
    for node in (5, 6):  # the second time with plans of the first
        begin, evaluation = edges.end, small.evaluation()
        edges.insert(small.rows((node - 1, node)))
        assert fused.run(evaluation, {"edge": begin})
        assert evaluation.statistics.derivations == node - 1
        assert sum(done.new_facts for done in evaluation.statistics.rounds) == node - 1
    assert small.facts("path") == [(x, y) for x in range(1, 7) for y in range(x + 1, 7)]


def test_plans_are_made_again_when_sizes_differ() -> None:
    small = SmallEngine(PATHS + CHAIN)
    fused, edges = fused_paths(small), small.state.tables["edge"]
    assert fused.run(small.evaluation(), {"edge": edges.end})
    plans, begin = fused._plans, edges.end
    edges.insert(small.rows(*((node, node + 1) for node in range(10, 600, 2))))
    assert fused.run(small.evaluation(), {"edge": begin})
    assert not any(new is old for new, old in zip(fused._plans, plans, strict=True))
    assert len(small.state.tables["path"]) == 6 + 295


def test_a_large_delta_is_left_to_python() -> None:
    small = SmallEngine(PATHS + CHAIN)
    fused, edges = fused_paths(small), small.state.tables["edge"]
    begin, count = edges.end, LARGE + 1
    ids = small.state.terms.encode_uniform(list(range(10, 10 + 2 * count)))
    edges.insert(np.ascontiguousarray(ids.reshape(count, 2)))
    assert not fused.run(small.evaluation(), {"edge": begin})
    assert not fused.has_begun
    assert len(small.state.tables["path"]) == 6


def test_without_a_unit_rules_run_once() -> None:
    small = SmallEngine(PATHS + CHAIN, derive=False)
    first, recursive = small.unit("path").rules
    for name in ("edge", "path"):
        small.state.tables[name].mark_delta()
    fused = FusedRules(small.state, PlanCache(), [(first, None), (recursive, None)])
    assert fused.run(small.evaluation())
    assert small.facts("path") == [(1, 2), (2, 3), (3, 4)], "`path` was empty when the run began"


def test_without_rules_there_is_nothing_to_run() -> None:
    small = SmallEngine(PATHS + CHAIN)
    evaluation = small.evaluation()
    assert FusedRules(small.state, PlanCache(), []).run(evaluation)
    assert not evaluation.statistics.rounds


def test_functions_of_python_cannot_be_fused() -> None:
    small = SmallEngine(PATHS + CHAIN + 'name(X, Y) :- edge(X, _), Y = cat("n", "x").')
    assert can_fuse(small.unit("path"))
    asked = [unit for unit in small.engine.structure.units.values() if unit.operators]
    assert len(asked) == 1
    assert not can_fuse(asked[0])
