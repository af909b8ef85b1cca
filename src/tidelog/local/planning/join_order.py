"""Join order: the literals of a rule in an order chosen by bound columns and measured selectivity.

The planner is greedy.  A literal that is only a test comes at once.  Of the atoms, the one with the fewest expected matches
under the bound columns comes next.  The estimate is the selectivity of the index on these columns, if there is one (rows per
distinct key), and follows from the size of the table otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

from tidelog.core.rules import CoreRule
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.kernel import layout
from tidelog.local.kernel.join import BIND, CHECK
from tidelog.local.planning.plan import Plan
from tidelog.local.planning.steps import Mentions, Steps
from tidelog.local.storage.state import State
from tidelog.syntax.tree import Atom, Comparison, Literal, Negation, Variable, names_of

ROW_COUNT_SLACK = 64
"""Row-count slack before replanning: a few rows more or fewer make no other plan."""


def plan(rule: CoreRule, state: State, delta: int | None = None, *, delta_first: bool = False) -> Plan:
    """The plan of a rule: over all facts, or with the delta in place of the atom at position `delta`.

    Atoms before the delta's see the facts before the delta only, so that no instance is found twice.  As a rule the delta comes
    first, since it is small; where it is not, the atom takes its turn like any other, unless `delta_first` says otherwise.
    """
    mentions = Mentions.of(rule)
    planner = _Planner(rule, state, delta, frozenset(), mentions)
    least = planner.least_elsewhere() if delta is not None and not delta_first else float("inf")
    planner.order(delta_first=delta is not None)
    if planner.visited > least:
        other = _Planner(rule, state, delta, frozenset(), mentions)
        other.order()
        if other.visited < planner.visited and not other.tests_delta:
            planner = other
    return planner.assembled()


def plan_backward(rule: CoreRule, state: State, own: frozenset[str]) -> tuple[Plan, BackwardWords]:
    """The backward plan of a rule, which finds the instances that derive a given fact; and the slots of the fact and the body.

    Atoms of the relations in `own` bind all their variables, so that their facts are known; the plan stops at each instance.
    """
    planner = _Planner(rule, state, None, own, Mentions.of(rule))
    actions: list[int] = []
    for column, arg in enumerate(rule.head.args):
        is_new = isinstance(arg, Variable) and arg.name not in planner.bound
        actions += [column, BIND if is_new else CHECK, planner.slot(arg)]
        planner.bound |= names_of([arg])
    planner.order()
    body = [
        (literal.predicate, [planner.slot(arg) for arg in literal.args])
        for literal in rule.body
        if isinstance(literal, Atom) and literal.predicate in own
    ]
    return planner.assembled(layout.YIELD), BackwardWords([len(rule.head.args), *actions], body)


def literal_order(rule: CoreRule, state: State, delta: int | None = None) -> list[tuple[int, str, float]]:
    """How `plan` would join a body, for people: the place of each literal in turn, how it is matched, and expected bindings."""
    planner = _Planner(rule, state, delta, frozenset(), Mentions.of(rule))
    planner.taken = []
    planner.order(delta_first=delta is not None)
    return planner.taken


@dataclass(frozen=True, slots=True)
class BackwardWords:
    """How a fact is read into the slots of a backward plan, and which slots hold the facts of its body."""

    head: list[int]
    body: list[tuple[str, list[int]]]


class _Planner(Steps):
    """Orders the literals of one rule."""

    bindings, visited = 1.0, 0.0
    """The expected bindings after the steps so far, and their sum over all steps: the cost of the plan."""
    taken: list[tuple[int, str, float]] | None = None
    """For people: the literals so far, how each is matched, and the bindings after it."""

    def order(self, *, delta_first: bool = False) -> None:
        """Place all literals as steps, in greedy order."""
        waiting = dict(enumerate(self.rule.body))
        if delta_first and self.delta is not None:
            self._take(waiting, self.delta)
        while waiting:
            at, matches = self._ready(waiting), None
            if at is None:
                matches, at = min((self._matches(literal, place), place) for place, literal in waiting.items())
            self._take(waiting, at, matches)

    def least_elsewhere(self) -> float:
        """A lower bound on the bindings of a plan that starts with another atom than the delta's; before `order`."""
        body = dict(enumerate(self.rule.body))
        if self._ready(body) is not None:
            return 0.0
        return min((self._matches(literal, at) for at, literal in body.items() if at != self.delta), default=float("inf"))

    def _take(self, waiting: dict[int, Literal], at: int, matches: float | None = None) -> None:
        literal = waiting.pop(at)
        if isinstance(literal, Atom):
            if matches is not None or not self.is_existence(literal, at):
                self.bindings *= self._matches(literal, at) if matches is None else matches
            self.visited += self.bindings
        if self.taken is not None:
            self.taken.append((at, self._way(literal, at), self.bindings))
        self.place(literal, at)

    def _way(self, literal: Literal, at: int) -> str:
        """How a literal is matched under the variables bound so far, in words."""
        if isinstance(literal, Comparison):
            missing = names_of([literal]) - self.bound
            return "compute" if missing and self.assigned(literal, missing) is not None else "test"
        if not isinstance(literal, Atom):
            return "no match"
        known = self.known(literal.args)
        if len(known) == len(literal.args):
            return "look up"
        if literal.predicate in self.state.virtual:
            return "successors" if known == [0] else "predecessors" if known == [1] else "all pairs"
        if self.is_existence(literal, at):
            return "one match is enough"
        if at == self.delta and not self.steps:
            return "what has changed"
        return f"index on {', '.join(str(place + 1) for place in known)}" if known else "all rows"

    def _ready(self, waiting: dict[int, Literal]) -> int | None:
        """The position of a literal that is only a test now, or an assignment."""
        bound, names = self.bound, self.mentions.names
        for at, literal in waiting.items():
            if isinstance(literal, Atom):
                if names[at] <= bound or self.is_existence(literal, at):
                    return at
            elif isinstance(literal, Negation):
                if self.mentions.needed[at] <= bound:
                    return at
            elif isinstance(literal, Comparison):
                missing = names[at] - bound
                if not missing or self.assigned(literal, missing) is not None:
                    return at
        return None

    def _matches(self, literal: Literal, place: int) -> float:
        """The expected matches of an atom per binding."""
        if not isinstance(literal, Atom):
            return float("inf")  # it needs variables that are not bound yet
        known = tuple(self.known(literal.args))
        stored = self.state.stored(literal.predicate)
        if isinstance(stored, VirtualRelation):
            size = float(stored.estimated_size)
        else:
            span = self.span(place)
            size = float(stored.length_of(layout.WHOLE if span == layout.BEFORE else span))
            if not known and self.steps:  # a few rows more make a difference to all that was bound before
                return size + ROW_COUNT_SLACK
            if not known:  # what was there before the delta may be nothing now, and almost all when the plan is used again
                return float(stored.length_of(span)) or size
            if size == 0:
                return size
            if distinct := stored.distinct_keys(known):
                return size / distinct
        return size ** (1 - len(known) / len(literal.args)) if known and size else size
