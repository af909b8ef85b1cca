"""Renaming of variables, values in their place, and the variables that are local to an aggregate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tidelog.syntax.tree import Aggregate, Atom, Call, Comparison, Constant, Literal, Negation, Rule, Term, Variable, names_of
from tidelog.values import Value

Names = Mapping[str, str]
_Terms = Mapping[str, Variable | Constant]


def names_inside(aggregate: Aggregate) -> set[str]:
    """The variables of an aggregate's target and body."""
    return names_of([*aggregate.body, *(() if aggregate.target is None else (aggregate.target,))])


def names_outside(body: Iterable[Literal], head: set[str]) -> set[str]:
    """The variables of the head, of literals that are not aggregates, and of the aggregates' results."""
    return head | names_of(literal.result if isinstance(literal, Aggregate) else literal for literal in body)


def rename_locals_apart(rule: Rule) -> Rule:
    """The rule with the local variables of its aggregates renamed apart."""
    if sum(isinstance(literal, Aggregate) for literal in rule.body) < 2:
        return rule
    outside = names_outside(rule.body, names_of([rule.head]))
    taken = names_of([rule.head, *rule.body])
    body: list[Literal] = []
    used: set[str] = set()
    for literal in rule.body:
        if isinstance(literal, Aggregate):
            local = names_inside(literal) - outside
            literal = rename_inside(literal, {name: fresh_name(name, taken) for name in sorted(local & used)})  # noqa: PLW2901
            used |= local
        body.append(literal)
    return replace(rule, body=tuple(body))


def fresh_name(name: str, taken: set[str]) -> str:
    """A fresh name like the given one; it is added to `taken`."""
    number = 1
    while f"{name}_{number}" in taken:
        number += 1
    taken.add(f"{name}_{number}")
    return f"{name}_{number}"


def rename_inside(aggregate: Aggregate, names: Names) -> Aggregate:
    """The aggregate with variables renamed inside its braces, but not in its result."""
    return _inside(aggregate, {old: Variable(new) for old, new in names.items()}) if names else aggregate


def with_values(body: Iterable[Literal], values: Mapping[str, Value]) -> tuple[Literal, ...]:
    """The body with values in place of variables, wherever they stand."""
    terms = {name: Constant(value) for name, value in values.items()}
    return tuple(_literal(literal, terms) for literal in body)


def _inside(aggregate: Aggregate, terms: _Terms) -> Aggregate:
    target = None if aggregate.target is None else _term(aggregate.target, terms)
    return replace(aggregate, target=target, body=tuple(_literal(literal, terms) for literal in aggregate.body))


def _term(term: Term, terms: _Terms) -> Term:
    match term:
        case Variable(name) if name in terms:
            return replace(terms[name], span=term.span)
        case Call():
            return replace(term, args=tuple(_term(arg, terms) for arg in term.args))
    return term


def _literal(literal: Literal, terms: _Terms) -> Literal:
    match literal:
        case Atom():
            return replace(literal, args=tuple(_term(arg, terms) for arg in literal.args))
        case Negation(atom):
            return replace(literal, atom=replace(atom, args=tuple(_term(arg, terms) for arg in atom.args)))
        case Comparison(_, left, right):
            return replace(literal, left=_term(left, terms), right=_term(right, terms))
        case Aggregate():
            return replace(_inside(literal, terms), result=_term(literal.result, terms))
