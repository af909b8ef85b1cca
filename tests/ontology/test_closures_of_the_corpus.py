"""Real hierarchies: the closure of skos:broader in the UNESCO thesaurus, and of hypernyms in WordNet, under deletion."""

from __future__ import annotations

import gzip
from collections import defaultdict

import pytest
from tests.corpus import CORPUS, needs_corpus

from tidelog import KnowledgeBase

pytest.importorskip("pyoxigraph")
SKOS = "http://www.w3.org/2004/02/skos/core#"
BROADER = f"""
@prefix skos: <{SKOS}> .
skos:broaderTransitive(X, Y) :- skos:broader(X, Y).
skos:broaderTransitive(X, Z) :- skos:broaderTransitive(X, Y), skos:broaderTransitive(Y, Z).
"""


def closure_of(pairs: set[tuple[str, str]]) -> int:
    """How many pairs a search from each node finds."""
    above = defaultdict[str, set[str]](set)
    for one, other in pairs:
        above[one].add(other)
    count = 0
    for start in list(above):
        found, left = set[str](), [start]
        while left:
            left += (new := above.get(left.pop(), set()) - found)
            found |= new
        count += len(found)
    return count


@needs_corpus
@pytest.mark.parametrize("same_as", [False, True])
def test_the_thesaurus(same_as: bool) -> None:
    assert CORPUS is not None
    kb = KnowledgeBase(BROADER, same_as=same_as)
    kb.load_rdf(CORPUS / "skos" / "unesco-thesaurus.nt.gz")
    assert kb.count("skos:broaderTransitive") == 6401
    one = next(iter(sorted(kb["skos:broader"], key=str)))
    kb.update(delete=[(SKOS + "broader", *one)])
    left = {(str(x), str(y)) for x, y in kb["skos:broader"]}
    assert kb.count("skos:broaderTransitive") == closure_of(left) < 6401


@needs_corpus
def test_wordnet() -> None:
    assert CORPUS is not None
    lines = gzip.decompress((CORPUS / "wordnet" / "hypernym.tsv.gz").read_bytes()).decode().splitlines()
    pairs = {(one, other) for one, other, *_ in (line.split("\t") for line in lines)}
    kb = KnowledgeBase("above(X, Y) :- hypernym(X, Y). above(X, Z) :- above(X, Y), above(Y, Z).")
    kb.update(insert=[("hypernym", *pair) for pair in sorted(pairs)])
    assert kb.count("above") == closure_of(pairs)
