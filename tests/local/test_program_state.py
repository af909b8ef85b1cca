"""Explicit facts before and after anything has been derived, and what is kept for units."""

from __future__ import annotations

import pytest
from tests.local.small_engine import CHAIN, PATHS, SmallEngine
from tests.local_engine import collecting, program

from tidelog.core.limits import Watch
from tidelog.local.program_state import ProgramState

RULES = PATHS + "lone(X) :- node(X), not path(X, _)."


@pytest.fixture
def small() -> SmallEngine:
    return SmallEngine(RULES + CHAIN + "path(1, 2). node(4).")


def test_added_facts_are_not_derived_from_yet(small: SmallEngine) -> None:
    engine = small.engine
    assert isinstance(engine, ProgramState)
    before = engine.is_maintained
    version = engine.version
    assert engine.add("edge", small.rows((4, 5), (1, 2))) == 1
    assert engine.add("path", small.rows((1, 2), (1, 3), (8, 9))) == 2, "(1, 3) becomes explicit"
    assert (before, engine.is_maintained) == (True, False)
    assert small.facts("path") == [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]
    new = engine.new_explicit_rows()
    assert {name: small.tuples(rows) for name, rows in new.items()} == {"edge": [(4, 5)], "path": [(1, 3), (8, 9)]}
    engine.maintain(Watch())
    assert engine.is_maintained
    assert engine.version == version + 1
    assert {(1, 5), (8, 9)} <= set(small.facts("path"))
    assert engine.new_explicit_rows() == {}


def test_removed_facts(small: SmallEngine) -> None:
    engine = small.engine
    assert engine.remove("edge", small.rows((3, 4), (7, 7))) == 1
    assert engine.remove("path", small.rows((3, 4))) == 0, "it was derived only"
    assert engine.remove("unknown", small.rows((3, 4))) == 0
    assert small.tuples(engine.changes.deleted["edge"][0]) == [(3, 4)]
    engine.maintain(Watch())
    assert small.facts("path") == [(1, 2), (1, 3), (2, 3)]


def test_before_anything_is_derived_facts_come_and_go_at_once() -> None:
    small = SmallEngine(RULES + CHAIN, derive=False)
    engine = small.engine
    assert engine.add("path", small.rows((8, 9), (9, 9))) == 2
    assert engine.remove("path", small.rows((9, 9))) == 1
    assert small.facts("path") == [(8, 9)]
    assert not engine.changes.deleted
    assert not engine.is_maintained


def test_what_is_explicit(small: SmallEngine) -> None:
    engine = small.engine
    assert engine.are_explicit("path", small.rows((1, 2), (2, 3))).tolist() == [True, False]
    assert engine.are_explicit("edge", small.rows((1, 2), (1, 3))).tolist() == [True, False]
    assert engine.are_explicit("edge", small.rows((1,))).tolist() == [False]
    assert engine.are_explicit("unknown", small.rows((1,))).tolist() == [False]
    assert [engine.has_explicit(name) for name in ("path", "edge", "lone", "unknown")] == [True, True, False, False]


def test_rows_with_the_key_of_others(small: SmallEngine) -> None:
    """An upsert of edge(1, 9) replaces edge(1, 2); one of edge(2, 3) replaces nothing."""
    rows = small.rows((1, 9), (2, 3), (6, 6))
    assert small.tuples(small.engine.rows_with_key("edge", [0], rows)) == [(1, 2)]
    assert small.tuples(small.engine.rows_with_key("path", [0], small.rows((2, 9)))) == [], "derived facts stay"
    assert len(small.engine.rows_with_key("unknown", [0], rows)) == 0


def test_explicit_facts_of_a_virtual_relation_are_stored_apart() -> None:
    small = SmallEngine("path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), path(Y, Z)." + CHAIN + "path(8, 9).", modules=True)
    assert small.engine.core.stored_name("path") == "#given path"
    assert small.engine.are_explicit("path", small.rows((8, 9), (1, 2))).tolist() == [True, False]
    assert small.engine.has_explicit("path")


def test_runtimes_are_kept_until_they_retire(small: SmallEngine) -> None:
    engine, number = small.engine, small.number("path")
    runtime = engine.runtime(number)
    assert engine.runtime(number) is runtime
    runtime.table("deleted", "path", 2)
    units, helpers, plans = len(engine.runtimes), len(engine.state.helpers), len(runtime.plans)
    engine.retire([number, 1_000])
    assert len(engine.runtimes) == units - 1
    assert len(engine.state.helpers) == helpers - 1
    assert len(runtime.plans) == 0 < plans
    assert engine.runtime(number) is not runtime


def test_rules_may_have_other_numbers() -> None:
    """In a program whose rules have changed before."""

    engine = ProgramState(program(RULES), modules=False, rules=[5, 2, 9])
    assert sorted(engine.core.parts) == [2, 5, 9]


def test_steps_that_called_functions_cannot_be_undone(small: SmallEngine) -> None:
    assert small.engine.can_undo_steps_on(["edge", "path"])
    assert not SmallEngine(RULES, algorithm="counting").engine.can_undo_steps_on(["edge"])
    calling = SmallEngine('loop(Y) :- loop(X), next(X, Z), Y = cat(Z, "x").')
    assert not calling.engine.can_undo_steps_on(["next"])


def test_facts_that_users_see() -> None:
    small = SmallEngine(RULES + "many(N) :- N = count { X : path(1, X) }." + CHAIN)
    assert small.engine.visible_count() == 3 + 6 + 1


def test_terms_are_collected_if_most_are_unused(small: SmallEngine) -> None:
    engine = small.engine
    before, runtime, facts = engine.state, engine.runtime(small.number("path")), small.facts("path")
    with collecting(used=0.5):
        assert engine.may_collect_terms
        assert not engine.collect_terms(Watch()), "all are in use"
        assert engine.state is before
        small.rows(*((n, n) for n in range(100, 150)))
        assert engine.collect_terms(Watch())
    assert len(engine.state.terms) == 4
    assert small.facts("path") == facts
    moved = engine.runtime(small.number("path"))
    assert moved is not runtime
    assert moved.state is engine.state
    assert moved.costs is runtime.costs
    assert len(runtime.plans) == 0
    engine.add("edge", small.rows((4, 5)))
    with collecting():
        assert [engine.may_collect_terms] == [False], "a change waits, with ids in it"
    engine.maintain(Watch())
    assert (1, 5) in small.facts("path")
