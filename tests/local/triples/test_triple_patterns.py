"""Triples that match a pattern, against a filter over all of them."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog import IRI, KnowledgeBase
from tidelog.local.triples.triple_patterns import Pattern, TriplePatterns
from tidelog.values import RDF_TYPE, from_python

EX = "http://example.org/"
PROGRAMS = {
    "relations": "",
    "typed": "@relation rdf:type(thing, class) .",
    "triple": "@relation triple(s, p, o) .",
    "closed": f"<{EX}p>(X, Z) :- <{EX}p>(X, Y), <{EX}p>(Y, Z).",
    "derived": f"<{EX}q>(Y, X) :- <{EX}p>(X, Y). <{EX}C>(Y) :- <{EX}p>(_, Y). triple(X, <{EX}p>, X) :- <{EX}C>(X).",
}


def found(kb: Any, pattern: Pattern, *, graphs: bool = False) -> list[tuple[Any, ...]]:
    with kb.triple_patterns(graphs=graphs) as patterns:
        assert isinstance(patterns, TriplePatterns)
        rows = patterns.rows(pattern)
        return list(zip(*(patterns.terms.objects_of(ids.copy()).tolist() for ids in rows.T), strict=True)) if len(rows) else []


@pytest.mark.parametrize("kind", PROGRAMS)
@pytest.mark.by_night(400)
@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_patterns(kind: str, seed: int) -> None:
    chance = random.Random(seed)
    kb: Any = KnowledgeBase(PROGRAMS[kind])
    nodes: list[Any] = [IRI(EX + name) for name in "abc"]
    triples: list[Any] = []
    for _ in range(25):
        predicate = chance.choice([EX + "p", EX + "q", RDF_TYPE])
        target = IRI(EX + "C") if predicate == RDF_TYPE else chance.choice([*nodes, 5, "x"])
        triples.append((chance.choice(nodes), IRI(predicate), target))
    kb.update_rdf(insert=triples, triples=False if kind == "derived" else None)
    kb.update_rdf(delete=triples[::3], triples=False if kind == "derived" else None)
    everything = found(kb, (None, None, None))
    asked = kb.sparql("SELECT DISTINCT ?s ?p ?o { ?s ?p ?o }")
    assert sorted(map(str, everything)) == sorted(map(str, asked))
    with kb.triple_patterns() as patterns:
        assert patterns.count() == len(everything)
    terms: list[Any] = [None, *nodes, 5, IRI(EX + "p"), IRI(RDF_TYPE), IRI(EX + "C"), IRI(EX + "nowhere")]
    for pattern in product(terms, repeat=3):
        expected = [
            one for one in everything if all(term is None or term == part for term, part in zip(pattern, one, strict=True))
        ]
        values = tuple(None if term is None else from_python(term) for term in pattern)
        assert sorted(map(str, found(kb, values))) == sorted(map(str, expected)), pattern


def test_explicit_facts_and_graphs() -> None:
    kb: Any = KnowledgeBase(f"<{EX}q>(Y, X, G) :- <{EX}p>(X, Y, G).")
    a, b, p = IRI(EX + "a"), IRI(EX + "b"), IRI(EX + "p")
    kb.update_rdf(insert=[(a, p, b, IRI(EX + "g")), (a, p, b)], graphs=True)
    graph = from_python(IRI(EX + "g"))
    assert sorted(map(str, found(kb, (None, None, None, graph), graphs=True))) == sorted(
        map(str, [(a, p, b, IRI(EX + "g")), (b, IRI(EX + "q"), a, IRI(EX + "g"))])
    )
    with kb.triple_patterns(graphs=True) as patterns:
        assert patterns.explicit_facts((None, None, None, graph)) == [(EX + "p", a, b, IRI(EX + "g"))]
        assert patterns.count() == 4
        assert patterns.explicit_facts((from_python(b), None, None, None)) == []


def test_facts_that_are_no_triples_are_left_out() -> None:
    kb: Any = KnowledgeBase(f"<{EX}back>(Y, X) :- <{EX}p>(X, Y). <{EX}back>(X, Z) :- <{EX}back>(X, Y), <{EX}back>(Y, Z).")
    kb.update_rdf(insert=[(IRI(EX + "a"), IRI(EX + "p"), 5), (IRI(EX + "a"), IRI(EX + "p"), IRI(EX + "b"))])
    assert kb.count(EX + "back") == 2
    assert found(kb, (None, from_python(IRI(EX + "back")), None)) == [(IRI(EX + "b"), IRI(EX + "back"), IRI(EX + "a"))]
    assert found(kb, (from_python(5), None, None)) == []
    with kb.triple_patterns() as patterns:
        assert patterns.count() == 3
