"""Texts that are no SPARQL, and texts that are."""

from __future__ import annotations

import pytest

pytest.importorskip("rdflib")

from tidelog import KnowledgeBase, TidelogError
from tidelog.sparql.reading.parsing import parsed_update, question_of, used_prefixes

PREFIXES = {"ex": "http://example.org/"}


def errors(text: str) -> str:
    with pytest.raises(TidelogError) as raised:
        question_of(text, PREFIXES)
    return str(raised.value)


def test_a_mistake_has_its_place() -> None:
    assert errors("SELECT ?x {\n  ?x a ex }\n").startswith("<sparql>:2:")
    pytest.importorskip("pyoxigraph")  # finds better places
    assert errors("SELECT ?x {\n  ?x a ex }\n").startswith("<sparql>:2:11: error TL015: `}` is not expected here")
    assert "TL015" in errors("SELECT ?x { ?x a")
    assert "it ends too early" in errors("SELECT ?x { ?x a ex:C")
    assert "error TL009: the prefix `foo:` is not declared" in errors("SELECT ?x { ?x foo:p ?y }")
    assert "fix: declare it: PREFIX foo: <…>" in errors("SELECT ?x { ?x foo:p ?y }")


def test_what_is_nested_too_deeply() -> None:
    assert "TL006" in errors("SELECT * " + "{ " * 200 + "}" * 200)
    assert question_of(f"SELECT * {{ ?x ex:p '{'{' * 200}' }}", PREFIXES).kind == "select"


def test_a_query_is_read_once() -> None:
    text = "SELECT ?x { ?x ex:p ?y }"
    assert question_of(text, PREFIXES) is question_of(text, PREFIXES)
    assert question_of(text, PREFIXES) is not question_of(text, {"ex": "http://other.org/"})


def test_updates() -> None:
    source, operations = parsed_update("INSERT DATA { ex:a ex:p '01'^^ex:t } ; DELETE DATA { ex:a ex:p 1 }", PREFIXES)
    assert source.name == "<sparql>"
    assert [operation.name for operation in operations] == ["InsertData", "DeleteData"]
    assert str(operations[0].triples[0][2]) == "01"
    with pytest.raises(TidelogError, match="TL015"):
        parsed_update("INSERT DATA { ex:a }", PREFIXES)


@pytest.mark.parametrize(
    "text", ["", "{", "SELECT", "SELECT * { ?x ?y ?z } LIMIT -1", "ASK { FILTER( }", "\x00", "SELECT * { <a b> ?p ?o }"]
)
def test_nothing_but_coded_errors(text: str) -> None:
    assert "error TL0" in errors(text)


def test_a_namespace_may_have_another_prefix_in_the_program() -> None:
    known = {"ex": "http://example.org/", "other": "http://example.org/"}
    text = "PREFIX : <http://example.org/> DELETE DATA { :a :p :b } ; INSERT DATA { :c :p :d }"
    assert [str(operation.triples[0][1]) for operation in parsed_update(text, known)[1]] == ["http://example.org/p"] * 2
    assert question_of("PREFIX : <http://example.org/> ASK { :a :p :b }", known).kind == "ask"
    assert used_prefixes("ASK { ex:a <other:b> 'other2:c' }", {**known, "x": "http://x/"}) == known


@pytest.mark.parametrize("iri", ["p", "#p", "/a/b", "../p", ""])
def test_a_relative_iri_needs_a_base(iri: str) -> None:
    kb = KnowledgeBase("")
    with pytest.raises(TidelogError, match=r"TL015: the IRI .* is relative"):
        kb.sparql(f"SELECT ?x {{ ?x <{iri}> ?y }}")
    with pytest.raises(TidelogError, match="TL015"):
        kb.sparql_update(f"INSERT DATA {{ <{iri}> <http://a/p> 1 }}")
    assert not kb.sparql(f"base <http://a/> SELECT ?x {{ ?x <{iri}> ?y }}")


@pytest.mark.parametrize(
    "body", ["?x <urn:p> '<a>' # <b>\n", '?x <http://a/p> """ <a> """', "?x <http://a/p> ?y FILTER(?y<?x&&?x>2)"]
)
def test_what_is_no_relative_iri(body: str) -> None:
    assert not KnowledgeBase("").sparql(f"SELECT ?x {{ {body} }}")
