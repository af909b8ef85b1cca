"""Why literals fail, and what is near: missing facts, negations, comparisons, functions and aggregates."""

from __future__ import annotations

import pytest
from tests.local_engine import access_to

from tidelog import KnowledgeBase, Source
from tidelog.explain.absent.failures import Failures
from tidelog.explain.wording import Wording
from tidelog.syntax.tree import Atom, Constant
from tidelog.values import from_python

FACTS = """
edge(c, e). edge(c, f). edge(c, g). edge(c, h). edge(b, d). one(1). two(2). text(abc). day("2020"). closed(a). closed(b).
age(ann, 12). age(ann, 13). age(bob, 5).
"""
CASES = [
    (
        "p(X) :- one(X), edge(c, d).",
        (1,),
        "edge(c, d)",
        "it is missing",
        ("edge(X, d) exists for X = b", "edge(c, Y) exists for Y = e, f, g, ..."),
    ),
    ("p(X) :- one(X), edge(x, Z).", (1,), "edge(x, Z)", "no fact matches", ()),
    ("p(X) :- one(X), none(X).", (1,), "none(1)", "none has no facts", ()),
    ("p(X) :- one(X), not closed(a).", (1,), "not closed(a)", "closed(a) holds", ()),
    ("p(X) :- one(X), not edge(c, _).", (1,), "not edge(c, _)", "edge(c, e), edge(c, f), edge(c, g), ... hold", ()),
    ("p(X) :- one(X), X > 3.", (1,), "1 > 3", "it is false", ()),
    ("p(X) :- one(X), X + 1 > 3.", (1,), "1 + 1 > 3", "1 + 1 is 2", ()),
    ("p(X) :- one(X), X / 0 > 3.", (1,), "1 / 0 > 3", "1 / 0 is undefined", ()),
    ("p(X) :- one(X), text(T), X < T.", (1,), "1 < abc", "the two have no order", ()),
    ("p(X) :- one(X), text(T), cat(T, X) = T.", (1,), "cat(abc, 1) = abc", "cat(abc, 1) is undefined", ()),
    (
        "p(X, N) :- one(X), N = count { age(ann, _) }.",
        (1, 3),
        "3 = count { age(ann, _) }",
        "the count is 2",
        ("age(ann, 12)", "age(ann, 13)"),
    ),
    ("p(X, N) :- one(X), N = max { A : age(cy, A) }.", (1, 3), "3 = max { A : age(cy, A) }", "there is nothing to fold", ()),
]


@pytest.mark.parametrize(("rule", "fact", "text", "note", "near"), CASES, ids=[case[2] for case in CASES])
def test_the_literal_that_fails(rule: str, fact: tuple[int, ...], text: str, note: str, near: tuple[str, ...]) -> None:
    kb = KnowledgeBase(Source(rule + FACTS), modules=False)
    (attempt,) = kb.why_not(("p", *fact)).attempts
    failures = {failure for miss in attempt.misses for failure in miss.failed}
    (found,) = (one for one in failures if one.text == text)
    assert (found.note, found.near) == (note, near)


def test_a_declared_column() -> None:
    kb = KnowledgeBase(Source("@relation p(x: int) . p(X) :- q(X). q(abc)."))
    kb.update(insert=[("q", "a")])
    (attempt,) = kb.why_not(("p", "abc")).attempts
    assert [(one.text, one.note) for miss in attempt.misses for one in miss.failed] == [
        ("abc", "the column is declared as int"),
        ("a", "the column is declared as int"),
    ]


def test_facts_that_are_near() -> None:
    kb = KnowledgeBase(Source(FACTS))
    with access_to(kb) as access:
        failures = Failures(access, Wording(access))
        atom = Atom("edge", tuple(Constant(from_python(value)) for value in ("b", "g")))
        assert failures.near(atom) == ("edge(X, g) exists for X = c", "edge(b, Y) exists for Y = d")
        unknown = Atom("edge", tuple(Constant(from_python(value)) for value in ("b", "nobody")))
        assert failures.near(unknown) == ("edge(b, Y) exists for Y = d",)
