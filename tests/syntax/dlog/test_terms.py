"""Terms of RDFox's rule language, read from tokens."""

from __future__ import annotations

import pytest

from tidelog.errors import Diagnostics
from tidelog.source import Source
from tidelog.syntax.dlog.lexing import lex
from tidelog.syntax.dlog.terms import Terms
from tidelog.syntax.reading import ClauseError
from tidelog.syntax.tree import Constant, Variable
from tidelog.values import IRI, Literal


def terms(text: str) -> Terms:
    source = Source(text)
    return Terms(source, lex(source, Diagnostics())[0], {"ex": "http://example.org/"})


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("ex:a", IRI("http://example.org/a")),
        ("xsd:int", IRI("http://www.w3.org/2001/XMLSchema#int")),
        ("ex:", IRI("http://example.org/")),
        ("<http://a/%20b>", IRI("http://a/%20b")),
        ('"a\\tb"', "a\tb"),
        ('"""a"b"""', 'a"b'),
        ('"\\U0001F600"', "😀"),
        ('"x"@EN', Literal("x", None, "en")),
        ("5", 5),
        ("-5", -5),
        ("+2.50", Literal("2.50", "http://www.w3.org/2001/XMLSchema#decimal")),
        ("1e3", 1000.0),
        ("true", True),
    ],
)
def test_constants(text: str, content: object) -> None:
    found = terms(text).term()
    assert isinstance(found, Constant)
    assert (found.value.content, type(found.value.content)) == (content, type(content))
    assert found.span == (0, len(text))


def test_variables_and_numbers_that_are_computed_with() -> None:
    assert terms("?x").term() == Variable("x")
    assert terms("$1").variable() == Variable("v1")
    found = terms("2.50").number(is_computed=True)
    assert found.value.content == 2.5
    assert terms("a").predicate() == terms("rdf:type").predicate()


def test_a_base() -> None:
    reader = terms("<b#c> <#> <http://other/>")
    reader.base = "http://a/x/y"
    assert [reader.iri().value.content for _ in range(3)] == [IRI("http://a/x/b#c"), IRI("http://a/x/y#"), IRI("http://other/")]


def test_reading() -> None:
    reader = terms(":a ( , ON")
    assert reader.accept("(") is False
    assert reader.take().text == ":a"
    assert reader.accept("(", "[") is True
    with pytest.raises(ClauseError, match="`,` cannot stand here; expected `\\)`"):
        reader.expect(")")
    reader.take()
    assert reader.accept_word("AS") is None
    assert reader.expect_word("ON").text == "ON"
    with pytest.raises(ClauseError, match="the text ends before the rule does"):
        reader.term()
