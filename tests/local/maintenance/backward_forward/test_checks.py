"""The stack of checks: as deep as the proofs that are searched, with plans that continue where they stopped."""

from __future__ import annotations

from tests.local.maintenance.backward_forward.outcomes import check_deletion

from tidelog.local.maintenance.backward_forward import proving

CHAIN = "p(X) :- s(X). p(Y) :- p(X), e(X, Y)."


def test_a_check_that_goes_deep_makes_the_stack_larger() -> None:
    facts = [("s", 0), ("s", 500), *(("e", n, n + 1) for n in range(300)), ("e", 500, 0), ("e", 300, 0)]
    kb, reasons = check_deletion(CHAIN, facts, [("s", 500)])
    assert kb.count("p") == 301
    assert proving.GROW_STACK not in reasons, "0 is explicit in `s`: one step"
    kb, reasons = check_deletion(CHAIN, facts, [("s", 500), ("s", 0)])
    assert kb.count("p") == 0
    assert proving.GROW_STACK in reasons


def test_a_plan_that_several_checks_share_continues_where_each_of_them_stopped() -> None:
    """Each of these facts has many instances of the same rule, and their checks are nested."""
    rules = "p(X) :- s(X). p(X) :- e(X, Y), e(Y, X), p(Y)."
    edges = [("e", x, y) for x in range(7) for y in range(7) if x != y]
    kb, _ = check_deletion(rules, [("s", 0), ("s", 6), *edges], [("s", 0)])
    assert kb.count("p") == 7
    kb, _ = check_deletion(rules, [("s", 0), *edges], [("s", 0)])
    assert kb.count("p") == 0


def test_lists_of_virtual_relations_are_made_again_for_nested_checks() -> None:
    rules = "r(X, Y) :- road(X, Y). r(X, Z) :- r(X, Y), r(Y, Z). p(X) :- s(X). p(X) :- r(X, Y), p(Y), not closed(Y)."
    roads = [("road", n, (n + 1) % 8) for n in range(8)]
    kb, _ = check_deletion(rules, [("s", 3), ("s", 5), ("closed", 5), *roads], [("s", 5)], modules=True)
    assert kb.count("p") == 8
    kb, _ = check_deletion(rules, [("s", 3), ("closed", 5), *roads], [("s", 3)], modules=True)
    assert kb.count("p") == 0


def test_rules_whose_heads_repeat_a_variable_or_name_a_constant_match_only_their_facts() -> None:
    rules = "p(X, X) :- s(X). p(X, 1) :- p(X, Y), t(Y). p(Y, X) :- p(X, Y)."
    facts = [("s", 1), ("s", 2), ("t", 2), ("p", 2, 3)]
    check_deletion(rules, facts, [("s", 2)])
    check_deletion(rules, facts, [("p", 2, 3)])
