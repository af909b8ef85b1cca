"""Statements of RDFox's rule language as they are written."""

from __future__ import annotations

from tidelog.errors import Diagnostics
from tidelog.source import Source
from tidelog.syntax.dlog.lexing import lex
from tidelog.syntax.dlog.statements import Bind, Filter, Grouped, Pattern, Statements, Without, Written
from tidelog.syntax.tree import Prefix


def read(text: str) -> list[Written | Prefix | None]:
    source = Source(text)
    reader = Statements(source, lex(source, Diagnostics())[0], {})
    found = []
    while not reader.is_at_end:
        found.append(reader.statement())
    return found


def test_directives() -> None:
    assert read("@prefix : <http://a/> . PREFIX b: <http://b/> @base <http://c/> . BASE <d/> prefix e: <f>") == [
        Prefix("", "http://a/"),
        Prefix("b", "http://b/"),
        None,
        None,
        Prefix("e", "http://c/d/f"),
    ]


def test_every_kind_of_literal() -> None:
    _, rule = read(
        "PREFIX : <http://a/> :C[?x], [?x, :p, ?n] :- :D[?x], not exists ?y, ?z in (:p[?x, ?y], :p[?y, ?z]), NOT :E[?x], "
        "FILTER(?n > 1), BIND(1 AS ?m), AGGREGATE(:p[?x, ?y] ON ?x BIND COUNT(DISTINCT ?y) AS ?n BIND MAX(?y) AS ?o) ."
    )
    assert isinstance(rule, Written)
    assert len(rule.heads) == 2
    assert rule.body is not None
    assert [type(one) for one in rule.body] == [Pattern, Without, Without, Filter, Bind, Grouped]
    without, grouped = rule.body[1], rule.body[5]
    assert isinstance(without, Without)
    assert isinstance(grouped, Grouped)
    assert ([one.name for one in without.exists], len(without.patterns)) == (["y", "z"], 2)
    assert [(one.function, one.is_distinct, one.result.name) for one in grouped.computed] == [
        ("count", True, "n"),
        ("max", False, "o"),
    ]
    assert rule.start == 21


def test_facts_have_no_body() -> None:
    (fact,) = read("[<http://a>, <http://b>, 5] .")
    assert isinstance(fact, Written)
    assert fact.body is None
