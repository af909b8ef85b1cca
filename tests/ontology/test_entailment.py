"""Questions that are graphs: blank nodes, groups of triples, axioms on new individuals."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.ontology.some_ontologies import PREFIXES

from tidelog import IRI, KnowledgeBase, owl_rl_rules
from tidelog.ontology.axioms import graph_of
from tidelog.ontology.entailment import Questions, is_described

pytest.importorskip("pyoxigraph")
TEXT = (
    PREFIXES
    + """:A rdfs:subClassOf :B . :B rdfs:subClassOf :C , [ owl:onProperty :p ; owl:allValuesFrom :D ] . :B owl:disjointWith :E .
    :p owl:propertyChainAxiom (:p :p) . :q rdfs:subPropertyOf :p . :f a owl:FunctionalProperty .
    :a a :A ; :q :b . :b :q :c ; :f :y . :x owl:differentFrom :y . :z :f :x ."""
)


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    kb = KnowledgeBase()
    kb.add_ontology(_file(tmp_path_factory), equality="replace")
    return kb


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    kb = KnowledgeBase(owl_rl_rules("replace"))
    kb.add_ontology(_file(tmp_path_factory))
    return kb


def _file(folders: pytest.TempPathFactory) -> Path:
    path = folders.mktemp("ontology") / "some.ttl"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("question", "is_entailed"),
    [
        ("", True),
        (":a a :C ; :p :c .", True),
        (":a a :E .", False),
        (":a :unknown :b .", False),
        (":a a :p .", False),
        ("_:x :q _:y . _:y :q _:z .", True),
        ("_:x :q _:y . _:y :q _:x .", False),
        ("_:x a :A . _:y :q :c .", True),
        ("_:x a :A . _:x :q :c .", False),
        (":a owl:sameAs :b .", False),
        ("<http://o> a owl:Ontology ; rdfs:label 'x' .", True),
    ],
)
def test_triples(rules: KnowledgeBase, data: KnowledgeBase, question: str, is_entailed: bool) -> None:
    assert rules.entails(PREFIXES + question) is is_entailed
    assert data.entails(PREFIXES + question) is is_entailed


@pytest.mark.parametrize(
    ("question", "by_rules", "by_data"),
    [
        (":A rdfs:subClassOf :C .", True, True),
        (":C rdfs:subClassOf :A .", False, False),
        (":A rdfs:subClassOf [ owl:onProperty :q ; owl:allValuesFrom :D ] .", True, False),
        (":A rdfs:subClassOf [ owl:onProperty :q ; owl:someValuesFrom :D ] .", False, False),
        (":A owl:disjointWith :E .", True, False),
        (":A owl:disjointWith :D .", False, False),
        (":p a owl:TransitiveProperty .", True, False),
        (":q a owl:TransitiveProperty .", False, False),
        (":f a owl:FunctionalProperty .", True, True),
        (":q a owl:FunctionalProperty .", False, False),
        (":g a owl:FunctionalProperty , owl:DatatypeProperty .", False, False),
        (":b owl:differentFrom :z .", True, False),
        (":y owl:differentFrom :x .", True, False),
        (":a owl:differentFrom :b .", False, False),
        (":a a [ owl:complementOf :E ] .", True, False),
        (":c a [ owl:complementOf :E ] .", False, False),
        (":a a [ owl:onProperty :p ; owl:someValuesFrom :D ] .", True, False),
        (":a a [ owl:onProperty :p ; owl:someValuesFrom :E ] .", False, False),
        ("_:x a [ owl:onProperty :p ; owl:someValuesFrom :D ] ; :q :b .", True, False),
        ("_:x a [ owl:onProperty :p ; owl:someValuesFrom :D ] ; :q :a .", False, False),
        (":a a [ owl:unionOf (:C :E) ] .", True, False),
        (":a a [ owl:unionOf (:E :E) ] .", False, False),
        (":a a [ owl:intersectionOf [] ] .", False, False),
        (":a a [] .", False, True),
    ],
)
def test_axioms(rules: KnowledgeBase, data: KnowledgeBase, question: str, by_rules: bool, by_data: bool) -> None:
    before = sorted(rules.relations), rules.count("inconsistent") if "inconsistent" in rules.relations else 0
    assert rules.entails(PREFIXES + question) is by_rules
    assert data.entails(PREFIXES + question) is by_data
    after = sorted(rules.relations), rules.count("inconsistent") if "inconsistent" in rules.relations else 0
    assert after == before


def test_questions_may_be_triples(rules: KnowledgeBase) -> None:
    a, p, c = (IRI(f"http://example.org/{name}") for name in "apc")
    assert rules.entails([(a, p, c)])
    assert not rules.entails([(c, p, a)])


def test_questions_of_their_own() -> None:
    graph = graph_of(PREFIXES + ":a a [ owl:oneOf (:a :b) ] .")
    (triple,) = (triple for triple in graph.triples if is_described(triple))
    assert triple.subject.content == IRI("http://example.org/a")
    assert Questions(KnowledgeBase(), graph, triples=None).hold()
    assert not Questions(KnowledgeBase(), graph, triples="triple").hold()
