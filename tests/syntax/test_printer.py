"""The canonical form: what it looks like, and that it parses back to the same program."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog.errors import Diagnostics
from tidelog.source import Source
from tidelog.syntax.parser import parse
from tidelog.syntax.printer import Printer, quoted
from tidelog.syntax.tree import (
    Aggregate,
    Atom,
    Call,
    Comparison,
    Constant,
    Document,
    Fact,
    Literal,
    Negation,
    Rule,
    Term,
    Variable,
)
from tidelog.values import FALSE, IRI, TRUE, Kind, Value, floating, language_literal, parse_date, parse_timestamp, typed_literal
from tidelog.values import string as string_value


def parsed(text: str) -> Document:
    diagnostics = Diagnostics()
    document = parse(Source(text, "test.dl"), diagnostics)
    diagnostics.raise_errors()
    return document


def formatted(text: str) -> str:
    return Printer().document(parsed(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p( X,Y ):-q(X) ,r(Y).", "p(X, Y) :- q(X), r(Y)."),
        ("p(X)<-q(X) and !r(X, _).", "p(X) :- q(X), not r(X, _)."),
        ('p("a", \'B c\', "not", "é").', 'p(a, "B c", "not", "é").'),
        ("p(-3, 1e9, 2.50, -0.0).", "p(-3, 1000000000.0, 2.5, 0.0)."),
        (
            'p(date("2026-11-15"), timestamp("2026-11-15T08:00:00+02:00")).',
            'p(date("2026-11-15"), timestamp("2026-11-15T06:00:00Z")).',
        ),
        ('p(float("nan"), float("-inf")).', 'p(float("nan"), float("-inf")).'),
        ("p() :- q().", "p :- q."),
        ("P() :- Q().", "P() :- Q()."),
        ("h(?x) :- p(?x, ?Y).", "h(?x) :- p(?x, Y)."),
        ("h(Y) :- p(X), Y = (X - (1 - 2)) * -(X).", "h(Y) :- p(X), Y = (X - (1 - 2)) * -X."),
        ("h(Y) :- p(X), Y = -(3) - -3.", "h(Y) :- p(X), Y = -(3) - -3."),
        ("h :- p(X), contains(X, a) = true.", "h :- p(X), contains(X, a)."),
        ("h :- p(X), not contains(X, a).", "h :- p(X), not contains(X, a)."),
        ("h(N) :- N=count{p(_)}.", "h(N) :- N = count { p(_) }."),
        ("h(N) :- N = sum{X*2:p(X),X>1}.", "h(N) :- N = sum { X * 2 : p(X), X > 1 }."),
        ("@prefix ex:<http://e/>. ex:p(ex:a).", "@prefix ex: <http://e/> .\nex:p(ex:a)."),
        ("[?s, rdf:type, owl:Class].", "owl:Class(?s)."),
        ("@relation t(a:string key,b,c:any).", "@relation t(a: string key, b, c) ."),
        ('@input t "x.csv".', '@input t "x.csv" .'),
        ("r1:  p(X) :- q(X).", "r1: p(X) :- q(X)."),
        ('p("5"^^xsd:byte, "x"@EN, "6"^^xsd:integer).', 'p("5"^^xsd:byte, "x"@en, 6).'),
    ],
)
def test_canonical_form(text: str, expected: str) -> None:
    assert formatted(text) == expected + "\n"
    assert formatted(expected) == expected + "\n"
    assert parsed(expected) == parsed(text)


def test_long_rules_are_broken() -> None:
    body = ", ".join(f"relation_{i}(X, Y_{i})" for i in range(8))
    lines = formatted(f"h(X) :- {body}.").splitlines()
    assert lines[0] == "h(X) :-"
    assert lines[1] == "    relation_0(X, Y_0),"
    assert lines[-1] == "    relation_7(X, Y_7)."


def test_long_aggregates_are_broken_too() -> None:
    body = ", ".join(f"relation_{i}(X, Y_{i})" for i in range(8))
    text = formatted(f"h(X, N) :- k(X), N = sum {{ Y_0 : {body} }}, N > 1.")
    assert text.splitlines()[:4] == ["h(X, N) :-", "    k(X),", "    N = sum { Y_0 :", "        relation_0(X, Y_0),"]
    assert text.splitlines()[-3:] == ["        relation_7(X, Y_7)", "    },", "    N > 1."]
    assert formatted(text) == text


def test_comments_and_blank_lines_are_kept() -> None:
    text = """% what it is about

p(a).  p(b). % both
// a note


r: q(X) :- % inside
   p(X).
p(c). # behind

% the end"""
    expected = """% what it is about
p(a).
p(b).  % both
// a note

% inside
r: q(X) :- p(X).
p(c).  # behind

% the end
"""
    once = formatted(text)
    assert [line for line in once.splitlines() if line] == [line for line in expected.splitlines() if line]
    assert formatted(once) == once


def test_prefixes_are_used_only_where_they_give_the_iri_back() -> None:
    text = "@prefix ex: <http://e/> .\np(<http://e/a/b>, <http://e/>, <http://e/a.>, <http://e/a.b>, ex:c).\n"
    assert formatted(text) == "@prefix ex: <http://e/> .\np(<http://e/a/b>, <http://e/>, <http://e/a.>, ex:a.b, ex:c).\n"


@given(st.text())
def test_quoted_texts(text: str) -> None:
    if any("\ud800" <= c <= "\udfff" for c in text):
        return
    assert parsed(f"p({quoted(text)}).") == Document((Fact(Atom("p", (Constant(string_value(text)),))),))


# --- random trees ---------------------------------------------------------------------------------------------------------

_TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
_LOCAL = st.text(string.ascii_letters + string.digits + "._-/#é%", min_size=1, max_size=8)
_VALUES = st.one_of(
    _TEXT.map(string_value),
    st.sampled_from(["not", "and", "mod", "true", "count", "on", "a", "B", "é"]).map(string_value),
    st.integers(-(2**63), 2**63 - 1).map(lambda n: Value(Kind.INT, n)),
    st.floats().map(floating),
    st.sampled_from([TRUE, FALSE]),
    _LOCAL.map(lambda text: Value(Kind.IRI, IRI("http://e/" + text.replace("%", "%20")))),
    st.builds(language_literal, _TEXT, st.sampled_from(["en", "fr-CA"])),
    st.builds(lambda text: typed_literal(text, "http://e/type"), _TEXT),
    st.dates().map(lambda day: parse_date(day.isoformat())),
    st.datetimes().map(lambda moment: parse_timestamp(moment.isoformat())),
)
_VARIABLES = st.sampled_from(["X", "Y", "x", "_a", "Ü", "person"]).map(Variable)
_CONSTANTS = _VALUES.filter(lambda value: value is not None).map(Constant)


def _calls(children: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    pairs = st.tuples(children, children)
    return st.one_of(
        st.builds(Call, st.sampled_from(["+", "-", "*", "/", "mod", "pow", "contains"]), pairs),
        st.builds(Call, st.sampled_from(["abs", "string", "length"]), st.tuples(children)),
        st.builds(lambda only: Call("-", (only,)), children),
    )


_TERMS: st.SearchStrategy[Term] = st.recursive(st.one_of(_VARIABLES, _CONSTANTS), _calls, max_leaves=6)
_NAMES = st.sampled_from(["p", "q1", "Person", "http://e/p", "http://e/x/y", "comp", "bind", "aggregate", "été"])
_ATOMS = st.builds(Atom, _NAMES, st.lists(_TERMS, max_size=3).map(tuple))
_PLAIN: st.SearchStrategy[Literal] = st.one_of(
    _ATOMS,
    st.builds(Negation, _ATOMS),
    st.builds(Comparison, st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), _TERMS, _TERMS),
)
_BODIES = st.lists(_PLAIN, min_size=1, max_size=3).map(tuple)
_LITERALS: st.SearchStrategy[Literal] = st.one_of(
    _PLAIN,
    st.builds(Aggregate, _TERMS, st.sampled_from(["count", "sum", "min", "max", "avg", "median"]), _TERMS, _BODIES),
    st.builds(Aggregate, _TERMS, st.just("count"), st.none(), _BODIES),
)
_RULES = st.builds(Rule, _ATOMS, st.lists(_LITERALS, min_size=1, max_size=4).map(tuple), st.sampled_from([None, "r1", "Name"]))


def check_round_trip(rule: Rule) -> None:
    text = Printer({"e": "http://e/"}).statement(rule)
    (read,) = parsed("@prefix e: <http://e/> .\n" + text).statements[1:]
    assert read == rule
    assert formatted(formatted("@prefix e: <http://e/> .\n" + text)) == formatted("@prefix e: <http://e/> .\n" + text)


@given(_RULES)
@settings(max_examples=200)
def test_random_rules(rule: Rule) -> None:
    check_round_trip(rule)


@pytest.mark.nightly
@given(_RULES)
@settings(max_examples=20_000)
def test_many_random_rules(rule: Rule) -> None:
    check_round_trip(rule)


def test_names_from_outside_mean_what_they_mean_in_a_program() -> None:
    printer = Printer({"ex": "http://example.org/", "": "http://nothing.org/"})
    assert printer.expanded("ex:knows") == printer.expanded("<http://example.org/knows>") == "http://example.org/knows"
    assert printer.expanded(":a") == "http://nothing.org/a"
    assert printer.expanded("rdf:type") == "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
    for other in ("knows", "http://example.org/knows", "urn:a:b", "ex:", "ex:a b", "<a>", "<", ""):
        assert printer.expanded(other) == other


def test_all_spellings_of_a_name() -> None:
    printer = Printer({"ex": "http://example.org/", "ex2": "http://example.org/"})
    found = printer.spellings("http://example.org/knows")
    assert found == ["http://example.org/knows", "ex:knows", "ex2:knows", "<http://example.org/knows>"]
    assert {printer.expanded(name) for name in found} == {"http://example.org/knows"}
    assert printer.spellings("edge") == ["edge"]
