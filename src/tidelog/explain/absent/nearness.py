"""How near the body of a rule comes to deriving a fact: which of its literals can be true together.

No order of the literals is fixed: of all sets of literals that can be left out, the smallest are wanted whose rest is true.  What
is left out is what fails first in an order that gets furthest.  Literals whose variables nothing binds any more go, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from tidelog.explain.access import Cell, Row
from tidelog.explain.bodies import Body
from tidelog.explain.joins import Budget, Cells, Exhausted, Join
from tidelog.program.checks.scope import Step, schedule
from tidelog.syntax.tree import Aggregate, Atom, Comparison, Literal, Negation, Variable, names_of

_MOST_LEFT_OUT, _LENGTHS = 3, (14, 8)
"""Sets of more literals are not tried, and of longer bodies not even sets of two, and of three."""
_MOST_WAYS = 3
"""So many instances are shown for each set that is left out."""
_EFFORT = 1_000
"""What is looked at for each set that is left out."""


@dataclass(frozen=True, slots=True)
class Near:
    """Literals of a body that are true together, those that are not, and those that could not be looked at."""

    true: tuple[Step, ...]
    failed: tuple[Step, ...]
    unseen: tuple[Step, ...]
    known: dict[str, Cell]
    """The cells of the variables that are bound."""


class Approach:
    """The body of a rule, of which some literals may be left out."""

    def __init__(self, body: Body) -> None:
        self.body, self.access = body, body.access
        self.steps: tuple[Step, ...] = schedule(body.rule.body, body.rule.head.args).steps
        self._head = names_of(body.rule.head.args)
        self._joins: dict[tuple[Step, ...], Join] = {}

    @cached_property
    def _shared(self) -> set[str]:
        """The variables that two literals share, or a literal and the head."""
        found, seen = set(self._head), set[str]()
        for step in self.steps:
            names = _outer_names(step)
            found |= names & seen
            seen |= names
        return found

    def bind(self, row: Row) -> dict[str, Cell] | None:
        """The cells of the variables of the head; None if it cannot be that row."""
        cells = self.body.bind(row)
        return None if cells is None else {name: cells[self.body.join.slots[name]] for name in self._head}

    def nearest(self, start: dict[str, Cell], budget: Budget) -> tuple[list[Near], bool]:
        """What comes nearest, and whether nothing comes nearer for certain."""
        found: list[Near] = []
        is_whole = True
        for parts in self._sets():
            for rest, left, unseen in parts:
                effort = Budget(min(_EFFORT, budget.most - budget.spent))
                try:
                    for count, known in enumerate(self.solutions(rest, start, effort), 1):
                        found.append(Near(rest, left, unseen, known))
                        if count == _MOST_WAYS:
                            break
                except Exhausted:
                    is_whole = False
                budget.spent += effort.spent
            if found:
                return found, is_whole
        return self._grown(start, budget), False

    def _grown(self, start: dict[str, Cell], budget: Budget) -> list[Near]:
        """Literals that are true together, to which none can be added."""
        chosen: tuple[Step, ...] = ()
        known, is_growing = start, True
        while is_growing:
            is_growing = False
            for step in self.steps:
                more = self.that_can_be_looked_at([*chosen, step])
                if step in chosen or step not in more:
                    continue
                effort = Budget(max(_EFFORT, budget.most - budget.spent))
                found = self._first(more, start, effort)
                budget.spent += effort.spent
                if found is not None:
                    chosen, known, is_growing = more, found, True
        others = [step for step in self.steps if step not in chosen]
        seen = self.that_can_be_looked_at(others, list(known))
        failed = tuple(step for step in others if step in seen)
        return [Near(chosen, failed, tuple(step for step in others if step not in seen), known)]

    def _first(self, steps: tuple[Step, ...], start: dict[str, Cell], budget: Budget) -> dict[str, Cell] | None:
        try:
            return next(self.solutions(steps, start, budget), None)
        except Exhausted:
            return None

    def _sets(self) -> Iterator[list[tuple[tuple[Step, ...], tuple[Step, ...], tuple[Step, ...]]]]:
        """What may be left out, the smallest sets first: what is left, what was left out, and what goes with it."""
        by_size: dict[int, dict[frozenset[int], tuple[tuple[Step, ...], tuple[Step, ...], tuple[Step, ...]]]] = {}
        steps = self.steps
        most = min(_MOST_LEFT_OUT - sum(len(steps) > length for length in _LENGTHS), len(steps))
        order = sorted(range(len(steps)), key=lambda at: _precedence(steps[at].literal))
        for count in range(1, most + 1):
            for chosen in combinations(order, count):
                others = [step for at, step in enumerate(steps) if at not in chosen]
                rest = self.that_can_be_looked_at(others)
                gone = frozenset(at for at, step in enumerate(steps) if step not in rest)
                if gone.issuperset(chosen) and gone not in by_size.setdefault(len(gone), {}):
                    left = tuple(steps[at] for at in sorted(chosen))
                    by_size[len(gone)][gone] = rest, left, tuple(step for step in others if step not in rest)
        for size in sorted(by_size):
            yield list(by_size[size].values())

    def that_can_be_looked_at(self, steps: Sequence[Step], bound: Sequence[str] = ()) -> tuple[Step, ...]:
        """The literals that can be evaluated when only some are there, in an order in which they can."""
        known, waiting, found = {*self._head, *bound}, list(steps), list[Step]()
        while ready := [step for step in waiting if self._is_ready(step, known)]:
            for step in ready:
                waiting.remove(step)
                found.append(step)
                if not isinstance(step.literal, Negation):
                    known |= _outer_names(step)
        return tuple(found)

    def _is_ready(self, step: Step, known: set[str]) -> bool:
        match step.literal:
            case Atom():
                return True
            case Negation(atom):
                return names_of([atom]) & self._shared <= known
            case Comparison(op, left, right):
                one_way = isinstance(left, Variable) and names_of([right]) <= known
                other_way = isinstance(right, Variable) and names_of([left]) <= known
                return names_of([step.literal]) <= known or (op == "=" and (one_way or other_way))
            case Aggregate():
                return set(step.groups) <= known or not step.is_total

    # --- solutions -------------------------------------------------------------------------------------------------------

    def join(self, steps: tuple[Step, ...], bound: Sequence[str] = ()) -> Join:
        """The join of some literals when the head is known."""
        if steps not in self._joins or bound:
            made = Join(self.access, steps, {*self._head, *bound}, self._shared)
            if bound:
                return made
            self._joins[steps] = made
        return self._joins[steps]

    def solutions(self, steps: tuple[Step, ...], start: dict[str, Cell], budget: Budget) -> Iterator[dict[str, Cell]]:
        """The bindings that make some literals true."""
        join = self.join(steps, [name for name in start if name not in self._head])
        names = {*start, *(name for step in steps for name in _binds(step))}
        for cells in join.solutions(self._cells(join, start), budget):
            yield {name: cells[join.slots[name]] for name in names if name in join.slots}

    def _cells(self, join: Join, start: dict[str, Cell]) -> Cells:
        cells: Cells = [0] * len(join.slots)
        for name, cell in start.items():
            cells[join.slots[name]] = cell
        return cells


def _outer_names(step: Step) -> set[str]:
    """The variables of a literal that others may share."""
    literal: Literal = step.literal
    if isinstance(literal, Aggregate):
        return {*step.groups, *names_of([literal.result])}
    return names_of([literal])


def _binds(step: Step) -> set[str]:
    """The variables that have values when a literal is true."""
    return set() if isinstance(step.literal, Negation) else _outer_names(step)


def _precedence(literal: Literal) -> int:
    """What is left out first: facts that may be missing, then what tests them."""
    match literal:
        case Atom():
            return 0
        case Negation():
            return 1
        case Comparison():
            return 2
        case Aggregate():
            return 3
