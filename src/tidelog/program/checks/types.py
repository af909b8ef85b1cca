"""Type inference: the kinds of values that a term can have, given the columns, and the kinds that undeclared columns can hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tidelog.functions.signatures import ANY, FUNCTIONS, NEVER, Type, aggregate_type
from tidelog.program.hypergraph import HyperGraph
from tidelog.program.relations import Relation
from tidelog.syntax.renaming import rename_locals_apart
from tidelog.syntax.tree import Aggregate, Atom, Call, Comparison, Constant, Literal, Rule, Term, Variable, names_of
from tidelog.values import Value

Environment = dict[str, Type]
Relations = Mapping[str, Relation]

_PASSES = 3
"""Passes over the equations; more passes find only contrived errors."""


def type_of(term: Term, environment: Mapping[str, Type]) -> Type:
    """The kinds that a term can have; `NEVER` if some function inside cannot have a value."""
    match term:
        case Constant(value):
            return frozenset({value.kind})
        case Variable(name):
            return environment.get(name, ANY)
        case Call(function, args):
            types = [type_of(arg, environment) for arg in args]
            known = FUNCTIONS.get(function)
            if known is None or not known.takes(len(args)):
                return ANY
            return known.result(types) if all(types) else NEVER


def environment_of(
    body: Iterable[Literal], columns: Mapping[str, tuple[Type, ...]], outer: Environment | None = None
) -> Environment:
    """The types of the variables of a body, from the types of the columns they stand in and from equations.

    Variables that are local to aggregates must have names of their own (`syntax.renaming.rename_locals_apart`).
    """
    literals = list(body)
    environment: Environment = dict(outer or {})
    equations: list[tuple[Term, Term | Type]] = []
    beside = names_of(literal for literal in literals if not isinstance(literal, Aggregate))
    for literal in literals:
        match literal:
            case Atom(predicate, args):
                types = columns.get(predicate, ())
                for arg, kinds in zip(args, types, strict=False):
                    if isinstance(arg, Variable):
                        environment[arg.name] = environment.get(arg.name, ANY) & kinds
            case Comparison("=", left, right):
                equations += [(left, right), (right, left)]
            case Aggregate(result, function, target, inner):
                inside = environment_of(inner, columns)
                for name in inside.keys() - beside:  # groups that only aggregates bind
                    environment[name] = environment.get(name, ANY) & inside[name]
                kinds = aggregate_type(function, ANY if target is None else type_of(target, inside))
                equations.append((result, kinds))
    for _ in range(_PASSES if equations else 0):
        for variable, other in equations:
            if isinstance(variable, Variable):
                kinds = other if isinstance(other, frozenset) else type_of(other, environment)
                environment[variable.name] = environment.get(variable.name, ANY) & kinds
    return environment


def declared_types(relation: Relation) -> tuple[Type, ...]:
    """The declared type of each column."""
    return tuple(relation.declared_type(i) for i in range(relation.arity))


def infer(
    relations: Relations,
    rules: Sequence[Rule],
    facts: Iterable[tuple[str, tuple[Value, ...]]],
    graph: HyperGraph,
) -> dict[str, tuple[Type, ...]]:
    """For each relation the kinds of its columns: declared, or inferred from the program's facts and rules.

    A column that is neither declared nor inferred is `ANY`, since its facts come from outside.
    """
    types: dict[str, list[Type]] = {}
    for name, relation in relations.items():
        is_open = not (relation.is_declared or relation.has_rules or relation.has_facts)
        types[name] = [
            relation.declared_type(i) if relation.is_declared else ANY if is_open else NEVER for i in range(relation.arity)
        ]
    for predicate, values in facts:
        if not relations[predicate].is_declared:
            types[predicate] = [kinds | {v.kind} for kinds, v in zip(types[predicate], values, strict=True)]
    columns = {name: tuple(kinds) for name, kinds in types.items()}
    for component in graph.components:
        derived = [rules[at] for at in component.rules if not relations[rules[at].head.predicate].is_declared]
        while sum(_widen(rule, columns) for rule in derived):
            pass
    return columns


def _widen(rule: Rule, columns: dict[str, tuple[Type, ...]]) -> bool:
    """Widen the columns of the rule's head by the types that the rule derives; whether they changed."""
    environment = environment_of(rename_locals_apart(rule).body, columns)
    before = columns[rule.head.predicate]
    after = tuple(kinds | type_of(arg, environment) for kinds, arg in zip(before, rule.head.args, strict=True))
    columns[rule.head.predicate] = after
    return after != before
