"""Equality under insertion and deletion of facts, equalities and rules: as by the plain rules, on every algorithm."""

from __future__ import annotations

import random
import warnings
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.local.equality.histories import EX, PREFIXES, SAME, History, by_the_rules, facts_of, individual

from tidelog import IRI, KnowledgeBase, TidelogError
from tidelog.options import ALGORITHMS

A, B, C, D = (individual(number) for number in range(4))
P = EX + "p"


@pytest.mark.by_night(2_000)
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1_000_000_000))
def test_as_by_the_plain_rules(seed: int) -> None:
    chance = random.Random(seed)
    history = History(chance)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some rules join what never meets
        kb = history.start(algorithm=chance.choice(ALGORITHMS), modules=chance.random() < 0.7)
        for _ in range(6):
            kb.update(**history.step())
            if chance.random() < 0.2:
                kb = kb.copy()
            found = facts_of(kb)
            assert found == by_the_rules(history.rules, history.facts)
            counts = {name: kb.count(EX + name) for name in found if EX + name in kb.relations}
            assert counts == {name: len(found[name]) for name in counts}


def test_a_deleted_equality_splits_a_class() -> None:
    kb = KnowledgeBase(f"{PREFIXES} ex:q(X, Z) :- ex:p(X, Y), ex:p(Y, Z).", same_as=True)
    kb.update(insert=[(P, A, B), (P, C, D), (SAME, B, C)])
    assert set(kb[EX + "q"]) == {(A, D)}
    assert set(kb[P]) == {(A, B), (A, C), (B, D), (C, D)}
    kb.update(delete=[(SAME, B, C)])
    assert set(kb[EX + "q"]) == set()
    assert set(kb[P]) == {(A, B), (C, D)}
    assert set(kb[SAME]) == set()


def test_equalities_that_support_each_other_go_together() -> None:
    rules = "tidelog_same_by_1(p, Z, X) :- ex:p(X, Z). tidelog_same_by_1(q, Z, X) :- ex:q(X, Z)."
    kb = KnowledgeBase(PREFIXES + rules, same_as=True)
    kb.update(insert=[(P, A, C), (P, B, D), (EX + "q", C, A), (EX + "q", D, B), (SAME, C, D)])
    assert (A, B) in kb[SAME]
    assert (C, D) in kb[SAME]
    kb.update(delete=[(SAME, C, D)])
    assert set(kb[SAME]) == set()


def test_what_rules_find_stays_as_long_as_it_has_a_reason() -> None:
    kb = KnowledgeBase(f"{PREFIXES} one: tidelog_same_by_1(p, X, Y) :- ex:p(X, Y).", same_as=True)
    kb.update(insert=[(P, A, B), (P, A, C), (P, D, B), (P, D, C)])
    kb.update(delete=[(P, A, B)])
    assert (B, C) in kb[SAME]
    kb.update(delete=[(P, D, B)])
    assert set(kb[SAME]) == set()
    kb.update(insert=[(P, D, B)])
    kb.remove_rules("one")
    assert set(kb[SAME]) == set()


def test_many_values_of_a_functional_property_take_one_instance_each() -> None:
    kb = KnowledgeBase(f"{PREFIXES} tidelog_same_by_1(p, X, Y) :- ex:p(X, Y).", same_as=True)
    change = kb.update(insert=[(P, A, individual(number)) for number in range(10, 1010)])
    assert change.stats.derivations < 10_000
    assert kb.count(SAME) == 1_000_000
    assert kb.count("tidelog_equated") == 999


def test_literals_and_vocabularies_are_equal_to_nothing_else() -> None:
    kb = KnowledgeBase(f"{PREFIXES} tidelog_same_by_1(p, X, Y) :- ex:p(X, Y).", same_as=True)
    thing = IRI("http://www.w3.org/2002/07/owl#Thing")
    kb.update(insert=[(P, A, "x"), (P, A, "y"), (P, A, B), (SAME, C, "x"), (SAME, C, thing)])
    assert kb.count("tidelog_representative") == 0
    assert set(kb[SAME]) == {(C, "x"), (C, thing)}


@pytest.mark.parametrize(("literal", "code"), [("not ex:d(X)", "TL050"), ("N = count { ex:d(X) }, N < 2", "TL051")])
def test_equality_does_not_depend_on_what_it_changes(literal: str, code: str) -> None:
    rule = f"{PREFIXES} ex:c(X) :- ex:e(X), {literal}. owl:sameAs(X, Y) :- ex:c(X), ex:p(X, Y)."
    with pytest.raises(TidelogError, match=code):
        KnowledgeBase(rule, same_as=True)
    kb = KnowledgeBase("", same_as=True)
    with pytest.raises(TidelogError, match=code):
        kb.add_rules(rule)
    KnowledgeBase(rule)


def test_negation_and_aggregates_see_one_individual_for_each_class() -> None:
    rules = "ex:n(N) :- N = count { ex:c(X) }. ex:lonely(X) :- ex:c(X), not ex:p(X, _). ex:two(X, Y) :- ex:c(X), ex:c(Y), X != Y."
    kb = KnowledgeBase(PREFIXES + rules, same_as=True)
    kb.update(insert=[(EX + "c", A), (EX + "c", B), (P, B, C)])
    assert (set(kb[EX + "n"]), set(kb[EX + "lonely"]), len(kb[EX + "two"])) == ({(2,)}, {(A,)}, 2)
    kb.update(insert=[(SAME, A, B)])
    assert (set(kb[EX + "n"]), set(kb[EX + "lonely"]), len(kb[EX + "two"])) == ({(1,)}, set(), 0)
    kb.update(delete=[(SAME, A, B)])
    assert (set(kb[EX + "n"]), set(kb[EX + "lonely"]), len(kb[EX + "two"])) == ({(2,)}, {(A,)}, 2)


def test_a_failed_update_changes_nothing() -> None:
    kb = KnowledgeBase(f"{PREFIXES} tidelog_same_by_1(p, X, Y) :- ex:p(X, Y).", same_as=True, limit_facts=60)
    kb.update(insert=[(P, A, B), (P, A, C)])
    before = facts_of(kb)
    with pytest.raises(TidelogError, match="TL070"):
        kb.update(insert=[(P, individual(number), individual(number + 1)) for number in range(10, 90)], delete=[(P, A, B)])
    assert facts_of(kb) == before
    kb.update(delete=[(P, A, B)])
    assert kb.count(SAME) == 0


def test_it_is_saved(tmp_path: Path) -> None:
    kb = KnowledgeBase(f"{PREFIXES} tidelog_same_by_1(p, X, Y) :- ex:p(X, Y).", same_as=True)
    kb.save(tmp_path / "saved")
    kb.update(insert=[(P, A, B), (P, A, C), (SAME, A, D), (EX + "new", D, B)])
    expected = facts_of(kb), set(kb[EX + "new"])
    kb.close()
    again = KnowledgeBase.open(tmp_path / "saved")
    assert (facts_of(again), set(again[EX + "new"])) == expected
    again.update(delete=[(P, A, B)])
    assert set(again[EX + "new"]) == {(A, B), (D, B)}
    again.close()


def test_the_facts_of_a_chain_are_few() -> None:
    """Each individual is kept once, whatever the size of the class."""
    people = [individual(number) for number in range(500)]
    kb = KnowledgeBase("", same_as=True)
    kb.update(insert=[*((SAME, one, other) for one, other in pairwise(people)), *((P, one, "x") for one in people)])
    assert kb.count("tidelog_representative") == 499
    assert kb.count(P) == 500
    change = kb.update(delete=[(SAME, people[249], people[250])])
    assert change.stats.derivations < 5_000
    assert kb.count(SAME) == 2 * 250**2
