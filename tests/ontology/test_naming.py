"""Names of rules, and expressions in words."""

from __future__ import annotations

import pytest
from tests.ontology.some_ontologies import EX, PREFIXES

from tidelog import IRI
from tidelog.ontology.axioms import graph_of
from tidelog.ontology.naming import Reading, local_name, name_of, unused
from tidelog.syntax.printer import Printer
from tidelog.values import from_python

pytest.importorskip("pyoxigraph")


def test_local_names() -> None:
    names = ["http://a/b#C", "http://a/b/", "urn:x:y-z", "http://a/#", "x", "", "http://a/日本"]
    assert [local_name(name) for name in names] == ["C", "b", "y_z", "a", "x", "", "__"]


def test_names_of_rules() -> None:
    first, blank = from_python(IRI(EX + "A-B")), from_python(IRI("_:b"))
    assert name_of("inverse functional", first, blank, first) == "inverse_functional_A_B_A_B"
    assert len(name_of("subclass", from_python(IRI(EX + "A" * 200)))) == 60
    assert unused("r", {"r", "r_2"}) == "r_3"


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (":A", "ex:A"),
        ("[ owl:intersectionOf (:A [ owl:unionOf (:B :C) ]) ]", "(ex:A and (ex:B or ex:C))"),
        ("[ owl:complementOf :A ]", "not ex:A"),
        ("[ owl:oneOf (:a 5) ]", "{ex:a, 5}"),
        ("[ owl:onProperty :p ; owl:someValuesFrom :A ]", "(ex:p some ex:A)"),
        ("[ owl:onProperty [ owl:inverseOf :p ] ; owl:allValuesFrom :A ]", "(inverse ex:p only ex:A)"),
        ("[ owl:onProperty :p ; owl:hasValue 'x' ]", "(ex:p value x)"),
        ("[ owl:onProperty :p ; owl:hasSelf true ]", "(ex:p Self)"),
        ("[ owl:onProperty :p ; owl:cardinality 1 ]", "(ex:p exactly 1)"),
        ("[ owl:onProperty :p ; owl:maxQualifiedCardinality 1 ; owl:onClass :A ]", "(ex:p max 1 ex:A)"),
        ("[ owl:intersectionOf [] ]", "…"),
        ("[]", "…"),
    ],
)
def test_expressions(expression: str, words: str) -> None:
    graph = graph_of(PREFIXES + f":it :is {expression} .")
    node = graph.only(from_python(IRI(EX + "it")), EX + "is")
    assert Reading(graph, Printer({"ex": EX})).expression(node) == words


def test_expressions_in_themselves_come_to_an_end() -> None:
    graph = graph_of(PREFIXES + "_:a owl:complementOf _:a .")
    (triple,) = graph.triples
    reading = Reading(graph, Printer())
    assert reading.expression(triple.subject).startswith("not not ")
    assert reading.value(triple.subject) == "a blank node"
