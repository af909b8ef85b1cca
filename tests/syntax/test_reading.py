"""What a name, a call or a bracket form is read as, by where it stands; and texts between quotes."""

from __future__ import annotations

import pytest
from lark import Token
from tests.syntax.parsed import X, Y, value

from tidelog.source import Span
from tidelog.syntax.reading import (
    AggregateTerm,
    BracketAtom,
    ClauseError,
    as_atom,
    as_literal,
    as_term,
    named_atom,
    predicate_name,
    unquoted,
)
from tidelog.syntax.tree import Atom, Call, Comparison, Constant, Term, Variable, iri_constant
from tidelog.values import FALSE, TRUE, string

AT = Span(0, 4)
NAME, QUOTED = Constant(string("name"), AT), Constant(string("na"), AT)
BRACKET = BracketAtom(Atom("p", (X, Y), AT))
AGGREGATE = AggregateTerm("count", None, (Atom("p", ()),), AT)


@pytest.mark.parametrize(
    ("thing", "atom"),
    [
        (NAME, Atom("name", ())),
        (QUOTED, None),
        (iri_constant("http://e/p"), Atom("http://e/p", ())),
        (Call("p", (X,)), Atom("p", (X,))),
        (Call("_p", (X,)), Atom("_p", (X,))),
        (Call("+", (X, Y)), None),
        (BRACKET, Atom("p", (X, Y))),
        (X, None),
        (value(3), None),
    ],
    ids=["name", "quoted", "IRI", "call", "call of _p", "operator", "brackets", "variable", "number"],
)
def test_as_atom(thing: object, atom: Atom | None) -> None:
    assert as_atom(thing) == atom


@pytest.mark.parametrize(
    ("thing", "holds", "does_not"),
    [
        (NAME, Atom("name", ()), Atom("name", ())),
        (Call("p", (X,)), Atom("p", (X,)), Atom("p", (X,))),
        (
            Call("contains", (X, Y)),
            Comparison("=", Call("contains", (X, Y)), Constant(TRUE)),
            Comparison("=", Call("contains", (X, Y)), Constant(FALSE)),
        ),
        (
            Constant(TRUE),
            Comparison("=", Constant(TRUE), Constant(TRUE)),
            Comparison("=", Constant(TRUE), Constant(FALSE)),
        ),
    ],
    ids=["name", "call", "boolean function", "true"],
)
def test_as_literal(thing: Term, holds: object, does_not: object) -> None:
    """`not` is left to the caller where the literal is an atom."""
    assert as_literal(thing, negated=False) == holds
    assert as_literal(thing, negated=True) == does_not


@pytest.mark.parametrize(
    ("thing", "code", "fix"),
    [
        (Call("abs", (X,), AT), "TL012", "compare it with something"),
        (AGGREGATE, "TL011", "write `N = count { … }`"),
        (Variable("X", AT), "TL012", "write `X = true`, or an atom with X in it"),
        (Variable("_#1", AT), "TL012", "write `_ = true`, or an atom with _ in it"),
        (value(3), "TL012", "compare it with something, or write an atom"),
    ],
    ids=["function", "aggregate", "variable", "underscore", "number"],
)
def test_what_cannot_stand_alone(thing: object, code: str, fix: str) -> None:
    with pytest.raises(ClauseError) as caught:
        as_literal(thing, negated=False)
    assert (caught.value.code, caught.value.fix) == (code, fix)


@pytest.mark.parametrize(("thing", "code"), [(BRACKET, "TL012"), (AGGREGATE, "TL011")])
def test_what_is_no_term(thing: object, code: str) -> None:
    assert as_term(X) is X
    with pytest.raises(ClauseError) as caught:
        as_term(thing)
    assert (caught.value.code, caught.value.span) == (code, AT)


def test_a_function_is_no_relation() -> None:
    assert named_atom("abs", (X, Y), AT) == Atom("abs", (X, Y))  # there is no `abs` of two
    with pytest.raises(ClauseError) as caught:
        named_atom("contains", (X, Y), AT)
    assert caught.value.code == "TL025"


def test_the_predicate_of_a_triple_is_a_name() -> None:
    assert predicate_name(NAME, "predicate") == "name"
    assert predicate_name(iri_constant("http://e/p"), "class") == "http://e/p"
    for thing in (X, QUOTED, value(3)):
        with pytest.raises(ClauseError) as caught:
            predicate_name(thing, "class")
        assert (caught.value.code, caught.value.fix) == ("TL013", "write one rule for each class that is meant")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('""', ""),
        ("'a \"b\"'", 'a "b"'),
        (r'"\n\t\r\b\f\"\'\\\/"', "\n\t\r\b\f\"'\\/"),
        (r'"\u00e9 \U0001F600 \ud83d\ude00"', "é 😀 😀"),
    ],
)
def test_unquoted(text: str, expected: str) -> None:
    assert unquoted(Token("STRING", text, start_pos=0, end_pos=len(text))) == expected


@pytest.mark.parametrize(
    ("text", "span", "fix"),
    [
        (r'"a\qb"', Span(12, 14), r"write a backslash as `\\`"),
        (r'"\ud800"', Span(11, 17), "give the code of a character"),
        (r'"\UFFFFFFFF"', Span(11, 21), "give the code of a character"),
        (r'"\u12"', Span(11, 13), r"write a backslash as `\\`"),
    ],
)
def test_escapes_that_are_none(text: str, span: Span, fix: str) -> None:
    with pytest.raises(ClauseError) as caught:
        unquoted(Token("STRING", text, start_pos=10, end_pos=10 + len(text)))
    assert (caught.value.code, caught.value.span, caught.value.fix) == ("TL004", span, fix)
