"""From text to tree: every form of the language, and what it is read as."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from tidelog.errors import Diagnostics, TidelogError
from tidelog.source import Source
from tidelog.syntax.parser import parse, parse_query
from tidelog.syntax.tree import (
    Aggregate,
    Atom,
    Call,
    Column,
    Comparison,
    Constant,
    Declaration,
    Document,
    Fact,
    Literal,
    Negation,
    Port,
    Prefix,
    Rule,
    Statement,
    Term,
    Variable,
)
from tidelog.values import FALSE, IRI, TRUE, Kind, Value, from_python
from tidelog.values import Literal as RDFLiteral


def document(text: str) -> Document:
    diagnostics = Diagnostics()
    result = parse(Source(text, "test.dl"), diagnostics)
    diagnostics.raise_errors()
    return result


def statements(text: str) -> tuple[Statement, ...]:
    return document(text).statements


def only(text: str) -> Statement:
    (statement,) = statements(text)
    return statement


def body(text: str) -> tuple[Literal, ...]:
    rule = only(f"h :- {text}.")
    assert isinstance(rule, Rule)
    return rule.body


def literal(text: str) -> Literal:
    (one,) = body(text)
    return one


def term(text: str) -> Term:
    comparison = literal(f"Unbound = {text}")
    assert isinstance(comparison, Comparison)
    return comparison.right


def value(thing: object) -> Constant:
    return Constant(from_python(thing))


X, Y, Z = Variable("X"), Variable("Y"), Variable("Z")


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


@pytest.mark.parametrize("text", ["p, q", "p and q", "p ∧ q", "p AND q", "p $\\wedge$ q", "p,q"])
def test_conjunctions(text: str) -> None:
    assert body(text) == (Atom("p", ()), Atom("q", ()))


@pytest.mark.parametrize("text", ["h(X) :- p(X).", "h(X) <- p(X).", "h(X) ← p(X).", "h(X):-p(X).", "h(X)<-p(X) ."])
def test_arrows(text: str) -> None:
    assert only(text) == Rule(Atom("h", (X,)), (Atom("p", (X,)),))


def test_a_rule_may_carry_a_name() -> None:
    rule = only("r7: h(X) :- p(X).")
    assert isinstance(rule, Rule)
    assert rule.name == "r7"


def test_facts_follow_each_other_without_spaces() -> None:
    assert statements("p(1).p(2.5).p(a).q.") == (
        Fact(Atom("p", (value(1),))),
        Fact(Atom("p", (value(2.5),))),
        Fact(Atom("p", (value("a"),))),
        Fact(Atom("q", ())),
    )


def test_comments_end_with_the_line() -> None:
    text = 'p("100%"). % p(1).\n// p(2).\n# p(3).\nq(<http://e/%20#x>). p(a) % inside\n.'
    assert len(statements(text)) == 3


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


def test_zodiac_aggregate_groups_by_on() -> None:
    rule = only("r(X, Z) :- aggregate(n(X, Y) and t(Y, T)) on X with Med(T) as Z.")
    t = Variable("T")
    assert isinstance(rule, Rule)
    assert rule.body == (Aggregate(Z, "median", t, (Atom("n", (X, Y)), Atom("t", (Y, t)))),)


def test_zodiac_aggregate_keeps_other_variables_apart() -> None:
    rule = only("r(Y, Z) :- p(Y), AGGREGATE(n(X, Y)) ON X WITH count(Y) AS Z.")
    assert isinstance(rule, Rule)
    inner = Variable("Y_1")
    assert rule.body == (Atom("p", (Y,)), Aggregate(Z, "count", inner, (Atom("n", (X, inner)),)), Comparison("=", X, X))


def test_all_errors_are_found_and_the_rest_is_parsed() -> None:
    diagnostics = Diagnostics()
    text = 'p(a).\np(X :- q.\np(b).\np("open\np(c).\n@foo.\np(1 +).\np(d)'
    result = parse(Source(text), diagnostics)
    assert [d.code for d in diagnostics.errors] == ["TL001", "TL003", "TL010", "TL001", "TL005"]
    assert [s.atom.args[0] for s in result.statements if isinstance(s, Fact)] == [value("a"), value("b"), value("c")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # a forgotten dot is told once, and the prefix counts as declared
        (
            "@prefix ex: <http://e/>\np(ex:a).\nq(ex:b).",
            [("TL001", "if the clause ends on the line before, close it with a `.`")],
        ),
        ("PREFIX ex: <http://e/>\np(a).", [("TL010", "write `@prefix name: <…> .`")]),
        ("p(X) :- q(X), r(X, <foo>).", [("TL001", "an IRI has a scheme: `<http://…>`")]),
        ("p(X) :- f(X >= 18).", [("TL001", "a comparison is a literal of its own")]),
        ("p(X) :- [X, a, C].", [("TL013", "write one rule for each class that is meant")]),
        ("p(N) :- AGGREGATE(q(X)) ON Z WITH count(X) AS N.", [("TL033", "name a variable of the body behind `ON`")]),
        (":- p(X).", [("TL001", "a clause starts with its head")]),
        ("/* no */ p(a).", [("TL001", "a comment starts with `%` and ends with its line")]),
        ("p(5.).", [("TL001", "a number has digits on both sides of its point"), ("TL001", None)]),
        ("p(X) :- q(X, 5 // 2).\nr(a).", [("TL001", "`//` starts a comment; division is `/`, and its remainder `mod`")]),
        ("_: p(X) :- q(X).", [("TL013", "write an identifier")]),
        (
            "R7:p(X) :- q(X).",
            [("TL009", "if `R7` is the rule's name, put a space behind the colon; else add `@prefix R7: <…> .` above")],
        ),
        ('p("a\ud800").', [("TL002", None)]),
        ("p(<http://e/\\u0020>).", [("TL004", None)]),
        ("contains[a, b].", [("TL025", "give the relation another name")]),
    ],
)
def test_mistakes(text: str, expected: list[tuple[str, str | None]]) -> None:
    diagnostics = Diagnostics()
    parse(Source(text), diagnostics)
    assert [(d.code, d.fix) for d in diagnostics.errors] == expected


def test_queries() -> None:
    diagnostics = Diagnostics()
    expected = (Atom("path", (value("a"), X)), Comparison("!=", X, value("b")))
    assert parse_query(Source("path(a, X), X != b"), diagnostics, {}) == expected
    assert parse_query(Source("path(a, X), X != b."), diagnostics, {}) == expected
    assert parse_query(Source("ex:p(X)"), diagnostics, {"ex": "http://e/"}) == (Atom("http://e/p", (X,)),)
    assert not diagnostics


@pytest.mark.parametrize("text", ["", ".", "p(X). q(X)", "p(X) :- q(X)", "p(X", "p(X) q(X)"])
def test_wrong_queries(text: str) -> None:
    diagnostics = Diagnostics()
    parse_query(Source(text), diagnostics, {})
    with pytest.raises(TidelogError):
        diagnostics.raise_errors()


def test_spans_point_into_the_text() -> None:
    text = "p(a).\nr: q(X) :- p(X), X != b."
    rule = statements(text)[1]
    assert isinstance(rule, Rule)
    assert text[slice(*rule.span)] == "r: q(X) :- p(X), X != b"
    assert [text[slice(*lit.span)] for lit in (rule.head, *rule.body)] == ["q(X)", "p(X)", "X != b"]


def test_trees_are_values() -> None:
    assert only("p(X) :- q(X), X > 1.") == only("  p(X)<-q(X),X>1 .")
    assert hash(only("p(X) :- q(X).")) == hash(only(" p(X) :- q(X)."))
    assert Constant(Value(Kind.INT, 1)) != Constant(Value(Kind.FLOAT, 1.0))
