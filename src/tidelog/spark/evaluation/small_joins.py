"""A core rule over rows that the driver holds or looks up: joins of matrices, for which no job of Spark is needed.

Values are numbers, as on Spark, and the literals of a body come in the same order. A binding is a column for each variable
that another literal or the head reads. A join that becomes too large is left to Spark.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.core.rules import CoreRule
from tidelog.spark.evaluation.rule_joins import BEFORE, Names, next_literal
from tidelog.syntax.tree import Atom, Comparison, Constant, Literal, Negation, Term, Variable, names_of
from tidelog.values import Value

_MOST_BINDINGS = 500_000
_MANY_TIMES, _BITS = 8, 20
"""Of a side that is so many times larger, only what may be met is sorted; a table of bits says what that is."""

RowsOf = Callable[[int, Mapping[int, Int32s]], Int32s | None]
"""What the atom at a position of the body sees, perhaps without rows that have other values than those of some columns."""


class TooMuchError(Exception):
    """There are more bindings, or rows to read, than the driver should work on."""


@dataclass(slots=True)
class _Binding:
    columns: dict[str, Int32s]
    size: int

    def chosen(self, at: Int64s) -> _Binding:
        """The bindings at some places."""
        return _Binding({name: column[at] for name, column in self.columns.items()}, len(at))


class SmallJoins:
    """Evaluates one rule."""

    def __init__(self, number_of: Callable[[Value], int]) -> None:
        """`number_of` gives the number of a constant."""
        self._number_of = number_of

    def evaluate(self, rule: CoreRule, rows_of: RowsOf, sizes: Mapping[int, int], first: int | None = None) -> Int32s:
        """The facts that a rule derives, perhaps repeated; the atom at position `first` comes first.

        `sizes` says how many facts each atom sees.
        """
        names = Names(rule)
        waiting = dict(enumerate(rule.body))
        binding = _Binding({}, 1)
        while waiting and binding.size:
            at = first if first is not None else next_literal(waiting, set(binding.columns), names, sizes)
            first = None
            binding = self._apply(waiting.pop(at), binding, names, rows_of, at)
        width = max(1, len(rule.head.args))
        if not binding.size:
            return np.empty((0, width), np.int32)
        columns = [self._value(arg, binding) for arg in rule.head.args]
        return np.column_stack(columns) if columns else np.zeros((1, 1), np.int32)

    def _apply(self, literal: Literal, binding: _Binding, names: Names, rows_of: RowsOf, at: int) -> _Binding:
        match literal:
            case Atom():
                return _joined(binding, self._fitting(literal, self._seen(literal, binding, rows_of, at), names))
            case Negation(atom):
                excluded = self._fitting(atom, self._seen(atom, binding, rows_of, at), names)
                shared = [name for name in excluded.columns if name in binding.columns]
                if not shared:
                    return binding if not excluded.size else _Binding(binding.columns, 0)
                mine, others = _keys(binding, excluded, shared)
                return binding.chosen(np.flatnonzero(~np.isin(mine, others)))
            case Comparison(op, left, right):
                missing = names_of([literal]) - set(binding.columns)
                if missing:
                    side, other = (left, right) if isinstance(left, Variable) and left.name in missing else (right, left)
                    assert isinstance(side, Variable)
                    return _Binding({**binding.columns, side.name: self._value(other, binding)}, binding.size)
                one, two = self._value(left, binding), self._value(right, binding)
                return binding.chosen(np.flatnonzero(one < two if op == BEFORE else one == two if op == "=" else one != two))
        raise AssertionError(literal)

    def _seen(self, atom: Atom, binding: _Binding, rows_of: RowsOf, at: int) -> Int32s:
        """What an atom sees that may fit a binding."""
        bound: dict[int, Int32s] = {}
        for place, arg in enumerate(atom.args):
            if isinstance(arg, Constant):
                bound[place] = np.array([self._number_of(arg.value)], np.int32)
            elif isinstance(arg, Variable) and arg.name in binding.columns:
                bound[place] = binding.columns[arg.name]
        rows = rows_of(at, bound)
        if rows is None:
            raise TooMuchError
        return rows

    def _fitting(self, atom: Atom, rows: Int32s, names: Names) -> _Binding:
        """The rows that fit an atom, as bindings of those of its variables that another literal or the head reads."""
        first: dict[str, int] = {}
        fits = np.ones(len(rows), np.bool_)
        for at, arg in enumerate(atom.args):
            if isinstance(arg, Variable):
                if (earlier := first.setdefault(arg.name, at)) != at:
                    fits &= rows[:, at] == rows[:, earlier]
            elif isinstance(arg, Constant):
                fits &= rows[:, at] == self._number_of(arg.value)
        kept = {name: at for name, at in first.items() if names.is_shared(name)}
        if not kept:
            return _Binding({}, int(fits.any()))
        found = rows[fits][:, list(kept.values())]
        if len(kept) < rows.shape[1]:
            found = np.unique(found, axis=0)
        return _Binding({name: found[:, at] for at, name in enumerate(kept)}, len(found))

    def _value(self, term: Term, binding: _Binding) -> Int32s:
        if isinstance(term, Variable):
            return binding.columns[term.name]
        assert isinstance(term, Constant)
        return np.full(binding.size, self._number_of(term.value), np.int32)


def _joined(left: _Binding, right: _Binding) -> _Binding:
    shared = [name for name in right.columns if name in left.columns]
    if not shared:
        _check(left.size * right.size)
        one = np.repeat(np.arange(left.size), right.size)
        other = np.tile(np.arange(right.size), left.size)
    else:
        mine, others = _keys(left, right, shared)
        if left.size * _MANY_TIMES < right.size:
            likely = _likely(others, mine)
            right, others = right.chosen(likely), others[likely]
        order = np.argsort(others, kind="stable")
        begin = np.searchsorted(others[order], mine, "left")
        times = np.searchsorted(others[order], mine, "right") - begin
        total = int(times.sum())
        _check(total)
        one = np.repeat(np.arange(left.size), times)
        within = np.arange(total) - np.repeat(np.cumsum(times) - times, times)
        other = order[np.repeat(begin, times) + within]
    found = left.chosen(one)
    found.columns.update({name: column[other] for name, column in right.columns.items() if name not in left.columns})
    return found


def _likely(keys: Int64s, wanted: Int64s) -> Int64s:
    """Where keys may be among those that are wanted: a test of one bit for each saves sorting them all."""
    bits = np.zeros(1 << _BITS, np.bool_)
    bits[_scattered(wanted)] = True
    return np.flatnonzero(bits[_scattered(keys)])


def _scattered(keys: Int64s) -> Int64s:
    return ((keys.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - _BITS)).view(np.int64)


def _check(bindings: int) -> None:
    if bindings > _MOST_BINDINGS:
        raise TooMuchError


def _keys(left: _Binding, right: _Binding, shared: Sequence[str]) -> tuple[Int64s, Int64s]:
    """The shared columns of both sides as one number for each binding, the same where all of them are."""
    whole = [np.concatenate([left.columns[name], right.columns[name]]).astype(np.int64) for name in shared]
    key = whole[0]
    for at, column in enumerate(whole[1:]):
        if at:
            key = np.unique(key, return_inverse=True)[1].reshape(-1)
        key = (key << 32) | column
    return key[: left.size], key[left.size :]
