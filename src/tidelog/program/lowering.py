"""Lowering: rules with expressions in comparisons only.

An expression in an atom becomes a fresh variable and an `=`, and so do an aggregate's target and a result that is not
a variable.  After lowering, arguments of atoms are variables and constants, targets and results are variables, and
expressions stand in comparisons only.  Fresh variables have names that start with `#`, which no text can write.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tidelog.syntax.tree import Aggregate, Atom, Call, Comparison, Literal, Negation, Rule, Term, Variable


def lower(rule: Rule) -> Rule:
    """The lowered rule."""
    fresh = _fresh_names()
    extra: list[Literal] = []
    head = _lower_atom(rule.head, extra, fresh)
    body = _lower_body(rule.body, fresh)
    return replace(rule, head=head, body=(*body, *extra))


def lower_query(body: tuple[Literal, ...]) -> tuple[Literal, ...]:
    """The lowered body of a query."""
    return tuple(_lower_body(body, _fresh_names()))


def is_fresh(name: str) -> bool:
    """Whether lowering made a variable."""
    return name.startswith("#")


def _fresh_names() -> Iterator[str]:
    number = 0
    while True:
        number += 1
        yield f"#{number}"


def _lower_body(body: tuple[Literal, ...], fresh: Iterator[str]) -> list[Literal]:
    result: list[Literal] = []
    for literal in body:
        extra: list[Literal] = []
        match literal:
            case Atom():
                result.append(_lower_atom(literal, extra, fresh))
            case Negation(atom):
                result.append(replace(literal, atom=_lower_atom(atom, extra, fresh)))
            case Aggregate():
                result.append(_lower_aggregate(literal, extra, fresh))
            case Comparison():
                result.append(literal)
        result += extra
    return result


def _lower_atom(atom: Atom, extra: list[Literal], fresh: Iterator[str]) -> Atom:
    if not any(isinstance(arg, Call) for arg in atom.args):
        return atom
    return replace(atom, args=tuple(_as_variable(a, extra, fresh) if isinstance(a, Call) else a for a in atom.args))


def _lower_aggregate(aggregate: Aggregate, extra: list[Literal], fresh: Iterator[str]) -> Aggregate:
    body = _lower_body(aggregate.body, fresh)
    target = None if aggregate.target is None else _as_variable(aggregate.target, body, fresh)
    return replace(aggregate, result=_as_variable(aggregate.result, extra, fresh), target=target, body=tuple(body))


def _as_variable(term: Term, extra: list[Literal], fresh: Iterator[str]) -> Variable:
    """The term if it is a variable, else a fresh one that an `=` in `extra` sets equal to it."""
    if isinstance(term, Variable):
        return term
    variable = Variable(next(fresh), term.span)
    extra.append(Comparison("=", variable, term, term.span))
    return variable
