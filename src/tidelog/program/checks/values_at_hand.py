"""Rules that the kinds of the values at hand keep from deriving anything: an int joined with a float, a date below a string.

Nothing is wrong with such a rule: values without an order cannot be compared, functions have no value for those of another kind,
and then a literal does not hold.  But nobody means that for all rows that there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tidelog.errors import Diagnostic
from tidelog.functions.signatures import ANY, COMPARABLE, NEVER, NUMBER, STRING, Type, aggregate_type, type_name
from tidelog.program.checks.types import Environment, environment_of, type_of
from tidelog.source import Span
from tidelog.syntax.printer import Printer
from tidelog.syntax.renaming import rename_locals_apart
from tidelog.syntax.tree import Aggregate, Atom, Call, Comparison, Literal, Rule, Term, Variable, names_of, variables
from tidelog.values import Kind

Columns = Mapping[str, tuple[Type, ...]]
"""The kinds of values in the columns of each relation."""
_IF_TEXTS = "; a file's column is one of texts if one cell is no number: see `null=` of `kb.load`, or declare its type"
_Problem = tuple[str, Span, str]
"""What is wrong, where, and the fix."""


def never_holds(rule: Rule, columns: Columns, printer: Printer, so: str = "the rule derives nothing") -> Diagnostic | None:
    """The literal that no row makes true; None if there is none.  No relation that the rule joins may be empty."""
    apart = rename_locals_apart(rule)
    found = _apart(apart, columns, printer) or _undefined(apart, columns, printer)
    if found is None:
        return None
    message, span, fix = found
    return Diagnostic("TL105", f"{so}: {message}", rule.source, span, fix)


def _apart(rule: Rule, columns: Columns, printer: Printer) -> _Problem | None:
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


def _undefined(rule: Rule, columns: Columns, printer: Printer) -> _Problem | None:
    """A comparison, a function or an aggregate without a value."""
    bound = _bound(rule, columns)
    for literal in (*rule.body, rule.head):
        if (problem := _problem_of(literal, bound, columns, printer)) is not None:
            return problem
    return None


def _bound(rule: Rule, columns: Columns) -> Environment:
    environment = environment_of([literal for literal in rule.body if isinstance(literal, Atom)], columns)
    return environment | {name: kinds for name, kinds in environment_of(rule.body, columns).items() if kinds}


def _problem_of(literal: Literal, bound: Environment, columns: Columns, printer: Printer) -> _Problem | None:
    """Why a comparison or an aggregate has no value for variables of these kinds."""
    if isinstance(literal, Aggregate) and literal.target is not None:
        kinds = type_of(literal.target, environment_of(literal.body, columns))
        if kinds and aggregate_type(literal.function, kinds) == NEVER:
            message = f"{literal.function} has no value for {type_name(kinds)}"
            return message, literal.span, f"aggregate a column of numbers, or `count`{_IF_TEXTS if kinds == STRING else ''}"
    for side in _computed(literal):
        if (call := _without_value(side, bound)) is not None:
            message = f"`{printer.term(call)}` has no value: {_kinds(call, bound, printer)}"
            return message, literal.span, "convert the arguments, or check where they come from"
    if not isinstance(literal, Comparison) or literal.op in ("=", "!="):
        return None
    left, right = type_of(literal.left, bound), type_of(literal.right, bound)
    if any(left & comparable and right & comparable for comparable in COMPARABLE):
        return None
    shown = f"`{printer.term(literal.left)}` is {type_name(left)}, `{printer.term(literal.right)}` is {type_name(right)}"
    hint = _IF_TEXTS if {left, right} & {STRING} and (left | right) & NUMBER else ""
    return f"{shown}, and these have no order", literal.span, f"compare values of one kind, or convert one of them{hint}"


def _computed(literal: Literal) -> tuple[Term, ...]:
    """The terms of a comparison, or the arguments of an atom: what may have to be computed."""
    if isinstance(literal, Comparison):
        return literal.left, literal.right
    return literal.args if isinstance(literal, Atom) else ()


# --- values that some rows have --------------------------------------------------------------------------------------------


class Lack(NamedTuple):
    """A literal that has no value for some rows, and the values of which column are why."""

    message: str
    span: Span
    variable: str
    relation: str
    column: int
    kind: Kind


def can_lack_values(rule: Rule) -> bool:
    """Whether kinds of values matter to a rule: it compares, computes, or aggregates more than a number of rows."""
    return any(
        literal.target is not None
        if isinstance(literal, Aggregate)
        else (isinstance(literal, Comparison) and literal.op not in ("=", "!="))
        or any(isinstance(term, Call) for term in _computed(literal))
        for literal in _all_literals((*rule.body, rule.head))
    )


def lacks_values(rule: Rule, columns: Columns, printer: Printer) -> Lack | None:
    """The first literal without a value for values of one kind, where a column has values of this kind and of others."""
    apart = rename_locals_apart(rule)
    bound = _bound(apart, columns)
    for literal in (*apart.body, apart.head):
        if isinstance(literal, Aggregate):
            found = _lack_of_aggregate(literal, columns, printer)
        else:
            found = _lack(literal, bound, apart.body, columns, printer)
        if found is not None:
            return found
    return None


def _all_literals(body: Iterable[Literal]) -> Iterator[Literal]:
    for literal in body:
        yield literal
        if isinstance(literal, Aggregate):
            yield from literal.body


def _lack_of_aggregate(aggregate: Aggregate, columns: Columns, printer: Printer) -> Lack | None:
    """One value without a number, or without an order, takes its group's result away."""
    inside = environment_of(aggregate.body, columns)
    for literal in aggregate.body:
        if (found := _lack(literal, inside, aggregate.body, columns, printer)) is not None:
            return found
    target = aggregate.target
    for name, kinds in _known([target], inside) if target is not None else ():
        rare = [kind for kind in sorted(kinds) if not _aggregates(aggregate, {**inside, name: frozenset({kind})})]
        if not rare and aggregate.function in ("min", "max") and not any(kinds <= comparable for comparable in COMPARABLE):
            rare = [Kind.STRING] if Kind.STRING in kinds else sorted(kinds)[-1:]  # no order among them
        if rare and (place := _place(name, rare[0], aggregate.body, columns)) is not None:
            message = f"{aggregate.function} has no value for a group in which `{printer.term(Variable(name))}` is {rare[0]}"
            return Lack(message, aggregate.span, name, *place, rare[0])
    return None


def _aggregates(aggregate: Aggregate, inside: Environment) -> bool:
    """Whether an aggregate has a value for variables of these kinds."""
    return aggregate.target is not None and aggregate_type(aggregate.function, type_of(aggregate.target, inside)) != NEVER


def _lack(literal: Literal, bound: Environment, body: Sequence[Literal], columns: Columns, printer: Printer) -> Lack | None:
    """A comparison or function that has no value for some of the kinds of one of its variables."""
    terms = [term for term in _computed(literal) if isinstance(term, Call) or isinstance(literal, Comparison)]
    for name, kinds in _known(terms, bound):
        for kind in sorted(kinds) if len(kinds) > 1 else ():
            narrowed = {**bound, name: frozenset({kind})}
            if _problem_of(literal, narrowed, columns, printer) is None:
                continue
            if (place := _place(name, kind, body, columns)) is not None:
                shown = next((call for call in terms if isinstance(literal, Atom) and name in names_of([call])), literal)
                text = printer.term(shown) if isinstance(shown, Term) else printer.literal(shown)
                what = f"`{text}` has no value where `{printer.term(Variable(name))}` is {kind}"
                return Lack(what, literal.span, name, *place, kind)
    return None


def _known(terms: Iterable[Term], environment: Environment) -> list[tuple[str, Type]]:
    """The variables of terms with the kinds of their values, as far as these are known."""
    found = dict.fromkeys(variable.name for variable in variables(*terms))
    return [(name, kinds) for name in found if 0 < len(kinds := environment.get(name, ANY)) < len(ANY)]


def _place(name: str, kind: Kind, body: Iterable[Literal], columns: Columns) -> tuple[str, int] | None:
    """The relation and the column from which a variable has values of a kind."""
    for literal in body:
        if isinstance(literal, Atom):
            for at, (arg, kinds) in enumerate(zip(literal.args, columns.get(literal.predicate, ()), strict=False)):
                if isinstance(arg, Variable) and arg.name == name and kind in kinds:
                    return literal.predicate, at
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
