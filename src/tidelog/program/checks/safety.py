"""Safety: a positive atom, an assignment or an aggregate binds every variable of a head, a comparison and a negated atom."""

from __future__ import annotations

from collections.abc import Iterator

from tidelog.errors import Diagnostics
from tidelog.program.checks.scope import Schedule, schedule
from tidelog.program.lowering import is_fresh, lower
from tidelog.syntax.printer import variable as printed
from tidelog.syntax.tree import Aggregate, Atom, Comparison, Fact, Literal, Negation, Rule, Variable, variables
from tidelog.syntax.tree import names_of as names


def schedule_of(rule: Rule) -> Schedule:
    """An evaluation order for a rule as it was written; complete if and only if the rule is safe."""
    lowered = lower(rule)
    return schedule(lowered.body, lowered.head.args)


def check_rule(rule: Rule, diagnostics: Diagnostics) -> None:
    """Report each unbound variable once, at its most telling place."""
    unbound = {name for name in schedule_of(rule).unbound if not is_fresh(name)}
    for name in sorted(unbound):
        code, variable, message, fix = _explain(name, rule)
        diagnostics.add(code, message, rule.source, variable.span, fix=fix)


def check_fact(fact: Fact, diagnostics: Diagnostics) -> None:
    """Report the variables of a clause without a body, which must be ground."""
    for variable in variables(fact.atom):
        shown = printed(variable.name)
        text = f', such as the text `"{shown}"`' if shown[1:].islower() else ""
        fix = f"write a constant{text}, or a rule with a body that binds {shown}"
        if variable.is_anonymous:
            fix = "write a constant"
        diagnostics.add("TL034", f"the fact holds the variable {shown}", fact.source, variable.span, fix=fix)


def _explain(name: str, rule: Rule) -> tuple[str, Variable, str, str | None]:
    """Code, place, message and fix for an unbound variable."""
    shown = printed(name)
    if place := _find(name, rule.head):
        return "TL030", place, f"nothing in the body binds {shown}, which stands in the head", _where_it_stands(name, rule)
    negated = [lit for lit in _literals(rule.body) if isinstance(lit, Negation) and name in names([lit])]
    others = [lit for lit in _literals(rule.body) if isinstance(lit, Comparison) and name in names([lit])]
    if negated and not others:
        place = _find(name, negated[0]) or Variable(name, negated[0].span)
        message = f"nothing binds {shown}, which stands in more than one place, one of them negated"
        return "TL032", place, message, f"add a positive atom with {shown}, or use `_` where any value will do"
    for comparison in others:
        if comparison in rule.body and (place := _find(name, comparison)):
            message = f"nothing binds {shown}, which stands in a comparison"
            fix = f"add a positive atom with {shown}, or bind it: `{shown} = …`"
            return "TL031", place, message, fix if shown != "_" else "write a variable that the body binds"
    for aggregate in rule.body:
        if isinstance(aggregate, Aggregate) and name in names(aggregate.body) | names([aggregate.target or aggregate.result]):
            place = _find(name, aggregate) or Variable(name, aggregate.span)
            message = f"nothing binds {shown}, which the aggregate needs"
            return "TL033", place, message, f"add a positive atom with {shown} inside or outside of the braces"
    for literal in rule.body:
        if place := _find(name, literal):
            message = f"nothing binds {shown}, which stands in an expression"
            fix = f"add a positive atom with {shown}: an expression never binds a variable"
            return "TL031", place, message, fix if shown != "_" else "write a variable that the body binds"
    return "TL031", Variable(name, rule.span), f"nothing binds {shown}", None


def _where_it_stands(name: str, rule: Rule) -> str | None:
    shown = printed(name)
    if any(name in names([lit]) for lit in _literals(rule.body) if isinstance(lit, Negation)):
        return f"a negated atom binds nothing; add a positive atom with {shown}"
    if any(name in names([lit]) for lit in rule.body if isinstance(lit, Comparison)):
        return f"a comparison binds {shown} only as `{shown} = …` with everything on the right bound"
    if name.startswith("_#"):
        return "a head cannot hold `_`; write a constant or a variable of the body"
    bound = sorted({printed(v.name) for v in variables(*(a for a in rule.body if isinstance(a, Atom))) if not v.is_anonymous})
    beside = f", or use what the body binds: {', '.join(bound[:8])}" if bound else ""
    return f"add a positive atom with {shown}{beside}"


def _literals(body: tuple[Literal, ...]) -> Iterator[Literal]:
    """The literals of a body and those inside its aggregates."""
    for literal in body:
        yield literal
        if isinstance(literal, Aggregate):
            yield from _literals(literal.body)


def _find(name: str, literal: Literal) -> Variable | None:
    return next((v for v in variables(literal) if v.name == name), None)
