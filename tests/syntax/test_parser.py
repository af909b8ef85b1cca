"""Whole texts and queries: every error is found, the rest is parsed, and each error says what may be meant."""

from __future__ import annotations

import pytest
from tests.syntax.parsed import X, statements, value

from tidelog.errors import Diagnostics, TidelogError
from tidelog.source import Source
from tidelog.syntax.parser import parse, parse_query
from tidelog.syntax.tree import Atom, Comparison, Fact, Rule


def test_all_errors_are_found_and_the_rest_is_parsed() -> None:
    diagnostics = Diagnostics()
    text = 'p(a).\np(X :- q.\np(b).\np("open\np(c).\n@foo.\np(1 +).\np(d)'
    result = parse(Source(text), diagnostics)
    assert [d.code for d in diagnostics.errors] == ["TL001", "TL003", "TL010", "TL001", "TL005"]
    assert [s.atom.args[0] for s in result.statements if isinstance(s, Fact)] == [value("a"), value("b"), value("c")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # a forgotten dot is told once, and the prefix counts as declared
        (
            "@prefix ex: <http://e/>\np(ex:a).\nq(ex:b).",
            [("TL001", "if the clause ends on the line before, close it with a `.`")],
        ),
        ("PREFIX ex: <http://e/>\np(a).", [("TL010", "write `@prefix name: <…> .`")]),
        ("p(X) :- q(X), r(X, <foo>).", [("TL001", "an IRI has a scheme: `<http://…>`")]),
        ("p(X) :- f(X >= 18).", [("TL001", "a comparison is a literal of its own")]),
        ("p(X) :- [X, a, C].", [("TL013", "write one rule for each class that is meant")]),
        ("p(N) :- AGGREGATE(q(X)) ON Z WITH count(X) AS N.", [("TL033", "name a variable of the body behind `ON`")]),
        (":- p(X).", [("TL001", "a clause starts with its head")]),
        ("/* no */ p(a).", [("TL001", "a comment starts with `%` and ends with its line")]),
        ("p(5.).", [("TL001", "a number has digits on both sides of its point"), ("TL001", None)]),
        ("p(X) :- q(X, 5 // 2).\nr(a).", [("TL001", "`//` starts a comment; division is `/`, and its remainder `mod`")]),
        ("_: p(X) :- q(X).", [("TL013", "write an identifier")]),
        (
            "R7:p(X) :- q(X).",
            [("TL009", "if `R7` is the rule's name, put a space behind the colon; else add `@prefix R7: <…> .` above")],
        ),
        ('p("a\ud800").', [("TL002", None)]),
        ("p(<http://e/\\u0020>).", [("TL004", None)]),
        ("contains[a, b].", [("TL025", "give the relation another name")]),
    ],
)
def test_mistakes(text: str, expected: list[tuple[str, str | None]]) -> None:
    diagnostics = Diagnostics()
    parse(Source(text), diagnostics)
    assert [(d.code, d.fix) for d in diagnostics.errors] == expected


def test_queries() -> None:
    diagnostics = Diagnostics()
    expected = (Atom("path", (value("a"), X)), Comparison("!=", X, value("b")))
    assert parse_query(Source("path(a, X), X != b"), diagnostics, {}) == expected
    assert parse_query(Source("path(a, X), X != b."), diagnostics, {}) == expected
    assert parse_query(Source("ex:p(X)"), diagnostics, {"ex": "http://e/"}) == (Atom("http://e/p", (X,)),)
    assert not diagnostics


@pytest.mark.parametrize("text", ["", ".", "p(X). q(X)", "p(X) :- q(X)", "p(X", "p(X) q(X)"])
def test_wrong_queries(text: str) -> None:
    diagnostics = Diagnostics()
    parse_query(Source(text), diagnostics, {})
    with pytest.raises(TidelogError):
        diagnostics.raise_errors()


def test_spans_point_into_the_text() -> None:
    text = "p(a).\nr: q(X) :- p(X), X != b."
    rule = statements(text)[1]
    assert isinstance(rule, Rule)
    assert text[slice(*rule.span)] == "r: q(X) :- p(X), X != b"
    assert [text[slice(*lit.span)] for lit in (rule.head, *rule.body)] == ["q(X)", "p(X)", "X != b"]
