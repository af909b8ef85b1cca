"""Joins of literals of which some variables are known, one solution at a time.

The order of literals is fixed when a join is made: what is bound first, then what matches the fewest facts.  A search that stops
at the first instance it can use has looked at little more than that instance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tidelog.explain.access import Access, Cell, Row
from tidelog.functions.aggregates import aggregate
from tidelog.functions.evaluate import evaluate
from tidelog.functions.ordering import compare
from tidelog.program.checks.scope import Step
from tidelog.syntax.tree import Aggregate, Atom, Comparison, Constant, Literal, Negation, Term, Variable, names_of
from tidelog.values import Value, integer

Cells = list[Cell]
"""The cells of all variables; those of variables that are not bound yet mean nothing."""
_Run = Callable[[Cells], Iterator[None]]


class Budget:
    """How much may be looked at: `spend` raises `Exhausted` when it is used up."""

    def __init__(self, most: float = float("inf")) -> None:
        self.most, self.spent = most, 0

    def spend(self, access: Access) -> None:
        """Look at one thing more."""
        self.spent += 1
        if self.spent > self.most:
            raise Exhausted
        if not self.spent & 1023:
            access.polled()


class Exhausted(Exception):  # noqa: N818 - nothing is wrong
    """The budget of a search is used up."""


@dataclass(slots=True)
class Group:
    """The bindings that an aggregate has folded."""

    names: tuple[str, ...]
    """The variables of its body."""
    members: list[Row]
    target: str | None
    result: Value | None


class Join:
    """Literals in the order in which they are looked at, some variables being bound."""

    def __init__(self, access: Access, steps: Sequence[Step], bound: Iterable[str], outside: Iterable[str]) -> None:
        """`outside` are the variables that are used outside of these literals."""
        self.access = access
        self.slots: dict[str, int] = {}
        self.order: list[Step] = []
        self._bound = set(bound)
        for name in sorted(self._bound):
            self._slot(name)
        uses = Counter(name for step in steps for name in _names_of(step))
        self._shared = {name for name, count in uses.items() if count > 1} | set(outside)
        self._constants: dict[Value, Cell] = {}
        self._budget = Budget()
        self._runs: list[_Run] = []
        waiting = list(steps)
        while waiting:
            at = min(range(len(waiting)), key=lambda at: self._rank(waiting[at]))
            self._take(waiting.pop(at))

    # --- the order -------------------------------------------------------------------------------------------------------

    def _slot(self, name: str) -> int:
        return self.slots.setdefault(name, len(self.slots))

    def _rank(self, step: Step) -> tuple[int, float]:
        """What comes first: tests, then atoms with few matches, then aggregates, then what nothing binds yet."""
        literal, bound = step.literal, self._bound
        match literal:
            case Comparison(op, left, right):
                if names_of([literal]) <= bound:
                    return 0, 0
                for one, other in ((left, right), (right, left)):
                    if op == "=" and isinstance(one, Variable) and names_of([other]) <= bound:
                        return 0, 1
                return 9, 0
            case Negation(atom):
                return (1, 0) if names_of([atom]) & self._shared <= bound else (9, 0)
            case Atom():
                columns = self._columns(literal)
                count = self.access.likely(literal.predicate, columns)
                return (2 if columns or count <= 1 or not literal.args else 5), count
            case Aggregate():
                return (4, 0) if set(step.groups) <= bound else (6, 0) if not step.is_total else (9, 0)

    def _columns(self, atom: Atom) -> tuple[int, ...]:
        """The columns of an atom that are bound."""
        known = (
            at
            for at, arg in enumerate(atom.args)
            if isinstance(arg, Constant) or (isinstance(arg, Variable) and arg.name in self._bound)
        )
        return tuple(known)

    def _take(self, step: Step) -> None:
        literal = step.literal
        self.order.append(step)
        match literal:
            case Atom():
                self._runs.append(self._match(literal))
                self._bound |= names_of([literal])
            case Negation(atom):
                self._runs.append(self._absent(atom))
            case Comparison():
                self._runs.append(self._compare(literal))
                self._bound |= names_of([literal])
            case Aggregate():
                self._runs.append(self._aggregate(literal, step))
                self._bound |= {*step.groups, *names_of([literal.result])}

    # --- running ---------------------------------------------------------------------------------------------------------

    def solutions(self, cells: Cells, budget: Budget) -> Iterator[Cells]:
        """All ways to make the literals true; `cells` has the values of each in turn."""
        self._budget = budget
        runs, last = self._runs, len(self._runs) - 1
        if not runs:
            yield cells
            return
        stack = [runs[0](cells)]
        while stack:
            for _ in stack[-1]:
                break
            else:
                stack.pop()
                continue
            if len(stack) > last:
                yield cells
                self._budget = budget
            else:
                stack.append(runs[len(stack)](cells))

    def cell_of(self, term: Term, cells: Sequence[Cell]) -> Cell:
        """The cell of a variable or constant."""
        if isinstance(term, Variable):
            return cells[self.slots[term.name]]
        assert isinstance(term, Constant)
        found = self._constants.get(term.value)
        if found is None:
            found = self._constants[term.value] = self.access.cell(term.value)
        return found

    def value_of(self, term: Term, cells: Sequence[Cell]) -> Value | None:
        """The value of a term, or None where it is undefined."""
        return evaluate(term, {name: self.access.value(cells[self.slots[name]]) for name in names_of([term])})

    def _pattern(
        self, atom: Atom, *, binds: bool = True
    ) -> tuple[tuple[int, ...], list[Term], list[tuple[int, int]], list[tuple[int, int]]]:
        """Columns that are bound, with their terms; the first columns of others, with their slots; columns that must be equal."""
        columns = self._columns(atom)
        first: dict[str, int] = {}
        fresh: list[tuple[int, int]] = []
        equal: list[tuple[int, int]] = []
        for at, arg in enumerate(atom.args):
            if at in columns or not isinstance(arg, Variable):
                continue
            if arg.name in first:
                equal.append((first[arg.name], at))
            else:
                first[arg.name] = at
                if binds:
                    fresh.append((at, self._slot(arg.name)))
        return columns, [atom.args[at] for at in columns], fresh, equal

    def _match(self, atom: Atom) -> _Run:
        columns, terms, fresh, equal = self._pattern(atom)
        access, name = self.access, atom.predicate
        is_whole = len(columns) == len(atom.args)

        def run(cells: Cells) -> Iterator[None]:
            key = tuple(self.cell_of(term, cells) for term in terms)
            self._budget.spend(access)
            if is_whole:
                if access.holds(name, key):
                    yield
                return
            for row in access.matching(name, columns, key):
                self._budget.spend(access)
                if all(row[one] == row[other] for one, other in equal):
                    for at, slot in fresh:
                        cells[slot] = row[at]
                    yield

        return run

    def _absent(self, atom: Atom) -> _Run:
        columns, terms, _, equal = self._pattern(atom, binds=False)
        access, name = self.access, atom.predicate
        is_whole = len(columns) == len(atom.args)

        def run(cells: Cells) -> Iterator[None]:
            key = tuple(self.cell_of(term, cells) for term in terms)
            self._budget.spend(access)
            if is_whole:
                if not access.holds(name, key):
                    yield
                return
            for row in access.matching(name, columns, key):
                self._budget.spend(access)
                if all(row[one] == row[other] for one, other in equal):
                    return
            yield

        return run

    def _compare(self, literal: Comparison) -> _Run:
        op, left, right = literal.op, literal.left, literal.right
        for one, other in ((left, right), (right, left)):
            if op == "=" and isinstance(one, Variable) and one.name not in self._bound and names_of([other]) <= self._bound:
                return self._assign(self._slot(one.name), other)

        def run(cells: Cells) -> Iterator[None]:
            first, second = self.value_of(left, cells), self.value_of(right, cells)
            if first is not None and second is not None and compare(op, first, second) is True:
                yield

        return run

    def _assign(self, slot: int, term: Term) -> _Run:
        def run(cells: Cells) -> Iterator[None]:
            value = self.value_of(term, cells)
            if value is not None:
                cells[slot] = self.access.cell(value)
                yield

        return run

    # --- aggregates ------------------------------------------------------------------------------------------------------

    def _aggregate(self, literal: Aggregate, step: Step) -> _Run:
        result = literal.result
        assert isinstance(result, Variable)
        known = [name for name in step.groups if name in self._bound]
        others = [(name, self._slot(name)) for name in step.groups if name not in self._bound]
        is_known = result.name in self._bound or result.name in step.groups
        slot = self._slot(result.name)
        folding = Folding(self.access, literal, step, known)

        def run(cells: Cells) -> Iterator[None]:
            starts = [cells[self.slots[name]] for name in known]
            for key, group in folding.groups(starts, self._budget):
                if group.result is None:
                    continue
                found = self.access.cell(group.result)
                for (_, place), cell in zip(others, key, strict=True):
                    cells[place] = cell
                if is_known:
                    if cells[slot] == found:
                        yield
                else:
                    cells[slot] = found
                    yield

        return run


@dataclass(slots=True)
class Folding:
    """An aggregate whose groups are known in part: the groups there are, and what they fold to."""

    access: Access
    literal: Aggregate
    step: Step
    known: Sequence[str]
    join: Join = field(init=False)

    def __post_init__(self) -> None:
        target = names_of([self.literal.target]) if self.literal.target is not None else set()
        self.join = Join(self.access, self.step.inner, self.known, {*self.step.groups, *target})

    def groups(self, starts: Sequence[Cell], budget: Budget) -> Iterator[tuple[Row, Group]]:
        """Each group, by the cells of the groups' variables that are not known, and what it folds."""
        cells: Cells = [0] * len(self.join.slots)
        for name, cell in zip(self.known, starts, strict=True):
            cells[self.join.slots[name]] = cell
        names = tuple(sorted(self.join.slots))
        places = [self.join.slots[name] for name in names]
        wanted = [self.join.slots[name] for name in self.step.groups if name not in self.known]
        found: dict[Row, dict[Row, None]] = {} if wanted or not self.step.is_total else {(): {}}
        for solution in self.join.solutions(cells, budget):
            group = tuple(solution[at] for at in wanted)
            found.setdefault(group, {})[tuple(solution[at] for at in places)] = None
        for group, members in found.items():
            yield group, self._folded(names, list(members))

    def _folded(self, names: tuple[str, ...], members: list[Row]) -> Group:
        target = self.literal.target
        if isinstance(target, Variable):
            at = names.index(target.name)
            values = [self.access.value(member[at]) for member in members]
            is_empty = not members and self.literal.function not in ("count", "sum")
            return Group(names, members, target.name, None if is_empty else aggregate(self.literal.function, values))
        return Group(names, members, None, integer(len(members)))


def _names_of(step: Step) -> set[str]:
    """The variables of a literal that others may share."""
    literal: Literal = step.literal
    if isinstance(literal, Aggregate):
        return {*step.groups, *names_of([literal.result])}
    return names_of([literal])
