"""Class expressions on the left and on the right of an axiom, one by one."""

from __future__ import annotations

import pytest
from tests.ontology.some_ontologies import EX, PREFIXES

from tidelog.ontology.axioms import Malformed, graph_of
from tidelog.ontology.expressions import Expressions, Names, Outside
from tidelog.syntax.printer import Printer
from tidelog.syntax.tree import Variable
from tidelog.values import IRI, from_python

pytest.importorskip("pyoxigraph")
PRINTER = Printer({"ex": EX})
X = Variable("X")


def _node(text: str) -> tuple[Expressions, object]:
    graph = graph_of(PREFIXES + f":it :is {text} .")
    return Expressions(graph), graph.only(from_python(IRI(EX + "it")), EX + "is")


def left(text: str) -> list[str]:
    expressions, node = _node(text)
    return [", ".join(map(PRINTER.literal, body)) for body in expressions.bodies(node, X, Names())]  # type: ignore[arg-type]


def right(text: str) -> tuple[list[str], list[str]]:
    expressions, node = _node(text)
    found = expressions.heads(node, X, Names())  # type: ignore[arg-type]
    shown = [
        f"{'false' if head.atom is None else PRINTER.literal(head.atom)} :- {', '.join(map(PRINTER.literal, head.more))}"
        for head in found.heads
    ]
    return shown, found.reasons


@pytest.mark.parametrize(
    ("expression", "bodies"),
    [
        (":A", ["ex:A(X)"]),
        ("owl:Thing", [""]),
        ("owl:Nothing", []),
        ("[ owl:intersectionOf (:A :B) ]", ["ex:A(X), ex:B(X)"]),
        ("[ owl:unionOf (:A :B) ]", ["ex:A(X)", "ex:B(X)"]),
        ("[ owl:intersectionOf ([ owl:unionOf (:A :B) ] :C) ]", ["ex:A(X), ex:C(X)", "ex:B(X), ex:C(X)"]),
        ("[ owl:oneOf (:a :b) ]", ["X = ex:a", "X = ex:b"]),
        ("[ owl:onProperty :p ; owl:someValuesFrom :A ]", ["ex:p(X, Y), ex:A(Y)"]),
        ("[ owl:onProperty :p ; owl:someValuesFrom owl:Thing ]", ["ex:p(X, Y)"]),
        ("[ owl:onProperty :p ; owl:someValuesFrom rdfs:Literal ]", ["ex:p(X, Y)"]),
        ("[ owl:onProperty [ owl:inverseOf :p ] ; owl:someValuesFrom :A ]", ["ex:p(Y, X), ex:A(Y)"]),
        ("[ owl:onProperty :p ; owl:hasValue 5 ]", ["ex:p(X, 5)"]),
        ("[ owl:onProperty :p ; owl:hasSelf true ]", ["ex:p(X, X)"]),
        ("[ owl:onProperty :p ; owl:minCardinality 1 ]", ["ex:p(X, Y)"]),
        ("[ owl:onProperty :p ; owl:minCardinality 0 ]", [""]),
        ("[ owl:onProperty :p ; owl:minQualifiedCardinality 1 ; owl:onClass :A ]", ["ex:p(X, Y), ex:A(Y)"]),
    ],
)
def test_left(expression: str, bodies: list[str]) -> None:
    assert left(expression) == bodies


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("[ owl:complementOf :A ]", "not known is not false"),
        ("[ owl:onProperty :p ; owl:allValuesFrom :A ]", "other values may be unknown"),
        ("[ owl:onProperty :p ; owl:maxCardinality 1 ]", "others may be unknown"),
        ("[ owl:onProperty :p ; owl:minCardinality 2 ]", "others may be unknown"),
        ("[ owl:onProperty :p ; owl:someValuesFrom xsd:int ]", "which datatype a value has"),
        ("[ owl:onProperties (:p :q) ; owl:someValuesFrom :A ]", "several properties at once"),
        ("[ owl:onProperty owl:topObjectProperty ; owl:someValuesFrom :A ]", "hold between everything"),
        ("[ owl:intersectionOf (" + " ".join(["[ owl:unionOf (:A :B) ]"] * 10) + ") ]", "1,024 rules"),
    ],
)
def test_left_outside(expression: str, reason: str) -> None:
    with pytest.raises(Outside, match=reason):
        left(expression)


@pytest.mark.parametrize(
    ("expression", "heads"),
    [
        (":A", ["ex:A(X) :- "]),
        ("owl:Thing", []),
        ("owl:Nothing", ["false :- "]),
        ("[ owl:intersectionOf (:A :B) ]", ["ex:A(X) :- ", "ex:B(X) :- "]),
        ("[ owl:complementOf :A ]", ["false :- ex:A(X)"]),
        ("[ owl:complementOf [ owl:unionOf (:A :B) ] ]", ["false :- ex:A(X)", "false :- ex:B(X)"]),
        ("[ owl:unionOf (:A) ]", ["ex:A(X) :- "]),
        ("[ owl:oneOf (:a) ]", ["owl:sameAs(X, ex:a) :- "]),
        ("[ owl:onProperty :p ; owl:allValuesFrom :A ]", ["ex:A(Y) :- ex:p(X, Y)"]),
        ("[ owl:onProperty :p ; owl:allValuesFrom [ owl:complementOf :A ] ]", ["false :- ex:p(X, Y), ex:A(Y)"]),
        ("[ owl:onProperty :p ; owl:hasValue :a ]", ["ex:p(X, ex:a) :- "]),
        ("[ owl:onProperty :p ; owl:hasSelf true ]", ["ex:p(X, X) :- "]),
        ("[ owl:onProperty :p ; owl:maxCardinality 0 ]", ["false :- ex:p(X, Y)"]),
        ("[ owl:onProperty :p ; owl:maxCardinality 1 ]", ["owl:sameAs(Y, Z) :- ex:p(X, Y), ex:p(X, Z), Y != Z"]),
        (
            "[ owl:onProperty :p ; owl:maxQualifiedCardinality 1 ; owl:onClass :A ]",
            ["owl:sameAs(Y, Z) :- ex:p(X, Y), ex:A(Y), ex:p(X, Z), ex:A(Z), Y != Z"],
        ),
        ("[ owl:onProperty :p ; owl:maxQualifiedCardinality 0 ; owl:onClass :A ]", ["false :- ex:p(X, Y), ex:A(Y)"]),
        ("[ owl:onProperty :p ; owl:cardinality 0 ]", ["false :- ex:p(X, Y)"]),
        ("[ owl:onProperty :p ; owl:minCardinality 0 ]", []),
    ],
)
def test_right(expression: str, heads: list[str]) -> None:
    assert right(expression) == (heads, [])


@pytest.mark.parametrize(
    ("expression", "heads", "reason"),
    [
        ("[ owl:onProperty :p ; owl:someValuesFrom :A ]", 0, "an individual that nothing names"),
        ("[ owl:intersectionOf (:B [ owl:onProperty :p ; owl:someValuesFrom :A ]) ]", 1, "an individual that nothing names"),
        ("[ owl:unionOf (:A :B) ]", 0, "which of the classes"),
        ("[ owl:oneOf (:a :b) ]", 0, "which of the individuals"),
        ("[ owl:onProperty :p ; owl:maxCardinality 2 ]", 0, "no largest number of values but 0 and 1"),
        ("[ owl:onProperty :p ; owl:minCardinality 1 ]", 0, "individuals that nothing names"),
        ("[ owl:onProperty :p ; owl:cardinality 1 ]", 1, "individuals that nothing names"),
        ("xsd:int", 0, "do not check it"),
    ],
)
def test_right_outside(expression: str, heads: int, reason: str) -> None:
    found, reasons = right(expression)
    assert len(found) == heads
    assert reason in " ".join(reasons)


def test_what_is_no_expression() -> None:
    for expression in ("[]", '"text"', "[ owl:intersectionOf [] ]", "[ owl:onProperty :p ; owl:maxCardinality 'many' ]"):
        with pytest.raises((Malformed, Outside)):
            right(expression)
    for expression in ("[]", '"text"', "[ owl:onProperty [] ; owl:someValuesFrom :A ]"):
        with pytest.raises(Malformed):
            left(expression)


def test_values_of_data_are_compared() -> None:
    graph = graph_of(PREFIXES + ":p a owl:DatatypeProperty . :q a owl:ObjectProperty .")
    expressions, (y, z) = Expressions(graph), (Variable("Y"), Variable("Z"))
    assert expressions.at_most_one(from_python(IRI(EX + "p")), [], y, z).atom is None
    assert expressions.at_most_one(from_python(IRI(EX + "q")), [], y, z).atom is not None


def test_nesting_has_a_limit() -> None:
    deep = "owl:Thing"
    for _ in range(95):
        deep = f"[ owl:unionOf ({deep}) ]"
    assert left(deep) == [""]
    graph = graph_of(PREFIXES + ":p a owl:Class . _:a owl:unionOf (_:a) .")
    loop = next(triple.subject for triple in graph.triples if triple.predicate.endswith("unionOf"))
    for side in (Expressions(graph).bodies, Expressions(graph).heads):
        with pytest.raises(Outside, match="100 levels"):
            side(loop, X, Names())


def test_fresh_names() -> None:
    names = Names()
    assert [names.fresh().name for _ in range(7)] == ["Y", "Z", "W", "V", "U", "Y1", "Z1"]
