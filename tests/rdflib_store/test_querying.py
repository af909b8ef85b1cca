"""SPARQL of graphs: answered by the knowledge base, or left to rdflib."""

from __future__ import annotations

from typing import Any

import pytest
from pyparsing.exceptions import ParseException
from rdflib import RDF, XSD, BNode, Graph, Literal, Namespace, URIRef
from rdflib.plugins.sparql import prepareQuery

from tidelog import KnowledgeBase
from tidelog.rdflib_store import TidelogStore
from tidelog.rdflib_store.querying import is_answerable, prefixed

EX = Namespace("http://example.org/")
RULES = """@prefix ex: <http://example.org/> .
ex:anc(X, Y) :- ex:par(X, Y).
ex:anc(X, Z) :- ex:anc(X, Y), ex:par(Y, Z)."""


def graphs() -> tuple[Graph, Graph]:
    """A graph of ours, and one of rdflib with the same triples."""
    ours = Graph(store=TidelogStore(KnowledgeBase(RULES)))
    ours.bind("ex", EX)
    for triple in (
        (EX.a, EX.par, EX.b),
        (EX.b, EX.par, BNode("c")),
        (EX.a, EX.age, Literal(83)),
        (EX.b, EX.name, Literal("Ben", lang="en")),
        (EX.b, RDF.type, EX.Person),
        (EX.a, EX.at, Literal("2026-11-15", datatype=XSD.date)),
    ):
        ours.add(triple)
    theirs = Graph()
    theirs.bind("ex", EX)
    theirs += ours
    return ours, theirs


QUERIES = [
    "SELECT ?x ?y { ?x ex:anc ?y }",
    "SELECT * { ?x ex:par ?y OPTIONAL { ?x ex:age ?age } }",
    "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }",
    "SELECT ?x { ?x ex:par/ex:par ?y }",
    "ASK { ex:a ex:anc ?x . ?x a ex:Person }",
    "ASK { ex:a a ex:Person }",
    "CONSTRUCT { ?y ex:child ?x } WHERE { ?x ex:par ?y }",
    "DESCRIBE ex:a",
    "PREFIX ex: <http://example.org/> SELECT ?n { ?x ex:name ?n FILTER(lang(?n) = 'en') }",
    "SELECT ?x (COUNT(?y) AS ?n) { ?x ex:age ?y }",  # left to rdflib: ?x is not grouped by
]


@pytest.mark.parametrize("text", QUERIES)
def test_answers_are_those_of_rdflib(text: str) -> None:
    ours, theirs = graphs()
    found, expected = ours.query(text), theirs.query(text)
    assert found.type == expected.type or (found.type, expected.type) == ("CONSTRUCT", "DESCRIBE")
    if found.type == "SELECT":
        assert found.vars is not None
        assert expected.vars is not None
        assert set(found.vars) == set(expected.vars)
        rows: list[Any] = [{frozenset(row.asdict().items()) for row in result} for result in (found, expected)]  # type: ignore[union-attr]
        assert rows[0] == rows[1]
        assert len(found) == len(expected)
    elif found.type == "ASK":
        assert found.askAnswer == expected.askAnswer
    else:
        assert found.graph is not None
        assert expected.graph is not None
        assert set(found.graph) == set(expected.graph)


def test_what_is_left_to_rdflib() -> None:
    ours, theirs = graphs()
    bound = {"x": EX.a}
    assert list(ours.query("SELECT ?y { ?x ex:anc ?y }", initBindings=bound)) == list(
        theirs.query("SELECT ?y { ?x ex:anc ?y }", initBindings=bound)
    )
    prepared = prepareQuery("SELECT ?y { ex:a ex:par ?y }", initNs={"ex": EX})
    assert [row[0] for row in ours.query(prepared)] == [EX.b]  # type: ignore[index]
    with pytest.raises(ParseException):
        ours.query("SELECT {")
    assert not is_answerable("ASK {}", {}, EX.one, graphs=True)
    assert is_answerable("ASK {}", {}, BNode(), graphs=False)


def test_updates_are_evaluated_by_rdflib_and_derive() -> None:
    ours, _ = graphs()
    ours.update("DELETE { ?x ex:par ?y } INSERT { ?y ex:par ?x } WHERE { ?x ex:par ?y FILTER(isIRI(?y)) }")
    assert (EX.b, EX.anc, EX.a) in ours
    assert (EX.a, EX.anc, EX.b) not in ours
    ours.update("INSERT DATA { ex:z ex:par ex:b }")
    assert (EX.z, EX.anc, EX.a) in ours


def test_declarations_of_the_prefixes_that_are_used() -> None:
    names = {"ex": EX, "other": URIRef("http://other/"), "": URIRef("http://none/")}
    assert prefixed("ASK { ex:a ?p ?o }", names) == "PREFIX ex: <http://example.org/> ASK { ex:a ?p ?o }"
    assert prefixed("ASK { :a ?p ?o }", names) == "PREFIX : <http://none/> ASK { :a ?p ?o }"
    ours, _ = graphs()
    other = {"ex": Namespace("http://elsewhere/")}
    assert ours.query("ASK { ex:a ?p ?o }", initNs=other).askAnswer is False
    assert ours.query("PREFIX ex: <http://example.org/> ASK { ex:a ?p ?o }", initNs=other).askAnswer is True
