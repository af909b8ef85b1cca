"""Each axiom as rules, by hand; and random ontologies both ways, as rules and as data, and by the reference."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ontology.some_ontologies import (
    CLASSES,
    EX,
    INDIVIDUALS,
    PREFIXES,
    PROPERTIES,
    random_assertion,
    random_axiom,
    random_equality,
)

from tidelog import KnowledgeBase, TidelogError, owl_rl_rules
from tidelog.ontology.axioms import graph_of
from tidelog.ontology.listing import listing
from tidelog.ontology.rule_maker import Translation
from tidelog.ontology.translation import translate
from tidelog.options import Equality
from tidelog.program.program import check
from tidelog.reference import materialise
from tidelog.source import Source
from tidelog.syntax.printer import Printer
from tidelog.values import text_of

pytest.importorskip("pyoxigraph")
PRINTER = Printer({"ex": EX})
SAME = "http://www.w3.org/2002/07/owl#sameAs"


def translated(text: str, equality: Equality = "auto") -> Translation:
    return translate(graph_of(PREFIXES + text), PRINTER, equality=equality)


def rules(text: str, equality: Equality = "auto") -> list[str]:
    return [PRINTER.rule(rule) for rule in translated(text, equality).rules]


@pytest.mark.parametrize(
    ("axiom", "expected"),
    [
        (":A rdfs:subClassOf :B .", ["subclass_A_B: ex:B(X) :- ex:A(X)."]),
        (
            ":A owl:equivalentClass :B .",
            ["equivalent_A_B: ex:B(X) :- ex:A(X).", "equivalent_B_A: ex:A(X) :- ex:B(X)."],
        ),
        (
            ":A owl:intersectionOf (:B :C) .",
            [
                "equivalent_A: ex:B(X) :- ex:A(X).",
                "equivalent_A_2: ex:C(X) :- ex:A(X).",
                "equivalent_A_3: ex:A(X) :- ex:B(X), ex:C(X).",
            ],
        ),
        (":A owl:disjointWith :B .", ["disjoint_A_B: inconsistent(disjoint_A_B, X) :- ex:A(X), ex:B(X)."]),
        (":p rdfs:subPropertyOf :q .", ["subproperty_p_q: ex:q(X, Y) :- ex:p(X, Y)."]),
        (":p rdfs:subPropertyOf [ owl:inverseOf :q ] .", ["subproperty_p: ex:q(Y, X) :- ex:p(X, Y)."]),
        (
            ":p owl:equivalentProperty :q .",
            ["equivalent_p_q: ex:q(X, Y) :- ex:p(X, Y).", "equivalent_p_q_2: ex:p(X, Y) :- ex:q(X, Y)."],
        ),
        (
            ":p owl:inverseOf :q .",
            ["inverse_p_q: ex:p(Y, X) :- ex:q(X, Y).", "inverse_p_q_2: ex:q(Y, X) :- ex:p(X, Y)."],
        ),
        (":p rdfs:domain :A .", ["domain_p_A: ex:A(X) :- ex:p(X, _)."]),
        (":p rdfs:range :A .", ["range_p_A: ex:A(Y) :- ex:p(_, Y)."]),
        (":p owl:propertyChainAxiom (:q :r) .", ["chain_p: ex:p(X, Z) :- ex:q(X, Y), ex:r(Y, Z)."]),
        (":p a owl:TransitiveProperty .", ["transitive_p: ex:p(X, Z) :- ex:p(X, Y), ex:p(Y, Z)."]),
        (":p a owl:SymmetricProperty .", ["symmetric_p: ex:p(Y, X) :- ex:p(X, Y)."]),
        (":p a owl:AsymmetricProperty .", ["asymmetric_p: inconsistent(asymmetric_p, X) :- ex:p(X, Y), ex:p(Y, X)."]),
        (":p a owl:IrreflexiveProperty .", ["irreflexive_p: inconsistent(irreflexive_p, X) :- ex:p(X, X)."]),
        (":p owl:propertyDisjointWith :q .", ["disjoint_p_q: inconsistent(disjoint_p_q, X) :- ex:p(X, Y), ex:q(X, Y)."]),
        (
            "[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :a ; owl:assertionProperty :p ; owl:targetValue 5 .",
            ["never_a_p: inconsistent(never_a_p, ex:a) :- ex:p(ex:a, 5)."],
        ),
        (":a a [ owl:complementOf :A ] .", ["instance_a: inconsistent(instance_a, ex:a) :- ex:A(ex:a)."]),
        (":a a [ owl:onProperty :p ; owl:allValuesFrom :A ] .", ["instance_a: ex:A(Y) :- ex:p(ex:a, Y)."]),
        (":A rdfs:subClassOf :A .", []),
        ("[ owl:oneOf (:a) ] rdfs:subClassOf [ owl:onProperty :p ; owl:someValuesFrom owl:Nothing ] .", []),
        ("[ owl:intersectionOf ([ owl:oneOf (:a) ] [ owl:oneOf (:b) ]) ] rdfs:subClassOf :A .", []),
    ],
)
def test_rules(axiom: str, expected: list[str]) -> None:
    assert rules(axiom) == expected


@pytest.mark.parametrize(
    ("axiom", "first"),
    [
        (":p a owl:FunctionalProperty .", "functional_p: owl:sameAs(Y, Z) :- ex:p(X, Y), ex:p(X, Z), Y != Z."),
        (":p a owl:InverseFunctionalProperty .", "inverse_functional_p: owl:sameAs(X, Y) :- ex:p(X, Z), ex:p(Y, Z), X != Y."),
        (
            ":A owl:hasKey (:p :q) .",
            "key_A: owl:sameAs(X, Y) :- ex:A(X), ex:p(X, Z), ex:p(Y, Z), ex:q(X, W), ex:q(Y, W), ex:A(Y), X != Y.",
        ),
    ],
)
def test_equality(axiom: str, first: str) -> None:
    closed = [
        "same_symmetric: owl:sameAs(Y, X) :- owl:sameAs(X, Y).",
        "same_transitive: owl:sameAs(X, Z) :- owl:sameAs(X, Y), owl:sameAs(Y, Z).",
    ]
    assert rules(axiom) == [first, *closed]
    shared = rules(axiom, "replace")[3:]
    assert "same_in_p: ex:p(Y, Z) :- ex:p(X, Z), owl:sameAs(X, Y)." in shared
    assert "same_in_p_2: ex:p(Z, Y) :- ex:p(Z, X), owl:sameAs(X, Y)." in shared
    without = translated(axiom, "none")
    assert without.rules == []
    assert without.outside[0].reason == "equality is switched off"


def test_data_properties_have_values_that_differ() -> None:
    (rule,) = rules(":p a owl:FunctionalProperty , owl:DatatypeProperty .")
    assert rule == "functional_p: inconsistent(functional_p, X) :- ex:p(X, Y), ex:p(X, Z), Y < Z."


def test_what_differs_and_what_is_nothing() -> None:
    found = rules(":a owl:differentFrom :b ; owl:sameAs :c ; a owl:Nothing .")
    assert [rule.partition(":")[0] for rule in found] == [
        "nothing",
        "different_symmetric",
        "different_itself",
        "same_symmetric",
        "same_transitive",
        "same_and_different",
    ]


def test_pairs_of_members() -> None:
    assert [name.partition(":")[0] for name in rules("[] a owl:AllDisjointClasses ; owl:members (:A :B :C) .")] == [
        "disjoint_A_B",
        "disjoint_A_C",
        "disjoint_B_C",
    ]
    assert len(rules("[] a owl:AllDisjointProperties ; owl:members (:p :q :r) .")) == 3
    different = translated("[] a owl:AllDifferent ; owl:distinctMembers (:a :b :c) .")
    assert len(different.triples) == 3
    many = " ".join(f":i{number}" for number in range(1001))
    assert "1,001 members" in translated(f"[] a owl:AllDifferent ; owl:members ({many}) .").outside[0].reason


def test_assertions() -> None:
    found = translated(
        ':a a :A ; :p 5 ; rdfs:label "a" . :B rdfs:subClassOf :C . :b a [ owl:onProperty :p ; owl:hasValue 7 ] .'
        " [ owl:oneOf (:c :d) ] rdfs:subClassOf :D ."
    )
    shown = sorted(
        (text_of(s).removeprefix(EX), re.split("[/#]", p)[-1], text_of(o).removeprefix(EX)) for s, p, o in found.triples
    )
    assert shown == [
        ("a", "label", "a"),
        ("a", "p", "5"),
        ("a", "type", "A"),
        ("b", "p", "7"),
        ("c", "type", "D"),
        ("d", "type", "D"),
    ]


@pytest.mark.parametrize(
    ("axiom", "reason"),
    [
        (":A rdfs:subClassOf [ owl:unionOf (:B :C) ] .", "which of the classes"),
        ("owl:Thing rdfs:subClassOf :A .", "everything there is"),
        (":p a owl:ReflexiveProperty .", "everything and itself"),
        (":A owl:disjointUnionOf (:B :C) .", "which of the classes"),
        (":p rdfs:range xsd:int .", "datatype of a value"),
        (":D a rdfs:Datatype ; owl:equivalentClass xsd:int .", "do not define datatypes"),
        (":A rdfs:subClassOf :B . :B rdfs:subPropertyOf :p .", "a class and a property"),
        (":A rdfs:subClassOf :B . :a :B :b .", "a class and a property"),
        ("[] a owl:AllDisjointClasses .", "0 values of members"),
        (":A owl:hasKey () .", "no property"),
        (":p owl:propertyChainAxiom () .", "no property"),
        (":A rdfs:subClassOf [] .", "no class expression"),
    ],
)
def test_outside(axiom: str, reason: str) -> None:
    assert reason in " ".join(map(str, translated(axiom).outside))


def test_parts_of_an_axiom_that_are_inside_are_used() -> None:
    found = translated(":A owl:equivalentClass [ owl:intersectionOf (:B [ owl:onProperty :p ; owl:someValuesFrom :C ]) ] .")
    assert [PRINTER.rule(rule) for rule in found.rules] == [
        "equivalent_A: ex:B(X) :- ex:A(X).",
        "equivalent_A_2: ex:A(X) :- ex:B(X), ex:p(X, Y), ex:C(Y).",
    ]
    (outside,) = found.outside
    assert outside.text == "ex:A equivalentClass (ex:B and (ex:p some ex:C))"
    assert outside.reason == "owl:someValuesFrom on the right side needs an individual that nothing names"


def test_other_choices_are_refused() -> None:
    with pytest.raises(TidelogError, match="TL074: there is no equality='some'"):
        translated("", "some")  # type: ignore[arg-type]


# --- both ways, and the reference --------------------------------------------------------------------------------------------


def ontology(seed: int, *, equality: bool) -> str:
    chance = random.Random(seed)
    axioms = [random_axiom(chance) for _ in range(chance.randint(1, 10))]
    axioms += [random_equality(chance) for _ in range(chance.randint(1, 3))] if equality else []
    return PREFIXES + "\n".join([*axioms, *(random_assertion(chance) for _ in range(chance.randint(0, 12)))])


def individuals(kb: KnowledgeBase, *, is_triples: bool) -> set[tuple[str, ...]]:
    """What follows for the individuals, as texts: `A a`, `p a b`, and what is the same."""
    names = {f"{EX}{name}": 1 for name in CLASSES} | {f"{EX}{name}": 2 for name in PROPERTIES} | {SAME: 2}
    found: set[tuple[str, ...]] = set()
    for name, arity in names.items():
        if is_triples:
            atom = f"triple(X, <{name}>, Y)" if arity == 2 else f"triple(X, rdf:type, <{name}>)"
            rows = kb.query(atom)
        elif name in kb.relations:
            rows = kb[name]
        else:
            continue
        found |= {(name, *(value.text for value in row)) for row in rows}
    named = {EX + name for name in INDIVIDUALS}
    return {row for row in found if set(row[1:]) <= named and not (row[0] == SAME and row[1] == row[2])}


def both_ways(text: str, folder: Path, equality: Equality) -> None:
    path = folder / "ontology.ttl"
    path.write_text(text, encoding="utf-8")
    as_rules, as_data = KnowledgeBase(), KnowledgeBase(owl_rl_rules(equality))
    report = as_rules.add_ontology(path, equality=equality)
    as_data.add_ontology(path)
    assert report.outside == ()
    assert individuals(as_rules, is_triples=False) == individuals(as_data, is_triples=True)
    assert bool(as_rules.inconsistencies()) == bool(as_data.inconsistencies())
    found = translate(graph_of(text), PRINTER, equality=equality)
    program = check(Source(listing(found, {"ex": EX}, "ontology.ttl"), "listing"))
    expected = materialise(program)
    assert {name: len(facts) for name, facts in expected.items() if facts} == {
        name: kb_count for name in as_rules.relations if not name.startswith("tidelog_") and (kb_count := as_rules.count(name))
    }


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 1 << 30))
@pytest.mark.by_night(4000)
def test_both_ways_derive_the_same(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    both_ways(ontology(seed, equality=False), tmp_path_factory.mktemp("ontology"), "auto")


@settings(deadline=None, max_examples=12)
@given(seed=st.integers(0, 1 << 30))
@pytest.mark.by_night(3000)
def test_both_ways_derive_the_same_with_equality(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    both_ways(ontology(seed, equality=True), tmp_path_factory.mktemp("ontology"), "replace")
