"""Rules that the kinds of the values at hand keep from deriving anything: an int joined with a float, a date below a string.

Nothing is wrong with such a rule: values without an order cannot be compared, functions have no value for those of another kind,
and then a literal does not hold.  But nobody means that for all rows that there are.
"""

from __future__ import annotations

from collections.abc import Mapping

from tidelog.errors import Diagnostic
from tidelog.functions.signatures import ANY, COMPARABLE, NEVER, Type, aggregate_type, type_name
from tidelog.program.checks.types import Environment, environment_of, type_of
from tidelog.source import Span
from tidelog.syntax.printer import Printer
from tidelog.syntax.renaming import rename_locals_apart
from tidelog.syntax.tree import Aggregate, Atom, Call, Comparison, Rule, Term, Variable, variables

Columns = Mapping[str, tuple[Type, ...]]
"""The kinds of values in the columns of each relation."""


def never_holds(rule: Rule, columns: Columns, printer: Printer) -> Diagnostic | None:
    """The literal that no row makes true; None if there is none.  No relation that the rule joins may be empty."""
    apart = rename_locals_apart(rule)
    found = _apart(apart, columns, printer) or _undefined(apart, columns, printer)
    if found is None:
        return None
    message, span, fix = found
    return Diagnostic("TL105", f"the rule derives nothing: {message}", rule.source, span, fix)


def _apart(rule: Rule, columns: Columns, printer: Printer) -> tuple[str, Span, str] | None:
    """A variable whose values are of other kinds in one atom than in another."""
    seen: dict[str, tuple[Type, Atom]] = {}
    for atom in rule.body:
        if not isinstance(atom, Atom):
            continue
        for arg, kinds in zip(atom.args, columns.get(atom.predicate, ()), strict=False):
            if not isinstance(arg, Variable):
                continue
            before, where = seen.get(arg.name, (ANY, atom))
            if not before & kinds:
                name, one, two = printer.term(arg), printer.predicate(where.predicate), printer.predicate(atom.predicate)
                message = (
                    f"`{name}` is {type_name(before)} in `{one}` and {type_name(kinds)} in `{two}`, and these are never the same"
                )
                return message, atom.span, "convert one of them where it is loaded, or in a rule: `int`, `float`, `string`"
            seen[arg.name] = before & kinds, atom
    return None


def _undefined(rule: Rule, columns: Columns, printer: Printer) -> tuple[str, Span, str] | None:
    """A comparison, a function or an aggregate without a value."""
    environment = environment_of([literal for literal in rule.body if isinstance(literal, Atom)], columns)
    bound = environment | {name: kinds for name, kinds in environment_of(rule.body, columns).items() if kinds}
    for literal in rule.body:
        if isinstance(literal, Aggregate) and literal.target is not None:
            inside = environment_of(literal.body, columns)
            kinds = type_of(literal.target, inside)
            if kinds and aggregate_type(literal.function, kinds) == NEVER:
                message = f"{literal.function} has no value for {type_name(kinds)}"
                return message, literal.span, "aggregate a column of numbers, or `count`"
        if not isinstance(literal, Comparison):
            continue
        for side in (literal.left, literal.right):
            if (call := _without_value(side, bound)) is not None:
                message = f"`{printer.term(call)}` has no value: {_kinds(call, bound, printer)}"
                return message, literal.span, "convert the arguments, or check where they come from"
        if literal.op in ("=", "!="):
            continue
        left, right = type_of(literal.left, bound), type_of(literal.right, bound)
        if not any(left & comparable and right & comparable for comparable in COMPARABLE):
            shown = f"`{printer.term(literal.left)}` is {type_name(left)}, `{printer.term(literal.right)}` is {type_name(right)}"
            return f"{shown}, and these have no order", literal.span, "compare values of one kind, or convert one of them"
    return None


def _without_value(term: Term, environment: Environment) -> Call | None:
    """The innermost function of a term that has no value."""
    if not isinstance(term, Call):
        return None
    for arg in term.args:
        if (inner := _without_value(arg, environment)) is not None:
            return inner
    return term if type_of(term, environment) == NEVER else None


def _kinds(call: Call, environment: Environment, printer: Printer) -> str:
    """The kinds of the variables of a term, in words."""
    names = dict.fromkeys(variable.name for variable in variables(call))
    return ", ".join(f"{printer.term(Variable(name))} is {type_name(environment.get(name, ANY))}" for name in names) or "never"
