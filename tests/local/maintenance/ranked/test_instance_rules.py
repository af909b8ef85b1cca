"""Lost instances: whose heads are looked at, and instances that were support are tried for other facts."""

from __future__ import annotations

from unittest.mock import patch

from tests.local_engine import held

from tidelog import KnowledgeBase
from tidelog.changes import Counters
from tidelog.local.kernel import layout
from tidelog.local.maintenance.ranked.instance_rules import InstanceRules

Fact = tuple[object, ...]


def deleted(rules: str, steps: list[list[Fact]], gone: list[Fact]) -> Counters:
    """The counters of a deletion by ranks after some insertions; what is left is what is derived from scratch."""
    kb, other = (KnowledgeBase(rules, algorithm=name, modules=False) for name in ("ranked", "rematerialise"))
    for each in (kb, other):
        for facts in steps:
            each.update(insert=facts)
    change = kb.update(delete=gone)
    other.update(delete=gone)
    assert held(kb) == held(other)
    return change.stats.counters


def test_only_rules_that_join_the_unit_stop_at_instances() -> None:
    with patch.object(InstanceRules, "_made_plans", autospec=True, side_effect=InstanceRules._made_plans) as made:
        deleted("r(Y) :- s(Y). r(Y) :- r(X), e(X, Y).", [[("s", 1), ("e", 1, 2)]], [("s", 1)])
    found = [
        plan.code[plan.code[layout.STEPS_AT + plan.code[layout.STEP_COUNT] - 1]]
        for call in made.mock_calls
        for plan in call.args[0]._plans
    ]
    assert sorted(found) == sorted([layout.EMIT, layout.YIELD])


def test_a_head_that_came_before_a_fact_of_the_body_is_not_looked_at() -> None:
    rules = "r(Y) :- s(Y). r(Y) :- r(X), e(X, Y)."
    early: list[Fact] = [("s", 1), ("e", 1, 2)]
    counters = deleted(rules, [early, [("s", 3), ("e", 3, 1), ("e", 3, 2)]], [("e", 3, 2)])
    assert counters.suspected == 1, "the instance is found"
    assert counters.checked == 0, "r(2) came before r(3)"
    counters = deleted(rules, [[("s", 3)], early, [("e", 3, 2)]], [("e", 3, 2)])
    assert counters.checked == 1, "r(3) came first"


def test_so_it_is_for_what_falls_in_the_unit_and_in_other_relations_of_it() -> None:
    rules = "r(Y) :- s(Y). r(Y) :- q(X), e(X, Y). q(X) :- r(X), n(X)."
    before: list[Fact] = [("s", 1), ("n", 1), ("e", 1, 2)]
    after: list[Fact] = [("s", 3), ("n", 3), ("e", 3, 2)]
    assert deleted(rules, [before, after], [("s", 3)]).checked == 2, "r(3) and q(3)"
    assert deleted(rules, [after, before], [("s", 3)]).checked == 3, "and r(2), which is left"


def test_an_instance_whose_head_is_in_its_body_is_no_support() -> None:
    counters = deleted("r(Y) :- s(Y). r(Y) :- r(Y), e(Y, Y).", [[("s", 1), ("e", 1, 1)]], [("e", 1, 1)])
    assert (counters.suspected, counters.checked) == (1, 0)


def test_all_instances_of_a_head_are_seen_until_one_may_have_been_support() -> None:
    rules = "r(Y) :- s(Y). r(Y) :- f(X, Z), r(X), r(Z), e(Y)."
    late: list[Fact] = [("s", 7), ("e", 9), ("f", 7, 7)]
    facts: list[Fact] = [*(("f", at, 1) for at in range(1, 5)), *(("s", at) for at in range(1, 5))]
    assert deleted(rules, [facts, late], [("e", 9)]).overdeleted == 1


def test_what_supported_one_fact_is_tried_for_the_next() -> None:
    """Every r(1, O) has lost what put it there, and follows from one of many pairs: the same for all."""
    rules = "r(X, O) :- a(X, O), on(1). r(X, O) :- s(V, W), q(V, X), r(W, O). r(X, O) :- b(X, O)."
    facts: list[Fact] = [("b", 7, at) for at in range(200)] + [("a", 1, at) for at in range(200)] + [("on", 1), ("q", 5, 1)]
    facts += [("s", 5, 7), *(("s", 6, at) for at in range(100, 160)), *(("q", 6, at) for at in range(2, 60))]
    kb = KnowledgeBase(rules, algorithm="ranked", modules=False)
    kb.update(insert=facts)
    counters = kb.update(delete=[("on", 1)]).stats.counters
    assert (counters.checked, counters.overdeleted, kb.count("r")) == (200, 200, 400), "on(1) came last in the first update"
    kb.update(insert=[("on", 1)])
    kb.update(insert=[("b", 1, at) for at in range(200)])
    assert kb.update(delete=[("on", 1)]).stats.counters.overdeleted == 0
