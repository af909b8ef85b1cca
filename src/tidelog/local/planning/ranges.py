"""Ranges: which comparisons bound a column of an atom, so that an ordered index finds its rows.

A comparison bounds a variable of the atom if its other side is known before; a search is exact, so the step takes its place.
Where an equality leaves few rows, a walk along their chain is quicker than a search.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from tidelog.local.kernel import range_search
from tidelog.syntax.tree import Atom, Comparison, Literal, Term, Variable, names_of

FEWEST_ROWS = 16.0
"""Where fewer rows are expected before the bounds are looked at, they are tested one by one."""
_SHARE_OF_HALF, _POWER_BETWEEN = 1 / 3, 1 / 2
"""What is expected of one bound, and of two: intervals tend to be short."""
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Bound:
    """One side of a range."""

    place: int
    """Where the comparison stands in the body."""
    form: int
    """As `kernel.range_search` names them."""
    term: Term


@dataclass(frozen=True, slots=True)
class Range:
    """The values of a column that comparisons leave."""

    column: int
    low: Bound | None
    high: Bound | None

    @property
    def places(self) -> list[int]:
        """Where its comparisons stand."""
        return [bound.place for bound in (self.low, self.high) if bound is not None]

    def expected(self, rows: float) -> float:
        """How many of so many rows it leaves, as far as one can tell."""
        both = self.low is not None and self.high is not None
        return float(rows**_POWER_BETWEEN if both else rows * _SHARE_OF_HALF)


def is_order(literal: Literal) -> bool:
    """Whether a literal can be a bound."""
    return isinstance(literal, Comparison) and literal.op in _TURNED


def range_of(atom: Atom, waiting: Mapping[int, Literal], bound: Set[str]) -> Range | None:
    """The range of an atom's variables with most bounds among the comparisons that wait; None if there is none."""
    lows, highs = dict[str, Bound](), dict[str, Bound]()
    columns = {arg.name: at for at, arg in reversed(list(enumerate(atom.args))) if isinstance(arg, Variable)}
    for place, literal in waiting.items():
        if not isinstance(literal, Comparison) or literal.op not in _TURNED:
            continue
        for side, other, op in (
            (literal.left, literal.right, literal.op),
            (literal.right, literal.left, _TURNED[literal.op]),
        ):
            if isinstance(side, Variable) and side.name in columns and side.name not in bound and names_of([other]) <= bound:
                form = range_search.INCLUSIVE if op.endswith("=") else range_search.EXCLUSIVE
                (highs if op.startswith("<") else lows).setdefault(side.name, Bound(place, form, other))
    found = [Range(columns[name], lows.get(name), highs.get(name)) for name in dict.fromkeys((*lows, *highs))]
    return max(found, key=lambda one: len(one.places), default=None)
