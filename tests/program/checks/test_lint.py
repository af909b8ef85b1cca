"""Warnings: what is legal and probably not meant, and what is meant and must not be warned of."""

from __future__ import annotations

import pytest
from tests.program.from_text import rules

from tidelog.errors import Diagnostics
from tidelog.program.checks.lint import warn
from tidelog.program.program import check
from tidelog.program.relations import Relation
from tidelog.source import Source


def warnings(text: str) -> list[str]:
    return [d.code for d in check(Source("@relation e(a, b). @relation n(a: int). " + text, "test.dl")).warnings]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("p(X) :- e(X, X), edgy(X).", ["TL101"]),
        ("p(X) :- q(X). q(X) :- r(X). p(X) :- r(X), n(X).", ["TL101"]),
        ('@input q "q.csv". p(X) :- e(X, _).', ["TL101"]),
        ("p(X) :- e(X, Y).", ["TL102"]),
        ("p(X) :- e(X, _), not e(_, Y).", ["TL102"]),
        ("p(N, M) :- N = count { n(Y) }, M = count { e(Y, _) }.", ["TL102", "TL102"]),
        ("p(X) :- e(X, Y), Y != X, 1 > 2.", ["TL103"]),
        ("p(X) :- e(X, _), X != X.", ["TL103"]),
        ("p(X) :- e(X, _), X < X.", ["TL103"]),
        ("p(X) :- n(X), not n(X).", ["TL103"]),
        ("p(X) :- n(X), X = 1, 2 = X.", ["TL103"]),
        ("p(X) :- n(X), X = a.", ["TL103"]),
        ("p(X) :- n(X), a = b.", ["TL103"]),
        ("p(X) :- n(X), 2 = avg { Y : n(Y) }.", ["TL103"]),
        ("p(X) :- n(X), sqrt(-1) > 0.", ["TL103"]),
        ("p(X) :- p(X), n(X).", ["TL103"]),
        ("p(X) :- q(X). q(X) :- p(X).", ["TL103", "TL103"]),
        ("p(X) :- e(X, Y), e(Y, X). p(A) :- e(B, A), e(A, B).", ["TL104"]),
    ],
)
def test_warned_of(text: str, codes: list[str]) -> None:
    assert warnings(text) == codes


@pytest.mark.parametrize(
    "text",
    [
        "p(X) :- e(X, _).",
        "p(X) :- e(X, _y).",
        "p(X) :- e(X, Y), Y != X.",
        "q(a). p(X) :- q(X).",
        '@relation q(a). @input q "q.csv". p(X) :- q(X).',
        "p(X) :- q(X). q(X) :- p(X). q(X) :- n(X).",
        "p(1). p(X) :- p(X), n(X).",
        "@relation p(a). p(X) :- p(X), n(X).",
        "p(X, Z) :- p(X, Y), p(Y, Z). p(X, Y) :- e(X, Y).",
        "p(N) :- N = count { X : n(X) }.",
        "p(X) :- n(X), 1 < 2.",
        "p(X) :- e(X, Y), e(Y, X). p(A) :- e(A, B), e(A, B).",
        "p(X) :- n(X), X = 1, 1 = X.",
        "p(X) :- not e(X, _), n(X), e(X, 1).",
    ],
)
def test_not_warned_of(text: str) -> None:
    assert warnings(text) == []


def test_warnings_have_places_and_suggestions() -> None:
    diagnostics = Diagnostics()
    relations = {name: Relation(name, 1, has_rules=name == "p", has_facts=name == "edge") for name in ("p", "edge", "edg")}
    warn(rules("p(X) :- edge(X), edg(X). p(Y) :- edge(Y), edg(Y)."), relations, diagnostics, str)
    assert [(warning.code, warning.place) for warning in diagnostics.warnings] == [
        ("TL101", "<text>:1:18"),
        ("TL104", "<text>:1:26"),
    ]
    assert diagnostics.warnings[0].fix == "did you mean `edge`?"
    assert not diagnostics.errors


def test_a_relation_that_is_never_defined_is_named() -> None:
    found = check(Source('@relation e(a). @input s "s.csv". p(X) :- e(X), <http://a/q>(X).', "test.dl")).warnings
    assert [(d.code, d.relation) for d in found] == [("TL101", "s"), ("TL101", "http://a/q")]
