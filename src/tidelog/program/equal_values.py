"""Rules for owl:sameAs as rules about one individual and its values, of which two are the same if their values are.

`same(Y, Z) :- p(X, Y), p(X, Z)` has an instance for each pair; `same_by(X, Y) :- p(X, Y)` has one for each individual.
"""

from __future__ import annotations

from tidelog.program.changes.sameness import canonical_key
from tidelog.program.same_as import MOST_VALUES, SAME, SAME_BY
from tidelog.syntax.tree import Atom, Comparison, Constant, Literal, Rule, Variable, names_of
from tidelog.values import string

OF_RULE = Constant(string(""))
"""Stands for the name of the rule, which is among the values: other rules have other reasons."""


def by_values(body: list[Literal], head: Atom | None) -> tuple[list[Literal], Atom] | None:
    """The body and head about one individual; None if the rule does not compare two in the same way."""
    if head is None or head.predicate != SAME:
        return None
    atoms = [literal for literal in body if isinstance(literal, Atom)]
    one, other = head.args
    if not isinstance(one, Variable) or not isinstance(other, Variable) or one == other:
        return None
    if any(not _differ(literal, one, other) for literal in body if not isinstance(literal, Atom)):
        return None
    sides = _sides(one.name, other.name, atoms)
    if sides is None:
        return None
    mine, others = sides
    keys = sorted(names_of(mine) & names_of(others))
    values = tuple(map(Variable, keys))
    is_alike = _key((*values, one), mine) == _key((*values, other), others)
    shared = [atom for atom in atoms if atom not in mine and atom not in others]
    private = (names_of(mine) | names_of(others)) - {*keys}
    if not is_alike or names_of(shared) & private or len(keys) > MOST_VALUES:
        return None
    return [*mine, *shared], Atom(f"{SAME_BY}{len(keys)}", (OF_RULE, *values, one))


def _differ(literal: Literal, one: Variable, other: Variable) -> bool:
    """Whether a literal only says that the two differ."""
    return isinstance(literal, Comparison) and literal.op == "!=" and {literal.left, literal.right} == {one, other}


def _sides(one: str, other: str, atoms: list[Atom]) -> tuple[list[Atom], list[Atom]] | None:
    """The atoms about each of the two, and about what only these mention; None if one is about both."""
    mine, others = ([atom for atom in atoms if name in names_of([atom])] for name in (one, other))
    while True:
        private, private_other = names_of(mine) - names_of(others), names_of(others) - names_of(mine)
        left = [atom for atom in atoms if atom not in mine and atom not in others]
        more, more_other = ([atom for atom in left if names_of([atom]) & names] for names in (private, private_other))
        if any(atom in others for atom in mine) or any(atom in more_other for atom in more):
            return None
        if not more and not more_other:
            return mine, others
        mine, others = mine + more, others + more_other


def _key(ends: tuple[Variable, ...], body: list[Atom]) -> object:
    return canonical_key(Rule(Atom("", ends), tuple(body)))
