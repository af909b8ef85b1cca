"""Semi-naive evaluation of a unit: all facts, each rule instance once, in as many rounds as the recursion is deep."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from tests.local.small_engine import CHAIN, PATHS, SmallEngine

from tidelog.core.limits import LimitReachedError, Limits, Watch
from tidelog.core.statistics import Statistics
from tidelog.local.evaluation import seminaive
from tidelog.local.evaluation.seminaive import Evaluation

CLOSURE = [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]


@pytest.mark.parametrize(
    ("recursive", "instances"),
    [
        ("path(X, Z) :- path(X, Y), edge(Y, Z).", 3),
        ("path(X, Z) :- path(X, Y), path(Y, Z).", 4),  # a pair of paths for each of four triples
    ],
)
def test_every_instance_is_found_once(recursive: str, instances: int) -> None:
    small = SmallEngine(f"path(X, Y) :- edge(X, Y). {recursive} {CHAIN}", derive=False)
    evaluation = small.evaluation()
    evaluation.from_scratch(small.unit("path"))
    assert small.facts("path") == CLOSURE
    assert evaluation.statistics.derivations == 3 + instances
    assert sum(done.new_facts for done in evaluation.statistics.rounds) == len(CLOSURE)


def test_a_delta_is_continued_from() -> None:
    small = SmallEngine(PATHS + CHAIN)
    edges = small.state.tables["edge"]
    begin = edges.end
    edges.insert(small.rows((4, 5)))
    evaluation = small.evaluation()
    evaluation.continue_from(small.unit("path"), {"edge": begin})
    assert small.facts("path") == sorted([*CLOSURE, (1, 5), (2, 5), (3, 5), (4, 5)])
    assert evaluation.statistics.derivations == 4, "instances without the new edge are not looked at"


def test_rules_that_apply_in_the_first_round_only() -> None:
    small = SmallEngine(PATHS + CHAIN + "far(X, Y) :- hop(X, Y). hop(4, 9).")
    (first,) = small.unit("far").rules
    paths = small.unit("path")
    small.state.tables["edge"].mark_delta()
    evaluation = small.evaluation()
    evaluation.continue_from(paths, {}, [first])
    assert evaluation.statistics.derivations == 1
    assert small.facts("far") == [(4, 9)]


def test_stages_take_turns_until_none_has_anything_new() -> None:
    small = SmallEngine(
        "up(X) :- start(X). up(Y) :- up(X), N = count { Z : link(Z), Z > X }, after(X, N, Y). "
        "start(0). link(1). link(2). after(0, 2, 1). after(1, 1, 2). after(2, 0, 3). after(3, 5, 4).",
        derive=False,
    )
    assert small.unit("up").stages
    small.evaluation().from_scratch(small.unit("up"))
    assert small.facts("up") == [(0,), (1,), (2,), (3,)]


def test_a_small_budget_changes_nothing() -> None:
    with patch.object(seminaive, "STEP_BUDGET", 1):
        small = SmallEngine(PATHS + CHAIN)
    assert small.facts("path") == CLOSURE


def test_limits_are_checked_between_rounds() -> None:
    small = SmallEngine(PATHS + CHAIN, derive=False)
    with pytest.raises(LimitReachedError, match="more than 1 rounds"):
        Evaluation(small.state, Watch(Limits(rounds=1)), Statistics()).from_scratch(small.unit("path"))


def test_rules_that_found_nothing_are_not_recorded() -> None:
    small = SmallEngine(PATHS + CHAIN)
    evaluation, rules = small.evaluation(), small.unit("path").rules
    evaluation.enter(7, small.runtime("path").plans)
    assert evaluation.record_all([(rule, None) for rule in rules], [(0, 0), (5, 2)], 3) == 5
    (done,) = evaluation.statistics.rounds
    assert (done.unit, done.rule, done.number, done.derivations, done.new_facts) == (7, rules[1].origin, 3, 5, 2)
    assert evaluation.watch.progress.derivations == evaluation.statistics.derivations == 5
