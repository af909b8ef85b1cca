"""Marks on facts that were there before an update pass to the heads of the instances that it used them in."""

from __future__ import annotations

from tests.local.small_engine import PATHS, SmallEngine

from tidelog.core.limits import Watch
from tidelog.local.encoded_facts import EncodedUpdate
from tidelog.local.lookahead.mark_propagation import propagate_marks
from tidelog.local.lookahead.marking import EarlierMarks

EDGES = "edge(2, 3). edge(3, 4). edge(6, 7)."


def marked_after_insertion(small: SmallEngine, marked: str, fact: tuple[int, int], inserted: tuple[int, int]) -> EarlierMarks:
    """The marks after an edge was inserted, while the next update deletes a fact that was there before."""
    with small.engine.begin(Watch()) as transaction:
        transaction.run(EncodedUpdate({}, {"edge": small.rows(inserted)}, {}, {}, 0))
        found = propagate_marks(small.engine, {marked: small.rows(fact)}, transaction.step_deltas, transaction.watch)
        transaction.commit()
    return found


def test_heads_of_instances_with_a_marked_fact_and_a_new_one() -> None:
    small = SmallEngine(PATHS + EDGES)
    marks = marked_after_insertion(small, "edge", (2, 3), (1, 2))
    assert marks.explicit == 1
    assert {name: small.tuples(rows) for name, rows in marks.heads.items()} == {"path": [(1, 3)]}


def test_instances_without_the_marked_fact_pass_nothing() -> None:
    small = SmallEngine(PATHS + EDGES)
    marks = marked_after_insertion(small, "edge", (6, 7), (1, 2))
    assert small.tuples(marks.given["edge"]) == [(6, 7)]
    assert marks.heads == {}


def test_explicit_facts_of_a_relation_with_rules_pass_nothing() -> None:
    """They may still be derived when they are deleted."""
    small = SmallEngine(PATHS + EDGES + "path(2, 3). reach(X) :- path(1, X).")
    marks = marked_after_insertion(small, "path", (2, 3), (1, 2))
    assert marks.explicit == 1
    assert marks.heads == {}


def test_units_with_operators_pass_nothing() -> None:
    small = SmallEngine("name(X, Y) :- edge(X, Z), edge(Z, Y)." + EDGES)
    assert marked_after_insertion(small, "edge", (2, 3), (1, 2)).heads.keys() == {"name"}
    calling = SmallEngine("closed(X, Y) :- edge(X, Y). closed(X, Z) :- closed(X, Y), closed(Y, Z)." + EDGES, modules=True)
    assert "closed" not in marked_after_insertion(calling, "edge", (2, 3), (1, 2)).heads
