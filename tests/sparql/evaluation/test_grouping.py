"""Groups and aggregates."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("rdflib")

from tidelog import IRI, KnowledgeBase, Literal
from tidelog.values import XSD


def aggregate(expression: str, *values: str) -> Any:
    """An aggregate over `?x`."""
    rows = " ".join(f"({value})" for value in values)
    found = KnowledgeBase("").sparql(f"SELECT ({expression} AS ?r) {{ VALUES (?x) {{ {rows} }} }}")
    assert not isinstance(found, bool)
    return found[:1][0][0]  # type: ignore[index]


@pytest.mark.parametrize(
    ("expression", "values", "expected"),
    [
        ("COUNT(*)", ("1", "1", "UNDEF"), 3),
        ("COUNT(DISTINCT *)", ("1", "1", "UNDEF"), 2),
        ("COUNT(?x)", ("1", "1", "UNDEF"), 2),
        ("COUNT(DISTINCT ?x)", ("1", "1", "2"), 2),
        ("SUM(?x)", ("1", "2", "2"), 5),
        ("SUM(DISTINCT ?x)", ("1", "2", "2"), 3),
        ("SUM(?x)", ("1", "2.5"), Literal("3.5", XSD + "decimal")),
        ("SUM(?x)", ("1", "2.5e0"), 3.5),
        ("SUM(?x)", ("1", "'a'"), None),
        ("SUM(?x)", ("1", "UNDEF"), None),
        ("SUM(?x)", ("9223372036854775807", "1"), Literal("9223372036854775808", XSD + "integer")),
        ("AVG(?x)", ("1", "2"), Literal("1.5", XSD + "decimal")),
        ("AVG(?x)", ("1.0e0", "2"), 1.5),
        ("MIN(?x)", ("3", "2.5", "7"), Literal("2.5", XSD + "decimal")),
        ("MAX(?x)", ("'b'", "'a'"), "b"),
        ("MAX(?x)", ("'b'", "UNDEF"), None),
        ("SAMPLE(?x)", ("UNDEF", "4"), 4),
        ("GROUP_CONCAT(?x ; separator=', ')", ("'a'", "1"), "a, 1"),
        ("GROUP_CONCAT(?x)", ("'a'", "'b'"), "a b"),
        ("SUM(?x) + 1", ("1", "2"), 4),
    ],
)
def test_aggregates(expression: str, values: tuple[str, ...], expected: object) -> None:
    assert aggregate(expression, *values) == expected


def test_nothing() -> None:
    found = KnowledgeBase("").sparql(
        "SELECT (COUNT(?x) AS ?c) (SUM(?x) AS ?s) (AVG(?x) AS ?a) (MIN(?x) AS ?m) (GROUP_CONCAT(?x) AS ?g) { ?x <a:p> ?y }"
    )
    assert not isinstance(found, bool)
    assert list(found) == [(0, 0, 0, None, "")]
    none = KnowledgeBase("").sparql("SELECT ?y (COUNT(?x) AS ?c) { ?x <a:p> ?y } GROUP BY ?y")
    assert not isinstance(none, bool)
    assert list(none) == []


def test_groups() -> None:
    kb = KnowledgeBase("")
    kb.update(insert=[("a:p", IRI(f"a:{at % 3}"), at) for at in range(10)])
    found = kb.sparql("SELECT ?x (SUM(?y) AS ?s) { ?x <a:p> ?y } GROUP BY ?x HAVING (COUNT(*) > 3) ORDER BY ?x")
    assert not isinstance(found, bool)
    assert list(found) == [(IRI("a:0"), 18)]
    computed = kb.sparql("SELECT ?k (COUNT(*) AS ?n) { ?x <a:p> ?y } GROUP BY (?y < 5 AS ?k) ORDER BY ?k")
    assert not isinstance(computed, bool)
    assert list(computed) == [(False, 5), (True, 5)]
