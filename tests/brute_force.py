"""A second opinion on the reference: tries every assignment of constants to variables.

It shares the syntax tree, the functions and the strata with the reference, and nothing of how bodies are ordered and joined.
Programs may not compute values other than aggregates, since an assignment can only try constants that are there.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tidelog.functions.aggregates import aggregate
from tidelog.functions.ordering import compare
from tidelog.program.program import Program
from tidelog.syntax.tree import (
    Aggregate,
    Atom,
    Comparison,
    Constant,
    Literal,
    Negation,
    Rule,
    Term,
    Variable,
    names_of,
    variables,
)
from tidelog.values import TRUE, Value

Row = tuple[Value, ...]
Facts = dict[str, set[Row]]


def materialise(program: Program) -> Facts:
    """All facts that follow."""
    facts: Facts = {name: set() for name in program.relations}
    for predicate, row in program.facts:
        facts[predicate].add(row)
    for stratum in sorted(set(program.graph.strata.values())):
        rules = [rule for rule in program.rules if program.graph.strata[rule.head.predicate] == stratum]
        grown = True
        while grown:
            grown = False
            for rule in rules:
                grown = _apply(rule, facts, _domain(program, facts)) or grown
    return facts


def _domain(program: Program, facts: Facts) -> list[Value]:
    constants = {c.value for rule in program.rules for lit in (rule.head, *rule.body) for c in _constants(lit)}
    return sorted(constants | {value for rows in facts.values() for row in rows for value in row}, key=repr)


def _constants(literal: Literal) -> Iterator[Constant]:
    match literal:
        case Atom(_, args) | Negation(Atom(_, args)):
            yield from (arg for arg in args if isinstance(arg, Constant))
        case Comparison(_, left, right):
            yield from (side for side in (left, right) if isinstance(side, Constant))
        case Aggregate():
            for inner in literal.body:
                yield from _constants(inner)


def _apply(rule: Rule, facts: Facts, domain: list[Value]) -> bool:
    """Add what the rule derives; whether anything was new."""
    results = names_of(lit.result for lit in rule.body if isinstance(lit, Aggregate))
    outside = names_of([rule.head]) | names_of(lit.result if isinstance(lit, Aggregate) else lit for lit in rule.body)
    positive = names_of(lit for lit in rule.body if isinstance(lit, Atom))
    tried = sorted(outside & (positive | _groups(rule, outside)) - results)
    new = set()
    for values in product(domain, repeat=len(tried)):
        binding = dict(zip(tried, values, strict=True))
        for lit in rule.body:
            if isinstance(lit, Aggregate) and not _add_result(lit, binding, outside, positive, facts, domain):
                break
        else:
            if all(_true(lit, binding, facts, domain) for lit in rule.body):
                new.add(tuple(_value(arg, binding) for arg in rule.head.args))
    grown = not new <= facts[rule.head.predicate]
    facts[rule.head.predicate] |= new
    return grown


def _groups(rule: Rule, outside: set[str]) -> set[str]:
    return {name for lit in rule.body if isinstance(lit, Aggregate) for name in names_of(lit.body) & outside}


def _add_result(
    literal: Aggregate, binding: dict[str, Value], outside: set[str], positive: set[str], facts: Facts, domain: list[Value]
) -> bool:
    groups = names_of(literal.body) & outside
    local = sorted(names_of(literal.body) - groups)
    rows = []
    for values in product(domain, repeat=len(local)):
        inner = {**{name: binding[name] for name in groups}, **dict(zip(local, values, strict=True))}
        if all(_true(lit, inner, facts, domain) for lit in literal.body):
            rows.append(inner)
    is_total = groups <= positive
    if not rows and not (is_total and literal.function in ("count", "sum")):
        return False
    target = literal.target
    result = aggregate(literal.function, [_value(target, row) if target else TRUE for row in rows])
    name = next(variables(literal.result)).name
    if result is None:
        return False
    return binding.setdefault(name, result) == result


def _true(literal: Literal, binding: dict[str, Value], facts: Facts, domain: list[Value]) -> bool:
    match literal:
        case Atom(predicate, args):
            return tuple(_value(arg, binding) for arg in args) in facts[predicate]
        case Negation(atom):
            free = sorted(names_of([atom]) - set(binding))
            return not any(
                _true(atom, {**binding, **dict(zip(free, values, strict=True))}, facts, domain)
                for values in product(domain, repeat=len(free))
            )
        case Comparison(op, left, right):
            return compare(op, _value(left, binding), _value(right, binding)) is True
    return True


def _value(term: Term, binding: dict[str, Value]) -> Value:
    if isinstance(term, Constant):
        return term.value
    assert isinstance(term, Variable)
    return binding[term.name]
