"""Rules of SWRL as ours, by hand; what is outside; and in knowledge bases."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.ontology.some_ontologies import EX, PREFIXES

from tidelog import KnowledgeBase
from tidelog.ontology.axioms import graph_of
from tidelog.ontology.listing import listing, prefixes_of
from tidelog.ontology.naming import Reading
from tidelog.ontology.rule_maker import Translation
from tidelog.ontology.swrl.swrl_rules import SwrlRule
from tidelog.ontology.translation import translate
from tidelog.program.program import check
from tidelog.source import Source
from tidelog.syntax.printer import Printer
from tidelog.values import IRI, from_python

pytest.importorskip("pyoxigraph")
PRINTER = Printer({"ex": EX})
SWRL = (
    PREFIXES
    + "@prefix swrl: <http://www.w3.org/2003/11/swrl#> . @prefix swrlb: <http://www.w3.org/2003/11/swrlb#> . "
    + "@prefix v: <urn:swrl#> . "
    + "".join(f"v:{name} a swrl:Variable . " for name in ("x", "y", "z", "Y", "n"))
)
_ATOM = re.compile(r"([\w:]+)\(([^()]*)\)")


def atoms(text: str) -> str:
    """`:C(v:x), :p(v:x, v:y), swrlb:add(v:z, 1, 2)` as a list of atoms in Turtle."""
    found = []
    for name, written in _ATOM.findall(text):
        args = [one.strip() for one in written.split(",")]
        if name.startswith("swrlb:"):
            found.append(f"[ a swrl:BuiltinAtom ; swrl:builtin {name} ; swrl:arguments ({' '.join(args)}) ]")
        elif name in ("same", "different"):
            kind = "SameIndividualAtom" if name == "same" else "DifferentIndividualsAtom"
            found.append(f"[ a swrl:{kind} ; swrl:argument1 {args[0]} ; swrl:argument2 {args[1]} ]")
        elif len(args) == 1:
            found.append(f"[ a swrl:ClassAtom ; swrl:classPredicate {name} ; swrl:argument1 {args[0]} ]")
        else:
            pair = f"swrl:argument1 {args[0]} ; swrl:argument2 {args[1]}"
            found.append(f"[ a swrl:IndividualPropertyAtom ; swrl:propertyPredicate {name} ; {pair} ]")
    return f"({' '.join(found)})"


def imp(text: str, more: str = "") -> str:
    """A rule, `body -> head`."""
    body, _, head = text.partition("->")
    return f":r a swrl:Imp ; swrl:body {atoms(body)} ; swrl:head {atoms(head)} . {more}"


def translated(text: str) -> Translation:
    return translate(graph_of(SWRL + text), PRINTER)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (":C(v:x) -> :D(v:x)", ["swrl_r: ex:D(?x) :- ex:C(?x)."]),
        (
            ":p(v:x, v:y), :q(v:y, v:z) -> :r(v:x, v:z), :D(v:z)",
            [
                "swrl_r: ex:r(?x, ?z) :- ex:p(?x, ?y), ex:q(?y, ?z).",
                "swrl_r_2: ex:D(?z) :- ex:p(_, ?y), ex:q(?y, ?z).",
            ],
        ),
        (":C(:a), :p(:a, v:y) -> :D(v:y)", ["swrl_r: ex:D(?y) :- ex:C(ex:a), ex:p(ex:a, ?y)."]),
        (":p(v:x, v:Y) -> :D(v:Y)", ["swrl_r: ex:D(?y) :- ex:p(_, ?y)."]),
        (":p(v:x, v:y), :q(v:x, v:Y) -> :r(v:y, v:Y)", ["swrl_r: ex:r(?y, ?y_2) :- ex:p(?x, ?y), ex:q(?x, ?y_2)."]),
        (
            ":p(v:x, v:n), swrlb:greaterThan(v:n, 17), swrlb:add(v:z, v:n, 1, 2) -> :q(v:x, v:z)",
            ["swrl_r: ex:q(?x, ?z) :- ex:p(?x, ?n), ?n > 17, ?z = ?n + 1 + 2."],
        ),
        (":C(v:x), :D(v:x) -> ", ["swrl_r: inconsistent(swrl_r, ?x) :- ex:C(?x), ex:D(?x)."]),
        (
            ":p(v:x, v:y), :p(v:x, v:z), different(v:y, v:z) -> :D(v:x)",
            [
                "swrl_r: ex:D(?x) :- ex:p(?x, ?y), ex:p(?x, ?z), owl:differentFrom(?y, ?z).",
                "different_symmetric: owl:differentFrom(Y, X) :- owl:differentFrom(X, Y).",
            ],
        ),
        (
            ":p(v:x, v:y), :q(v:x, v:z), same(v:y, v:z) -> :D(v:x)",
            [
                "swrl_r: ex:D(?x) :- ex:p(?x, ?y), ex:q(?x, ?z), owl:sameAs(?y, ?z).",
                "swrl_r_2: ex:D(?x) :- ex:p(?x, ?z), ex:q(?x, ?z).",
            ],
        ),
    ],
)
def test_rules(rule: str, expected: list[str]) -> None:
    found = translated(imp(rule))
    assert found.outside == []
    assert found.triples == {}
    assert [PRINTER.rule(one) for one in found.rules][: len(expected)] == expected


def test_equality_in_the_head_and_facts() -> None:
    assert PRINTER.rule(translated(imp(":p(v:x, v:y), :p(v:x, v:z) -> same(v:y, v:z)")).rules[0]) == (
        "swrl_r: owl:sameAs(?y, ?z) :- ex:p(?x, ?y), ex:p(?x, ?z), ?y != ?z."
    )
    assert [triple.predicate for triple in translated(imp(" -> :C(:a), :p(:a, :b)")).triples] == [
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
        EX + "p",
    ]
    graph = graph_of(SWRL + imp(":p(v:x, v:y), :p(v:x, v:z) -> same(v:y, v:z), :C(v:x)"))
    without = translate(graph, PRINTER, equality="none")
    assert len(without.rules) == 1
    assert [one.reason for one in without.outside] == ["equality is switched off"]


def test_expressions_and_names() -> None:
    expression = "[ owl:unionOf (:A [ owl:onProperty :p ; owl:someValuesFrom :B ]) ]"
    rule = (
        '[] a swrl:Imp ; rdfs:label "Who is it?" ; '
        f"swrl:body ([ a swrl:ClassAtom ; swrl:classPredicate {expression} ; swrl:argument1 v:x ]) ; "
        "swrl:head ([ a swrl:ClassAtom ; swrl:classPredicate [ owl:onProperty :q ; owl:hasValue :b ] ; swrl:argument1 v:x ]) ."
    )
    found = translated(rule)
    assert [PRINTER.rule(one) for one in found.rules] == [
        "swrl_Who_is_it: ex:q(?x, ex:b) :- ex:A(?x).",
        "swrl_Who_is_it_2: ex:q(?x, ex:b) :- ex:p(?x, Y), ex:B(Y).",
    ]
    assert found.axioms[0].text == "(ex:A or (ex:p some ex:B))(?x) -> (ex:q value ex:b)(?x)"
    assert found.triples == {}


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (":C(v:x) -> :p(v:x, v:y)", "no atom of a class or a property in its body is about ?y"),
        (":C(v:x), swrlb:lessThan(v:n, 5) -> :D(v:x)", "no atom of a class or a property in its body is about ?n"),
        (":C(v:x), swrlb:add(v:n, v:z, 1) -> :p(v:x, v:n)", "no atom of a class or a property in its body is about ?n"),
        (":C(v:x), swrlb:tokenize(v:x, 5) -> :D(v:x)", "the built-in tokenize is none that rules can compute"),
        (":C(v:x), swrlb:lessThan(v:x) -> :D(v:x)", "the built-in lessThan has 1 arguments instead of 2"),
        (":C(v:x) -> swrlb:lessThan(v:x, 5)", "a built-in or a range of data in the head derives nothing"),
        (":C(_:b) -> :D(_:b)", "a blank node stands in an atom, and is no swrl:Variable"),
    ],
)
def test_what_is_outside(rule: str, reason: str) -> None:
    found = translated(imp(rule))
    assert found.rules == []
    assert [one.reason for one in found.outside] == [reason]


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (":r a swrl:Imp ; swrl:body (:c) ; swrl:head () .", "an atom of the rule has no type of SWRL"),
        (":r a swrl:Imp ; swrl:body :c ; swrl:head () .", "its list is not complete"),
        (
            ":r a swrl:Imp ; swrl:head () ; swrl:body ([ a swrl:DataRangeAtom ; swrl:dataRange xsd:int ; swrl:argument1 v:x ]) .",
            "rules do not see which datatype a value has",
        ),
        (
            imp(":C(v:x) -> :D(v:x)", ":r <http://swrl.stanford.edu/ontologies/3.3/swrla.owl#isRuleEnabled> false ."),
            "the rule is switched off: swrla:isRuleEnabled is false",
        ),
        (
            ":r a swrl:Imp ; swrl:head () ; swrl:body ([ a swrl:BuiltinAtom ; swrl:builtin :own ; swrl:arguments (v:x) ]) .",
            "own is no built-in of swrlb",
        ),
    ],
)
def test_what_is_malformed(rule: str, reason: str) -> None:
    assert [one.reason for one in translated(rule).outside] == [reason]


def test_a_rule_as_people_read_it() -> None:
    graph = graph_of(SWRL + imp(":C(v:x), swrlb:lessThan(v:n, 5) -> :p(v:x, :a)"))
    rule = SwrlRule(graph, Reading(graph, PRINTER), from_python(IRI(EX + "r")))
    assert rule.text == "ex:C(?x) ^ lessThan(?n, 5) -> ex:p(?x, ex:a)"
    assert rule.name == "swrl_r"


def test_a_program_and_a_knowledge_base(tmp_path: Path) -> None:
    text = SWRL + imp(":p(v:x, v:n), swrlb:greaterThan(v:n, 17) -> :Adult(v:x)") + ":a :p 20 . :b :p 5 ."
    graph = graph_of(text)
    prefixes = prefixes_of(graph)
    assert list(prefixes.values()) == [EX]
    printed = check(Source(listing(translate(graph, Printer(prefixes)), prefixes, "rules.ttl")))
    assert (len(printed.rules), len(printed.facts)) == (1, 2)
    path = tmp_path / "rules.ttl"
    path.write_text(text, encoding="utf-8")
    kb = KnowledgeBase()
    assert str(kb.add_ontology(path)).endswith(": 1 rule, 2 assertions")
    assert list(kb[EX + "Adult"]) == [(IRI(EX + "a"),)]
    assert kb.entails(f"<{EX}a> a <{EX}Adult> .")
    assert not kb.entails(path)
    kb.remove_ontology(path)
    assert kb.program.rules == ()
