"""The operators of a query, each over columns of ids.

What has been found so far guides what is asked for next: below `seeds`, an operator may leave out solutions that fit none of
them. That is passed on only where it changes nothing: to both sides of a join, to the left of `OPTIONAL` and `MINUS`, and never
below an aggregate or a limit.
"""

from __future__ import annotations

import numpy as np

from tidelog.sparql.algebra import (
    Bgp,
    Distinct,
    Expression,
    Extend,
    Filter,
    Group,
    Join,
    LeftJoin,
    Minus,
    Node,
    OrderBy,
    Project,
    Slice,
    Table,
    Union,
)
from tidelog.sparql.evaluation.comparing import TRUE, Truths
from tidelog.sparql.evaluation.dataset import Dataset
from tidelog.sparql.evaluation.expressions import Expressions
from tidelog.sparql.evaluation.grouping import grouped
from tidelog.sparql.evaluation.inquiries import Inquiry
from tidelog.sparql.evaluation.patterns import Patterns
from tidelog.sparql.evaluation.solutions import Solutions, distinct, has_match, join, merged, minus, pairs, union
from tidelog.sparql.reading.question import Question
from tidelog.sparql.scopes import is_independent, read_by
from tidelog.sparql.terms import UNBOUND


class Operators:
    """The evaluation of one query over one state."""

    def __init__(self, question: Question, inquiry: Inquiry, dataset: Dataset) -> None:
        self._inquiry = inquiry
        self.patterns = Patterns(inquiry, dataset, question.plans)
        self._prologue = question.prologue
        self._made: Expressions | None = None
        self._outer: Solutions | None = None

    """The solutions for which a pattern inside of `EXISTS` is evaluated: what they bind is bound in each part of it."""

    @property
    def expressions(self) -> Expressions:
        """What evaluates expressions, made when there is one."""
        if self._made is None:
            self._made = Expressions(self._inquiry.terms, self._prologue, self._exists, self._inquiry.watch.poll)
        return self._made

    def solve(self, node: Node, seeds: Solutions | None = None) -> Solutions:
        """The solutions of an operator; those that fit none of `seeds` may be left out."""
        match node:
            case Bgp():
                return self._with_outer(self.patterns.solve(node, seeds))
            case Project(inner, names):
                found = self._without_outer(inner, None if seeds is None else seeds.only(names))
                return self._with_outer(self._projected(found, names))
            case Join(left, right):
                return self._join(left, right, seeds)
            case Filter(condition, inner):
                found = self.solve(inner, seeds)
                return found.take(self.expressions.truths(condition, found) == TRUE)
            case LeftJoin():
                return self._left_join(node, seeds)
            case Union(left, right):
                return union([self.solve(left, seeds), self.solve(right, seeds)])
            case Minus(left, right):
                found = self.solve(left, seeds)
                return minus(found, self.solve(right, _guide(found))) if found.count else found
            case Extend(inner, name, expression):
                below = None if seeds is None else seeds.only(other for other in seeds.columns if other != name)
                found = self.solve(inner, below)
                return found.with_column(name, self.expressions.ids(expression, found))
            case Table(names, rows):
                return self._with_outer(self._table(names, rows))
            case Distinct(inner):
                return distinct(self.solve(inner, seeds))
            case OrderBy(inner, conditions):
                return self._ordered(self.solve(inner, seeds), conditions)
            case Slice(inner, start, length):
                found = self.solve(inner)
                return found.take(np.arange(found.count)[start : None if length is None else start + length])
            case Group(inner):
                return grouped(node, self.solve(inner), self.expressions)

    def _projected(self, found: Solutions, names: tuple[str, ...]) -> Solutions:
        return Solutions(found.count, {name: found.column(name) for name in names})

    def _table(self, names: tuple[str, ...], rows: tuple[tuple[object, ...], ...]) -> Solutions:
        columns = {}
        for at, name in enumerate(names):
            values = [row[at] for row in rows]
            ids = np.full(len(rows), UNBOUND, np.int32)
            bound = [place for place, value in enumerate(values) if value is not None]
            ids[bound] = self._inquiry.terms.encode([values[place] for place in bound])
            columns[name] = ids
        return Solutions(len(rows), columns)

    def _join(self, left: Node, right: Node, seeds: Solutions | None) -> Solutions:
        """Both, the one that asks for least first."""
        if _rank(right) < _rank(left):
            left, right = right, left
        mine = self.solve(left, seeds)
        if not mine.count:
            return mine
        return join(mine, self.solve(right, _guide(mine) or seeds), self._inquiry.ask)

    def _left_join(self, node: LeftJoin, seeds: Solutions | None) -> Solutions:
        mine = self.solve(node.left, seeds)
        if not mine.count:
            return mine
        theirs = self.solve(node.right, _guide(mine))
        lefts, rights = pairs(mine, theirs, self._inquiry.ask)
        found = merged(mine, theirs, lefts, rights)
        if node.condition is not None:
            holds = self.expressions.truths(node.condition, found) == TRUE
            found, lefts = found.take(holds), lefts[holds]
        alone = np.ones(mine.count, np.bool_)
        alone[lefts] = False
        return union([found, mine.take(alone)]) if alone.any() or not found.count else found

    def _ordered(self, found: Solutions, conditions: tuple[tuple[Expression, bool], ...]) -> Solutions:
        keys = []
        for expression, downwards in conditions:
            ranks = self.expressions.comparer.ranks(self.expressions.ids(expression, found))
            keys.append(-ranks if downwards else ranks)
        return found.take(np.lexsort(keys[::-1])) if found.count else found

    # --- EXISTS --------------------------------------------------------------------------------------------------------------

    def _exists(self, node: Node, solutions: Solutions) -> Truths:
        """For each solution whether a pattern has one that fits, with the variables of the solution replaced in it."""
        shared = [name for name in solutions.columns if name in read_by(node)]
        if is_independent(node, shared):
            return has_match(solutions, self.solve(node, _guide(solutions))).astype(np.int8)
        before, self._outer = self._outer, distinct(solutions.only(shared))
        try:
            return has_match(solutions, self.solve(node, _guide(solutions))).astype(np.int8)
        finally:
            self._outer = before

    def _with_outer(self, found: Solutions) -> Solutions:
        """The solutions of a part of a pattern inside of `EXISTS`, with those outside for which it is evaluated."""
        return found if self._outer is None else join(self._outer, found, self._inquiry.ask)

    def _without_outer(self, node: Node, seeds: Solutions | None) -> Solutions:
        """The solutions of a sub-select, in which the variables outside mean nothing."""
        before, self._outer = self._outer, None
        try:
            return self.solve(node, seeds)
        finally:
            self._outer = before


def _guide(found: Solutions) -> Solutions | None:
    """The variables that all solutions bind, to restrict what is asked for next; None if there are none."""
    columns = {name: column for name, column in found.columns.items() if not found.count or column.min() >= 0}
    return Solutions(found.count, columns) if columns else None


def _rank(node: Node) -> int:
    """Where a side of a join has its place: tables first, then patterns."""
    match node:
        case Table():
            return 0
        case Filter(_, inner):
            return _rank(inner)
        case Bgp():
            return 1
    return 2
