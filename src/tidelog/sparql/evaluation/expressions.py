"""Expressions over columns of ids.

Comparisons, `&&`, `||`, `!` and tests of kinds are computed column by column, with the three truth values of SPARQL.  Functions
and arithmetic are those of rdflib, evaluated once for each combination of values that occurs; what is compared inside of them has
been computed before, and stands there as a variable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from tidelog.core.arrays import Int32s
from tidelog.sparql.algebra import Expression, Node
from tidelog.sparql.evaluation.arithmetic import calculate
from tidelog.sparql.evaluation.comparing import (
    ERROR,
    FALSE,
    TRUE,
    Compared,
    Comparer,
    Sort,
    Truths,
    both,
    either,
    is_bound,
    negated,
    truths_of,
)
from tidelog.sparql.evaluation.solutions import Solutions, groups_of
from tidelog.sparql.expression_trees import is_columnar, names_read
from tidelog.sparql.terms import UNBOUND, term_of, value_of
from tidelog.values import Kind, Value, boolean

_ZERO = Value(Kind.INT, 0)
_NODES = frozenset((Sort.BLANK, Sort.IRI))
_SORTS = {
    "Builtin_isIRI": frozenset((Sort.IRI,)),
    "Builtin_isURI": frozenset((Sort.IRI,)),
    "Builtin_isBLANK": frozenset((Sort.BLANK,)),
    "Builtin_isLITERAL": frozenset(Sort) - _NODES,
    "Builtin_isNUMERIC": frozenset((Sort.NUMBER,)),
}
"""The sorts of values for which a test holds."""


def _are_of(sorts: frozenset[Sort], values: Sequence[Compared]) -> list[int]:
    return [int(value.sort in sorts) for value in values]


class Expressions:
    """The expressions of one query."""

    def __init__(self, terms: Any, prologue: Any, exists: Callable[[Node, Solutions], Truths], poll: Callable[[], None]) -> None:
        """`exists` says for each solution whether a pattern has one that fits."""
        from rdflib.plugins.sparql.sparql import QueryContext

        self.terms, self._exists, self._poll = terms, exists, poll
        self.comparer = Comparer(terms)
        self._context = QueryContext(initBindings={})
        self._context.prologue = prologue
        self._written: dict[int, Any] = {}

    def truths(self, expression: Expression, solutions: Solutions) -> Truths:
        """For each solution whether a condition holds."""
        return self._truths(expression.tree, self._with_parts(expression, solutions))

    def ids(self, expression: Expression, solutions: Solutions) -> Int32s:
        """For each solution the value of an expression; -1 if it has none."""
        return self._ids(expression.tree, self._with_parts(expression, solutions))

    def _with_parts(self, expression: Expression, solutions: Solutions) -> Solutions:
        """The solutions, and a column for each part of an expression that is computed by itself."""
        for name, node in expression.exists.items():
            solutions = solutions.with_column(name, self._boolean(self._exists(node, solutions)))
        for name, tree in expression.parts.items():
            solutions = solutions.with_column(name, self._ids(tree, solutions))
        return solutions

    def _boolean(self, truths: Truths) -> Int32s:
        no, yes = self.terms.encode([boolean(False), boolean(True)])
        ids: Int32s = np.select([truths == TRUE, truths == FALSE], [yes, no], UNBOUND).astype(np.int32)
        return ids

    # --- conditions ----------------------------------------------------------------------------------------------------------

    def _truths(self, tree: Any, solutions: Solutions) -> Truths:
        match getattr(tree, "name", None):
            case "ConditionalAndExpression":
                found = self._truths(tree.expr, solutions)
                for other in tree.other or ():
                    found = both(found, self._truths(other, solutions))
                return found
            case "ConditionalOrExpression":
                found = self._truths(tree.expr, solutions)
                for other in tree.other or ():
                    found = either(found, self._truths(other, solutions))
                return found
            case "UnaryNot":
                return negated(self._truths(tree.expr, solutions))
            case "TrueFilter":
                return np.full(solutions.count, TRUE, np.int8)
            case "RelationalExpression":
                return self._relation(tree, solutions)
            case "Builtin_BOUND":
                return is_bound(solutions.column(str(tree.arg))).astype(np.int8)
            case "Builtin_sameTerm":
                left, right = self._ids(tree.arg1, solutions), self._ids(tree.arg2, solutions)
                return np.where(is_bound(left) & is_bound(right), left == right, ERROR).astype(np.int8)
            case str(name) if name in _SORTS:
                return self._by_value(self._ids(tree.arg, solutions), partial(_are_of, _SORTS[name]))
        return self._by_value(self._ids(tree, solutions), truths_of)

    def _by_value(self, ids: Int32s, test: Callable[[Sequence[Compared]], Sequence[int]]) -> Truths:
        """A condition on one value, for each value once; what is not bound is an error."""
        distinct, places = np.unique(ids, return_inverse=True)
        bound = distinct[distinct >= 0]
        truths = np.full(len(distinct), ERROR, np.int8)
        if len(bound):
            truths[len(distinct) - len(bound) :] = test(self.comparer.of(bound))
        return truths[places.reshape(-1)]

    def _relation(self, tree: Any, solutions: Solutions) -> Truths:
        left = self._ids(tree.expr, solutions)
        if tree.op not in ("IN", "NOT IN"):
            return self.comparer.compare(tree.op, left, self._ids(tree.other, solutions))
        found = np.full(solutions.count, FALSE, np.int8)
        for other in tree.other if isinstance(tree.other, list | tuple) else ():
            found = either(found, self.comparer.compare("=", left, self._ids(other, solutions)))
        return found if tree.op == "IN" else negated(found)

    # --- values --------------------------------------------------------------------------------------------------------------

    def _ids(self, tree: Any, solutions: Solutions) -> Int32s:
        if isinstance(tree, Value):
            return np.full(solutions.count, self.terms.encode([tree])[0], np.int32)
        kind = type(tree).__name__
        if kind == "Variable":
            return solutions.column(str(tree))
        if kind in ("Literal", "URIRef"):
            return np.full(solutions.count, self.terms.encode([value_of(tree)])[0], np.int32)
        if (name := getattr(tree, "name", None)) in ("AdditiveExpression", "MultiplicativeExpression"):
            return self._calculated(tree, solutions)
        if name == "UnaryMinus":
            return calculate("-", self._ids(_ZERO, solutions), self._ids(tree.expr, solutions), self.comparer, self.terms)
        return self._boolean(self._truths(tree, solutions)) if is_columnar(tree) else self._computed(tree, solutions)

    def _calculated(self, tree: Any, solutions: Solutions) -> Int32s:
        """Sums and products; of what is no number, such as a duration, those of rdflib."""
        found = self._ids(tree.expr, solutions)
        for op, other in zip(tree.op, tree.other, strict=True):
            found = calculate(op, found, self._ids(other, solutions), self.comparer, self.terms)
        missing = found == UNBOUND
        if missing.any() and tree.name == "AdditiveExpression":
            some = solutions.take(missing)
            kinds = (Sort.NUMBER, Sort.STRING, Sort.IRI, Sort.BLANK, Sort.BOOLEAN, Sort.TAGGED)
            ids = self._ids(tree.expr, some)
            of_others = np.array([at >= 0 and one.sort not in kinds for at, one in self._sorted(ids)], np.bool_)
            if of_others.any():
                found[np.flatnonzero(missing)[of_others]] = self._computed(tree, some.take(of_others))
        return found

    def _sorted(self, ids: Int32s) -> list[tuple[int, Compared]]:
        bound = np.where(ids >= 0, ids, 0)
        return list(zip(ids.tolist(), self.comparer.of(bound), strict=True))

    def _computed(self, tree: Any, solutions: Solutions) -> Int32s:
        """The values of an expression that rdflib evaluates, for each combination of the values that it reads."""
        read, is_for_each = names_read(tree)
        names = sorted(name for name in read if name in solutions.columns)
        columns = [solutions.columns[name] for name in names]
        if is_for_each:
            first, places = np.arange(solutions.count), np.arange(solutions.count)
        else:
            first, places = groups_of(columns, solutions.count)
        results = np.full(len(first), UNBOUND, np.int32)
        rows = zip(*(column[first].tolist() for column in columns), strict=True) if columns else iter([()] * len(first))
        for at, row in enumerate(rows):
            if at % 1000 == 999:
                self._poll()
            found = self._evaluated(tree, names, row)
            if found is not None:
                results[at] = self.terms.encode([value_of(found)])[0]
        return results[places]

    def _evaluated(self, tree: Any, names: Sequence[str], row: Sequence[int]) -> Any:
        """The term that an expression of rdflib gives for some values; None if that is an error."""
        from rdflib import Literal, Variable
        from rdflib.plugins.sparql.sparql import FrozenBindings, SPARQLError
        from rdflib.term import Identifier

        bindings = {Variable(name): self._term(at) for name, at in zip(names, row, strict=True) if at >= 0}
        try:
            found = tree.eval(FrozenBindings(self._context, bindings))
        except (SPARQLError, ArithmeticError, ValueError, TypeError, AttributeError, LookupError):
            return None
        if isinstance(found, bool):
            found = Literal(found)
        return found if isinstance(found, Identifier) and not isinstance(found, Variable) else None

    def _term(self, at: int) -> Any:
        found = self._written.get(at)
        if found is None:
            found = self._written[at] = term_of(self.terms.values_of(np.array([at], np.int32))[0])
        return found
