"""Operators: scopes, guides, and patterns inside of conditions."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("rdflib")
pytest.importorskip("pyoxigraph")

from tidelog import IRI, KnowledgeBase

EX = "http://example.org/"
TURTLE = f"@prefix ex: <{EX}> . ex:a ex:p ex:b ; ex:n 1 . ex:b ex:p ex:c ; ex:n 2 . ex:c ex:n 3 . ex:a a ex:C ."


@pytest.fixture
def kb() -> KnowledgeBase:
    made = KnowledgeBase("")
    made.update_rdf(insert=TURTLE)
    return made


def rows(kb: KnowledgeBase, text: str) -> list[tuple[Any, ...]]:
    found = kb.sparql(f"PREFIX ex: <{EX}> {text}")
    assert not isinstance(found, bool)
    shown = [tuple(one.text.removeprefix(EX) if isinstance(one, IRI) else one for one in row) for row in found]
    return shown if "ORDER BY" in text else sorted(shown, key=str)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT ?x ?y { ?x ex:n ?n OPTIONAL { ?x ex:p ?y FILTER(?n > 1) } }", [("a", None), ("b", "c"), ("c", None)]),
        ("SELECT ?x { ?x ex:n ?n { ?y ex:p ?z FILTER(?n > 1) } }", []),  # a group does not see what is outside
        ("SELECT ?x { ?x ex:n ?n FILTER EXISTS { ?x ex:p ?y FILTER(?n > 1) } }", [("b",)]),
        ("SELECT ?x { ?x ex:n ?n FILTER NOT EXISTS { ?x ex:p ?y } }", [("c",)]),
        ("SELECT ?x { ?x ex:n ?n FILTER EXISTS { OPTIONAL { ?x a ex:D } ?x ex:p ex:c } }", [("b",)]),
        ("SELECT ?x { ?x ex:n ?n FILTER EXISTS { ?x ex:p ?y FILTER NOT EXISTS { ?y ex:p ?n } } }", [("a",), ("b",)]),
        ("SELECT ?x ?b { ?x ex:n ?n BIND(EXISTS { ?x ex:p ?y } AS ?b) FILTER(?n < 3 || ?b) }", [("a", True), ("b", True)]),
        ("SELECT ?x { ?x ex:n ?n MINUS { ?x ex:p ?y } }", [("c",)]),
        ("SELECT ?x { ?x ex:n ?n MINUS { ?u ex:p ?v } }", [("a",), ("b",), ("c",)]),
        ("SELECT ?x ?n { { ?x ex:n ?n FILTER(?n = 1) } UNION { ?x ex:p ex:c } }", [("a", 1), ("b", None)]),
        ("SELECT ?x ?n { VALUES (?x ?n) { (ex:a UNDEF) (UNDEF 2) } ?x ex:n ?n }", [("a", 1), ("b", 2)]),
        ("SELECT ?x ?m { ?x ex:p ?y { SELECT ?y (MAX(?n) AS ?m) { ?y ex:n ?n } GROUP BY ?y } }", [("a", 2), ("b", 3)]),
        (
            "SELECT ?x ?y { ?x ex:n ?n { SELECT ?y { ?y ex:n ?k } ORDER BY DESC(?k) LIMIT 1 } }",
            [("a", "c"), ("b", "c"), ("c", "c")],
        ),
        ("SELECT ?x { ?x ex:n ?n } ORDER BY DESC(?n) LIMIT 2", [("c",), ("b",)]),
        ("SELECT ?x { ?x ex:n ?n } ORDER BY ?n OFFSET 1 LIMIT 1", [("b",)]),
        ("SELECT DISTINCT ?t { ?x ex:n ?n OPTIONAL { ?x a ?t } }", [("C",), (None,)]),
        ("SELECT ?x ?s { ?x ex:n ?n BIND(?n + 1 AS ?m) ?y ex:n ?m BIND(?y AS ?s) }", [("a", "b"), ("b", "c")]),
        ("SELECT ?n { ?x ex:n ?n FILTER(?x IN (ex:a, ex:c)) }", [(1,), (3,)]),
    ],
)
def test_queries(kb: KnowledgeBase, query: str, expected: list[tuple[object, ...]]) -> None:
    assert rows(kb, query) == expected
