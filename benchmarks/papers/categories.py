"""Categories like those of DBpedia under the rules of SKOS: chains and cycles of broader categories beside their inverses.

A category has one to three broader ones among those shortly before it in its block of 300; one edge in 200 goes the other way, so
that there are cycles.  The inverse of one edge in ten is explicit as well, and related categories are random.
"""

from __future__ import annotations

import numpy as np

from benchmarks.harness.workload import Inputs
from benchmarks.workloads.graphs import pairs

RULES = """\
broader(X, Y) :- narrower(Y, X).
narrower(X, Y) :- broader(Y, X).
broaderTransitive(X, Y) :- broader(X, Y).
narrowerTransitive(X, Y) :- narrower(X, Y).
broaderTransitive(X, Y) :- narrowerTransitive(Y, X).
narrowerTransitive(X, Y) :- broaderTransitive(Y, X).
broaderTransitive(X, Z) :- broaderTransitive(X, Y), broaderTransitive(Y, Z).
narrowerTransitive(X, Z) :- narrowerTransitive(X, Y), narrowerTransitive(Y, Z).
related(X, Y) :- related(Y, X).
semanticRelation(X, Y) :- related(X, Y).
semanticRelation(X, Y) :- broaderTransitive(X, Y).
semanticRelation(X, Y) :- narrowerTransitive(X, Y).
concept(X) :- semanticRelation(X, _).
"""
_BLOCK, _DISTANCE = 300, 20.0
_BACK, _INVERSE, _RELATED = 1 / 200, 0.1, 0.2


def facts(categories: int, seed: int = 13, block: int = _BLOCK) -> Inputs:
    """So many categories, in blocks, and about twice as many edges."""
    random = np.random.default_rng(seed)
    children = np.repeat(np.arange(categories), random.integers(1, 4, categories))
    first = children - children % block
    parents = np.maximum(first, children - 1 - random.exponential(_DISTANCE, len(children)).astype(np.int64))
    forward = children > parents
    children, parents = children[forward], parents[forward]
    back = random.random(len(children)) < _BACK
    below, above = np.where(back, parents, children), np.where(back, children, parents)
    twice = random.random(len(below)) < _INVERSE
    related = random.integers(0, categories, (2, int(_RELATED * categories)))
    return {"broader": pairs(below, above), "narrower": pairs(above[twice], below[twice]), "related": pairs(*related)}
