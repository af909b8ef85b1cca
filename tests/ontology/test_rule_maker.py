"""Rules with names of their own: what is there already, what can never hold, what is a triple instead."""

from __future__ import annotations

import pytest
from tests.ontology.some_ontologies import EX

from tidelog.ontology.axioms import OntologyGraph, Triple
from tidelog.ontology.expressions import Outside
from tidelog.ontology.rule_maker import Clause, RuleMaker
from tidelog.syntax.printer import Printer
from tidelog.syntax.tree import Atom, Comparison, Constant, Rule, Variable
from tidelog.values import IRI, from_python

X, Y, A = Variable("X"), Variable("Y"), Constant(from_python(IRI(EX + "a")))
PRINTER = Printer({"ex": EX})


def maker(taken: dict[str, Rule] | None = None, arities: dict[str, int] | None = None) -> RuleMaker:
    return RuleMaker(OntologyGraph(), PRINTER, arities or {}, taken or {})


def atom(name: str, *args: Variable | Constant) -> Atom:
    return Atom(EX + name, args)


def shown(made: RuleMaker) -> list[str]:
    return [PRINTER.rule(rule) for rule in made.result.rules]


def test_a_rule_is_made_once() -> None:
    made = maker()
    clause: Clause = ([atom("A", X), atom("A", X)], atom("B", X), X)
    made.add("one", "r", [clause])
    made.add("two", "r", [([atom("A", Y)], atom("B", Y), Y)])
    made.add("three", "r", [([atom("A", X)], atom("A", X), X)])
    assert shown(made) == ["r: ex:B(X) :- ex:A(X)."]
    assert [axiom.text for axiom in made.result.axioms] == ["one", "two", "three"]


def test_names_that_are_taken() -> None:
    same, other = Rule(atom("B", Y), (atom("A", Y),), "r"), Rule(atom("C", X), (atom("A", X),), "r")
    for taken, name in ((same, "r"), (other, "r_2")):
        made = maker({"r": taken})
        made.add("one", "r", [([atom("A", X)], atom("B", X), X)])
        assert [rule.name for rule in made.result.rules] == [name]


def test_contradictions_have_the_name_of_their_rule() -> None:
    made = maker()
    made.add("one", "r", [([atom("A", X)], None, X), ([atom("B", X)], None, X)])
    assert shown(made) == ["r: inconsistent(r, X) :- ex:A(X).", "r_2: inconsistent(r_2, X) :- ex:B(X)."]


def test_equations_are_solved() -> None:
    made, is_a, is_five = maker(), Comparison("=", X, A), Comparison("=", X, Constant(from_python(5)))
    made.add("one", "r", [([is_a, atom("p", X, Y), Comparison("!=", X, Y)], atom("q", X, Y), X)])
    made.add("two", "r", [([is_a, is_five], atom("B", X), X)])
    made.add("three", "r", [([is_a, is_a], atom("B", X), X)])
    made.add("four", "r", [([is_a], None, X)])
    assert shown(made) == ["r: ex:q(ex:a, Y) :- ex:p(ex:a, Y), ex:a != Y."]
    assert [PRINTER.value(triple.object) for triple in made.result.triples] == ["ex:B", "owl:Nothing"]


def test_what_holds_of_everything_is_outside() -> None:
    made = maker()
    made.add("one", "r", [([], atom("p", X, A), X)])
    made.add("two", "r", [([], atom("p", A, A), A)])
    assert [str(one) for one in made.result.outside] == ["one: it says something about everything there is"]
    assert len(made.result.triples) == 1


def test_one_relation_has_one_number_of_columns() -> None:
    made = maker(arities={EX + "A": 2})
    with pytest.raises(Outside, match="A is a class and a property"):
        made.add("one", "r", [([atom("A", X)], atom("B", X), X)])
    made.add_triple(Triple(A.value, "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", from_python(IRI(EX + "A"))))
    assert made.result.triples == {}
    assert made.result.outside[0].text == "ex:a a ex:A"
