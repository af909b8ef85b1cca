"""Coercion to declared types: a declared column holds values of its type and nothing else.

An integer from a fact, a constant or a head becomes a float in a float column.  Where a head might derive a value of
another type, a conformity test wraps its argument (`functions.conform`): a value that does not fit is undefined, so it derives
nothing.
"""

from __future__ import annotations

from dataclasses import replace

from tidelog.functions.conform import CONFORM, conform
from tidelog.functions.signatures import ANY, FLOAT, Type
from tidelog.program.checks.types import Relations, declared_types, environment_of, type_of
from tidelog.syntax.renaming import rename_locals_apart
from tidelog.syntax.tree import Aggregate, Atom, Call, Comparison, Constant, Literal, Negation, Rule, Term, atoms
from tidelog.values import Kind, Value


def coerce_value(value: Value, kinds: Type) -> Value:
    """The value for a column of that type: an integer in a float column becomes a float."""
    return (conform(Kind.FLOAT, value) or value) if kinds == FLOAT else value


def coerce_rule(rule: Rule, relations: Relations) -> Rule:
    """The rule with integer constants in float columns as floats, and its head kept to the declared types."""
    head, body = _coerce_atom(rule.head, relations), _coerce_body(rule.body, relations)
    declared = declared_types(relations[head.predicate])
    if any(kinds != ANY for kinds in declared):
        columns = {atom.predicate: declared_types(relations[atom.predicate]) for atom, _ in atoms(body)}
        environment = environment_of(rename_locals_apart(rule).body, columns)
        pairs = zip(head.args, declared, strict=True)
        head = replace(
            head, args=tuple(arg if type_of(arg, environment) <= kinds else _conforming(arg, kinds) for arg, kinds in pairs)
        )
    return replace(rule, head=head, body=body)


def _conforming(term: Term, kinds: Type) -> Term:
    """The term, undefined where its value is not of the one kind that is declared."""
    (kind,) = kinds
    return Call(CONFORM + kind.value, (term,), term.span)


def _coerce_body(body: tuple[Literal, ...], relations: Relations) -> tuple[Literal, ...]:
    result: list[Literal] = []
    for literal in body:
        match literal:
            case Atom():
                result.append(_coerce_atom(literal, relations))
            case Negation(atom):
                result.append(replace(literal, atom=_coerce_atom(atom, relations)))
            case Aggregate():
                result.append(replace(literal, body=_coerce_body(literal.body, relations)))
            case Comparison():
                result.append(literal)
    return tuple(result)


def _coerce_atom(atom: Atom, relations: Relations) -> Atom:
    relation = relations[atom.predicate]
    if not relation.is_declared:
        return atom
    args = tuple(
        replace(arg, value=coerce_value(arg.value, relation.declared_type(i))) if isinstance(arg, Constant) else arg
        for i, arg in enumerate(atom.args)
    )
    return replace(atom, args=args)
