"""Plans for people: in which order the body of a rule is joined, over all facts and for each change."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from tidelog.core.rules import GIVEN, Aggregation, CoreRule, FunctionCalls, Operator, positive_atoms
from tidelog.local.planning.join_order import literal_order
from tidelog.local.storage.state import State
from tidelog.report.costs import ProfiledRule
from tidelog.report.plan import JoinPlan, PlannedLiteral
from tidelog.syntax.printer import Printer
from tidelog.syntax.tree import Atom, Literal, Negation, names_of

Count = Callable[[tuple[Literal, ...], list[str]], int | None]
"""How many bindings of some variables make a body true; None if there are too many to count."""


class PlanReport:
    """The plans of rules over a state."""

    def __init__(self, state: State, printer: Printer, count: Count | None = None) -> None:
        """With `count`, bindings are counted, too."""
        self._state, self._printer, self._count = state, printer, count

    def of_rule(self, rule: CoreRule, operators: Mapping[str, Operator], shown: ProfiledRule) -> Iterator[JoinPlan]:
        """The plan over all facts, and one for a change of each atom."""
        yield JoinPlan(shown, None, tuple(self._literals(rule, operators)))
        for at, name in positive_atoms(rule):
            if name.startswith("#") and not name.startswith(GIVEN):
                continue  # an operator fills it: what it reads changes
            order = literal_order(rule, self._state, at)
            literals = (PlannedLiteral(self._text(rule.body[place], operators), way, expected) for place, way, expected in order)
            yield JoinPlan(shown, self._text(rule.body[at], operators), tuple(literals))

    def _literals(self, rule: CoreRule, operators: Mapping[str, Operator]) -> Iterator[PlannedLiteral]:
        body: tuple[Literal, ...] = ()
        counted: int | None = 0
        for at, way, expected in literal_order(rule, self._state):
            body = (*body, rule.body[at])
            if self._count is None:
                yield PlannedLiteral(self._text(rule.body[at], operators), way, expected)
                continue
            if counted is not None:  # once there are too many, what comes later is not counted either
                counted = self._count(body, sorted(_needed(body, rule)))
            yield PlannedLiteral(self._text(rule.body[at], operators), way, expected, counted)

    def _text(self, literal: Literal, operators: Mapping[str, Operator]) -> str:
        """A literal as users write it, also where the core form has an operator's relation."""
        atom = literal.atom if isinstance(literal, Negation) else literal
        if not isinstance(atom, Atom) or not atom.predicate.startswith("#"):
            return _named(self._printer.literal(literal))
        if atom.predicate.startswith(GIVEN):
            return self._text(Atom(atom.predicate.removeprefix(GIVEN), atom.args), operators)
        match operators.get(atom.predicate):
            case FunctionCalls(function):
                name = function
            case Aggregation(function):
                name = f"{function} of the group "
            case _:  # a rule of the same part makes it, with a value for groups that have no rows, too
                functions = {operator.function for operator in operators.values() if isinstance(operator, Aggregation)}
                name = f"{functions.pop() if len(functions) == 1 else 'aggregate'} of the group "
        *args, result = (_named(self._printer.term(arg)) for arg in atom.args)
        return f"{result} = {name}({', '.join(args)})"


def _named(text: str) -> str:
    """Variables that the core form has added, under names that can be read."""
    return re.sub(r"\?#v (\d+)", r"_\1", text)


def _needed(body: tuple[Literal, ...], rule: CoreRule) -> set[str]:
    """The variables that some literals bind, without those that occur nowhere else."""
    rest = [rule.head, *rule.body]
    bound = {name for literal in body if not isinstance(literal, Negation) for name in names_of([literal])}
    return {name for name in bound if sum(name in names_of([literal]) for literal in rest) > 1}
