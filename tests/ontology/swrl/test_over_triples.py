"""Rules of SWRL where axioms are data: they derive the same triples as where axioms are rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.ontology.some_ontologies import EX
from tests.ontology.swrl.test_swrl_rules import PRINTER, SWRL, imp

from tidelog import KnowledgeBase, owl_rl_rules
from tidelog.ontology.axioms import graph_of
from tidelog.ontology.swrl.over_triples import over_triples

pytest.importorskip("pyoxigraph")
TEXT = (
    SWRL
    + imp(":p(v:x, v:y), :C(v:y), swrlb:notEqual(v:y, :c) -> :q(v:y, v:x)")
    + ":C rdfs:subClassOf :D . :E rdfs:subClassOf :C . :q rdfs:domain :F . :a :p :b , :c . :b a :E . :c a :C . :D a owl:Class ."
)


def test_the_rules() -> None:
    found = over_triples(graph_of(TEXT), PRINTER, {})
    assert [PRINTER.rule(rule) for rule in found.rules] == [
        "swrl_r: triple(?y, ex:q, ?x) :- triple(?x, ex:p, ?y), triple(?y, rdf:type, ex:C), ?y != ex:c."
    ]
    assert set(found.triples) == set(graph_of(TEXT).triples)


def test_both_ways_derive_the_same(tmp_path: Path) -> None:
    path = tmp_path / "both.ttl"
    path.write_text(TEXT, encoding="utf-8")
    rules, data = KnowledgeBase(), KnowledgeBase(owl_rl_rules())
    before = len(data.program.rules)
    for kb in (rules, data):
        kb.add_ontology(path)
        found = kb.sparql(f"SELECT ?x ?y {{ ?x <{EX}q> ?y }}")
        assert [tuple(one.text for one in row) for row in found] == [(EX + "b", EX + "a")]  # type: ignore[union-attr]
        assert kb.entails(f"<{EX}b> a <{EX}F> .")
    data.add_ontology(path)
    assert len(data.program.rules) == before + 1
    data.remove_ontology(path)
    assert len(data.program.rules) == before
