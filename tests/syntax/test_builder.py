"""What each form of the language becomes: terms, literals, rules, directives."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from tests.syntax.parsed import X, Y, Z, literal, only, statements, term, value

from tidelog.errors import TidelogError
from tidelog.program.program import check
from tidelog.source import Source
from tidelog.syntax.builder import DEEPEST, MOST_LITERALS
from tidelog.syntax.tree import (
    Aggregate,
    Atom,
    Call,
    Column,
    Comparison,
    Constant,
    Declaration,
    Fact,
    Literal,
    Negation,
    Port,
    Prefix,
    Rule,
    Term,
    Variable,
)
from tidelog.values import FALSE, IRI, TRUE, Kind
from tidelog.values import Literal as RDFLiteral


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", "a"),
        ('"a"', "a"),
        ("'a b'", "a b"),
        ('"say \\"hi\\"\\n\\t\\\\ \\u00e9 \\U0001F600 \\ud83d\\ude00"', 'say "hi"\n\t\\ é 😀 😀'),
        ("12", 12),
        ("-3", -3),
        ("- 3", -3),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("2.5", 2.5),
        ("1e9", 1e9),
        ("-1.5E-3", -0.0015),
        ("-0.0", 0.0),
        ('float("inf")', float("inf")),
        ("true", True),
        ("false", False),
        ("<http://example.org/a#b>", IRI("http://example.org/a#b")),
        ("<http://example.org/\\u00e9bar>", IRI("http://example.org/ébar")),
        ("xsd:byte", IRI("http://www.w3.org/2001/XMLSchema#byte")),
        ('"chat"@fr', RDFLiteral("chat", None, "fr")),
        ('"chat"@FR-ca', RDFLiteral("chat", None, "fr-ca")),
        ('"5"^^xsd:byte', RDFLiteral("5", "http://www.w3.org/2001/XMLSchema#byte")),
        ('"5"^^xsd:integer', 5),
        ('"true"^^xsd:boolean', True),
        ('date("2026-11-15")', date(2026, 11, 15)),
        ('timestamp("2026-11-15T06:43:00Z")', datetime(2026, 11, 15, 6, 43, tzinfo=UTC)),
        ('timestamp("2026-11-15T06:43:00.25+02:00")', datetime(2026, 11, 15, 4, 43, 0, 250000, tzinfo=UTC)),
        ("count", "count"),
        ("on", "on"),
        ("zürich", "zürich"),
        ("ärger", "ärger"),
    ],
)
def test_constants(text: str, expected: object) -> None:
    assert term(text) == value(expected)


@pytest.mark.parametrize(
    ("text", "name"),
    [("X", "X"), ("Person", "Person"), ("?x", "x"), ("?X", "X"), ("_foo", "_foo"), ("Übung", "Übung"), ("X1_b", "X1_b")],
)
def test_variables(text: str, name: str) -> None:
    assert term(text) == Variable(name)


def test_each_underscore_is_a_variable_of_its_own() -> None:
    assert literal("p(_, _, ?_)") == Atom("p", (Variable("_#1"), Variable("_#2"), Variable("_#3")))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X + Y * Z", Call("+", (X, Call("*", (Y, Z))))),
        ("X - Y - Z", Call("-", (Call("-", (X, Y)), Z))),
        ("X - (Y - Z)", Call("-", (X, Call("-", (Y, Z))))),
        ("X mod Y / Z", Call("/", (Call("mod", (X, Y)), Z))),
        ("-X * Y", Call("*", (Call("-", (X,)), Y))),
        ("-(X * Y)", Call("-", (Call("*", (X, Y)),))),
        ("X -3", Call("-", (X, value(3)))),
        ("X - -3", Call("-", (X, value(-3)))),
        ("X * -3", Call("*", (X, value(-3)))),
        ("-(3)", Call("-", (value(3),))),
        ("(X)-3", Call("-", (X, value(3)))),
        ("abs(X - 1)", Call("abs", (Call("-", (X, value(1))),))),
        ("cat(X, a, Y)", Call("cat", (X, value("a"), Y))),
        ("min(X, Y)", Call("min", (X, Y))),
    ],
)
def test_expressions(text: str, expected: Term) -> None:
    assert term(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p(X, a)", Atom("p", (X, value("a")))),
        ("p()", Atom("p", ())),
        ("p", Atom("p", ())),
        ("Person(X)", Atom("Person", (X,))),
        ("abs(X, Y, Z)", Atom("abs", (X, Y, Z))),
        ("<http://e/p>(X)", Atom("http://e/p", (X,))),
        ("rdfs:label(X, Y)", Atom("http://www.w3.org/2000/01/rdf-schema#label", (X, Y))),
        ("[?s, rdfs:label, ?o]", Atom("http://www.w3.org/2000/01/rdf-schema#label", (Variable("s"), Variable("o")))),
        ("rdfs:label[?s, ?o]", Atom("http://www.w3.org/2000/01/rdf-schema#label", (Variable("s"), Variable("o")))),
        ("[?s, rdf:type, owl:Class]", Atom("http://www.w3.org/2002/07/owl#Class", (Variable("s"),))),
        ("[?s, a, owl:Class]", Atom("http://www.w3.org/2002/07/owl#Class", (Variable("s"),))),
        ("not p(X)", Negation(Atom("p", (X,)))),
        ("!p(X)", Negation(Atom("p", (X,)))),
        ("NOT p", Negation(Atom("p", ()))),
        ("not [?s, rdfs:label, X]", Negation(Atom("http://www.w3.org/2000/01/rdf-schema#label", (Variable("s"), X)))),
        ("X = Y", Comparison("=", X, Y)),
        ("X != Y", Comparison("!=", X, Y)),
        ("X<-3", Comparison("<", X, value(-3))),
        ("X <- Y", Comparison("<", X, Call("-", (Y,)))),
        ("X<=Y", Comparison("<=", X, Y)),
        ("X >= Y + 1", Comparison(">=", X, Call("+", (Y, value(1))))),
        ("X=<http://e/a>", Comparison("=", X, value(IRI("http://e/a")))),
        ("contains(X, a)", Comparison("=", Call("contains", (X, value("a"))), Constant(TRUE))),
        ("not contains(X, a)", Comparison("=", Call("contains", (X, value("a"))), Constant(FALSE))),
        ("matches(X, Y) = false", Comparison("=", Call("matches", (X, Y)), Constant(FALSE))),
        ("true", Comparison("=", Constant(TRUE), Constant(TRUE))),
        ("X = count { Y : p(Y) }", Aggregate(X, "count", Y, (Atom("p", (Y,)),))),
        ("X = count{Y:p(Y)}", Aggregate(X, "count", Y, (Atom("p", (Y,)),))),
        ("X = count { p(Y) }", Aggregate(X, "count", None, (Atom("p", (Y,)),))),
        ("count { p(Y) } = X", Aggregate(X, "count", None, (Atom("p", (Y,)),))),
        ("3 = sum{Y-Z:p(Y, Z)}", Aggregate(value(3), "sum", Call("-", (Y, Z)), (Atom("p", (Y, Z)),))),
        ("X = max { ?y :p(?y) }", Aggregate(X, "max", Variable("y"), (Atom("p", (Variable("y"),)),))),
        ("COMP(X, !=, Y)", Comparison("!=", X, Y)),
        ("comp(X + 1, >=, 3)", Comparison(">=", Call("+", (X, value(1))), value(3))),
        ("BIND(abs(X-Y) AS Z)", Comparison("=", Z, Call("abs", (Call("-", (X, Y)),)))),
        ("bind(X, as)", Atom("bind", (X, value("as")))),
        ("comp(X, Y)", Atom("comp", (X, Y))),
        ("aggregate(X) ", Atom("aggregate", (X,))),
    ],
)
def test_literals(text: str, expected: Literal) -> None:
    assert literal(text) == expected


def test_a_rule_may_carry_a_name() -> None:
    rule = only("r7: h(X) :- p(X).")
    assert isinstance(rule, Rule)
    assert rule.name == "r7"


def test_prefixes() -> None:
    text = "@prefix ex: <http://e/> . @prefix : <http://d/> . @prefix Up-per: <http://u/> .\np(ex:a.b-c, :x, Up-per:y)."
    first, second, third, fact = statements(text)
    assert (first, second, third) == (Prefix("ex", "http://e/"), Prefix("", "http://d/"), Prefix("Up-per", "http://u/"))
    assert fact == Fact(Atom("p", (value(IRI("http://e/a.b-c")), value(IRI("http://d/x")), value(IRI("http://u/y")))))


def test_directives() -> None:
    text = '@relation temp(turbine: string key, celsius:float, note) . @input temp "a.csv". @relation n() . '
    text += '@output temp "b\\\\c.parquet" .'
    assert statements(text) == (
        Declaration("temp", (Column("turbine", Kind.STRING, True), Column("celsius", Kind.FLOAT), Column("note"))),
        Port("input", "temp", "a.csv"),
        Declaration("n", ()),
        Port("output", "temp", "b\\c.parquet"),
    )


def test_an_expression_has_so_many_levels_and_no_more() -> None:
    deep = "abs(" * DEEPEST + "X" + ")" * DEEPEST
    call = term(deep)
    assert isinstance(call, Call)
    assert call.depth == DEEPEST
    with pytest.raises(TidelogError, match=f"TL006: the expression is nested more than {DEEPEST} levels deep"):
        term(f"-{deep}")


def test_a_body_has_so_many_literals_and_no_more() -> None:
    def rule(count: int, inside: int = 0) -> str:
        counted = f", N = count {{ {', '.join(['r(X, _)'] * inside)} }}" if inside else ""
        return f"p(X) :- {', '.join(['q(X)'] * count)}{counted}."

    check(Source(rule(MOST_LITERALS)))
    check(Source(rule(MOST_LITERALS - 11, 10)))
    for text in (rule(MOST_LITERALS + 1), rule(MOST_LITERALS - 10, 10)):
        with pytest.raises(TidelogError, match=f"TL014: there are more than {MOST_LITERALS} literals in one body"):
            check(Source(text))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("h :- X = avrage { Y : p(Y) }.", "TL023"),
        ("h :- X = sum { p(Y) }.", "TL011"),
        ("h :- X = count { Y : p(Y), Z = count { q(_) } }.", "TL011"),
        ("h :- count { p(_) } > 3.", "TL011"),
        ("r1: p(a).", "TL001"),
        ("X + 1 :- p(X).", "TL012"),
        ("@relation p(?a).", "TL013"),
        ('p("x"^^xsd:integer).', "TL008"),
        ("p(99999999999999999999).", "TL007"),
        ("p(1e999).", "TL007"),
    ],
)
def test_forms_that_the_grammar_takes_and_the_language_does_not(text: str, code: str) -> None:
    with pytest.raises(TidelogError) as caught:
        only(text)
    assert [problem.code for problem in caught.value.diagnostics] == [code]
