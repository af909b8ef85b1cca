"""Triples that no relation takes are counted, and told of."""

from __future__ import annotations

from tidelog import KnowledgeBase
from tidelog.rdf.left_out import left_out

COUNTS = {("http://e/p", 2): 5, ("http://e/q", 2): 2, ("http://e/C", 1): 1, ("http://e/D", 1): 3, ("http://e/r", 2): 1}


def said(rules: str) -> str | None:
    program = KnowledgeBase("@prefix e: <http://e/> . " + rules).program
    found = left_out(COUNTS, program.relations, program.printer)
    return None if found is None else found.message


def test_what_is_left_out() -> None:
    assert said("x(X) :- e:p(X, _).") == "7 triples left out, since no rule mentions `e:D`, `e:q`, `e:C`, …"
    assert said("x(X) :- e:p(X, _), e:D(X), e:C(X), e:q(X, _).") == "1 triple left out, since no rule mentions `e:r`"
    assert said("x(X) :- e:p(X), e:q(_, X), e:C(X), e:D(X), e:r(X, _).") == "5 triples left out, since no rule mentions `e:p`"


def test_nothing_is() -> None:
    assert said("x(X) :- triple(X, _, _).") is None
    assert said("x(X) :- e:p(X, _), e:D(X), e:C(X), e:q(X, _), e:r(X, X).") is None
