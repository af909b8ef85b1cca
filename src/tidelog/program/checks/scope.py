"""Scheduling of a rule body: an order in which its literals can be evaluated, or the variables that nothing binds.

`schedule` takes a lowered rule.  The order decides safety only: it exists if and only if the rule is safe, and
no result depends on it.

An aggregate groups by the variables it shares with the rest of the rule: with the head, with literals outside of any
aggregate, or with the result of an aggregate.  It is *total* if the rest of the rule binds all of them (then `count` and
`sum` of nothing are 0); otherwise it is *partial* and ranges over the groups that exist.  Which of the two it is depends on
sets of literals alone, never on the order in which they are written.  Aggregates become total as long as any can.  Where none
can, all those that wait neither for an aggregate's result nor for an assignment from results and groups of
waiting aggregates become partial, together, and so on.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tidelog.syntax.renaming import names_inside, names_outside
from tidelog.syntax.tree import Aggregate, Atom, Comparison, Literal, Negation, Term, Variable
from tidelog.syntax.tree import names_of as names


@dataclass(frozen=True, slots=True)
class Step:
    """One literal in evaluation order."""

    literal: Literal
    binds: Variable | None = None
    """For `X = e` that binds X: the variable.  `literal` then has X on the left."""
    inner: tuple[Step, ...] = ()
    """For an aggregate: the order of its body, once the groups that the rest of the rule binds are bound."""
    groups: tuple[str, ...] = ()
    """For an aggregate: the names of the variables it groups by."""
    is_total: bool = False
    """For an aggregate: whether the rest of the rule binds all groups."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The steps of a rule, and the unbound variables if there is no order for all of its literals."""

    steps: tuple[Step, ...]
    unbound: frozenset[str] = frozenset()


def schedule(body: Sequence[Literal], head: Sequence[Term] = ()) -> Schedule:
    """An evaluation order for a lowered body; it must bind the head's variables."""
    return _Scheduler(body, names(head)).run()


class _Scheduler:
    """Takes literals as their variables become bound; each variable has a list of waiting literals, so the cost is linear."""

    def __init__(self, body: Sequence[Literal], head: set[str], given: Iterable[str] = ()) -> None:
        self.body, self.head = body, head
        self.outside = names_outside(body, head)
        self.bound: set[str] = set()
        self.steps: list[Step] = []
        uses = Counter(name for literal in body for name in names([literal]))
        self.waiting = dict(enumerate(body))
        self.missing = [self._needs(literal, uses) for literal in body]
        self.waiters: dict[str, list[int]] = defaultdict(list)
        for at, needed in enumerate(self.missing):
            for name in needed:
                self.waiters[name].append(at)
        self.ready = deque(at for at in self.waiting if self._is_ready(at))
        self._bind(given)

    def _needs(self, literal: Literal, uses: Counter[str]) -> set[str]:
        """The variables that must be bound before the literal can be evaluated."""
        match literal:
            case Atom():
                return set()
            case Negation(atom):
                return {name for name in names([atom]) if uses[name] > 1 or name in self.head}
            case Aggregate():
                return self._groups(literal)
        return names([literal])

    def _groups(self, aggregate: Aggregate) -> set[str]:
        return names_inside(aggregate) & self.outside

    def run(self) -> Schedule:
        while self.ready or self._partial_aggregates():
            while self.ready:
                at = self.ready.popleft()
                if at in self.waiting:
                    self._take(at)
        unbound = self.head - self.bound
        causes: dict[str, list[set[str]]] = defaultdict(list)
        for at, literal in self.waiting.items():
            blamed = set(self._inner(literal).unbound) if isinstance(literal, Aggregate) else self.missing[at]
            unbound |= blamed
            for name in self._would_bind(literal):
                causes[name].append(blamed - {name})
        for name in sorted(unbound):
            if any(others and others <= unbound - {name} for others in causes[name]):
                unbound.discard(name)  # it is bound as soon as the others are
        return Schedule(tuple(self.steps), frozenset(unbound))

    def _would_bind(self, literal: Literal) -> set[str]:
        """The variables that a literal binds once everything else in it is bound."""
        match literal:
            case Aggregate(result):
                return names([result])
            case Comparison("=", left, right):
                sides = ((left, right), (right, left))
                return {side.name for side, other in sides if isinstance(side, Variable) and side.name not in names([other])}
        return set()

    def _bind(self, new: Iterable[str]) -> None:
        for name in sorted(set(new) - self.bound):  # sorted, so that the order is the same every time
            self.bound.add(name)
            for at in self.waiters.pop(name, ()):
                self.missing[at].discard(name)
                if at in self.waiting and self._is_ready(at):
                    self.ready.appendleft(at)  # tests first: they make later joins smaller

    def _is_ready(self, at: int) -> bool:
        return not self.missing[at] or self._assigned(at) is not None

    def _assigned(self, at: int) -> tuple[Variable, Term] | None:
        """For `X = e` or `e = X` that lacks nothing but X: X and e."""
        literal = self.body[at]
        if len(self.missing[at]) == 1 and isinstance(literal, Comparison) and literal.op == "=":
            for variable, term in ((literal.left, literal.right), (literal.right, literal.left)):
                if isinstance(variable, Variable) and variable.name in self.missing[at] - names([term]):
                    return variable, term
        return None

    def _take(self, at: int) -> None:
        literal = self.body[at]
        if isinstance(literal, Aggregate):
            step = self._aggregate_step(literal, is_total=True)
            if step is not None:
                del self.waiting[at]
                self.steps.append(step)
                self._bind(names([literal.result]))
            return
        del self.waiting[at]
        assigned = self._assigned(at)
        if assigned is not None:
            variable, term = assigned
            self.steps.append(Step(Comparison("=", variable, term, literal.span), binds=variable))
            self._bind([variable.name])
        else:
            self.steps.append(Step(literal))
            if isinstance(literal, Atom):
                self._bind(names([literal]))

    def _partial_aggregates(self) -> bool:
        """Take all aggregates that wait for no other's result, or all of them if each waits for another one."""
        aggregates = {at: a for at, a in self.waiting.items() if isinstance(a, Aggregate) and self.missing[at]}
        coming = self._coming(aggregates)
        free = [at for at in aggregates if not self.missing[at] & coming]
        taken = self._partial_steps(free, aggregates) or self._partial_steps(aggregates, aggregates)
        for at, step in taken:
            del self.waiting[at]
            self.steps.append(step)
        for at, step in taken:
            self._bind({*step.groups, *names([aggregates[at].result])})
        return bool(taken)

    def _partial_steps(self, places: Iterable[int], aggregates: Mapping[int, Aggregate]) -> list[tuple[int, Step]]:
        found = ((at, self._aggregate_step(aggregates[at], is_total=False)) for at in places)
        return [(at, step) for at, step in found if step is not None]

    def _coming(self, aggregates: Mapping[int, Aggregate]) -> set[str]:
        """The results of waiting aggregates, and what assignments compute from their results and groups."""
        coming = {name for a in aggregates.values() for name in names([a.result])} - self.bound
        known = coming.union(*(self.missing[at] for at in aggregates))
        frontier = list(known)
        while frontier:
            for at in self.waiters.get(frontier.pop(), ()):
                for variable in self._would_bind(self.body[at]) if isinstance(self.body[at], Comparison) else ():
                    if variable not in coming and self.missing[at] - {variable} <= known:
                        coming.add(variable)
                        if variable not in known:
                            known.add(variable)
                            frontier.append(variable)
        return coming

    def _inner(self, aggregate: Aggregate) -> Schedule:
        """The aggregate's body, scheduled from the groups that are bound by now."""
        groups = self._groups(aggregate)
        needed = names([aggregate.target] if aggregate.target else []) | groups
        return _Scheduler(aggregate.body, needed, groups & self.bound).run()

    def _aggregate_step(self, aggregate: Aggregate, *, is_total: bool) -> Step | None:
        """The aggregate with its body in order, or None if its body stays unsafe."""
        inner = self._inner(aggregate)
        if inner.unbound:
            return None
        return Step(aggregate, inner=inner.steps, groups=tuple(sorted(self._groups(aggregate))), is_total=is_total)
