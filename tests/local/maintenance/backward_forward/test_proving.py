"""The search for proofs: what is checked, what is proved, and how many rule instances that takes."""

from __future__ import annotations

from collections.abc import Sequence

from tests.local.maintenance.backward_forward.outcomes import Fact, check_deletion

from tidelog import KnowledgeBase
from tidelog.changes import Counters
from tidelog.local.kernel import fused_rounds as rounds
from tidelog.local.kernel import layout


def counted(rules: str, facts: Sequence[Fact], deleted: Sequence[Fact]) -> Counters:
    kb = KnowledgeBase(rules, algorithm="bf", modules=False)
    kb.update(insert=facts)
    return kb.update(delete=deleted).stats.counters


CLOSURE = "p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), e(Y, Z)."


def test_an_explicit_fact_is_proved_without_any_rule() -> None:
    counters = counted(CLOSURE, [("e", 1, 2), ("p", 1, 2)], [("e", 1, 2)])
    assert (counters.checked, counters.proved, counters.backward) == (1, 1, 0)


def test_looking_one_step_ahead_proves_without_checking_the_body() -> None:
    counters = counted(CLOSURE, [("p", 1, 2), ("e", 2, 3), ("e", 1, 3)], [("e", 1, 3)])
    assert (counters.checked, counters.proved) == (1, 1)
    assert counters.backward == 1


def test_a_proof_through_facts_that_are_proved_first() -> None:
    """p(1, 4) has one proof left, three steps long: its body is checked, and forward chaining proves it."""
    counters = counted(CLOSURE, [("e", 1, 2), ("e", 2, 3), ("e", 3, 4), ("e", 1, 4)], [("e", 1, 4)])
    assert (counters.checked, counters.proved) == (3, 3)
    assert counters.forward == 2


def test_each_fact_is_checked_once_however_many_need_it() -> None:
    rules = "p(X) :- s(X). p(X) :- e(X, Y), p(Y)."
    edges = [("e", x, y) for x in range(6) for y in range(6)]
    counters = counted(rules, [("s", 0), *edges], [("s", 0)])
    assert counters.checked == 6
    assert counters.proved == 0


def test_a_disproved_fact_stops_the_search_through_its_instances() -> None:
    rules = "p(X) :- s(X). p(X) :- e(X, Y, Z), p(Y), p(Z). q(X) :- p(X), t(X)."
    facts = [("s", n) for n in range(4)] + [("e", 9, 0, 1), ("e", 9, 2, 3), ("t", 9)]
    kb, _ = check_deletion(rules, facts, [("s", 0), ("s", 2)])
    assert set(kb.facts("p")) == {(1,), (3,)}
    kb, _ = check_deletion(rules, facts, [("s", 0)])
    assert ("q", 9) in {(name, *row) for name in ("q",) for row in kb.facts(name)}


def test_tables_and_indexes_that_are_full_grow_while_facts_are_checked() -> None:
    rules = "p(X, Y) :- e(X, Y). p(X, Y) :- p(Y, X). p(X, Z) :- p(X, Y), p(Y, Z)."
    edges: list[Fact] = [("e", n, n + 1) for n in range(24)]
    kb, reasons = check_deletion(rules, edges, [("e", 12, 13)])
    assert kb.count("p") == 13 * 13 + 12 * 12
    assert {layout.GROW_TABLE, rounds.GROW_INDEX} <= reasons
