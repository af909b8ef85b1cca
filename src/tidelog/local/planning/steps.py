"""Plan steps: compiles the literals of a rule, in a given order, to code for the join kernel.

`join_order` decides the order.  Here each literal becomes a loop or a test, depending on the variables bound before it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tidelog.core.rules import CoreRule
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.kernel import layout, range_search, shortest_chain
from tidelog.local.kernel.join import service_addresses
from tidelog.local.kernel.memory import address_of
from tidelog.local.kernel.plan_table import BIND, CHECK
from tidelog.local.planning.expressions import COMPARISONS, postfix
from tidelog.local.planning.mentions import Mentions
from tidelog.local.planning.plan import Plan, Walk
from tidelog.local.planning.ranges import Range
from tidelog.local.storage.state import State
from tidelog.local.storage.tables import Table
from tidelog.syntax.tree import Atom, Call, Comparison, Constant, Literal, Negation, Term, Variable, names_of

_INDEXED = (layout.PROBE, layout.PROBE_EMIT, layout.NONE, layout.SOME, layout.RANGE)
_ONE_VALUE = 2
"""The length of the code of a variable or a constant."""
_VIRTUAL_STEPS = (layout.NODES, layout.FORWARD, layout.BACKWARD, layout.HAS_PAIR, layout.LACKS_PAIR, layout.NO_PAIR)


class Steps:
    """The steps of a rule so far, and the variables that they bind."""

    def __init__(self, rule: CoreRule, state: State, delta: int | None, own: frozenset[str], mentions: Mentions) -> None:
        """`delta` is the atom that reads the delta; atoms of the relations in `own` bind all their variables."""
        self.rule, self.state, self.delta, self.own, self.mentions = rule, state, delta, own, mentions
        self.tests_order = False  # whether tests of relations in `own` see the rows before `ALL` only, as loops do
        self.steps: list[list[int]] = []
        self.values: list[int] = []
        self.slot_of: dict[object, int] = {}
        self.bound: set[str] = set()
        self.last_binding = -1
        self.head_names = names_of(rule.head.args)
        self.indexes: list[tuple[Table, tuple[int, ...], int | None]] = []
        """Tables, columns, and the column of an order; a step has the position until the plan is chosen and the index created."""
        self.widest, self.deepest = len(rule.head.args), 1
        self.walks: list[Walk] = []
        self.computes = False
        """Whether some bound of a range is an expression."""
        self.tests_delta = False
        """Whether the delta's atom became a test, which does not distinguish new facts from old ones."""

    def span(self, at: int) -> int:
        """The rows that the atom at a position reads: all, the delta, or those before it."""
        if self.delta is None or at > self.delta:
            return layout.WHOLE
        return layout.DELTA if at == self.delta else layout.BEFORE

    def is_existence(self, atom: Atom, place: int) -> bool:
        """Whether the unbound variables of a stored atom occur nowhere else, so that one match is enough."""
        if self.delta == place or atom.predicate in self.own or atom.predicate in self.state.virtual:
            return False
        return self.mentions.needed[place] <= self.bound

    def known(self, args: tuple[Term, ...]) -> list[int]:
        """The positions of bound arguments."""
        return [at for at, arg in enumerate(args) if not isinstance(arg, Variable) or arg.name in self.bound]

    def knows(self, term: Term) -> bool:
        """Whether an argument is bound."""
        return not isinstance(term, Variable) or term.name in self.bound

    def assigned(self, comparison: Comparison, missing: set[str]) -> tuple[Variable, Term] | None:
        """The variable that a comparison assigns, and the term, if it is an assignment."""
        if comparison.op == "=" and len(missing) == 1:
            for side, other in ((comparison.left, comparison.right), (comparison.right, comparison.left)):
                if isinstance(side, Variable) and side.name in missing - names_of([other]):
                    return side, other
        return None

    # --- literals --------------------------------------------------------------------------------------------------------

    def slot(self, term: Term) -> int:
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

    def place(self, literal: Literal, at: int) -> None:
        """Add the steps of the literal at a position."""
        match literal:
            case Atom(predicate):
                stored = self.state.stored(predicate)
                if isinstance(stored, VirtualRelation):
                    self._walk(literal, stored)
                elif not self.mentions.names[at] <= self.bound and self.is_existence(literal, at):
                    self._exist(literal, self._table(literal), layout.SOME)
                else:
                    self._join(literal, self._table(literal), self.span(at))
            case Negation(atom):
                stored = self.state.stored(atom.predicate)
                if isinstance(stored, VirtualRelation):
                    self._lack(atom, stored)
                else:
                    self._exist(atom, self._table(atom), layout.NONE)
            case Comparison():
                self._compare(literal)

    def _actions(self, atom: Atom, columns: list[int]) -> list[int]:
        """The actions for columns outside the key: bind, check, or none where the variable occurs once."""
        actions: list[int] = []
        count = 0
        for column in columns:
            arg = atom.args[column]
            if isinstance(arg, Variable) and arg.name not in self.bound:
                if self.mentions.uses[arg.name] == 1 and atom.predicate not in self.own:
                    continue
                self._bind(arg.name)
                actions += [column, BIND, self.slot(arg)]
            else:
                actions += [column, CHECK, self.slot(arg)]
            count += 1
        return [count, *actions]

    def _join(self, atom: Atom, table: Table, span: int) -> None:
        known = self.known(atom.args)
        if len(known) == len(atom.args) and not (self.delta is not None and not self.steps and span == layout.DELTA):
            self.tests_delta = self.tests_delta or span == layout.DELTA
            test = layout.EARLIER if self.tests_order and atom.predicate in self.own else layout.TEST
            self.steps.append([test, table.number, len(known), *map(self.slot, atom.args)])
        elif not known:
            self.steps.append([layout.SCAN, table.number, span, *self._actions(atom, list(range(len(atom.args))))])
        else:
            keys = [self.slot(atom.args[at]) for at in known]
            actions = self._actions(atom, [at for at in range(len(atom.args)) if at not in known])
            self.steps.append([layout.PROBE, self._index(table, known), table.number, span, len(keys), *keys, *actions])

    def place_shortest(self, atoms: Sequence[tuple[Atom, int]]) -> None:
        """Add the step of atoms that bind the same variables, of which the one with the fewest rows is looked up."""
        before, words, offsets = set(self.bound), list[int](), list[int]()
        for atom, place in atoms:
            self.bound = set(before)
            table, known = self._table(atom), self.known(atom.args)
            keys = [self.slot(atom.args[at]) for at in known]
            actions = self._actions(atom, [at for at in range(len(atom.args)) if at not in known])
            offsets.append(2 + len(atoms) + len(words))
            args_at = shortest_chain.KEYS + len(keys) + len(actions)
            words += [self._index(table, known), table.number, self.span(place), args_at, len(keys), *keys, *actions]
            words += map(self.slot, atom.args)
        self.steps.append([layout.SHORTEST, len(atoms), *offsets, *words])

    def place_known(self) -> None:
        """Add a test that ends the search for a head that is derived already."""
        head = self.rule.head
        self.steps.append([layout.ABSENT, self.state.table(head.predicate).number, len(head.args), *map(self.slot, head.args)])

    def _index(self, table: Table, columns: list[int]) -> int:
        return self._ordered_index(table, columns, None)

    def _ordered_index(self, table: Table, columns: list[int], range_column: int | None) -> int:
        self.indexes.append((table, tuple(columns), range_column))
        return len(self.indexes) - 1

    def place_range(self, atom: Atom, at: int, found: Range) -> None:
        """Add the step of an atom whose rows an ordered index finds."""
        table, known = self._table(atom), self.known(atom.args)
        keys = [self.slot(atom.args[column]) for column in known]
        bounds: list[int] = []
        for bound in (found.low, found.high):
            code = self._code(bound.term) if bound is not None else []
            bounds += [bound.form if bound is not None else range_search.NONE, len(code), *code]
            self.computes = self.computes or len(code) > _ONE_VALUE
        is_grouped = len(known) > 1  # groups of several columns may share a number
        actions = self._actions(atom, [column for column in range(len(atom.args)) if is_grouped or column not in known])
        index, bounds_at = self._ordered_index(table, known, found.column), 7 + len(keys) + len(actions)
        self.steps.append([layout.RANGE, index, table.number, self.span(at), 0, bounds_at, len(keys), *keys, *actions, *bounds])

    def _exist(self, atom: Atom, table: Table, op: int) -> None:
        """Add a test whether some fact, or no fact, matches an atom."""
        known = self.known(atom.args)
        keys = [self.slot(atom.args[at]) for at in known]
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
        """Add the steps of an atom of a virtual relation."""
        number = self.state.number_of(atom.predicate)
        left, right = atom.args
        knows_left, knows_right = map(self.knows, atom.args)
        if not knows_left and not knows_right:
            self._bind_in_step(left, [layout.NODES, number, self.slot(left)])
            knows_left, knows_right = True, self.knows(right)
        if knows_left and knows_right:
            self.steps.append([layout.HAS_PAIR, number, self.slot(left), self.slot(right)])
            return
        op, key, new = (layout.FORWARD, left, right) if knows_left else (layout.BACKWARD, right, left)
        self._allocate_scratch(atom, relation)
        self._bind_in_step(new, [op, number, self.slot(key), self.slot(new)])

    def _lack(self, atom: Atom, relation: VirtualRelation) -> None:
        """Add the step of a negated atom of a virtual relation."""
        number = self.state.number_of(atom.predicate)
        left, right = atom.args
        knows_left, knows_right = map(self.knows, atom.args)
        if knows_left and knows_right:
            self.steps.append([layout.LACKS_PAIR, number, self.slot(left), self.slot(right)])
            return
        self._allocate_scratch(atom, relation)
        if knows_left:
            self.steps.append([layout.NO_PAIR, number, layout.FROM_LEFT, self.slot(left)])
        elif knows_right:
            self.steps.append([layout.NO_PAIR, number, layout.FROM_RIGHT, self.slot(right)])
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

    def _allocate_scratch(self, atom: Atom, relation: VirtualRelation) -> None:
        """Allocate the buffer of a successor list, with spare room for later versions of the relation."""
        self.walks.append(Walk(atom.predicate, len(self.steps), np.empty(2 * relation.longest_list + 64, np.int32)))

    # --- expressions -----------------------------------------------------------------------------------------------------

    def _compare(self, literal: Comparison) -> None:
        missing = names_of([literal]) - self.bound
        assigned = self.assigned(literal, missing) if missing else None
        if assigned is not None:
            variable, term = assigned
            code = self._code(term)
            self._bind(variable.name)
            self.steps.append([layout.LET, self.slot(variable), len(code), *code])
        elif literal.op in ("=", "!=") and not isinstance(literal.left, Call) and not isinstance(literal.right, Call):
            op = layout.SAME if literal.op == "=" else layout.DIFFERENT
            self.steps.append([op, self.slot(literal.left), self.slot(literal.right)])
        else:
            code = [*self._code(literal.left, literal.right), COMPARISONS[literal.op]]
            self.steps.append([layout.FILTER, len(code), *code])

    def _code(self, *terms: Term) -> list[int]:
        """Postfix code that pushes the values of the terms in turn."""
        code: list[int] = []
        for depth, term in enumerate(terms):
            more, deepest = postfix(term, self.slot)
            code += more
            self.deepest = max(self.deepest, depth + deepest)
        return code

    # --- assembly --------------------------------------------------------------------------------------------------------

    def _fuse(self, head: list[int]) -> None:
        """Fuse a last probe that binds one variable of a binary head with the head into one step."""
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
        """The finished plan, with its indexes created; the last step derives the head, or stops at the instance."""
        head_table = self.state.table(self.rule.head.predicate)
        head = [self.slot(arg) for arg in self.rule.head.args]
        cut = self.last_binding
        if last == layout.EMIT:
            self._fuse(head)
        indexes = [
            table.index_on(columns) if ordered is None else table.order_on(columns, ordered)
            for table, columns, ordered in self.indexes
        ]
        stack = 3 * (self.deepest + 1)
        for step in self.steps:
            if step[0] in _INDEXED and step[1] >= 0:
                step[1] = indexes[step[1]].number
            if step[0] == layout.SHORTEST:
                for at in step[2 : 2 + step[1]]:
                    step[at] = indexes[step[at]].number
            if step[0] == layout.RANGE:
                step[4], stack = stack, stack + range_search.RANGE_WIDTH
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
            lists[walk.depth, 2], lists[walk.depth, 3] = address_of(walk.scratch), len(walk.scratch)
        return Plan(
            np.array(words, np.int32),
            np.array(self.values, np.int32),
            np.zeros(len(steps), np.int64),
            lists,
            np.empty(max(2, self.widest), np.int32),
            np.zeros(stack, np.int64),
            np.zeros(layout.STATE_WIDTH, np.int64),
            service_addresses(
                computes=self.computes or not ops.isdisjoint((layout.FILTER, layout.LET)),
                reads_virtual=not ops.isdisjoint(_VIRTUAL_STEPS),
                has_ranges=layout.RANGE in ops,
            ),
            tuple((table, index) for (table, *_), index in zip(self.indexes, indexes, strict=True)),
            tuple(self.walks),
        )
