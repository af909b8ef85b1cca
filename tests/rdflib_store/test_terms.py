"""Terms of rdflib as values, and back."""

from __future__ import annotations

import pytest
from rdflib import XSD, BNode, Literal, URIRef, Variable
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

from tidelog import IRI, TidelogError
from tidelog.local.storage.dictionary import Dictionary
from tidelog.rdflib_store.terms import DEFAULT_GRAPH, Terms, can_be_subject, value_of_context, value_to_add, value_to_find
from tidelog.values import from_python


class Own(URIRef):
    """A kind of IRIs that a user has."""


def test_terms_as_values() -> None:
    assert value_to_add(URIRef("http://a")) == value_to_add(Own("http://a")) == from_python(IRI("http://a"))
    assert value_to_add(BNode("b")) == from_python(IRI("_:b"))
    assert value_to_add(Literal("05", datatype=XSD.integer)) == from_python(5)
    with pytest.raises(TidelogError, match="TL072"):
        value_to_add(Variable("x"))


def test_patterns() -> None:
    assert value_to_find(None) == (True, None)
    assert value_to_find(Variable("x")) == (False, None)
    assert value_to_find(Literal("x", datatype=XSD.integer)) == (False, None)
    assert can_be_subject([None, from_python(IRI("http://p")), from_python(5)])
    assert not can_be_subject([from_python(5), None, None])


def test_graphs() -> None:
    assert value_of_context(None) is None
    assert value_of_context(DATASET_DEFAULT_GRAPH_ID) == DEFAULT_GRAPH
    assert value_of_context(URIRef("http://g")) == from_python(IRI("http://g"))


def test_ids_as_terms() -> None:
    dictionary, terms = Dictionary(), Terms()
    ids = dictionary.encode([from_python(value) for value in (IRI("http://a"), IRI("_:b"), 5, "", 2.5)])
    expected = [URIRef("http://a"), BNode("b"), Literal(5), Literal(""), Literal(2.5)]
    assert terms.of(ids, dictionary) == expected
    assert terms.of(ids[::-1], dictionary) == expected[::-1]
    assert terms.graphs(ids[3:4], dictionary) == [DATASET_DEFAULT_GRAPH_ID]
    other = Dictionary()
    assert terms.of(other.encode([from_python("z")]), other) == [Literal("z")]
