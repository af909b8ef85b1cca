"""Operators are compared by identity, paths by what they are."""

from __future__ import annotations

from tidelog.sparql.algebra import Bgp, Link, Repeated, Triple, is_hidden
from tidelog.syntax.tree import Variable, iri_constant


def test_nodes_are_compared_by_identity() -> None:
    assert Bgp(()) != Bgp(())
    assert Repeated(Link("a:p"), is_reflexive=True, is_closed=True) == Repeated(Link("a:p"), is_reflexive=True, is_closed=True)


def test_terms() -> None:
    triple = Triple(Variable("x"), iri_constant("a:p"), Variable("y"))
    assert len(triple.terms) == 3
    assert len(Triple(*triple.terms, Variable("g")).terms) == 4
    assert is_hidden("_:b")
    assert not is_hidden("b")
