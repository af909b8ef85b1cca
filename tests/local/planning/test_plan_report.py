"""The join orders that people are shown are those that the kernel runs."""

from __future__ import annotations

import pytest
from tests.local_engine import engine_of

from tidelog import KnowledgeBase
from tidelog.local.planning.plan_report import PlanReport

RULES = """
join: both(X, Z) :- big(X, Y), small(Y, Z).
wide: some(X) :- big(X, _).
gone: gone(X) :- small(X, _), not big(X, _).
named(X, N) :- small(X, _), N = cat(string(X), "!"), N != "7!".
count: n(X, N) :- small(X, _), N = count { big(X, _) }.
path(X, Y) :- small(X, Y).
path(X, Z) :- path(X, Y), path(Y, Z).
far(X) :- path(3, X).
"""


@pytest.fixture(scope="module")
def kb() -> KnowledgeBase:
    kb = KnowledgeBase(RULES)
    kb.update(insert=[*(("big", at, at % 10) for at in range(1000)), *(("small", at, at + 1) for at in range(10))])
    return kb


def ways(kb: KnowledgeBase, rule: str) -> list[tuple[str, str, int | None]]:
    return [(one.literal, one.way, one.counted) for one in kb.plan(rule, measure=True)[0].literals]


def test_the_smaller_relation_comes_first(kb: KnowledgeBase) -> None:
    assert ways(kb, "join") == [("small(Y, Z)", "all rows", 10), ("big(X, Y)", "index on 2", 1000)]
    changes = [plan.change for plan in kb.plan("join")]
    assert changes == [None, "big(X, Y)", "small(Y, Z)"]
    assert [one.way for one in kb.plan("join")[1].literals] == ["what has changed", "index on 1"]


def test_each_way_has_its_words(kb: KnowledgeBase) -> None:
    assert ways(kb, "gone") == [("small(X, _)", "all rows", 10), ("not big(X, _)", "no match", 0)]
    assert ("path(3, X)", "successors", 7) in ways(kb, "far")
    assert ('N != "7!"', "test", 9) in ways(kb, "named")
    assert {way for literal, way, _ in ways(kb, "named") if literal.startswith("N = ")} == {"compute"}
    assert kb.plan("path")[-1].note == "a module keeps this relation closed"
    assert any(literal == "N = count of the group (X)" for literal, _, _ in ways(kb, "count"))


def test_bindings_are_counted_only_if_that_is_asked_for(kb: KnowledgeBase) -> None:
    rule = engine_of(kb).core.parts[0].rules[-1]
    (plan, *_) = PlanReport(engine_of(kb).state, kb.program.printer).of_rule(rule, {}, kb.plan("join")[0].rule)
    assert plan == kb.plan("join")[0]
    assert [one.counted for one in plan.literals] == [None, None]


def test_nothing_internal_is_shown(kb: KnowledgeBase) -> None:
    assert "#" not in str(kb.plan(measure=True))
