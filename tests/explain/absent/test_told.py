"""Answers to `why_not` as text."""

from __future__ import annotations

from tidelog import KnowledgeBase, Source
from tidelog.explain.absent.told import RULES_SHOWN, text_of


def test_rules_that_come_nearest_are_told_first() -> None:
    kb = KnowledgeBase(Source("p(X) :- a(X), b(X). one: p(X) :- c(X), d(X). p(2) :- a(X). c(1). d(2)."))
    assert text_of(kb.why_not("p(1)")).splitlines() == [
        "p(1)   does not hold",
        "  one: p(X) :- c(X), d(X).",
        "    c(1)   true",
        "      but d(1)   it is missing",
        "          d(X) exists for X = 2",
        "  line 1: p(X) :- a(X), b(X).",
        "    but a(1)   a has no facts",
        "    but b(1)   b has no facts",
        "  line 1: p(2) :- a(X).",
        "    its head cannot be this fact",
        "  it would hold with",
        "    d(1)",
    ]


def test_what_is_not_looked_at() -> None:
    kb = KnowledgeBase(Source("p(X) :- a(X, Y), Y > 3."))
    assert "    then Y > 3   not looked at" in text_of(kb.why_not("p(1)")).splitlines()


def test_a_relation_without_rules_and_a_fact_that_holds() -> None:
    kb = KnowledgeBase(Source("q(1, 2). q(3, 2). p(X) :- q(X, X), not q(X, X)."))
    assert text_of(kb.why_not("q(2, 2)")).splitlines()[1:3] == [
        "  it is not explicit, and no rule derives its relation",
        "    q(X, 2) exists for X = 1, 3",
    ]
    assert text_of(kb.why_not("q(1, 2)")) == "q(1, 2)   holds:\nq(1, 2)   explicit"
    assert text_of(kb.why_not("p(1)")).endswith("no insertion of up to three facts was found that derives it")


def test_many_rules_are_folded() -> None:
    kb = KnowledgeBase(Source("\n".join(f"p(X) :- q{n}(X)." for n in range(40))))
    text = text_of(kb.why_not("p(1)"))
    assert f"... and {40 - RULES_SHOWN} more rules, which come no nearer" in text


def test_what_is_told_twice_is_told_in_short() -> None:
    kb = KnowledgeBase(Source("t(R, S) :- p(R, _), S = sum { N : p(R, N) }. p(a, 1). p(a, 2)."))
    lines = text_of(kb.why_not("t(a, 1)")).splitlines()
    assert sum("the sum is 3" in line for line in lines) == 2
    assert sum(line.strip() == "p(a, 1)" for line in lines) == 1
    assert lines[-1].endswith("deletions are not tried: `what_if` says what one would do")
