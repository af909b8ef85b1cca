"""Algorithm 1 in one call: the phases of the loop, and every reason for which it stops."""

from __future__ import annotations

from tests.local.maintenance.backward_forward.outcomes import check_deletion, recorded

from tidelog import KnowledgeBase
from tidelog.local.kernel import layout
from tidelog.local.maintenance.backward_forward import bf_loop

CLOSURE = "p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), e(Y, Z)."


def test_a_small_deletion_is_one_call_that_finishes() -> None:
    kb = KnowledgeBase(CLOSURE, algorithm="bf", modules=False)
    kb.update(insert=[("e", n, n + 1) for n in range(5)])
    kb.update(delete=[("e", 4, 5)])
    kb.update(insert=[("e", 4, 5)])
    with recorded() as stops:
        kb.update(delete=[("e", 4, 5)])
    assert stops == [(bf_loop.FINISHED, layout.DONE)]


def test_python_applies_the_rules_of_a_unit_with_computed_functions() -> None:
    rules = "t(X) :- s(X). t(Y) :- t(X), link(X, Z), Y = cat(X, Z), length(Y) < 6."
    facts = [("s", "a"), ("s", "ab"), ("link", "a", "b"), ("link", "ab", "a"), ("link", "aba", "x"), ("link", "abax", "y")]
    kb, reasons = check_deletion(rules, facts, [("s", "a")])
    assert bf_loop.APPLY_RULES in reasons
    assert ("abaxy",) in set(kb.facts("t"))
    _, reasons = check_deletion(rules, facts, [("s", "a"), ("s", "ab")])
    assert bf_loop.APPLY_RULES in reasons


def test_python_removes_the_fact_of_a_relation_without_columns() -> None:
    rules = "some :- e(X, Y), p(X). p(X) :- e(X, X), some. p(X) :- q(X)."
    facts = [("e", 1, 1), ("e", 2, 2), ("q", 1)]
    kb, reasons = check_deletion(rules, facts, [("q", 1)])
    assert bf_loop.REMOVE_NULLARY in reasons
    assert kb.count("some") == kb.count("p") == 0


def test_a_fact_without_columns_that_has_another_proof_stays() -> None:
    kb, reasons = check_deletion("some :- e(X, _). some :- f(X), some.", [("e", 1, 1), ("e", 2, 2), ("f", 1)], [("e", 1, 1)])
    assert bf_loop.REMOVE_NULLARY not in reasons
    assert kb.count("some") == 1


def test_many_affected_facts_are_shown_to_python_before_they_are_checked() -> None:
    _, reasons = check_deletion(CLOSURE, [("e", 0, n) for n in range(1, 400)], [("e", 0, n) for n in range(1, 300)])
    assert bf_loop.MANY_AFFECTED in reasons


def test_the_first_removal_prepares_the_indexes() -> None:
    _, reasons = check_deletion(CLOSURE, [("e", n, n + 1) for n in range(9)], [("e", 3, 4)])
    assert bf_loop.PREPARE_REMOVAL in reasons


def test_long_propagation_is_paused_now_and_then() -> None:
    _, reasons = check_deletion(
        "p(X) :- s(X). p(Y) :- p(X), e(X, Y).", [("s", 0), *(("e", n, n + 1) for n in range(200))], [("s", 0)]
    )
    assert layout.PAUSED in reasons
