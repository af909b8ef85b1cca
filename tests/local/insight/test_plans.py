"""Which rules are planned, and how far bindings are counted."""

from __future__ import annotations

import pytest

from tidelog import KnowledgeBase, TidelogError
from tidelog.local.insight import plans

RULES = "join: both(X, Z) :- big(X, Y), small(Y, Z). other(X) :- small(X, _). path(X, Z) :- path(X, Y), path(Y, Z)."


@pytest.fixture(scope="module")
def kb() -> KnowledgeBase:
    kb = KnowledgeBase(RULES)
    kb.update(insert=[*(("big", at, at % 10) for at in range(1000)), *(("small", at, at + 1) for at in range(10))])
    return kb


def test_of_a_rule_of_a_relation_of_all(kb: KnowledgeBase) -> None:
    assert [plan.change for plan in kb.plan("join")] == [None, "big(X, Y)", "small(Y, Z)"]
    assert kb.plan("both") == kb.plan("join") or str(kb.plan("both")) == str(kb.plan("join"))
    assert {plan.rule.name for plan in kb.plan()} == {"join", "line 1"}
    assert kb.plan("path")[-1].note == "a module keeps this relation closed"


def test_after_rules_have_changed() -> None:
    kb = KnowledgeBase(RULES)
    kb.remove_rules("join")
    kb.add_rules("new: both(X, X) :- big(X, X).")
    assert [plan.rule.name for plan in kb.plan("both") if plan.change is None] == ["new"]


def test_a_rule_that_is_not_there(kb: KnowledgeBase) -> None:
    with pytest.raises(TidelogError, match=r"TL073.*`jion`.*\n.*did you mean `join`"):
        kb.plan("jion")
    with pytest.raises(TidelogError, match="TL071"):
        kb.plan(5)  # type: ignore[arg-type]


def test_too_many_bindings_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "_MEMORY_TO_COUNT", 100_000)
    kb = KnowledgeBase("all: pair(X, Y) :- a(X), a(Y), X + Y < 0.")
    kb.update(insert=[("a", at) for at in range(500)])
    assert [one.counted for one in kb.plan("all", measure=True)[0].literals] == [500, None, None]
    assert kb.count("a") == 500


def test_what_stops_counting_otherwise_is_said() -> None:
    kb = KnowledgeBase("all: pair(X, Y) :- a(X), a(Y).", limit_seconds=0.0)
    with pytest.raises(TidelogError, match="TL070"):
        kb.plan("all", measure=True)
