"""Texts of RDF that are parsed as a whole: each format gives the same keys, and blank nodes are the same every time."""

from __future__ import annotations

import pytest

from tidelog.rdf.documents import Quads, parse_document, parse_turtle
from tidelog.rdf.formats import RdfFormat
from tidelog.rdf.ntriples import Triples

pytest.importorskip("pyoxigraph")


def triples(found: Triples) -> list[tuple[str, str, str]]:
    return sorted(zip(found.subjects.to_pylist(), found.predicates.to_pylist(), found.objects.to_pylist(), strict=True))


def test_abbreviations() -> None:
    text = """
    @prefix ex: <http://a/> .
    ex:s a ex:C ; ex:p 5, 2.5e0, true, "x"@EN, 'it''s', \"\"\"two
lines\"\"\" .
    """.replace("'it''s'", '"it\'s"')
    assert triples(parse_turtle(text.encode(), "f-")) == [
        ("uhttp://a/s", "uhttp://a/p", "b1"),
        ("uhttp://a/s", "uhttp://a/p", "f4612811918334230528"),
        ("uhttp://a/s", "uhttp://a/p", "i5"),
        ("uhttp://a/s", "uhttp://a/p", "l@2 enx"),
        ("uhttp://a/s", "uhttp://a/p", "sit's"),
        ("uhttp://a/s", "uhttp://a/p", "stwo\nlines"),
        ("uhttp://a/s", "uhttp://www.w3.org/1999/02/22-rdf-syntax-ns#type", "uhttp://a/C"),
    ]


def test_blank_nodes_are_the_same_every_time() -> None:
    text = b"@prefix ex: <http://a/> . _:x ex:p [ ex:q [ ex:r _:x, _:b0 ] ] . [] ex:p 1 ."
    first, again = (triples(parse_turtle(text, "f-")) for _ in range(2))
    assert first == again
    nodes = {key for triple in first for key in triple if key.startswith("u_:")}
    assert len(nodes) == 5
    assert {"u_:f-x", "u_:f-b0"} <= nodes
    assert all(node.startswith("u_:f-") for node in nodes)
    assert nodes.isdisjoint(key for triple in triples(parse_turtle(text, "g-")) for key in triple)


def test_relative_addresses_need_a_base() -> None:
    text = b"<#s> <p> <o> ."
    assert len(parse_turtle(text, "f-").rejected) == 1
    assert triples(parse_turtle(text, "f-", "file:///d/a.ttl")) == [("ufile:///d/a.ttl#s", "ufile:///d/p", "ufile:///d/o")]


@pytest.mark.parametrize(
    "text", [b"@prefix ex: <http://a/> .\nex:s ex:p 1 .\nex:s ex:p ;;; .\n", b"\xff", b"<http://a/s> <http://a/p> 'x"]
)
def test_a_mistake_rejects_the_file(text: bytes) -> None:
    found = parse_turtle(text, "f-")
    assert triples(found) == []
    ((line, reason),) = found.rejected
    assert line == (2 if text.startswith(b"@prefix") else 0)
    assert reason.startswith("it is not Turtle: ")
    assert reason.endswith("; nothing is taken from this file")


def test_an_empty_file() -> None:
    found = parse_turtle(b"# nothing\n", "f-")
    assert (triples(found), found.rejected) == ([], [])


def test_a_value_that_is_not_of_its_datatype() -> None:
    found = parse_turtle(b'<http://a/s> <http://a/p> "x"^^<http://www.w3.org/2001/XMLSchema#integer>, 1 .', "f-")
    assert [key for _, _, key in triples(found)] == ["i1"]
    assert len(found.rejected) == 1


# --- other formats -----------------------------------------------------------------------------------------------------------

RDF_XML = b"""<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://a/">
  <e:C rdf:about="http://a/s"><e:p rdf:nodeID="n"/><e:p xml:lang="EN">x</e:p></e:C>
  <rdf:Description rdf:nodeID="n"><e:p><rdf:Description/></e:p></rdf:Description>
</rdf:RDF>"""
JSON_LD = b"""{"@context": {"e": "http://a/"}, "@id": "e:s", "@type": "e:C", "e:p": [{"@id": "_:n", "e:p": {"@id": "_:u"}},
  {"@value": "x", "@language": "EN"}]}"""
TURTLE = b'@prefix e: <http://a/> . e:s a e:C ; e:p _:n, "x"@EN . _:n e:p [] .'


@pytest.mark.parametrize(("text", "syntax"), [(RDF_XML, "rdf"), (JSON_LD, "jsonld"), (TURTLE, "trig"), (TURTLE, "ttl")])
def test_formats_say_the_same(text: bytes, syntax: str) -> None:
    found = parse_document(text, RdfFormat(syntax), "f-")
    keys = triples(found.triples)
    assert keys == triples(parse_document(text, RdfFormat(syntax), "f-").triples)  # numbered, where the parser names at random
    assert [[part for part in triple if not part.startswith("u_:")] for triple in keys] == [
        [part for part in triple if not part.startswith("u_:")] for triple in triples(parse_turtle(TURTLE, "f-"))
    ]
    assert sum(part == "u_:f-n" for triple in keys for part in triple) == 2
    assert found.graphs is None


def of_graphs(found: Quads) -> list[tuple[str, str]]:
    return sorted(zip(found.triples.objects.to_pylist(), found.graph_column().to_pylist(), strict=True))


QUADS = b"""<http://a/s> <http://a/p> "a \\" <x> ." <http://a/g> .
<http://a/s> <http://a/p> "b"@en _:g .
<http://a/s> <http://a/p> <http://a/o> .
<http://a/s> <http://a/p> "5"^^<http://www.w3.org/2001/XMLSchema#integer> <http://a/g> .
"""


def test_the_graph_is_a_fourth_column() -> None:
    found = parse_document(QUADS, RdfFormat.N_QUADS, "f-")
    assert of_graphs(found) == [
        ("i5", "uhttp://a/g"),
        ("l@2 enb", "u_:f-g"),
        ('sa " <x> .', "uhttp://a/g"),
        ("uhttp://a/o", "s"),
    ]
    trig = b"@prefix e: <http://a/> . e:g { e:s e:p 5 } e:s e:p e:o ."
    assert of_graphs(parse_document(trig, RdfFormat.TRIG, "f-")) == [("i5", "uhttp://a/g"), ("uhttp://a/o", "s")]


def test_a_triple_that_is_rejected_takes_its_graph_along() -> None:
    text = QUADS.replace(b'"5"', b'"x"')
    found = parse_document(text, RdfFormat.N_QUADS, "f-")
    assert len(found.triples.rejected) == 1
    assert [graph for _, graph in of_graphs(found)] == ["u_:f-g", "uhttp://a/g", "s"]


@pytest.mark.parametrize("syntax", ["rdf", "jsonld", "trig", "nq"])
def test_a_mistake_rejects_a_text_of_any_format(syntax: str) -> None:
    found = parse_document(b"<http://a/s> <p {", RdfFormat(syntax), "f-")
    assert triples(found.triples) == []
    assert len(found.triples.rejected) == 1


def test_deep_nesting_is_no_crash() -> None:
    opening = b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://a/">'
    deep = opening + b"<rdf:Description><e:p>" * 5000 + b"</e:p></rdf:Description>" * 5000 + b"</rdf:RDF>"
    assert len(parse_document(deep, RdfFormat.RDF_XML, "f-").triples.subjects) <= 5000
    assert len(parse_document(b"[" * 200_000, RdfFormat.JSON_LD, "f-").triples.rejected) == 1


@pytest.mark.parametrize(
    ("entities", "text", "object_"),
    [
        ('<!ENTITY owl "http://www.w3.org/2002/07/owl#">', "&owl;Thing &lt;", "http://www.w3.org/2002/07/owl#Thing <"),
        ('<!ENTITY a "ab &amp; &#65;">', "&a;", "ab & A"),
        ('<!ENTITY a "ha"> <!ENTITY b "&a;&a;&a;">', "&b;", None),
        ("<!ENTITY a 'ha'> <!ENTITY b '&a;&a;&a;'>", "&b;", None),
        (f'<!ENTITY a "{"x" * 1001}">', "&a;", None),
    ],
)
def test_entities_of_xml_do_not_grow(entities: str, text: str, object_: str | None) -> None:
    data = f"""<!DOCTYPE rdf:RDF [\n{entities}]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:ex="http://example.org/">
<rdf:Description rdf:about="http://example.org/a"><ex:p>{text}</ex:p></rdf:Description></rdf:RDF>"""
    found = parse_document(data.encode(), RdfFormat.RDF_XML, "s").triples
    if object_ is not None:
        assert found.objects.to_pylist() == [f"s{object_}"]
    else:
        ((line, reason),) = found.rejected
        assert (line, "an entity is longer than 1000 bytes, or refers to another one" in reason) == (1, True)


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert len(parse_turtle(b"\xef\xbb\xbf<http://a> <http://p> 5 .", "").subjects) == 1
