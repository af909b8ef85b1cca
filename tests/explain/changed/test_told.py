"""Explanations of changes as text."""

from __future__ import annotations

from tidelog import KnowledgeBase, Source
from tidelog.explain.changed.told import text_of

RULES = "path(X, Y) :- edge(X, Y).\npath(X, Z) :- path(X, Y), edge(Y, Z).\nlost(X) :- node(X), not path(hub, X).\n"


def test_a_tree_from_the_fact_to_what_the_change_began_with() -> None:
    kb = KnowledgeBase(Source(RULES), modules=False)
    kb.update(insert=[("edge", "hub", "a"), ("edge", "a", "b"), ("node", "b")])
    assert text_of(kb.update(delete=[("edge", "hub", "a")]).explain("lost(b)")).splitlines() == [
        "lost(b)   came",
        "lost(b)   by line 3: lost(X) :- node(X), not path(hub, X).",
        "├─ node(b)   held before",
        "└─ not path(hub, b)",
        "   └─ path(hub, b)   went, followed by line 2: path(X, Z) :- path(X, Y), edge(Y, Z).",
        "      ├─ path(hub, a)   went, followed by line 1: path(X, Y) :- edge(X, Y).",
        "      │  └─ edge(hub, a)   deleted",
        "      └─ edge(a, b)   still holds",
        "it began with: edge(hub, a) deleted",
    ]


def test_a_fact_that_stayed() -> None:
    kb = KnowledgeBase(Source("p(X) :- q(X).\np(X) :- r(X). q(1). r(1)."))
    assert kb.count("p") == 1
    text = text_of(kb.update(delete=[("r", 1)]).explain("p(1)"))
    assert text.splitlines()[-2:] == ["  p(1)   by line 1: p(X) :- q(X).", "  └─ q(1)   explicit"]
    text = text_of(kb.update(insert=[("s", 1)]).explain("p(1)"))
    assert text.splitlines()[1] == "nothing that it rested on has changed"
    kb.update(insert=[("p", 1)])
    assert text_of(kb.update(delete=[("p", 1)]).explain("p(1)")).splitlines()[1] == "it was explicit, and was deleted"


def test_long_ones_are_folded() -> None:
    kb = KnowledgeBase(Source(RULES), modules=False)
    kb.update(insert=[("edge", n, n + 1) for n in range(1, 3_000)])
    changed = kb.update(insert=[("edge", 0, 1)]).explain(("path", 0, 3_000))
    assert len(changed.steps) == 3_001
    assert len(text_of(changed).splitlines()) < 80
    assert changed.started_by == ("edge(0, 1) inserted",)
    assert len(changed.svg) < 100_000
