"""A snapshot stays as it is while facts and rules change, and answers like a knowledge base."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from tests.differential.judging import Judge, check_queries, steps_of
from tests.differential.rule_histories import RuleHistory, rule_histories
from tests.differential.update_histories import maintained
from tests.local_engine import held, without_empty
from tests.random_programs import History

from tidelog import KnowledgeBase, Source, TidelogError

RULES = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z)."


def test_several_questions_about_one_state() -> None:
    kb = KnowledgeBase(RULES)
    kb.update(insert=[("edge", "a", "b"), ("edge", "b", "c")])
    with kb.snapshot() as view:
        kb.update(delete=[("edge", "b", "c")], insert=[("edge", "x", "y"), ("later", 1)])
        assert sorted(view["path"]) == [("a", "b"), ("a", "c"), ("b", "c")]
        assert (view.count("path"), kb.count("path")) == (3, 2)
        assert sorted(view.query("path(a, X)")) == [("b",), ("c",)]
        assert ("path", "a", "c") in view
        assert ("path", "x", "y") not in view
        assert set(view.relations) == {"edge", "path"}
        assert len(view.facts()) == 5
        assert repr(view) == "<Snapshot: 2 rules, 2 relations: path, edge>"
        kept = view["path"]
    assert len(list(kept)) == 3
    with pytest.raises(TidelogError, match=r"TL096.*this snapshot is closed"):
        view.count("path")
    assert repr(view) == "<Snapshot: closed>"


def test_what_is_wrong_is_said_as_by_the_knowledge_base() -> None:
    kb = KnowledgeBase(RULES)
    with kb.snapshot() as view:
        for use in (view.__getitem__, view.count, view.query):
            with pytest.raises(TidelogError, match=r"TL073.*there is no relation `pth`"):
                use("pth(X, Y)" if use == view.query else "pth")


@given(maintained())
@settings(max_examples=25)
def test_snapshots_of_a_history(history: History) -> None:
    kb, steps = KnowledgeBase(Source(history.program.text)), steps_of(history)
    kept = [(kb.snapshot(), steps[0].expected)]
    for step in steps[1:]:
        kb.update(**step.update)
        kept.append((kb.snapshot(), step.expected))
    for view, expected in reversed(kept):
        assert without_empty(held(view)) == without_empty(expected)  # type: ignore[arg-type]
        check_queries(history.queries, view, expected)  # type: ignore[arg-type]


@given(rule_histories())
@settings(max_examples=25)
def test_snapshots_while_rules_change(history: RuleHistory) -> None:
    kb, judge = KnowledgeBase(Source(history.text)), Judge(history)
    kept = [(kb.snapshot(), judge.facts)]
    for step in history.steps:
        kb.update(**judge.update(step))
        judge.follow(step)
        kept.append((kb.snapshot(), judge.facts))
    for view, expected in kept:
        assert without_empty(held(view)) == without_empty(expected)  # type: ignore[arg-type]


def test_a_snapshot_says_who_explains() -> None:
    kb = KnowledgeBase("q(X) :- p(X). p(a).")
    with kb.snapshot() as view:
        for ask in (view.explain, view.why_not, view.what_if):
            with pytest.raises(TidelogError, match=r"TL074: a snapshot has .*\n.*kb.copy\(\)"):
                ask("q(a)")
