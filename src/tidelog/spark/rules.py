"""A core rule as joins of DataFrames.

The binding of a body so far is a frame with a column for each variable. Atoms are joined in turn, those that share variables
first; negated atoms are anti-joins; equality and inequality compare numbers, since each value has one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from tidelog.local.core import CoreRule
from tidelog.syntax.tree import Atom, Comparison, Constant, Literal, Negation, Term, Variable, names_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from tidelog.values import Value

FrameOf = Callable[[int, str], "DataFrame"]
"""The frame that the atom at a position of the body sees, given its relation."""
_UNIT = "u"


class RuleFrames:
    """Evaluates one rule."""

    def __init__(self, spark: SparkSession, number_of: Callable[[Value], int]) -> None:
        """`number_of` gives the number of a constant."""
        self.spark, self.number_of = spark, number_of

    def evaluate(self, rule: CoreRule, frame_of: FrameOf, first: int | None = None) -> DataFrame:
        """The facts that a rule derives, perhaps repeated; the atom at position `first` comes first."""
        names = _Names(rule)
        waiting = dict(enumerate(rule.body))
        binding: DataFrame | None = None
        bound: set[str] = set()
        while waiting:
            at = self._next(waiting, bound, names, first if binding is None else None)
            literal = waiting.pop(at)
            if isinstance(literal, Atom):
                frame = self._atom(literal, frame_of(at, literal.predicate), names)
                shared = sorted(names_of([literal]) & bound)
                binding = frame if binding is None else _joined(binding, frame, [names[name] for name in shared])
                bound |= names_of([literal])
            else:
                binding = self._apply(literal, binding if binding is not None else self._one(), bound, names, frame_of, at)
        binding = binding if binding is not None else self._one()
        head = [self._value(arg, names).alias(f"c{at}") for at, arg in enumerate(rule.head.args)]
        return binding.select(*(head or [f.lit(0).alias("c0")]))

    def _one(self) -> DataFrame:
        """The binding of no variables."""
        return self.spark.range(1).select(f.lit(0).alias(_UNIT))

    def _next(self, waiting: dict[int, Literal], bound: set[str], names: _Names, first: int | None) -> int:
        """The literal whose turn it is: a test or an assignment that can be done, else the atom with most bound variables."""
        if first is not None:
            return first
        for at, literal in waiting.items():
            if isinstance(literal, Comparison) and len(names_of([literal]) - bound) <= int(literal.op == "="):
                return at
            if isinstance(literal, Negation) and names.needed(literal.atom) <= bound:
                return at
        atoms = {at: literal for at, literal in waiting.items() if isinstance(literal, Atom)}
        return max(atoms, key=lambda at: (len(names_of([atoms[at]]) & bound), -at))

    def _atom(self, atom: Atom, frame: DataFrame, names: _Names) -> DataFrame:
        """The facts that fit an atom, with a column for each of its variables that somebody else asks for."""
        first: dict[str, int] = {}
        conditions: list[Column] = []
        for at, arg in enumerate(atom.args):
            if isinstance(arg, Variable):
                if (earlier := first.setdefault(arg.name, at)) != at:
                    conditions.append(f.col(f"c{at}") == f.col(f"c{earlier}"))
            elif isinstance(arg, Constant):
                conditions.append(f.col(f"c{at}") == self.number_of(arg.value))
        for condition in conditions:
            frame = frame.where(condition)
        kept = [f.col(f"c{at}").alias(names[name]) for name, at in first.items() if names.is_shared(name)]
        return frame.select(*(kept or [f.lit(0).alias(_UNIT)]))

    def _apply(
        self, literal: Literal, binding: DataFrame, bound: set[str], names: _Names, frame_of: FrameOf, at: int
    ) -> DataFrame:
        match literal:
            case Negation(atom):
                shared = [names[name] for name in sorted(names.needed(atom))]
                excluded = self._atom(atom, frame_of(at, atom.predicate), names)
                if shared:
                    return binding.join(excluded.select(*shared), shared, "left_anti")
                some = excluded.limit(1).select(f.lit(0).alias("#some"))
                return binding.join(f.broadcast(some), f.lit(0) == f.col("#some"), "left_anti")
            case Comparison(op, left, right):
                missing = names_of([literal]) - bound
                if missing:
                    side, other = (left, right) if isinstance(left, Variable) and left.name in missing else (right, left)
                    assert isinstance(side, Variable)
                    bound.add(side.name)
                    return binding.withColumn(names[side.name], self._value(other, names))
                same = self._value(left, names) == self._value(right, names)
                return binding.where(same if op == "=" else ~same)
        raise AssertionError(literal)

    def _value(self, term: Term, names: _Names) -> Column:
        if isinstance(term, Variable):
            return f.col(names[term.name])
        assert isinstance(term, Constant)
        return f.lit(self.number_of(term.value)).cast("int")


class _Names:
    """Column names for the variables of a rule, and who uses them."""

    def __init__(self, rule: CoreRule) -> None:
        literals = (rule.head, *rule.body)
        self._uses = Counter(name for literal in literals for name in _once(literal))
        self._names = {name: f"v{at}" for at, name in enumerate(sorted(self._uses))}

    def __getitem__(self, name: str) -> str:
        return self._names[name]

    def is_shared(self, name: str) -> bool:
        """Whether another literal, or the head, has the variable too."""
        return self._uses[name] > 1

    def needed(self, atom: Atom) -> set[str]:
        """The variables of a negated atom that are not existential in it."""
        return {name for name in names_of([atom]) if self._uses[name] > 1}


def _once(literal: Literal) -> Iterable[str]:
    """The variables of a literal, each once; those of a comparison are always asked for."""
    names = names_of([literal])
    return [*names, *names] if isinstance(literal, Comparison) else names


def _joined(left: DataFrame, right: DataFrame, shared: list[str]) -> DataFrame:
    """The join on shared columns; a side that brings no new column is only asked whether it has a row."""
    if right.columns == [_UNIT]:
        return left.crossJoin(f.broadcast(right.limit(1).select(f.lit(0).alias("#some")))).drop("#some")
    if left.columns == [_UNIT]:
        return right.crossJoin(f.broadcast(left.limit(1).select(f.lit(0).alias("#some")))).drop("#some")
    if not shared:
        return left.crossJoin(right)
    return left.join(right, shared, "left_semi" if set(right.columns) <= set(shared) else "inner")
