"""Propagation: which units an update visits, in which order, and what each makes of the deltas below it."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from tests.local.small_engine import CHAIN, PATHS, SmallEngine

from tidelog import KnowledgeBase
from tidelog.core.limits import Watch
from tidelog.core.units import UnitChange
from tidelog.local.evaluation import seminaive
from tidelog.local.maintenance import propagation
from tidelog.local.maintenance.propagation import Propagation
from tidelog.local.maintenance.unit_runtime import UnitRuntime
from tidelog.local.maintenance.update_context import UpdateContext

LAYERS = (
    PATHS + "ends(X) :- path(_, X), not path(X, _). many(N) :- N = count { X : ends(X) }. other(X) :- thing(X). thing(1)." + CHAIN
)


class Visits(Propagation):
    """Records the units that it visits."""

    def __init__(self, context: UpdateContext, small: SmallEngine) -> None:
        super().__init__(context, small.engine.runtime)
        self.order: list[tuple[str, ...]] = []

    def _apply(self, runtime: UnitRuntime, change: UnitChange) -> None:
        self.order.append(runtime.unit.relations)
        super()._apply(runtime, change)


def propagated(small: SmallEngine, context: UpdateContext) -> Visits:
    propagation = Visits(context, small)
    propagation.run(small.engine.structure)
    return propagation


def test_units_are_visited_from_the_bottom_to_the_top() -> None:
    small = SmallEngine(LAYERS)
    context = small.context()
    small.change("edge", insert=[(4, 5)])
    order = propagated(small, context).order
    assert order[:2] == [("path",), ("ends",)]
    assert ("other",) not in order
    assert small.facts("ends") == [(5,)]
    assert {"edge", "path", "ends"} <= context.deltas.of.keys()
    assert "many" not in context.deltas, "there is still one end"


def test_a_unit_that_has_not_changed_ends_the_propagation() -> None:
    small = SmallEngine(LAYERS + "edge(2, 4).")
    context = small.context()
    small.change("edge", delete=[(2, 4)])
    assert propagated(small, context).order == [("path",)]
    assert small.tuples(context.deltas.of["edge"].deleted) == [(2, 4)]


def test_explicit_facts_of_a_relation_with_rules() -> None:
    small = SmallEngine(LAYERS)
    context = small.context()
    small.change("path", insert=[(8, 9)])
    assert propagated(small, context).order[:2] == [("path",), ("ends",)]
    assert small.facts("ends") == [(4,), (9,)]


def test_aggregates_and_rules_above_them() -> None:
    small = SmallEngine(LAYERS)
    context = small.context()
    small.change("edge", insert=[(8, 9), (7, 6)])
    propagated(small, context)
    assert small.facts("many") == [(3,)]
    assert small.tuples(context.deltas.of["many"].deleted) == [(1,)]
    assert "aggregates" in context.seconds


def test_the_algorithm_that_was_asked_for() -> None:
    for algorithm in ("bf", "dred", "rematerialise"):
        small = SmallEngine(LAYERS, algorithm=algorithm)
        context = small.context(algorithm)
        small.change("edge", delete=[(2, 3)])
        propagated(small, context)
        assert context.chosen == {algorithm: "as asked for"}
        assert small.facts("path") == [(1, 2), (3, 4)]
        assert small.facts("many") == [(2,)]


def test_a_transitive_relation_has_a_virtual_delta() -> None:
    small = SmallEngine("path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), path(Y, Z)." + CHAIN, modules=True)
    context = small.context()
    small.change("edge", delete=[(2, 3)], insert=[(4, 5)])
    propagated(small, context)
    assert context.chosen["modules"] == "`path` is transitive"
    assert context.deltas.of["path"].virtual is not None
    assert small.tuples(context.deltas.of["path"].deleted_rows()) == [(1, 3), (1, 4), (2, 3), (2, 4)]
    assert small.tuples(context.deltas.of["path"].inserted_rows()) == [(3, 5), (4, 5)]


def test_is_affected() -> None:
    small = SmallEngine(LAYERS)
    context = small.context()
    small.change("other", insert=[(5,)])
    small.change("edge", insert=[(4, 5)])
    propagation = Visits(context, small)
    assert propagation.begin(small.engine.structure.deriver) == ["edge"]

    def affected(name: str) -> bool:
        return propagation.is_affected(small.number(name), small.unit(name))

    assert [affected(name) for name in ("path", "ends", "other")] == [True, False, True]
    propagation.visit(small.number("path"))
    assert affected("ends")


def test_units_that_were_visited_are_trimmed() -> None:
    small = SmallEngine(LAYERS)
    context = small.context()
    small.change("thing", insert=[(2,)])
    propagation = propagated(small, context)
    with patch.object(UnitRuntime, "trim", autospec=True) as trim:
        propagation.trim()
    assert [call.args[0].unit.relations for call in trim.call_args_list] == [("other",)]


RANKS = "rank(U, N) :- v(U, S), N = count { v(W, T), T > S }."


def _stops(count: int, held: int, *, is_loaded: bool) -> int:
    """How often the kernel stopped after a fixed number of steps, when facts were inserted beside some that were there."""
    facts = [("v", f"u{at}", at * 7919 % 100_003) for at in range(count)]
    kb, stops = KnowledgeBase(RANKS), 0
    kb.update(insert=facts[:held])
    if is_loaded:
        kb = KnowledgeBase(RANKS)
        kb._engine.add("v", kb._update_reader.read(kb._schema, facts, (), ()).encode().all_added()["v"])  # type: ignore[attr-defined]

    def poll(watch: Watch) -> None:
        nonlocal stops
        stops += 1

    with patch.object(Watch, "poll", poll), patch.object(seminaive, "STEP_BUDGET", 1_000):
        if not is_loaded:
            kb.update(insert=facts)
        assert kb.count("rank") == count
    return stops


@pytest.mark.parametrize("held", [0, 5])
def test_many_facts_beside_few_are_derived_as_if_they_had_been_loaded(held: int) -> None:
    loaded, updated = _stops(400, held, is_loaded=True), _stops(400, held, is_loaded=False)
    assert loaded > 100
    assert updated < 1.2 * loaded


@pytest.mark.parametrize("algorithm", ["auto", "bf", "dred", "counting"])
def test_many_facts_beside_few_bring_what_follows(algorithm: str) -> None:
    facts = [("v", f"u{at}", at * 7919 % 100_003) for at in range(60)]
    expected = {(f"u{at}", 59 - rank) for rank, at in enumerate(sorted(range(60), key=lambda at: at * 7919 % 100_003))}
    for held in (0, 3, 40):
        kb = KnowledgeBase(RANKS, algorithm=algorithm)  # type: ignore[arg-type]
        kb.update(insert=facts[:held])
        before = set(kb["rank"])
        change = kb.update(insert=facts)
        assert set(kb["rank"]) == expected
        assert set(change.inserted["rank"]) == expected - before
        assert set(change.deleted.get("rank", ())) == before - expected


@pytest.mark.parametrize("closing", ["", "path(X, Y) :- path(Y, X). "], ids=["transitive", "symmetric"])
def test_too_many_pairs_to_list(closing: str) -> None:
    """Two large components are joined and parted: no rule reads all those pairs."""
    rules = closing + "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), path(Y, Z). far(X) :- root(Y), path(Y, X). root(0)."
    kb = KnowledgeBase(rules)
    kb.update(insert=[("edge", at, (at + 1) % 30) for at in range(30)])
    kb.update(insert=[("edge", 30 + at, 30 + (at + 1) % 30) for at in range(30)])
    with patch.object(propagation, "_PAIRS", 100):
        for _ in range(2):
            change = kb.update(insert=[("edge", 5, 31), ("edge", 7, 33)])
            assert "too many pairs of `path`" in change.stats.algorithm
            assert set(change.inserted["far"]) == {(at,) for at in range(30, 60)}
            change = kb.update(delete=[("edge", 5, 31)])
            assert "too many pairs" not in change.stats.algorithm
            change = kb.update(delete=[("edge", 7, 33)])
            assert set(change.deleted["far"]) == {(at,) for at in range(30, 60)}
