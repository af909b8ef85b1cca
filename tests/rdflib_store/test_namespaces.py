"""Prefixes, as rdflib's own stores keep them."""

from __future__ import annotations

from rdflib import Graph, URIRef

from tidelog import KnowledgeBase
from tidelog.rdflib_store import TidelogStore
from tidelog.rdflib_store.namespaces import Namespaces

A, B = URIRef("http://a/"), URIRef("http://b/")


def test_each_prefix_has_one_namespace_and_the_other_way_round() -> None:
    names = Namespaces({"a": "http://a/"})
    assert (names.namespace("a"), names.prefix(A), names.namespace("b")) == (A, "a", None)
    names.bind("b", A)
    assert list(names) == [("b", A)]
    names.bind("b", B)
    assert list(names) == [("b", B)]
    assert names.prefix(A) is None
    names.bind("b", A, override=False)
    names.bind("c", B, override=False)
    assert list(names) == [("b", B)]
    names.bind("a", A, override=False)
    assert dict(names) == {"b": B, "a": A}


def test_graphs_have_the_prefixes_of_programs_and_of_files() -> None:
    graph = Graph(store=TidelogStore(KnowledgeBase("@prefix zoo: <http://zoo/> . zoo:p(X) :- zoo:q(X).")))
    assert dict(graph.namespaces())["zoo"] == URIRef("http://zoo/")
    graph.parse(data="@prefix own: <http://own/> . own:a own:b own:c .", format="turtle")
    assert dict(graph.namespaces())["own"] == URIRef("http://own/")
    assert "own:a own:b own:c" in graph.serialize(format="turtle")
