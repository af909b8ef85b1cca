"""Basic graph patterns: their parts, and what is asked of the kernel."""

from __future__ import annotations

import pytest

pytest.importorskip("rdflib")
pytest.importorskip("pyoxigraph")

from tidelog import IRI, KnowledgeBase
from tidelog.rdf.terms import TYPE
from tidelog.sparql.algebra import Bgp, Link, Reach, Repeated, Triple
from tidelog.sparql.evaluation.dataset import Dataset
from tidelog.sparql.evaluation.patterns import compiled
from tidelog.syntax.tree import Variable, iri_constant

X, Y, Z, P = (Variable(name) for name in "xyzp")
DATASET = Dataset({"a:p": 2, "a:q": 2, "a:C": 1}, graphs=False)
EX = "http://example.org/"


def test_atoms_are_one_join() -> None:
    plan = compiled(Bgp((Triple(X, iri_constant("a:p"), Y), Triple(Y, iri_constant(TYPE), iri_constant("a:C")))), DATASET)
    assert [(part.names, len(part.branches[0])) for part in plan.parts] == [(("x", "y"), 2)]


def test_what_only_another_pattern_connects_is_asked_for_apart() -> None:
    patterns = (Triple(X, iri_constant("a:p"), Y), Triple(Y, P, Z), Triple(Z, iri_constant("a:q"), Z))
    plan = compiled(Bgp(patterns), DATASET)
    assert sorted(part.names for part in plan.parts) == [("p", "y", "z"), ("x", "y"), ("z",)]


def test_paths_are_parts_of_their_own() -> None:
    path = Repeated(Link("a:p"), is_reflexive=False, is_closed=True)
    plan = compiled(Bgp((Reach(X, path, Y), Triple(X, iri_constant("a:q"), Z))), DATASET)
    assert [part.reach is not None for part in plan.parts] == [False, True]


def test_patterns_that_nothing_connects() -> None:
    kb = KnowledgeBase("")
    triples = "ex:a ex:p ex:b . ex:c ex:q ex:d . ex:a a ex:C . ex:d a ex:C ."
    kb.update_rdf(insert=f"@prefix ex: <{EX}> . {triples}")
    found = kb.sparql(f"PREFIX ex: <{EX}> SELECT ?x ?z {{ ?x ex:p ?y . ?z a ex:C . ?w ?k ?z }}")
    assert not isinstance(found, bool)
    assert list(found) == [(IRI(EX + "a"), IRI(EX + "d"))]
    nothing = kb.sparql(f"PREFIX ex: <{EX}> SELECT * {{ ?x ex:p ?y . ?y ?k ?z }}")
    assert not isinstance(nothing, bool)
    assert (len(nothing), nothing.variables) == (0, ("x", "y", "k", "z"))  # type: ignore[union-attr]
