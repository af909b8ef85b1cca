"""Queries: a body without a head, checked like the body of a rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tidelog.arguments import shown, wrong
from tidelog.errors import Diagnostics, did_you_mean, fail
from tidelog.program import relations
from tidelog.program.checks import safety
from tidelog.program.checks.declared_columns import coerce_rule
from tidelog.program.checks.type_checks import TypeChecker
from tidelog.program.relations import Relation
from tidelog.source import Source
from tidelog.syntax.parser import parse_query
from tidelog.syntax.printer import Printer
from tidelog.syntax.renaming import with_values
from tidelog.syntax.tree import Aggregate, Atom, Document, Literal, Rule, atoms, names_of, variables
from tidelog.values import Value, from_python

ANSWER = "#answer"
"""The head of the rule that a query stands for."""


@dataclass(frozen=True, slots=True)
class Query:
    """A checked query: its body, and the names of its variables in the order of their first occurrence."""

    body: tuple[Literal, ...]
    names: tuple[str, ...]


def check_query(
    text: str, known: Mapping[str, Relation], prefixes: dict[str, str], values: Mapping[str, object] | None = None
) -> Query:
    """The query in a text, or one `TidelogError` with everything that is wrong in it.

    `values` has Python values of some of its variables; these are no part of the answer then.
    """
    source, diagnostics = Source(as_text(text), "<query>"), Diagnostics()
    body = parse_query(source, diagnostics, prefixes)
    diagnostics.raise_errors()
    if values:
        body = with_values(body, {name: _value_of(name, given, body) for name, given in values.items()})
    printer = Printer(prefixes)
    for atom, _ in atoms(body):
        relation = known.get(atom.predicate)
        if relation is None:
            fix = did_you_mean(atom.predicate, known)
            diagnostics.add("TL073", f"there is no relation `{printer.predicate(atom.predicate)}`", source, atom.span, fix=fix)
        elif relation.arity != len(atom.args):
            here = "1 argument" if len(atom.args) == 1 else f"{len(atom.args)} arguments"
            message = f"`{printer.predicate(atom.predicate)}` has {here} here, and {relation.arity} in the program"
            fix = f"its columns are {', '.join(relation.column_names)}; write `_` for one that does not matter"
            diagnostics.add("TL020", message, source, atom.span, fix=fix)
    diagnostics.raise_errors()
    question = Rule(Atom(ANSWER, ()), body, source=source)
    relations.check_names(Document((question,), source=source), diagnostics)
    safety.check_rule(question, diagnostics)
    with_answer = {**known, ANSWER: Relation(ANSWER, 0)}
    TypeChecker(with_answer, diagnostics, printer.predicate).check_rule(question)
    diagnostics.raise_errors()
    return Query(coerce_rule(question, with_answer).body, _answered(question))


def _value_of(name: str, given: object, body: tuple[Literal, ...]) -> Value:
    if name not in (there := names_of(body)):
        variables = sorted(variable for variable in there if not variable.startswith("_#"))
        fix = did_you_mean(name, variables) or f"it has {', '.join(variables) or 'none'}"
        raise fail("TL074", f"the query has no variable {name} for {name}={shown(given)}", fix=fix)
    return from_python(given)


def as_text(given: object) -> str:
    """The text of a query; anything else is refused."""
    if not isinstance(given, str):
        raise wrong("a query", given, "give a text: `path(a, X), X != b`")
    return given


def _answered(question: Rule) -> tuple[str, ...]:
    """The variables that an answer binds: those that are not local to a negation or an aggregate."""
    bound: set[str] = set()
    for step in safety.schedule_of(question).steps:
        match step.literal:
            case Atom():
                bound |= names_of([step.literal])
            case Aggregate(result):
                bound |= {*step.groups, *names_of([result])}
            case _ if step.binds is not None:
                bound.add(step.binds.name)
    return tuple(dict.fromkeys(v.name for v in variables(*question.body) if v.name in bound and not v.is_anonymous))
