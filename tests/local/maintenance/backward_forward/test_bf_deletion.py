"""B/F: facts that have another proof stay, also where proofs lead through relations that are not written out."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog import KnowledgeBase
from tidelog.changes import Change
from tidelog.local.maintenance import deletion
from tidelog.local.maintenance.cost_model import Choice
from tidelog.local.maintenance.deletion import Deadline
from tidelog.local.maintenance.rule_maintenance import RuleMaintenance

THROUGH_CLOSURES = """
    reach(X, Y) :- road(X, Y).  reach(X, Z) :- reach(X, Y), reach(Y, Z).
    near(X, Y) :- same(X, Y).  near(X, Y) :- near(Y, X).  near(X, Z) :- near(X, Y), near(Y, Z).
    safe(X) :- harbour(X).
    safe(X) :- reach(X, Y), safe(Y), near(Y, Z), not closed(Z).
    safe(X) :- reach(Y, X), safe(Y), twin(X, Y).
    lost(X) :- reach(X, _), not safe(X).
"""
NODES = st.integers(0, 5)
FACTS = st.one_of(
    st.tuples(st.sampled_from(["road", "same", "twin"]), NODES, NODES),
    st.tuples(st.sampled_from(["harbour", "closed"]), NODES),
)


def everything(kb: KnowledgeBase) -> set[tuple[object, ...]]:
    return set(kb.facts())


@pytest.mark.by_night(4_000)
@settings(max_examples=80)
@given(st.lists(FACTS, max_size=20), st.lists(st.tuples(st.lists(FACTS, max_size=3), st.lists(FACTS, max_size=3)), max_size=5))
def test_proofs_through_virtual_relations(
    initial: list[tuple[object, ...]], updates: list[tuple[list[tuple[object, ...]], list[tuple[object, ...]]]]
) -> None:
    kb = KnowledgeBase(THROUGH_CLOSURES, algorithm="bf")
    explicit = set(initial)
    kb.update(insert=initial)
    for inserted, deleted in updates:
        change = kb.update(insert=inserted, delete=deleted)
        assert "dred" not in change.stats.algorithm
        explicit = explicit - set(deleted) | set(inserted)
        anew = KnowledgeBase(THROUGH_CLOSURES, modules=False)
        anew.update(insert=list(explicit))
        assert everything(kb) == everything(anew)


def examined(change: Change) -> int:
    counters = change.stats.counters
    return counters.suspected + counters.backward + counters.forward + counters.rederived + counters.inserted


def test_a_clique_hardly_notices_a_lost_edge() -> None:
    """The paper's best case: every fact has many proofs."""
    rules = "linked(X, Y) :- edge(X, Y). linked(X, Y) :- linked(Y, X). linked(X, Z) :- linked(X, Y), linked(Y, Z)."
    edges = [("edge", x, y) for x in range(20) for y in range(x + 1, 20)]
    changes = []
    for algorithm in ("bf", "dred"):
        kb = KnowledgeBase(rules, algorithm=algorithm, modules=False)
        kb.update(insert=edges)
        changes.append(kb.update(delete=[("edge", 3, 4)]))
        assert kb.count("linked") == 400
    assert 20 * examined(changes[0]) < examined(changes[1])


def test_a_proof_goes_back_and_forth_between_relations() -> None:
    """Facts of `r` prove facts of `s`, which prove more of `r`: the last of them must be used as well."""
    rules = "r(X, Y) :- e(X, Y). r(X, Z) :- r(X, Y), e(Y, Z). r(X, Y) :- s(X, Y). s(X, Y) :- r(Y, X)."
    kb = KnowledgeBase(rules, algorithm="bf", modules=False)
    kb.update(insert=[("e", 1, 1), ("e", 1, 2), ("e", 1, 3), ("r", 1, 2)])
    kb.update(delete=[("e", 1, 2)])
    assert set(kb.facts("r")) == {(1, 1), (1, 2), (1, 3), (2, 1), (2, 3), (3, 1), (3, 2), (3, 3)}


def test_what_one_relation_proves_of_another_that_had_its_turn_is_used() -> None:
    rules = """
        r(X, Y) :- s(X, Y).  r(X, Z) :- r(X, Y), e(Y, Z).  r(X, Y) :- e(X, Y).
        s(X, Y) :- f(X, Y), v(Y).  s(X, Y) :- r(Y, X).
        e(1, 1).  e(2, 1).  e(1, 2).  e(1, 3).  e(1, 4).
    """
    kb, other = (KnowledgeBase(rules, algorithm=algorithm, modules=False) for algorithm in ("bf", "rematerialise"))
    for each in (kb, other):
        each.update(delete=[("e", 1, 2)])
    assert everything(kb) == everything(other)


def test_a_nullary_fact_that_has_gone_before_giving_up_is_reported() -> None:
    """A deletion that is given up just after the one row of a nullary relation has gone still reports it."""
    kb = KnowledgeBase("p() :- e(X), f(X). p().", modules=False)
    kb.update(insert=[("e", 1), ("f", 2)])
    assert kb.count("p") == 1
    seen = 0
    for at in range(-1, 3):
        deadline = Deadline(at, at, at, 0.0)
        choice = Choice("bf", "for the test", 1, None, lambda deadline=deadline: deadline)  # type: ignore[misc]
        with (
            patch.object(RuleMaintenance, "_choose", lambda *_, choice=choice: choice),
            patch.object(deletion, "thread_time", iter(range(1000)).__next__),
            patch.object(deletion, "A_SUSPECT", 0.0),
        ):
            change = kb.update(delete=[("p",)])
        assert list(change.deleted["p"]) == [()]
        seen += "rematerialise" in change.stats.algorithm
        kb.update(insert=[("p",)])
    assert seen
