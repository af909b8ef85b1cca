"""Units derived from scratch within an update, and the deltas that this gives."""

from __future__ import annotations

import warnings
from math import inf
from unittest.mock import patch

import pytest
from tests.local.small_engine import CHAIN, PATHS, SmallEngine

from tidelog import KnowledgeBase, TidelogError
from tidelog.local.maintenance import cost_model
from tidelog.local.maintenance.deletion import Deadline
from tidelog.local.maintenance.rematerialisation import (
    close_anew,
    materialise_first,
    rematerialise,
    rematerialise_stored,
)
from tidelog.local.maintenance.update_context import UpdateContext

CLOSED = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), path(Y, Z)."


def delta(small: SmallEngine, context: UpdateContext, name: str) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """What came and what went."""
    found = context.deltas.of[name]
    return small.tuples(found.inserted_rows()), small.tuples(found.deleted_rows())


def begun(small: SmallEngine, *, changes_rules: bool = False) -> UpdateContext:
    context = small.context(changes_rules=changes_rules)
    context.evaluation.enter(small.number("path"), small.runtime("path").plans)
    return context


def test_the_difference_to_before_is_the_delta() -> None:
    small = SmallEngine(PATHS + CHAIN + "path(7, 8).")
    context, edges = begun(small), small.state.tables["edge"]
    edges.remove(small.rows((2, 3)))
    edges.insert(small.rows((4, 5)))
    rematerialise(small.runtime("path"), context)
    assert small.facts("path") == [(1, 2), (3, 4), (3, 5), (4, 5), (7, 8)]
    assert delta(small, context, "path") == ([(3, 5), (4, 5)], [(1, 3), (1, 4), (2, 3), (2, 4)])
    assert context.has_rematerialised
    assert "starting over" in context.seconds
    context.undo.rollback()
    assert len(small.facts("path")) == 7


def test_facts_that_were_deleted_before_are_in_the_delta() -> None:
    """A deletion that was given up has deleted some facts already."""
    small = SmallEngine(PATHS + CHAIN)
    context = begun(small)
    small.state.tables["edge"].remove(small.rows((3, 4)))
    removed = small.rows((3, 4), (1, 2))
    small.state.tables["path"].remove(removed)
    rematerialise(small.runtime("path"), context, {"path": removed})
    assert delta(small, context, "path") == ([], [(1, 4), (2, 4), (3, 4)])


def test_costs_are_recorded() -> None:
    small = SmallEngine(PATHS + CHAIN)
    small.runtime("path").costs.anew = 0.0
    rematerialise(small.runtime("path"), begun(small))
    assert small.runtime("path").costs.anew > 0.0


def test_functions_are_called_again() -> None:
    small = SmallEngine('name(X, Y) :- node(X), Y = cat("n", X). node("1"). node("2").')
    (requested,) = small.state.answered
    assert small.state.answered[requested] == 2
    context = small.context()
    for number in small.engine.structure.numbers_in_order():
        context.evaluation.enter(number, small.engine.runtime(number).plans)
        rematerialise(small.engine.runtime(number), context)
    assert small.state.answered[requested] == 2
    assert small.facts("name") == [("1", "n1"), ("2", "n2")]
    assert not context.deltas.of


def test_relations_that_had_no_rules_only_grow() -> None:
    small = SmallEngine(PATHS + CHAIN + "path(7, 8).", derive=False)
    context, paths = begun(small), small.state.tables["path"]
    assert small.facts("path") == [(7, 8)]
    begin = paths.end
    materialise_first(small.runtime("path"), context)
    assert context.deltas.of["path"].begin == begin
    assert delta(small, context, "path") == ([(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)], [])


def test_a_relation_that_was_virtual_is_stored() -> None:
    small = SmallEngine(PATHS + CHAIN)
    other = SmallEngine(CLOSED + CHAIN + "edge(4, 5).", modules=True)
    small.rows((5, 5))  # the same ids in both
    small.state.set_virtual("path", other.state.virtual["path"])
    context = begun(small, changes_rules=True)
    rematerialise_stored(small.runtime("path"), context, {"path"})
    assert "path" not in small.state.virtual
    assert small.facts("path") == [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]
    assert delta(small, context, "path") == ([], [(1, 5), (2, 5), (3, 5), (4, 5)])


def test_a_relation_that_was_stored_is_closed() -> None:
    small = SmallEngine(CLOSED + CHAIN, modules=True)
    state = small.state
    state.virtual.pop("path")
    table = state.ensure_table("path", 2)
    table.insert(small.rows((1, 2), (9, 9)))
    context = begun(small, changes_rules=True)
    close_anew(small.runtime("path"), context, "path")
    assert context.replaced_tables == [table]
    assert "path" not in state.tables
    assert delta(small, context, "path") == ([(1, 3), (1, 4), (2, 3), (2, 4), (3, 4)], [(9, 9)])


def test_a_new_relation_is_closed() -> None:
    small = SmallEngine(CLOSED + CHAIN, modules=True)
    small.state.virtual.pop("path")
    context = begun(small, changes_rules=True)
    close_anew(small.runtime("path"), context, "path")
    assert context.replaced_tables == []
    assert len(delta(small, context, "path")[0]) == 6


def test_rules_beside_a_closed_relation_start_over_with_it() -> None:
    rules = CLOSED + "same(X, Y) :- path(X, Y), path(Y, X). path(X, Y) :- same(X, Z), jump(Z, Y). "
    small = SmallEngine(rules + CHAIN + "edge(3, 1). jump(2, 7).", modules=True)
    small.state.tables["edge"].remove(small.rows((3, 1)))
    context = begun(small)
    rematerialise(small.runtime("path"), context)
    assert small.facts("path") == [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]
    assert small.facts("same") == []
    assert len(delta(small, context, "same")[1]) == 9
    inserted, deleted = delta(small, context, "path")
    assert inserted == []
    assert {(1, 7), (2, 7), (3, 7), (1, 1), (3, 1), (3, 2)} <= set(deleted)


STAGES = "steps(9000). steps(N) :- steps(X), N = count { Y : next(Z, Y), Y < X, Z < 3 }."
NEXT = [("next", n % 100, n) for n in range(6_000)]


def test_starting_over_is_allowed_announced_or_refused() -> None:
    for way in ("allow", "warn"):
        kb = KnowledgeBase(STAGES, starting_over=way)
        kb.update(insert=NEXT)  # most is new: no more work than the change itself
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            kb.update(delete=NEXT[:1])
        assert [str(found.message) for found in caught] == (
            []
            if way == "allow"
            else ["this change would derive `steps` from scratch: an aggregate's groups come from its own recursion"]
        )
        assert sorted(kb.facts("steps")) == [(0,), (1,), (2,), (5,), (179,), (9000,)]
    refusing = KnowledgeBase(STAGES, starting_over="refuse")
    refusing.update(insert=NEXT)
    for kb in (refusing, refusing.copy()):
        with pytest.raises(TidelogError, match="TL067"):
            kb.update(delete=NEXT[:1])
        assert sorted(kb.facts("steps")) == [(3,), (6,), (180,), (9000,)]
        assert kb.count("next") == 6_000


def test_what_is_small_or_asked_for_is_not_refused() -> None:
    small = KnowledgeBase(STAGES, starting_over="refuse")
    small.update(insert=NEXT[:600])
    assert "rematerialise" in small.update(delete=NEXT[:1]).stats.algorithm
    asked = KnowledgeBase(STAGES, starting_over="refuse", algorithm="rematerialise")
    asked.update(insert=NEXT)
    assert "rematerialise" in asked.update(delete=NEXT[:1]).stats.algorithm


def test_a_transitive_relation_that_other_rules_close_starts_over() -> None:
    kb = KnowledgeBase("path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), path(Y, Z).", starting_over="refuse")
    kb.update(insert=[("edge", n, n + 1) for n in range(6_000) if n % 10])
    count = kb.count("path")
    with pytest.raises(TidelogError, match="`path` from scratch: the rules that make `path` transitive have changed"):
        kb.update(add_rules="path(X, Y) :- path(Y, X).")
    assert (kb.count("path"), len(kb.rules)) == (count, 2)
    kb.update(add_rules="next(X, Y) :- path(X, Y), edge(X, Y). near(X, Y) :- next(X, Y). near(X, Z) :- near(X, Y), near(Y, Z).")
    assert kb.count("near") == count, "relations that are new are not derived anew"


def test_an_attempt_that_is_given_up_is_refused_and_undone() -> None:
    kb = KnowledgeBase(PATHS, modules=False, starting_over="refuse")
    edges = [("edge", n, n + 1) for n in range(120)]
    kb.update(insert=edges)
    before = sorted(kb.facts())
    with (
        patch.object(cost_model, "_deadline", lambda *_: Deadline(0.0, 0.0, 0.0, 0.0)),
        pytest.raises(TidelogError, match="TL067"),
    ):
        kb.update(delete=edges[40:60])
    assert sorted(kb.facts()) == before
    with patch.object(cost_model, "_deadline", lambda *_: Deadline(inf, inf, inf, inf)):
        kb.update(delete=edges[40:45])
    assert kb.count("path") == 41 * 40 // 2 + 76 * 75 // 2
