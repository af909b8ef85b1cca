"""Ontologies for the tests of this folder: by hand, and by chance."""

from __future__ import annotations

import random

EX = "http://example.org/"
PREFIXES = (
    f"@prefix : <{EX}> . @prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . "
    "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . "
)
CLASSES, PROPERTIES, INDIVIDUALS = "ABCDE", "pqrs", "abcdef"


def random_axiom(chance: random.Random) -> str:
    """An axiom of OWL 2 RL that both ways understand in full."""
    one, two, three = (f":{name}" for name in chance.sample(CLASSES, 3))
    p, q, r = (f":{name}" for name in chance.sample(PROPERTIES, 3))
    below = chance.choice(
        [
            one,
            f"[ owl:intersectionOf ({one} {two}) ]",
            f"[ owl:unionOf ({one} {two}) ]",
            f"[ owl:onProperty {p} ; owl:someValuesFrom {two} ]",
            f"[ owl:onProperty {p} ; owl:hasValue :a ]",
            f"[ owl:onProperty {p} ; owl:someValuesFrom owl:Thing ]",
        ]
    )
    above = chance.choice(
        [
            three,
            f"[ owl:intersectionOf ({three} {two}) ]",
            f"[ owl:onProperty {q} ; owl:allValuesFrom {three} ]",
            f"[ owl:onProperty {q} ; owl:hasValue :b ]",
            f"[ owl:complementOf {three} ]",
            f"[ owl:onProperty {q} ; owl:maxCardinality 0 ]",
        ]
    )
    return chance.choice(
        [
            f"{below} rdfs:subClassOf {above} .",
            f"{below} rdfs:subClassOf {above} .",
            f"{below} rdfs:subClassOf {above} .",
            f"{one} owl:equivalentClass [ owl:intersectionOf ({two} {three}) ] .",
            f"{one} owl:equivalentClass {two} .",
            f"{one} owl:disjointWith {two} .",
            f"{p} rdfs:subPropertyOf {q} .",
            f"{p} owl:equivalentProperty {q} .",
            f"{p} owl:inverseOf {q} .",
            f"{p} owl:propertyChainAxiom ({q} {r}) .",
            f"{p} a owl:TransitiveProperty .",
            f"{p} a owl:SymmetricProperty .",
            f"{p} a owl:AsymmetricProperty .",
            f"{p} a owl:IrreflexiveProperty .",
            f"{p} owl:propertyDisjointWith {q} .",
            f"{p} rdfs:domain {one} .",
            f"{p} rdfs:range {one} .",
            f"[] a owl:AllDisjointClasses ; owl:members ({one} {two} {three}) .",
            "[] a owl:NegativePropertyAssertion ; "
            f"owl:sourceIndividual :a ; owl:assertionProperty {p} ; owl:targetIndividual :b .",
        ]
    )


def random_equality(chance: random.Random) -> str:
    """An axiom that makes individuals equal."""
    p, name = chance.choice(PROPERTIES), chance.choice(CLASSES)
    one, two = chance.sample(INDIVIDUALS, 2)
    return chance.choice(
        [
            f":{p} a owl:FunctionalProperty .",
            f":{p} a owl:InverseFunctionalProperty .",
            f":{name} owl:hasKey (:{p}) .",
            f":{name} rdfs:subClassOf [ owl:onProperty :{p} ; owl:maxCardinality 1 ] .",
            f":{one} owl:sameAs :{two} .",
            f":{one} owl:differentFrom :{two} .",
        ]
    )


def random_assertion(chance: random.Random) -> str:
    """A triple about individuals."""
    one, two = (chance.choice(INDIVIDUALS) for _ in range(2))
    if chance.random() < 0.4:
        return f":{one} a :{chance.choice(CLASSES)} ."
    return f":{one} :{chance.choice(PROPERTIES)} :{two} ."
