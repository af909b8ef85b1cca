"""From a rule to a join plan: an order for its literals, chosen by bound columns and measured sizes, and code for the kernel.

Greedy, as usual: what can be tested is tested at once; of the atoms the one comes next that is expected to match fewest rows
under what is bound by then. How many that is comes from the index on these columns if there is one (rows by distinct keys),
and from the size of the table otherwise.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from tidelog.local.core import CoreRule
from tidelog.local.expressions import COMPARISONS, postfix
from tidelog.local.kernel import layout
from tidelog.local.kernel.join import BIND, CHECK, services
from tidelog.local.plans import Plan, Walk
from tidelog.local.state import State
from tidelog.local.tables import Table
from tidelog.local.virtual import VirtualRelation
from tidelog.syntax.tree import Atom, Call, Comparison, Constant, Literal, Negation, Term, Variable, names_of

_ASKING = (layout.NODES, layout.FORWARD, layout.BACKWARD, layout.HAS_PAIR, layout.LACKS_PAIR, layout.NO_PAIR)


def plan(rule: CoreRule, state: State, delta: int | None = None, *, delta_first: bool = False) -> Plan:
    """The plan of a rule: over all facts, or with the delta in place of the atom at position `delta`.

    Atoms before the delta's see the facts before the delta only, so that no instance is found twice.  As a rule the delta comes
    first, since it is small; where it is not, the atom takes its turn like any other, unless `delta_first` says otherwise.
    """
    planner = _Planner(rule, state, delta)
    planner.order(delta_first=delta is not None)
    if delta is not None and not delta_first and sum(isinstance(literal, Atom) for literal in rule.body) > 1:
        other = _Planner(rule, state, delta)
        other.order()
        if other.visited < planner.visited and not other.tests_delta:
            planner = other
    return planner.assembled()


def planned(rule: CoreRule, state: State, delta: int | None = None) -> Plan:
    """The plan of a rule that is asked for again and again; made anew where sizes are quite other than when it was made."""
    sizes = _sizes(rule, state, delta)
    known = state.plans.get((id(rule), delta))
    if known is not None:
        prepared: Plan = known[1]
        if prepared.can_walk(state) and all(
            size <= _ANOTHER_SIZE * before and before <= _ANOTHER_SIZE * size
            for size, before in zip(sizes, known[2], strict=True)
        ):
            return prepared
    prepared = plan(rule, state, delta)
    if len(state.plans) >= _MOST_PLANS:
        state.plans.clear()
    state.plans[id(rule), delta] = rule, prepared, sizes  # with the rule itself, so that no other can have its identity
    return prepared


_ANOTHER_SIZE = 4
_A_FEW = 64
_MOST_PLANS = 10_000


def _sizes(rule: CoreRule, state: State, delta: int | None) -> list[int]:
    """How many rows the atoms of a rule see, and some more, for a few make no difference; of a virtual relation, its nodes."""
    sizes: list[int] = []
    for at, literal in enumerate(rule.body):
        atom = literal.atom if isinstance(literal, Negation) else literal
        if isinstance(atom, Atom):
            stored = state.stored(atom.predicate)
            span = layout.DELTA if at == delta else layout.WHOLE
            sizes.append(_A_FEW + (stored.longest_list if isinstance(stored, VirtualRelation) else stored.length_of(span)))
    return sizes


def plan_backward(rule: CoreRule, state: State, own: frozenset[str]) -> tuple[Plan, BackwardWords]:
    """The plan that finds the instances of a rule that derive a given fact, and how the fact and its body stand in the slots.

    Atoms of the relations in `own` bind all their variables, so that their facts can be named; the plan stops at each instance.
    """
    planner = _Planner(rule, state, None, own)
    actions: list[int] = []
    for column, arg in enumerate(rule.head.args):
        is_new = isinstance(arg, Variable) and arg.name not in planner.bound
        actions += [column, BIND if is_new else CHECK, planner._slot(arg)]
        planner.bound |= names_of([arg])
    planner.order()
    body = [
        (literal.predicate, [planner._slot(arg) for arg in literal.args])
        for literal in rule.body
        if isinstance(literal, Atom) and literal.predicate in own
    ]
    return planner.assembled(layout.YIELD), BackwardWords([len(rule.head.args), *actions], body)


@dataclass(frozen=True, slots=True)
class BackwardWords:
    """How a fact is read into the slots of a backward plan, and which slots are the facts of its body."""

    head: list[int]
    body: list[tuple[str, list[int]]]


class _Planner:
    def __init__(self, rule: CoreRule, state: State, delta: int | None, own: frozenset[str] = frozenset()) -> None:
        self.rule, self.state, self.delta, self.own = rule, state, delta, own
        self.steps: list[list[int]] = []
        self.values: list[int] = []
        self.slot_of: dict[object, int] = {}
        self.bound: set[str] = set()
        self.uses = Counter(name for literal in (rule.head, *rule.body) for name in _occurrences(literal))
        self.last_binding = -1
        self.head_names = names_of(rule.head.args)
        self.indexes: list[tuple[Table, tuple[int, ...]]] = []
        """Tables and columns; steps name their index by its place here until one plan of several is chosen."""
        self.widest, self.deepest = len(rule.head.args), 1
        self.walks: list[Walk] = []
        self.bindings, self.visited = 1.0, 0.0
        self.tests_delta = False
        """Whether the delta's atom has become a test, which does not tell new facts from old ones."""

    def order(self, *, delta_first: bool = False) -> None:
        """Put the literals in order, as steps."""
        waiting = dict(enumerate(self.rule.body))
        if delta_first and self.delta is not None:
            self._take(waiting, self.delta)
        while waiting:
            at = self._ready(waiting)
            if at is None:
                at = min(waiting, key=lambda place: self._cost(waiting[place], place))
            self._take(waiting, at)

    def _take(self, waiting: dict[int, Literal], at: int) -> None:
        literal = waiting.pop(at)
        if isinstance(literal, Atom):
            if not self._is_existence(literal, at):
                self.bindings *= self._cost(literal, at)[0]
            self.visited += self.bindings
        self._place(literal, at)

    def _span(self, at: int) -> int:
        """Which rows the atom at a position sees."""
        if self.delta is None or at > self.delta:
            return layout.WHOLE
        return layout.DELTA if at == self.delta else layout.BEFORE

    # --- order -----------------------------------------------------------------------------------------------------------

    def _ready(self, waiting: dict[int, Literal]) -> int | None:
        """A literal that is only a test by now, or binds a variable by computing it."""
        for at, literal in waiting.items():
            match literal:
                case Atom():
                    if names_of([literal]) <= self.bound or self._is_existence(literal, at):
                        return at
                case Negation(atom):
                    if self._needed(atom) <= self.bound:
                        return at
                case Comparison():
                    missing = names_of([literal]) - self.bound
                    if not missing or self._assigned(literal, missing) is not None:
                        return at
        return None

    def _is_existence(self, atom: Atom, place: int) -> bool:
        """Whether a stored atom's unbound variables stand in it alone, so that one fact is as good as all."""
        if self._span(place) == layout.DELTA or isinstance(self.state.stored(atom.predicate), VirtualRelation):
            return False
        if atom.predicate in self.own:
            return False
        return self._needed(atom) <= self.bound

    def _needed(self, atom: Atom) -> set[str]:
        """The variables of an atom that are not existential in it."""
        own = Counter(_occurrences(atom))
        return {name for name in own if self.uses[name] > own[name]}

    def _assigned(self, comparison: Comparison, missing: set[str]) -> tuple[Variable, Term] | None:
        if comparison.op == "=" and len(missing) == 1:
            for side, other in ((comparison.left, comparison.right), (comparison.right, comparison.left)):
                if isinstance(side, Variable) and side.name in missing - names_of([other]):
                    return side, other
        return None

    def _cost(self, literal: Literal, place: int) -> tuple[float, int]:
        """How many matches an atom will have, as far as one can tell; then its place."""
        if not isinstance(literal, Atom):
            return float("inf"), place  # its variables are still to come
        known = tuple(at for at, arg in enumerate(literal.args) if names_of([arg]) <= self.bound)
        stored = self.state.stored(literal.predicate)
        span = self._span(place)
        size = float(stored.estimated_size if isinstance(stored, VirtualRelation) else stored.length_of(span))
        if size == 0 or not known:
            return size, place
        if isinstance(stored, Table) and span == layout.BEFORE:
            size = float(stored.length_of(layout.WHOLE))  # a chain has the delta first, which is walked too
        if isinstance(stored, Table) and (distinct := stored.distinct_keys(known)):
            return size / distinct, place
        return size ** (1 - len(known) / len(literal.args)), place

    # --- steps -----------------------------------------------------------------------------------------------------------

    def _slot(self, term: Term) -> int:
        """The slot of a variable or constant."""
        key: object = term.name if isinstance(term, Variable) else None
        if isinstance(term, Constant):
            key = term.value
        if key not in self.slot_of:
            self.slot_of[key] = len(self.values)
            self.values.append(int(self.state.terms.encode([term.value])[0]) if isinstance(term, Constant) else 0)
        return self.slot_of[key]

    def _bind(self, name: str) -> None:
        self.bound.add(name)
        if name in self.head_names:
            self.last_binding = len(self.steps)

    def _table(self, atom: Atom) -> Table:
        table = self.state.stored(atom.predicate)
        assert isinstance(table, Table)
        self.widest = max(self.widest, table.arity)
        return table

    def _place(self, literal: Literal, at: int) -> None:
        match literal:
            case Atom(predicate):
                stored = self.state.stored(predicate)
                if isinstance(stored, VirtualRelation):
                    self._walk(literal, stored)
                elif self._is_existence(literal, at) and not names_of([literal]) <= self.bound:
                    self._exist(literal, self._table(literal), layout.SOME)
                else:
                    self._join(literal, self._table(literal), self._span(at))
            case Negation(atom):
                stored = self.state.stored(atom.predicate)
                if isinstance(stored, VirtualRelation):
                    self._lack(atom, stored)
                else:
                    self._exist(atom, self._table(atom), layout.NONE)
            case Comparison():
                self._compare(literal)

    def _actions(self, atom: Atom, columns: list[int]) -> list[int]:
        """What to do with columns that are no part of a key; those that nobody asks for need nothing."""
        actions: list[int] = []
        count = 0
        for column in columns:
            arg = atom.args[column]
            if isinstance(arg, Variable) and arg.name not in self.bound:
                if self.uses[arg.name] == 1 and atom.predicate not in self.own:
                    continue
                self._bind(arg.name)
                actions += [column, BIND, self._slot(arg)]
            else:
                actions += [column, CHECK, self._slot(arg)]
            count += 1
        return [count, *actions]

    def _scan(self, atom: Atom, table: Table, span: int) -> None:
        actions = self._actions(atom, list(range(len(atom.args))))
        self.steps.append([layout.SCAN, table.number, span, *actions])

    def _join(self, atom: Atom, table: Table, span: int) -> None:
        known = [at for at, arg in enumerate(atom.args) if names_of([arg]) <= self.bound]
        if len(known) == len(atom.args) and not (self.delta is not None and not self.steps and span == layout.DELTA):
            self.tests_delta = self.tests_delta or span == layout.DELTA
            self.steps.append([layout.TEST, table.number, len(known), *map(self._slot, atom.args)])
        elif not known:
            self._scan(atom, table, span)
        else:
            keys = [self._slot(atom.args[at]) for at in known]
            actions = self._actions(atom, [at for at in range(len(atom.args)) if at not in known])
            self.steps.append([layout.PROBE, self._index(table, known), table.number, span, len(keys), *keys, *actions])

    def _index(self, table: Table, columns: list[int]) -> int:
        self.indexes.append((table, tuple(columns)))
        return len(self.indexes) - 1

    def _exist(self, atom: Atom, table: Table, op: int) -> None:
        """A test whether some fact, or none, fits an atom."""
        known = [at for at, arg in enumerate(atom.args) if names_of([arg]) <= self.bound]
        keys = [self._slot(atom.args[at]) for at in known]
        if len(known) == len(atom.args):
            self.steps.append([layout.ABSENT, table.number, len(keys), *keys])
            return
        first: dict[str, int] = {}
        pairs: list[int] = []
        for at, arg in enumerate(atom.args):
            if at not in known and isinstance(arg, Variable):
                earlier = first.setdefault(arg.name, at)
                pairs += [earlier, at] if earlier != at else []
        index = -1
        if known:
            index = self._index(table, known)
        self.steps.append([op, index, table.number, len(keys), *keys, len(pairs) // 2, *pairs])

    def _walk(self, atom: Atom, relation: VirtualRelation) -> None:
        """An atom of a virtual relation."""
        number = self.state.number_of(atom.predicate)
        left, right = atom.args
        knows_left, knows_right = (names_of([arg]) <= self.bound for arg in atom.args)
        if not knows_left and not knows_right:
            self._bind_in_step(left, [layout.NODES, number, self._slot(left)])
            knows_left, knows_right = True, names_of([right]) <= self.bound
        if knows_left and knows_right:
            self.steps.append([layout.HAS_PAIR, number, self._slot(left), self._slot(right)])
            return
        op, key, new = (layout.FORWARD, left, right) if knows_left else (layout.BACKWARD, right, left)
        self._lend_scratch(atom, relation)
        self._bind_in_step(new, [op, number, self._slot(key), self._slot(new)])

    def _lack(self, atom: Atom, relation: VirtualRelation) -> None:
        """A negated atom of a virtual relation."""
        number = self.state.number_of(atom.predicate)
        left, right = atom.args
        knows_left, knows_right = (names_of([arg]) <= self.bound for arg in atom.args)
        if knows_left and knows_right:
            self.steps.append([layout.LACKS_PAIR, number, self._slot(left), self._slot(right)])
            return
        self._lend_scratch(atom, relation)
        if knows_left:
            self.steps.append([layout.NO_PAIR, number, layout.FROM_LEFT, self._slot(left)])
        elif knows_right:
            self.steps.append([layout.NO_PAIR, number, layout.FROM_RIGHT, self._slot(right)])
        elif names_of([left]) == names_of([right]):
            self.walks[-1].counts_loops = True
            self.state.count_loops(atom.predicate)
            self.steps.append([layout.NO_PAIR, number, layout.ANY_LOOP])
        else:
            self.steps.append([layout.NO_PAIR, number, layout.ANY_PAIR])

    def _bind_in_step(self, term: Term, step: list[int]) -> None:
        assert isinstance(term, Variable)
        self._bind(term.name)
        self.steps.append(step)

    def _lend_scratch(self, atom: Atom, relation: VirtualRelation) -> None:
        """Room for a list of what one value is related to, in this version of the relation and in those to come."""
        self.walks.append(Walk(atom.predicate, len(self.steps), np.empty(2 * relation.longest_list + 64, np.int32)))

    # --- expressions -----------------------------------------------------------------------------------------------------

    def _compare(self, literal: Comparison) -> None:
        missing = names_of([literal]) - self.bound
        assigned = self._assigned(literal, missing) if missing else None
        if assigned is not None:
            variable, term = assigned
            code = self._code(term)
            self._bind(variable.name)
            self.steps.append([layout.LET, self._slot(variable), len(code), *code])
        elif literal.op in ("=", "!=") and not isinstance(literal.left, Call) and not isinstance(literal.right, Call):
            op = layout.SAME if literal.op == "=" else layout.DIFFERENT
            self.steps.append([op, self._slot(literal.left), self._slot(literal.right)])
        else:
            code = [*self._code(literal.left, literal.right), COMPARISONS[literal.op]]
            self.steps.append([layout.FILTER, len(code), *code])

    def _code(self, *terms: Term) -> list[int]:
        """Postfix code for terms, one on top of the other."""
        code: list[int] = []
        for depth, term in enumerate(terms):
            more, deepest = postfix(term, self._slot)
            code += more
            self.deepest = max(self.deepest, depth + deepest)
        return code

    # --- assembly --------------------------------------------------------------------------------------------------------

    def _fuse(self, head: list[int]) -> None:
        """Turn a last probe that binds one variable of a binary head into one step with the head itself."""
        if not self.steps or len(head) != 2 or head[0] == head[1]:
            return
        match self.steps[-1]:
            case [layout.PROBE, index, table, span, count, *rest] if rest[count] == 1 and rest[count + 2] == BIND:
                keys, column, slot = rest[:count], rest[count + 1], rest[count + 3]
                if slot in head:
                    position = head.index(slot)
                    fixed = head[1 - position]
                    self.steps[-1] = [layout.PROBE_EMIT, index, table, span, column, fixed, position, count, *keys]

    def assembled(self, last: int = layout.EMIT) -> Plan:
        """The steps as code, with the indexes that they need; the last one derives the head, or stops at the instance."""
        head_table = self.state.table(self.rule.head.predicate)
        head = [self._slot(arg) for arg in self.rule.head.args]
        cut = self.last_binding
        if last == layout.EMIT:
            self._fuse(head)
        indexes = [table.index_on(columns) for table, columns in self.indexes]
        for step in self.steps:
            if step[0] in (layout.PROBE, layout.PROBE_EMIT, layout.NONE, layout.SOME) and step[1] >= 0:
                step[1] = indexes[step[1]].number
        steps = [*self.steps, [last]]
        head_at = layout.STEPS_AT + len(steps)
        places: list[int] = []
        code: list[int] = []
        for step in steps:
            places.append(head_at + len(head) + len(code))
            code += step
        words = [len(steps), head_table.number, len(head), head_at, cut, *places, *head, *code]
        ops = {step[0] for step in steps}
        lists = np.zeros((len(steps), 4), np.int64)
        for walk in self.walks:
            lists[walk.depth, 2], lists[walk.depth, 3] = walk.scratch.ctypes.data, len(walk.scratch)
        return Plan(
            self.rule.head.predicate,
            np.array(words, np.int32),
            np.array(self.values, np.int32),
            np.zeros(len(steps), np.int64),
            lists,
            np.empty(max(2, self.widest), np.int32),
            np.zeros(3 * (self.deepest + 1), np.int64),
            np.zeros(layout.STATE_WIDTH, np.int64),
            services(computes=not ops.isdisjoint((layout.FILTER, layout.LET)), asks=not ops.isdisjoint(_ASKING)),
            tuple((table, index) for (table, _), index in zip(self.indexes, indexes, strict=True)),
            tuple(self.walks),
        )


def _occurrences(literal: Literal) -> list[str]:
    """The names of variables as often as they stand in a literal."""
    match literal:
        case Atom(_, args) | Negation(Atom(_, args)):
            return [arg.name for arg in args if isinstance(arg, Variable)]
        case _:
            return [*names_of([literal]), *names_of([literal])]  # a variable of an expression is always asked for
