"""Turtle as keys: the same as its N-Triples, blank nodes numbered, and a mistake rejects the whole file."""

from __future__ import annotations

import pytest

from tidelog.rdf.ntriples import Triples
from tidelog.rdf.turtle import parse_turtle

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
