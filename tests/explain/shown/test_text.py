"""Explanations as text: trees, lists, what is folded."""

from __future__ import annotations

from tidelog import KnowledgeBase, Source
from tidelog.explain.shown.text import text_of

CHAIN = "path(X, Y) :- edge(X, Y).\npath(X, Z) :- path(X, Y), edge(Y, Z)."


def chain(length: int, *, modules: bool = False) -> KnowledgeBase:
    kb = KnowledgeBase(Source(CHAIN), modules=modules)
    kb.update(insert=[("edge", n, n + 1) for n in range(length)])
    return kb


def test_a_small_proof_is_a_tree() -> None:
    assert text_of(chain(2).explain("path(0, 2)"), 30).splitlines() == [
        "path(0, 2)   by line 2: path(X, Z) :- path(X, Y), edge(Y, Z).",
        "├─ path(0, 1)   by line 1: path(X, Y) :- edge(X, Y).",
        "│  └─ edge(0, 1)   explicit",
        "└─ edge(1, 2)   explicit",
    ]


def test_what_was_told_is_not_told_again() -> None:
    kb = KnowledgeBase(Source("p(X) :- q(X), r(X). r(X) :- q(X). q(X) :- e(X). e(1)."))
    assert str(kb.explain("p(1)")).splitlines()[-1] == "   └─ q(1)   as above"


def test_rows_of_an_aggregate_stand_below_it(kb: KnowledgeBase) -> None:
    assert str(kb.explain("busy(a, 2)")).splitlines()[1:] == [
        "├─ node(a)   explicit",
        "├─ not closed(a)   closed has no facts",
        "├─ 2 = count { Y : edge(a, Y) }",
        "│     edge(a, b)",
        "│     edge(a, d)",
        "└─ 2 > 1",
    ]


def test_a_long_proof_is_a_list() -> None:
    lines = str(chain(30).explain("path(0, 30)")).splitlines()
    assert lines[0] == "path(0, 30)   in 30 steps, from 30 explicit facts"
    assert lines[1] == " 1  path(0, 1)   line 1  edge(0, 1)"
    assert lines[30] == "30  path(0, 30)  line 2  29; edge(29, 30)"
    assert lines[-1] == "line 2  path(X, Z) :- path(X, Y), edge(Y, Z)."


def test_a_very_long_proof_is_folded() -> None:
    proof = chain(900).explain("path(0, 900)")
    lines = proof.to_text(5).splitlines()
    assert [line.split()[0] for line in lines[1:7]] == ["1", "2", "3", "...", "899", "900"]
    assert "... 895 more ..." in lines[4]
    assert len(proof.to_text(None).splitlines()) == 1 + 900 + 3


def test_a_long_chain_is_folded() -> None:
    lines = str(chain(3_000, modules=True).explain("path(0, 3000)")).splitlines()
    assert len(lines) < 20
    assert any("more ..." in line for line in lines)


def test_all_ways() -> None:
    kb = chain(3)
    kb.update(insert=[("edge", 0, 2)])
    lines = str(kb.explain("path(0, 2)", all=True)).splitlines()
    assert lines[0] == "path(0, 2)   5 facts, 3 rule instances"
    assert lines[1:4] == ["  path(0, 2)", "    by line 1, from edge(0, 2)", "    by line 2, from path(0, 1); edge(1, 2)"]


def test_many_ways_are_folded() -> None:
    kb = KnowledgeBase(Source("p(X) :- q(X, Y). " + " ".join(f"q(1, {n})." for n in range(50))))
    text = str(kb.explain("p(1)", all=True))
    assert "... 42 more ..." in text
    assert len(text.splitlines()) == 1 + 1 + 9 + 2
