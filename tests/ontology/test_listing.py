"""Ontologies as programs: prefixes, comments, and that the text means the same."""

from __future__ import annotations

import pytest
from tests.ontology.some_ontologies import EX, PREFIXES

from tidelog import KnowledgeBase
from tidelog.ontology.axioms import Import, graph_of
from tidelog.ontology.listing import listing, prefixes_of
from tidelog.ontology.translation import translate
from tidelog.program.program import check
from tidelog.source import Source
from tidelog.syntax.printer import Printer

pytest.importorskip("pyoxigraph")
TEXT = (
    PREFIXES
    + """@prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix o: <http://other.org/univ-bench.owl#> .
    foaf:Person rdfs:subClassOf foaf:Agent . o:A rdfs:subClassOf foaf:Person , [ owl:unionOf (o:B o:C) ] .
    o:a a o:A ; :p "two\\nlines" , 5 . _:b a o:A . :q rdfs:domain o:A . o:A owl:disjointWith o:D ."""
)


def test_prefixes() -> None:
    graph = graph_of(TEXT)
    assert prefixes_of(graph) == {
        "univ-bench": "http://other.org/univ-bench.owl#",
        "foaf": "http://xmlns.com/foaf/0.1/",
        "example": EX,
    }
    given = {"univ-bench": "http://elsewhere/", "f": "http://xmlns.com/foaf/0.1/"}
    assert prefixes_of(graph, given) == {**given, "univ-bench2": "http://other.org/univ-bench.owl#", "example": EX}
    assert prefixes_of(graph_of("<urn:x:1> <http://日本/#a> 1 ; <http://日本/#b> 2 .")) == {"ns": "http://日本/#"}


def test_the_text() -> None:
    graph = graph_of(TEXT)
    prefixes = prefixes_of(graph)
    found = translate(graph, Printer(prefixes))
    found.imports = [Import("http://i", None), Import("http://j", "j.ttl")]
    text = listing(found, prefixes, "some.ttl")
    assert text.startswith(
        "% some.ttl: 4 rules of OWL 2 RL; 1 thing outside of it, listed at the end\n"
        "% imports <http://i>, which is not here\n% imports <http://j> from j.ttl\n"
    )
    assert "% foaf:Person subClassOf foaf:Agent\nsubclass_Person_Agent: foaf:Agent(X) :- foaf:Person(X).\n" in text
    assert "% Assertions; 1 with blank nodes are left out\nunivbench:" not in text
    assert "% Assertions; 1 with blank nodes are left out\n" in text
    assert 'example:p(univ-bench:a, "two\\nlines").' in text
    assert text.endswith("which of the classes it is\n")
    program = check(Source(text, "text"))
    assert program.warnings == ()
    assert [rule.name for rule in program.rules] == [rule.name for rule in found.rules]
    assert set(KnowledgeBase(text)["foaf:Agent"]) == set(KnowledgeBase(text)["univ-bench:A"]) != set()


def test_comments_are_one_line() -> None:
    graph = graph_of(
        PREFIXES + ':a a [ owl:complementOf [ owl:onProperty :p ; owl:hasValue "a\\nb\\u2028' + "x" * 200 + '" ] ] .'
    )
    text = listing(translate(graph, Printer()), {}, "a\nb.ttl")
    assert check(Source(text, "text")).rules
    assert all(len(line) < 300 for line in text.splitlines())
