"""Paths of any length, from either end, against a search in Python."""

from __future__ import annotations

from random import Random

import pytest

pytest.importorskip("rdflib")
pytest.importorskip("pyoxigraph")

from tidelog import IRI, KnowledgeBase

EX = "http://example.org/"
PREFIX = f"PREFIX ex: <{EX}> "
Pairs = set[tuple[str, str]]


def closure(pairs: Pairs) -> Pairs:
    found = set(pairs)
    while more := {(x, z) for x, y in found for a, z in pairs if a == y} - found:
        found |= more
    return found


def answered(kb: KnowledgeBase, query: str) -> list[tuple[str, ...]]:
    found = kb.sparql(PREFIX + query)
    assert not isinstance(found, bool)
    return sorted(tuple(iri.text.removeprefix(EX) for iri in row) for row in found)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("is_closed", [False, True])
def test_paths(seed: int, is_closed: bool) -> None:
    """With a relation that is closed already, and with one that is not."""
    random = Random(seed)
    kb = KnowledgeBase(f"@prefix ex: <{EX}> . ex:p(X, Z) :- ex:p(X, Y), ex:p(Y, Z)." if is_closed else "")
    names = [f"n{at}" for at in range(8)]
    given = {(random.choice(names), random.choice(names)) for _ in range(9)}
    kb.update_rdf(insert=[(IRI(EX + x), IRI(EX + "p"), IRI(EX + y)) for x, y in given])
    kb.update_rdf(insert=[(IRI(EX + x), IRI(EX + "q"), IRI(EX + y)) for y, x in given])
    pairs = closure(given)
    nodes = {node for pair in given for node in pair}
    itself = {(node, node) for node in nodes}
    assert answered(kb, "SELECT ?x ?y { ?x ex:p+ ?y }") == sorted(pairs)
    assert answered(kb, "SELECT ?x ?y { ?x ex:p* ?y }") == sorted(pairs | itself)
    assert answered(kb, "SELECT ?x ?y { ?x ^ex:p+ ?y }") == sorted((y, x) for x, y in pairs)
    assert answered(kb, "SELECT ?x ?y { ?x (ex:p|^ex:q)+ ?y }") == sorted(pairs)
    assert answered(kb, "SELECT ?x ?y { ?x (ex:p/ex:p)* ?y }") == sorted(
        closure({(x, z) for x, y in (pairs if is_closed else given) for a, z in (pairs if is_closed else given) if a == y})
        | itself
    )
    assert answered(kb, "SELECT ?x ?y { ?x (ex:p+)? ?y }") == sorted(pairs | itself)
    assert answered(kb, "SELECT ?x { ?x ex:p+ ?x }") == sorted((x,) for x, y in pairs if x == y)
    for node in sorted(nodes):
        assert answered(kb, f"SELECT ?y {{ ex:{node} ex:p+ ?y }}") == sorted((y,) for x, y in pairs if x == node)
        assert answered(kb, f"SELECT ?y {{ ?y ex:p+ ex:{node} }}") == sorted((x,) for x, y in pairs if y == node)
        assert kb.sparql(f"{PREFIX}ASK {{ ex:n0 ex:p+ ex:{node} }}") is (("n0", node) in pairs)
    assert answered(kb, "SELECT DISTINCT ?x ?z { ?x ex:p ?y . ?y ex:p* ?z }") == sorted(pairs)


def test_a_path_without_steps() -> None:
    kb = KnowledgeBase("")
    kb.update_rdf(insert=f"@prefix ex: <{EX}> . ex:a ex:p ex:b .")
    assert answered(kb, "SELECT ?x { ex:c ex:p* ?x }") == [("c",)]
    assert kb.sparql(PREFIX + "ASK { ex:c ex:p? ex:c }") is True
    assert kb.sparql(PREFIX + "ASK { ex:c ex:p+ ex:c }") is False
    assert answered(kb, "SELECT ?x ?y { ?x ex:none* ?y }") == [("a", "a"), ("b", "b")]
    assert answered(kb, "SELECT ?y { ex:a !ex:q+ ?y }") == [("b",)]
