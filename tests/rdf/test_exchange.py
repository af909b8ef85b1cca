"""Single triples as values: terms of three libraries, texts, and what is no triple."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rdflib import URIRef, Variable

from tidelog import IRI, Literal, TidelogError
from tidelog.rdf.exchange import quads_of, value_of_term
from tidelog.values import XSD, Value, from_python

ox = pytest.importorskip("pyoxigraph")
S, P, THING = (IRI(f"http://a/{name}") for name in "spo")


def contents(given: Any, **options: Any) -> list[tuple[object, ...]]:
    return [tuple(value.content for value in quad) for quad in quads_of(given, **options)]


def test_terms_of_tidelog() -> None:
    assert contents([(S, P, 5), (S, P, "x", THING)]) == [(S, P, 5, ""), (S, P, "x", THING)]


def test_terms_of_other_libraries() -> None:
    integer = ox.NamedNode(XSD + "integer")
    terms: dict[Any, object] = {
        ox.NamedNode("http://a/s"): S,
        ox.BlankNode("b"): IRI("_:b"),
        ox.Literal("x"): "x",
        ox.Literal("x", language="EN"): Literal("x", None, "en"),
        ox.Literal("5", datatype=integer): 5,
        ox.DefaultGraph(): "",
    }
    rdflib = pytest.importorskip("rdflib")
    terms |= {
        rdflib.URIRef("http://a/s"): S,
        rdflib.BNode("b"): IRI("_:b"),
        rdflib.Literal("x"): "x",
        rdflib.Literal("x", lang="EN"): Literal("x", None, "en"),
        rdflib.Literal(5): 5,
        rdflib.Literal("5", datatype=rdflib.XSD.byte): Literal("5", XSD + "byte"),
    }
    terms[Own("http://a/own")] = IRI("http://a/own")
    for term, meant in terms.items():
        assert value_of_term(term) == from_python(meant), term


class Own(URIRef):
    """A kind of IRIs that a user has."""


def test_texts_and_files(tmp_path: Path) -> None:
    assert contents("<http://a/s> <http://a/p> 5, _:b .") == [(S, P, 5, ""), (S, P, IRI("_:b"), "")]
    quad = "<http://a/s> <http://a/p> <http://a/o> <http://a/g> ."
    assert contents(quad, format="nq") == [(S, P, THING, IRI("http://a/g"))]
    (tmp_path / "a.nq").write_text(quad, encoding="utf-8")
    assert contents(tmp_path / "a.nq") == contents(quad, format="nq")


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (5, "TL071"),
        ([5], "TL072"),
        (["abc"], "TL072"),
        ([(S, P)], "TL072"),
        ([("s", P, THING)], "TL072"),
        ([(S, 5, THING)], "TL072"),
        ([(S, P, None)], "TL072"),
        ("no turtle", "TL080"),
        (f"<http://a/s> <http://a/p> 'x'^^<{XSD}integer> .", "TL080"),
        ([(S, P, Variable("x"))], "TL072"),
        ([(S, P, ox.Literal("x", datatype=ox.NamedNode(XSD + "integer")))], "TL072"),
    ],
)
def test_what_is_no_triple(given: Any, code: str) -> None:
    with pytest.raises(TidelogError) as caught:
        list(quads_of(given))
    assert caught.value.diagnostics[0].code == code


def test_values_stay_values() -> None:
    value: Value = from_python(5)
    assert value_of_term(value) == value
