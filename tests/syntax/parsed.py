"""Texts parsed, for the tests of this folder: documents, statements, literals and terms."""

from __future__ import annotations

from tidelog.errors import Diagnostics
from tidelog.source import Source
from tidelog.syntax.parser import parse
from tidelog.syntax.tree import Comparison, Constant, Document, Literal, Rule, Statement, Term, Variable
from tidelog.values import from_python

X, Y, Z = Variable("X"), Variable("Y"), Variable("Z")


def document(text: str) -> Document:
    diagnostics = Diagnostics()
    result = parse(Source(text, "test.dl"), diagnostics)
    diagnostics.raise_errors()
    return result


def statements(text: str) -> tuple[Statement, ...]:
    return document(text).statements


def only(text: str) -> Statement:
    (statement,) = statements(text)
    return statement


def body(text: str) -> tuple[Literal, ...]:
    rule = only(f"h :- {text}.")
    assert isinstance(rule, Rule)
    return rule.body


def literal(text: str) -> Literal:
    (one,) = body(text)
    return one


def term(text: str) -> Term:
    comparison = literal(f"Unbound = {text}")
    assert isinstance(comparison, Comparison)
    return comparison.right


def value(thing: object) -> Constant:
    return Constant(from_python(thing))
