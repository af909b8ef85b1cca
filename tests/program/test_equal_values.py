"""Rules for owl:sameAs as rules about one individual and its values."""

from __future__ import annotations

import pytest

from tidelog.program.equal_values import by_values
from tidelog.program.program import check
from tidelog.source import Source

SAME = "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"


def changed(text: str) -> str | None:
    program = check(Source(f"{SAME}{text}", "text"))
    (rule,) = program.rules
    found = by_values(list(rule.body), rule.head)
    if found is None:
        return None
    printer = program.printer
    return f"{printer.literal(found[1])} :- {', '.join(map(printer.literal, found[0]))}."


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("owl:sameAs(Y, Z) :- f(X, Y), f(X, Z), Y != Z.", 'tidelog_same_by_1("", X, Y) :- f(X, Y).'),
        ("owl:sameAs(X, Y) :- g(X, Z), g(Y, Z).", 'tidelog_same_by_1("", Z, X) :- g(X, Z).'),
        ("owl:sameAs(Y, Z) :- c(X), f(X, Y), d(Y), f(X, Z), d(Z).", 'tidelog_same_by_1("", X, Y) :- f(X, Y), d(Y), c(X).'),
        (
            "owl:sameAs(X, Y) :- c(X), p(X, A), q(X, B), c(Y), p(Y, A), q(Y, B), X != Y.",
            'tidelog_same_by_2("", A, B, X) :- c(X), p(X, A), q(X, B).',
        ),
        ("owl:sameAs(X, Y) :- p(X, U), q(U, Z), p(Y, V), q(V, Z).", 'tidelog_same_by_1("", Z, X) :- p(X, U), q(U, Z).'),
    ],
)
def test_alike(rule: str, expected: str) -> None:
    assert changed(rule) == expected


@pytest.mark.parametrize(
    "rule",
    [
        "owl:sameAs(X, Y) :- p(X, Y).",
        "owl:sameAs(X, Y) :- p(X, Z), q(Y, Z).",
        "owl:sameAs(X, Y) :- p(X, U), p(Y, V), q(U, V).",
        "owl:sameAs(X, Y) :- p(X, Z), p(Y, Z), Z != 1.",
        "other(X, Y) :- p(X, Z), p(Y, Z).",
        "owl:sameAs(X, X) :- p(X, Z), p(X, Z).",
    ],
)
def test_others_stay_as_they_are(rule: str) -> None:
    assert changed(rule) is None
