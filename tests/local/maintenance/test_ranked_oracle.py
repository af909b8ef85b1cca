"""Deletions by ranks against the same in plain Python: the same facts, the same counters; and ranks against their definition."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.local_engine import Conditions, as_tuples, conditions, held, under, without_empty
from tests.oracles.grounding import maintain
from tests.oracles.histories import by_relation, ground_facts, histories_without_projection, plain_histories
from tests.oracles.ranked import RankedOracle, check_ranks, ranks_of
from tests.random_programs import History

from tidelog import KnowledgeBase, Source
from tidelog.local.maintenance.backward_forward.as_printed import Fact, Instance
from tidelog.local.maintenance.ranked.in_plain_python import ByRanks, Rank
from tidelog.program.program import check
from tidelog.reference import materialise


def check_history(history: History, algorithm: str = "ranked", *, counts: bool = True) -> None:
    """After each update: the facts of the reference, ranks that are ranks, and the counters of the oracle."""
    program = check(Source(history.program.text))
    kb = KnowledgeBase(Source(history.program.text), algorithm=algorithm, modules=False)  # type: ignore[arg-type]
    explicit = set(program.facts)
    facts = materialise(program)
    assert without_empty(held(kb)) == without_empty(facts)
    oracle = RankedOracle(kb)
    for texts in history.updates:
        deleted, inserted = map(ground_facts, texts)
        deleted = [fact for fact in deleted if fact not in inserted]
        gone = [fact for fact in dict.fromkeys(deleted) if fact in explicit]
        explicit = explicit.difference(deleted).union(inserted)
        oracle.note()
        change = kb.update(insert=as_tuples(inserted), delete=as_tuples(deleted))
        bounds = maintain(program, facts, by_relation(explicit), gone, oracle.delete)
        assert without_empty(facts) == without_empty(materialise(program, explicit)) == without_empty(held(kb))
        if counts:
            bounds.check("overdeleted", change.stats.counters.overdeleted)
            bounds.check("checked", change.stats.counters.checked)
        check_ranks(program, ranks_of(kb), facts, explicit)


@pytest.mark.by_night(4_000)
@settings(max_examples=80)
@given(histories_without_projection())
def test_rules_without_projection(history: History) -> None:
    check_history(history)


@pytest.mark.by_night(3_000)
@settings(max_examples=60)
@given(plain_histories)
def test_any_rules(history: History) -> None:
    check_history(history)


@pytest.mark.by_night(3_000)
@settings(max_examples=60)
@given(histories_without_projection(), conditions, st.sampled_from(("ranked", "dred", "counting", "bf", "auto", "rematerialise")))
def test_ranks_are_ranks_whatever_deletes(history: History, given_conditions: Conditions, algorithm: str) -> None:
    with under(given_conditions):
        check_history(history, algorithm, counts=False)


# --- by hand -------------------------------------------------------------------------------------------------------------


def fact(name: str) -> Fact:
    return name, ()


def by_hand(rules: list[tuple[str, str]], rows: str, gone: str) -> ByRanks:
    """Facts of one relation are letters, in the order in which they came; capital letters are facts below."""
    program = [Instance(fact(head), tuple(map(fact, body))) for head, body in rules]
    below = {fact(name) for _, body in rules for name in body if name.isupper()}
    ranks = {fact(name): Rank(at, at, "r", at) for at, name in enumerate(rows)}
    run = ByRanks(program, below, {*ranks, *below}, ranks)
    run.delete([fact(name) for name in gone])
    return run


def test_a_circle_has_no_support_from_within() -> None:
    run = by_hand([("a", "A"), ("b", "a"), ("c", "b"), ("a", "c")], "abc", "A")
    assert set(map(fact, "abc")) == run.S
    assert not run.back


def test_another_support_before_it_ends_the_search() -> None:
    run = by_hand([("a", "A"), ("b", "B"), ("c", "a"), ("c", "b"), ("d", "c")], "abcd", "A")
    assert {fact("a")} == run.S
    assert run.looks == 2


def test_what_is_supported_from_behind_comes_back() -> None:
    """`a` is derived from `c`, too, which came later: a search for proofs would keep it."""
    run = by_hand([("a", "A"), ("b", "a"), ("c", "C"), ("a", "c")], "abc", "A")
    assert {fact("a"), fact("b")} == run.S
    assert run.back == {fact("a")}
