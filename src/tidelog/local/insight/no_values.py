"""Functions that have no value for any of the values at hand, although kinds are as they should be: `int("n/a")`, `X / 0`."""

from __future__ import annotations

from collections.abc import Iterator

from tidelog.errors import Diagnostic
from tidelog.functions.evaluate import evaluate
from tidelog.local.engine import LocalEngine
from tidelog.local.storage.tables import Table
from tidelog.syntax.printer import Printer
from tidelog.syntax.tree import Atom, Call, Comparison, Constant, Rule, Term, Variable, names_of
from tidelog.values import Value

_MOST_ROWS = 10_000
"""So many rows are looked at; where none of them has a value, it is worth a warning."""


def no_value_of_any(rule: Rule, engine: LocalEngine, printer: Printer, so: str = "the rule derives nothing") -> Diagnostic | None:
    """The first function of a rule that has no value for any fact of the relation that its arguments come from."""
    for literal in (*rule.body, rule.head):
        terms = (
            (literal.left, literal.right)
            if isinstance(literal, Comparison)
            else literal.args
            if isinstance(literal, Atom)
            else ()
        )
        for term in terms:
            if isinstance(term, Call) and (found := _never(term, rule, engine)) is not None:
                call, atom, binding, count = found
                values = ", ".join(f"{printer.term(Variable(name))} = {printer.value(value)}" for name, value in binding.items())
                rows = "the only fact" if count == 1 else f"any of {count:,} facts"
                message = f"{so}: `{printer.term(call)}` has no value for {rows} of `{printer.predicate(atom.predicate)}`"
                if values:
                    message += f", such as {values}"
                return Diagnostic("TL105", message, rule.source, literal.span, "check the arguments, and where they come from")
    return None


def _never(term: Call, rule: Rule, engine: LocalEngine) -> tuple[Call, Atom, dict[str, Value], int] | None:
    """The innermost call that is never defined, the atom that binds its variables, a binding of them, and how many there are."""
    for arg in term.args:
        if isinstance(arg, Call) and (inner := _never(arg, rule, engine)) is not None:
            return inner
    names = names_of([term])
    for atom in rule.body:
        if names and isinstance(atom, Atom) and names <= {arg.name for arg in atom.args if isinstance(arg, Variable)}:
            found, count = None, 0
            for binding in _bindings(atom, names, engine):
                if evaluate(term, binding) is not None:
                    return None
                found, count = found or binding, count + 1
            return None if found is None else (term, atom, found, count)
    return None


def _bindings(atom: Atom, names: set[str], engine: LocalEngine) -> Iterator[dict[str, Value]]:
    """The values of variables in the facts that fit an atom."""
    stored = engine.stored(atom.predicate)
    if not isinstance(stored, Table):
        return
    values_of = engine.state.terms.values_of
    for row in stored.rows[:_MOST_ROWS]:
        values = values_of(row)
        bound: dict[str, Value] = {}
        if all(_fits(arg, value, bound) for arg, value in zip(atom.args, values, strict=True)):
            yield {name: bound[name] for name in names}


def _fits(arg: Term, value: Value, bound: dict[str, Value]) -> bool:
    if isinstance(arg, Variable):
        return bound.setdefault(arg.name, value) == value
    return not isinstance(arg, Constant) or arg.value == value
