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
from tidelog.local.kernel.plan_table import BIND, CHECK
from tidelog.local.planning import ranges
from tidelog.local.planning.mentions import Mentions
from tidelog.local.planning.plan import Plan
from tidelog.local.planning.ranges import Range, is_order, range_of
from tidelog.local.planning.steps import Steps
from tidelog.local.storage.state import State
from tidelog.syntax.tree import Atom, Comparison, Literal, Negation, Variable, names_of

ROW_COUNT_SLACK = 64
"""Row-count slack before replanning: a few rows more or fewer make no other plan."""
FEWEST_ROWS, LONG_CHAIN = 256, 8.0
"""Of several atoms that bind the same variables, the one with the fewest rows is chosen when the plan runs, if all have tables of
so many rows, and if so many of them are expected to share the key of a row."""


def plan(rule: CoreRule, state: State, delta: int | None = None, *, delta_first: bool = False) -> Plan:
    """The plan of a rule: over all facts, or with the delta in place of the atom at position `delta`.

    Atoms before the delta's see the facts before the delta only, so that no instance is found twice.  As a rule the delta comes
    first, since it is small; where it is not, the atom takes its turn like any other, unless `delta_first` says otherwise.
    """
    return _best(rule, state, delta, delta_first=delta_first).assembled()


def plan_backward(rule: CoreRule, state: State, own: frozenset[str]) -> tuple[Plan, BackwardWords]:
    """The backward plan of a rule, which finds the instances that derive a given fact; and the slots of the fact and the body.

    Atoms of the relations in `own` bind all their variables, so that their facts are known; the plan stops at each instance.
    """
    planner, actions = _backward(rule, state, own, in_order=False)
    return planner.assembled(layout.YIELD), BackwardWords([len(rule.head.args), *actions], planner.body_slots(own))


def plan_support(rule: CoreRule, state: State, own: frozenset[str]) -> tuple[Plan, BackwardWords, Plan | None]:
    """As `plan_backward`; and a plan that tests one instance in the same slots, unless a fact has no more than one.

    Both see only rows before `ALL` of the relations in `own`, and some later ones where only a walk could tell.
    """
    searching, actions = _backward(rule, state, own, in_order=True)
    words = BackwardWords([len(rule.head.args), *actions], searching.body_slots(own))
    plan = searching.assembled(layout.YIELD)
    if plan.is_test:
        return plan, words, None
    planner = _Planner(rule, state, None, own, searching.mentions)
    planner.tests_order, planner.slot_of, planner.values = True, searching.slot_of, searching.values
    planner.bound = searching.bound & {name for name in searching.slot_of if isinstance(name, str)}
    planner.order()
    return plan, words, planner.assembled(layout.YIELD)


def plan_instances(rule: CoreRule, state: State, delta: int | None, own: frozenset[str]) -> tuple[Plan, InstanceWords]:
    """A plan that stops at each instance whose head is new, and the slots of the head and of the atoms of relations in `own`."""
    planner = _best(rule, state, delta, own)
    words = InstanceWords([planner.slot(arg) for arg in rule.head.args], planner.body_slots(own))
    return planner.assembled(layout.YIELD), words


def _backward(rule: CoreRule, state: State, own: frozenset[str], *, in_order: bool) -> tuple[_Planner, list[int]]:
    """A rule in the order in which instances are found whose head is known, and how the head is read."""
    planner = _Planner(rule, state, None, own, Mentions.of(rule))
    planner.tests_order = in_order
    actions: list[int] = []
    for column, arg in enumerate(rule.head.args):
        is_new = isinstance(arg, Variable) and arg.name not in planner.bound
        actions += [column, BIND if is_new else CHECK, planner.slot(arg)]
        planner.bound |= names_of([arg])
    planner.order()
    return planner, actions


def literal_order(rule: CoreRule, state: State, delta: int | None = None) -> list[tuple[int, str, float]]:
    """How `plan` would join a body, for people: the place of each literal in turn, how it is matched, and expected bindings."""
    return _best(rule, state, delta, is_shown=True).taken or []


@dataclass(frozen=True, slots=True)
class BackwardWords:
    """How a fact is read into the slots of a backward plan, and which slots hold the facts of its body."""

    head: list[int]
    body: list[tuple[str, list[int]]]


@dataclass(frozen=True, slots=True)
class InstanceWords:
    """Which slots hold the head of an instance, and the facts of its body."""

    head: list[int]
    body: list[tuple[str, list[int]]]


def _best(
    rule: CoreRule,
    state: State,
    delta: int | None,
    own: frozenset[str] = frozenset(),
    *,
    delta_first: bool = False,
    is_shown: bool = False,
) -> _Planner:
    """The order of literals with the lowest expected cost, of those that are tried."""

    def ordered(first: int | None) -> _Planner:
        made = _Planner(rule, state, delta, own, mentions, uses_ranges=not delta_first)
        made.taken = [] if is_shown else None
        made.stops_early = True
        made.order(first)
        return made

    mentions = Mentions.of(rule)
    best = ordered(delta)
    others: list[int | None] = []
    if delta is not None and not delta_first:
        least = _Planner(rule, state, delta, frozenset(), mentions).least_elsewhere()
        others = [None] if best.visited > least else []
    if best.orders and (others or delta is None):  # bounds are the better the more is known, so it matters more what comes first
        others = [None, *(at for at, literal in enumerate(rule.body) if isinstance(literal, Atom) and at != delta)]
    for first in others:
        other = ordered(first)
        if other.visited < best.visited and not other.tests_delta:
            best = other
    return best


class _Planner(Steps):
    """Orders the literals of one rule."""

    bindings, visited = 1.0, 0.0
    """The expected bindings after the steps so far, and their sum over all steps: the cost of the plan."""
    stops_early = False
    """Whether what is derived already need not be found again."""
    taken: list[tuple[int, str, float]] | None = None
    """For people: the literals so far, how each is matched, and the bindings after it."""

    def __init__(
        self,
        rule: CoreRule,
        state: State,
        delta: int | None,
        own: frozenset[str],
        mentions: Mentions,
        *,
        uses_ranges: bool = False,
    ) -> None:
        """`uses_ranges` if ordered indexes may be used: no run of the plan is kept while other rows come."""
        super().__init__(rule, state, delta, own, mentions)
        self.orders = uses_ranges and any(map(is_order, rule.body))
        """Whether there are comparisons that can be bounds."""
        self._waiting: dict[int, Literal] = {}

    def order(self, first: int | None = None) -> None:
        """Place all literals as steps, in greedy order; the one at a position first, if one is given."""
        waiting = self._waiting = dict(enumerate(self.rule.body))
        if first is not None:
            self._take(waiting, first)
        while waiting:
            at, matches = self._ready(waiting), None
            if at is None:
                matches, at = min((self._matches(literal, place), place) for place, literal in waiting.items())
            self._take(waiting, at, matches)
            if self.stops_early and waiting and self.head_names <= self.bound:
                self.stops_early = False
                if any(
                    isinstance(literal, Atom) and not self.mentions.names[at] <= self.bound for at, literal in waiting.items()
                ):
                    self.place_known()

    def body_slots(self, own: frozenset[str]) -> list[tuple[str, list[int]]]:
        """The slots of the arguments of each atom of the relations in `own`, in the order of the body."""
        return [
            (literal.predicate, [self.slot(arg) for arg in literal.args])
            for literal in self.rule.body
            if isinstance(literal, Atom) and literal.predicate in own
        ]

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
        found = self._range(literal, at) if isinstance(literal, Atom) else None
        places = found.places if found is not None else []
        rivals = self._rivals(literal, at) if isinstance(literal, Atom) and found is None else []
        if len(rivals) == 1:
            ((literal, other),) = rivals
            waiting[at] = self.rule.body[at]
            waiting.pop(other)
            at = other
        elif rivals:
            places = [place for _, place in rivals if place != at]
        if self.taken is not None:
            way = self._way(literal, at) + (f", in the order of {found.column + 1}" if found is not None else "")
            way, rest = (f"shortest of {len(rivals)}: {way}", "shortest") if len(rivals) > 1 else (way, "bound")
            self.taken += [(at, way, self.bindings), *((place, rest, self.bindings) for place in places)]
        for place in places:
            del waiting[place]
        if found is not None and isinstance(literal, Atom):
            self.place_range(literal, at, found)
        elif len(rivals) > 1:
            self.place_shortest(rivals)
        else:
            self.place(literal, at)

    def _rivals(self, atom: Atom, place: int) -> list[tuple[Atom, int]]:
        """Other atoms that bind the same variables, and this one: all if the plan is to choose when it runs, or the best."""
        new = self.mentions.names[place] - self.bound
        found = [
            (literal, at)
            for at, literal in [(place, atom), *self._waiting.items()]
            if isinstance(literal, Atom) and self.mentions.names[at] - self.bound == new and self._has_chains(literal, at)
        ]
        if not new or len(found) < 2 or found[0][1] != place:
            return []
        rows = [self._table(literal).rows_a_key(self.known(literal.args)) for literal, _ in found]
        return found if min(rows) >= LONG_CHAIN else [found[rows.index(min(rows))]]

    def _has_chains(self, atom: Atom, place: int) -> bool:
        """Whether the rows of an atom are in chains, some of them perhaps long ones."""
        if place == self.delta or atom.predicate in self.state.virtual or self.is_existence(atom, place):
            return False
        if self.tests_order and atom.predicate in self.own:  # a chosen atom's test is not about order
            return False
        return len(self._table(atom)) >= FEWEST_ROWS and bool(self.known(atom.args))

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

    def _range(self, atom: Atom, place: int) -> Range | None:
        """The range in which an ordered index would find the rows of an atom, if that pays."""
        if not self.orders or not self.steps or atom.predicate in self.state.virtual:
            return None
        found = range_of(atom, self._waiting, self.bound)
        return found if found is not None and self._equal_rows(atom, place) >= ranges.FEWEST_ROWS else None

    def _matches(self, literal: Literal, place: int) -> float:
        """The expected matches of an atom per binding."""
        if not isinstance(literal, Atom):
            return float("inf")  # it needs variables that are not bound yet
        rows, found = self._equal_rows(literal, place), self._range(literal, place)
        return rows if found is None else found.expected(rows)

    def _equal_rows(self, literal: Atom, place: int) -> float:
        """The expected rows of an atom that agree with a binding."""
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
            if self.orders and known:
                return stored.rows_a_key(known)
        return size ** (1 - len(known) / len(literal.args)) if known and size else size
