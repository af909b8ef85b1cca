"""A core rule as joins of DataFrames.

The binding of a body so far is a frame with a column for each variable. Atoms are joined in turn, those that share variables
first; negated atoms are anti-joins; equality and inequality compare numbers, since each value has one. Of two sides of a join
the smaller one is broadcast, if it is small; a handful of new facts is always the smaller one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from tidelog.core.keys import key_of
from tidelog.core.rules import Core, CoreRule
from tidelog.spark.data.frames import FEW_ROWS
from tidelog.syntax.tree import Atom, Comparison, Constant, Literal, Negation, Term, Variable, names_of, terms

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from tidelog.values import Value

FrameOf = Callable[[int, str], "Side"]
"""What the atom at a position of the body sees, given its relation."""
_UNIT = "u"
_LIKELY_FACTOR = 16
"""A join is expected to have no more rows for each one that it started from."""
BEFORE = "#before"
"""A comparison of numbers that are times, not values (`deletion`)."""


@dataclass(slots=True)
class Side:
    """One side of a join: rows, and how many there are at most, where that is known."""

    frame: DataFrame
    count: int | None
    in_order: Callable[[Sequence[str]], DataFrame] | None = None
    """The same rows in the order of some columns, where that is worth it."""
    start: int | None = None
    """Of a join, how many rows it started from."""
    is_distinct: bool = False
    """Whether no row is there twice, for certain."""

    @property
    def is_few(self) -> bool:
        """Whether it may be broadcast."""
        return self.count is not None and self.count <= FEW_ROWS

    def is_smaller(self, other: Side) -> bool:
        """Whether it has certainly fewer rows."""
        return self.count is not None and (other.count is None or self.count < other.count)

    def is_likely_smaller(self, other: Side) -> bool:
        """Whether it should have fewer rows: a join, if it started from a fraction of them."""
        if self.count is not None or self.start is None:
            return self.is_smaller(other)
        return other.count is not None and self.start * _LIKELY_FACTOR < other.count

    def restricted_to(self, frame: DataFrame) -> Side:
        """Some of its rows."""
        return Side(frame, self.count, start=self.start)


class RuleFrames:
    """Evaluates one rule."""

    def __init__(self, spark: SparkSession, number_of: Callable[[Value], int]) -> None:
        """`number_of` gives the number of a constant."""
        self.spark, self.number_of = spark, number_of

    def evaluate(self, rule: CoreRule, frame_of: FrameOf, first: int | None = None, *, is_tiny: bool = False) -> DataFrame:
        """The facts that a rule derives, perhaps repeated; the atom at position `first` comes first.

        `is_tiny` says that bindings are expected to stay few all along.
        """
        names = Names(rule)
        waiting = dict(enumerate(rule.body))
        binding: Side | None = None
        bound: set[str] = set()
        sides = {at: frame_of(at, literal.predicate) for at, literal in waiting.items() if isinstance(literal, Atom)}
        sizes = {at: side.count or 0 for at, side in sides.items()}
        while waiting:
            at = first if first is not None and binding is None else next_literal(waiting, bound, names, sizes)
            literal = waiting.pop(at)
            if isinstance(literal, Atom):
                side = sides[at]
                shared = sorted(names_of([literal]) & bound)
                if shared and side.in_order is not None:
                    side = Side(side.in_order(_places(literal, shared)), side.count)
                side = self._atom(literal, side, names)
                binding = side if binding is None else _joined(binding, side, [names[name] for name in shared], is_tiny=is_tiny)
                bound |= names_of([literal])
            else:
                binding = self._apply(literal, binding or self._one(), bound, names, frame_of, at)
        # A rule that only copies would rename c0 to c0, which Spark leaves out, and then it no longer knows the partitioning of
        # what is kept, since that speaks of the column before: a column with data about itself is not left out.
        of_head = {"relation": rule.head.predicate}
        head = [self._value(arg, names).alias(f"c{at}", metadata=of_head) for at, arg in enumerate(rule.head.args)]
        return (binding or self._one()).frame.select(*(head or [f.lit(0).alias("c0")]))

    def _one(self) -> Side:
        """The binding of no variables."""
        return Side(self.spark.range(1).select(f.lit(0).alias(_UNIT)), 1)

    def _atom(self, atom: Atom, side: Side, names: Names) -> Side:
        """The facts that fit an atom, with a column for each of its variables that another literal or the head reads."""
        first: dict[str, int] = {}
        conditions: list[Column] = []
        for at, arg in enumerate(atom.args):
            if isinstance(arg, Variable):
                if (earlier := first.setdefault(arg.name, at)) != at:
                    conditions.append(f.col(f"c{at}") == f.col(f"c{earlier}"))
            elif isinstance(arg, Constant):
                conditions.append(f.col(f"c{at}") == self.number_of(arg.value))
        frame = side.frame
        for condition in conditions:
            frame = frame.where(condition)
        kept = [f.col(f"c{at}").alias(names[name]) for name, at in first.items() if names.is_shared(name)]
        return Side(frame.select(*(kept or [f.lit(0).alias(_UNIT)])), side.count, is_distinct=len(kept) == len(first))

    def _apply(self, literal: Literal, binding: Side, bound: set[str], names: Names, frame_of: FrameOf, at: int) -> Side:
        match literal:
            case Negation(atom):
                shared = [names[name] for name in sorted(names.needed(atom))]
                excluded = self._atom(atom, frame_of(at, atom.predicate), names)
                if shared:
                    return binding.restricted_to(_without(binding, Side(excluded.frame.select(*shared), excluded.count), shared))
                some = excluded.frame.limit(1).select(f.lit(0).alias("#some"))
                left = binding.frame.join(f.broadcast(some), f.lit(0) == f.col("#some"), "left_anti")
                return binding.restricted_to(left)
            case Comparison(op, left, right):
                missing = names_of([literal]) - bound
                if missing:
                    side, other = (left, right) if isinstance(left, Variable) and left.name in missing else (right, left)
                    assert isinstance(side, Variable)
                    bound.add(side.name)
                    return binding.restricted_to(binding.frame.withColumn(names[side.name], self._value(other, names)))
                one, two = self._value(left, names), self._value(right, names)
                holds = one < two if op == BEFORE else one == two if op == "=" else ~(one == two)
                return binding.restricted_to(binding.frame.where(holds))
        raise AssertionError(literal)

    def _value(self, term: Term, names: Names) -> Column:
        if isinstance(term, Variable):
            return f.col(names[term.name])
        assert isinstance(term, Constant)
        return f.lit(self.number_of(term.value)).cast("int")


class Names:
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


def next_literal(waiting: dict[int, Literal], bound: set[str], names: Names, sizes: Mapping[int, int]) -> int:
    """The literal whose turn it is: a test or an assignment that can be done, else the atom with most bound variables.

    Of several such atoms it is the one with the fewest facts: `path(X, Z) :- path(X, Y), edge(Y, Z)` with X and Z bound has a few
    edges to Z, and very many paths from X.
    """
    for at, literal in waiting.items():
        if isinstance(literal, Comparison) and len(names_of([literal]) - bound) <= int(_assigns(literal)):
            return at
        if isinstance(literal, Negation) and names.needed(literal.atom) <= bound:
            return at
    atoms = {at: literal for at, literal in waiting.items() if isinstance(literal, Atom)}
    return max(atoms, key=lambda at: (len(names_of([atoms[at]]) & bound), -sizes[at], -at))


def _places(atom: Atom, names: Sequence[str]) -> list[str]:
    """The columns in which an atom has some variables."""
    return [f"c{at}" for at, arg in enumerate(atom.args) if isinstance(arg, Variable) and arg.name in names]


def _assigns(comparison: Comparison) -> bool:
    """Whether one side can give the other one its value: not so in `X = X`."""
    return comparison.op == "=" and names_of([comparison.left]).isdisjoint(names_of([comparison.right]))


def _once(literal: Literal) -> Iterable[str]:
    """The variables of a literal, each once; those of a comparison twice, since it always reads them."""
    names = names_of([literal])
    return [*names, *names] if isinstance(literal, Comparison) else names


def _joined(left: Side, right: Side, shared: list[str], *, is_tiny: bool) -> Side:
    """The join on shared columns; of a side that adds no column, only whether it has a row counts."""
    if right.frame.columns == [_UNIT]:
        some = right.frame.limit(1).select(f.lit(0).alias("#some"))
        return left.restricted_to(left.frame.crossJoin(f.broadcast(some)).drop("#some"))
    if left.frame.columns == [_UNIT]:
        some = left.frame.limit(1).select(f.lit(0).alias("#some"))
        return Side(right.frame.crossJoin(f.broadcast(some)).drop("#some"), right.count)
    count = left.count if is_tiny else None
    start = left.start if left.count is None else left.count
    sends_left = left.is_few and left.is_smaller(right)
    is_test = set(right.frame.columns) <= set(shared)
    # A hash join does not say which rows of its table were met; but where each is met once, the join itself does.
    builds_left = not sends_left and not right.is_few and left.is_likely_smaller(right) and (right.is_distinct or not is_test)
    one, other = left.frame, right.frame
    if sends_left:
        one = f.broadcast(one)
    elif right.is_few:
        other = f.broadcast(other)
    elif builds_left:  # to sort both would cost more than a hash table of one
        one = one.hint("shuffle_hash")
    else:
        other = other.hint("shuffle_hash")
    if not shared:
        return Side(one.crossJoin(other), count, start=start)
    if is_test and not sends_left and not builds_left:
        return left.restricted_to(one.join(other, shared, "left_semi"))
    return Side(one.join(other, shared), count, start=start)


def _without(binding: Side, excluded: Side, shared: list[str]) -> DataFrame:
    """The rows of a binding that an excluded relation does not have; of a large one, only what a small binding can meet."""
    if excluded.is_few:
        return binding.frame.join(f.broadcast(excluded.frame), shared, "left_anti")
    if binding.is_few:
        met = excluded.frame.join(f.broadcast(binding.frame.select(*shared)), shared, "left_semi")
        return binding.frame.join(met, shared, "left_anti")
    return binding.frame.join(excluded.frame.hint("shuffle_hash"), shared, "left_anti")


def pivots(core: Core) -> dict[str, tuple[str, ...]]:
    """The columns that each recursive relation's rules pass on unchanged, by which it is best partitioned (Wolfson's pivots).

    A round of `path(X, Z) :- path(X, Y), edge(Y, Z)` leaves every X where it is, so that nothing has to move.
    """
    result: dict[str, tuple[str, ...]] = {}
    for unit in core.units:
        for name in unit.relations:
            heads = [
                (rule, atom) for rule in unit.rules if rule.head.predicate == name for atom in _recursive(rule, unit.relations)
            ]
            same = [
                at
                for at in range(core.arities[name])
                if all(atom.predicate == name and _same_variable(rule.head.args[at], atom.args[at]) for rule, atom in heads)
            ]
            if heads and same:
                result[name] = tuple(f"c{at}" for at in same)
    return result


def _recursive(rule: CoreRule, own: Iterable[str]) -> list[Atom]:
    return [literal for literal in rule.body if isinstance(literal, Atom) and literal.predicate in set(own)]


def _same_variable(one: Term, other: Term) -> bool:
    return isinstance(one, Variable) and isinstance(other, Variable) and one.name == other.name


def constants(core: Core) -> list[str]:
    """The keys of all constants of a program, so that they are numbered at once."""
    literals = [literal for unit in core.units for rule in unit.rules for literal in (rule.head, *rule.body)]
    values = {term.value for literal in literals for term in terms(literal) if isinstance(term, Constant)}
    return sorted(map(key_of, values))
