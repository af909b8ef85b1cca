"""Sets of explicit facts whose insertion may derive a fact that does not hold.

A body is taken as true but for some atoms, which are assumed: facts that can be given are inserted, others are derived in turn,
to a bounded depth.  Negations and comparisons have to be true as they are.  What is found has still to be tried: an inserted fact
may make a negation false, unless none reads what may follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import combinations, islice, product
from typing import NamedTuple

from tidelog.explain.absent.nearness import Approach
from tidelog.explain.access import Access, Cell, Key, Row
from tidelog.explain.bodies import Body
from tidelog.explain.joins import Budget, Exhausted
from tidelog.program.checks.scope import Step
from tidelog.syntax.tree import Atom, Comparison, Constant, Variable, atoms, calls, names_of, terms
from tidelog.values import from_python, string

MOST_FACTS = 3
"""Facts of a repair."""
_DEEPEST = 4
"""Rule instances one on the other."""
_INSTANCES = 6
"""Instances of a body with some of its atoms assumed that are followed."""
_CHOICES = 12
"""Values that are tried for a variable that nothing binds."""
_ANY = string("x")
"""The value of a variable where nothing says what it could be."""

Facts = frozenset[Key]


class _Uses(NamedTuple):
    """Which relations rules derive from a relation, and which relations are negated or counted."""

    heads: dict[str, set[str]]
    negated: set[str]


class Repairs:
    """Looks for repairs in one state."""

    def __init__(
        self, access: Access, can_be_given: Callable[[str], bool], approach: Callable[[int], Approach], most: float
    ) -> None:
        """`can_be_given` says of which relations users insert facts; `most` is what may be looked at."""
        self.access, self.can_be_given, self._approach = access, can_be_given, approach
        self._budget = Budget(most)
        self._rules: dict[str, list[int]] = {}
        for at, rule in enumerate(access.program.rules):
            self._rules.setdefault(rule.head.predicate, []).append(at)
        self.chosen: dict[Facts, tuple[Cell, ...]] = {}
        """Values in repairs for which others might do."""

    def of_size(self, key: Key, size: int, most: int) -> list[Facts]:
        """Some sets of so many facts, by which the fact may be derived."""
        found: dict[Facts, None] = {}
        self._budget.spent = 0
        try:
            for facts in self._deriving(key, size, frozenset([key])):
                if len(facts) == size:
                    found[facts] = None
                if len(found) == most:
                    break
        except Exhausted:
            pass  # what has been found so far may do
        return list(found)

    def _making(self, key: Key, size: int, above: frozenset[Key]) -> Iterator[Facts]:
        """Sets of at most so many facts that may make another fact hold."""
        if self.can_be_given(key[0]):
            yield frozenset([key])
        if key not in above and len(above) < _DEEPEST:
            yield from self._deriving(key, size, above | {key})

    def _deriving(self, key: Key, size: int, above: frozenset[Key]) -> Iterator[Facts]:
        """Sets of at most so many facts that may let a rule derive another fact."""
        approaches = [self._approach(at) for at in self._rules.get(key[0], ())]
        for count in range(1, size + 1):  # few assumptions first
            for approach in approaches:
                start = approach.bind(key[1])
                if start is None:
                    continue
                places = [at for at, step in enumerate(approach.steps) if isinstance(step.literal, Atom)]
                for assumed in combinations(places, count):
                    yield from self._assuming(approach, assumed, start, size, above)

    def _assuming(
        self, approach: Approach, assumed: tuple[int, ...], start: dict[str, Cell], size: int, above: frozenset[Key]
    ) -> Iterator[Facts]:
        others = [step for at, step in enumerate(approach.steps) if at not in assumed]
        missing = [step.literal for at, step in enumerate(approach.steps) if at in assumed and isinstance(step.literal, Atom)]
        now = approach.that_can_be_looked_at(others)
        later = [step for step in others if step not in now]
        found = 0
        for known in approach.solutions(now, start, self._budget):
            for whole, chosen in self._completed(approach, known, missing, later):
                keys = {(atom.predicate, self._row(atom, whole)) for atom in missing}
                if any(self.access.holds(*key) or key in above for key in keys):
                    continue
                yield from self._together(sorted(keys, key=repr), size, above, chosen)
                found += 1
                if found == _INSTANCES:
                    return

    def _together(self, keys: list[Key], size: int, above: frozenset[Key], chosen: tuple[Cell, ...]) -> Iterator[Facts]:
        """Sets of at most so many facts that make several others hold."""
        if len(keys) == 1:
            sets: Iterable[tuple[Facts, ...]] = ((one,) for one in self._making(keys[0], size, above))
        else:
            sets = product(*(list(islice(self._making(key, size - len(keys) + 1, above), _INSTANCES)) for key in keys))
        for some in sets:
            facts = frozenset[Key]().union(*some)
            if len(facts) <= size:
                self._budget.spend(self.access)
                self.chosen.setdefault(facts, chosen)
                yield facts

    # --- what an insertion may undo --------------------------------------------------------------------------------------

    def only_adds(self, facts: Facts) -> bool:
        """Whether insertions certainly take no fact away: nothing that may follow from them is negated or counted."""
        agenda = list({name for name, _ in facts})
        seen = set(agenda)
        for name in agenda:
            if name in self._uses.negated:
                return False
            for head in self._uses.heads.get(name, ()):
                if head not in seen:
                    seen.add(head)
                    agenda.append(head)
        return True

    @cached_property
    def _uses(self) -> _Uses:
        found = _Uses({}, set())
        for rule in self.access.program.rules:
            for atom, sign in atoms(rule.body):
                found.heads.setdefault(atom.predicate, set()).add(rule.head.predicate)
                if sign != "positive":
                    found.negated.add(atom.predicate)
        return found

    # --- variables that nothing binds ------------------------------------------------------------------------------------

    def _completed(
        self, approach: Approach, known: dict[str, Cell], assumed: list[Atom], later: list[Step]
    ) -> Iterator[tuple[dict[str, Cell], tuple[Cell, ...]]]:
        """A binding with values for the variables of assumed atoms, so that what could not be looked at is true."""
        free = sorted(names_of(assumed) - known.keys())
        if not free and not later:
            yield known, ()
            return
        ways = product(*(self._values(name, assumed, approach, known) for name in free))
        for values in islice(ways, _CHOICES * _CHOICES):
            whole = {**known, **dict(zip(free, values, strict=True))}
            self._budget.spend(self.access)
            steps = approach.that_can_be_looked_at(later, list(whole))
            if len(steps) == len(later) and (not later or any(True for _ in approach.solutions(steps, whole, self._budget))):
                yield whole, values
                return

    def _values(self, name: str, assumed: list[Atom], approach: Approach, known: dict[str, Cell]) -> list[Cell]:
        """Values for a variable: of facts in the columns where it stands, then those that the rule compares with."""
        found: dict[Cell, None] = {}
        for atom in assumed:
            for at, arg in enumerate(atom.args):
                if isinstance(arg, Variable) and arg.name == name:
                    found |= dict.fromkeys(row[at] for row in self.access.some(atom.predicate, (), (), _CHOICES))
        for step in approach.steps:
            if isinstance(step.literal, Comparison) and name in names_of([step.literal]):
                constants = (term.value for term in terms(step.literal) if isinstance(term, Constant))
                found |= dict.fromkeys(map(self.access.cell, constants))
                if any(calls(step.literal)):
                    found |= dict.fromkeys(self._neighbours(known))
        for rule_atom in approach.body.atoms:
            found |= dict.fromkeys(cell for row in self.access.some(rule_atom.predicate, (), (), 1) for cell in row)
        return list(found)[:_CHOICES] or [self.access.cell(_ANY)]

    def _neighbours(self, known: dict[str, Cell]) -> Iterator[Cell]:
        """Integers beside those that are bound: rules count up and down."""
        for content in (self.access.value(cell).content for cell in known.values()):
            if isinstance(content, int) and not isinstance(content, bool):
                yield from (self.access.cell(from_python(content + more)) for more in (-1, 1))

    def _row(self, atom: Atom, known: dict[str, Cell]) -> Row:
        return tuple(
            self.access.cell(arg.value) if isinstance(arg, Constant) else known[arg.name]
            for arg in atom.args
            if isinstance(arg, Constant | Variable)
        )


def approaches_of(access: Access) -> Callable[[int], Approach]:
    """The bodies of rules, made when they are needed."""
    known: dict[int, Approach] = {}

    def approach(at: int) -> Approach:
        if at not in known:
            known[at] = Approach(Body(access.program.rules[at], at, access))
        return known[at]

    return approach
