"""An inquiry: several questions about one state, each a union of joins, with temporary relations between them.

SPARQL asks them.  Plans are kept from one inquiry to the next: a question that is asked again costs one call of the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from tidelog.core.arrays import Int32s, Rows
from tidelog.core.limits import Watch
from tidelog.core.rules import CoreRule, Unit
from tidelog.core.statistics import Statistics
from tidelog.errors import fail
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.engine import Query
from tidelog.local.equality.member_queries import MemberQueries
from tidelog.local.equality.members import members_of
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.planning.plan import Plan
from tidelog.local.planning.plan_cache import PlanCache
from tidelog.local.recovery import Owner, recover
from tidelog.local.storage.dictionary import Dictionary
from tidelog.local.storage.state import State
from tidelog.local.storage.tables import Table
from tidelog.program.same_as import REPRESENTATIVE
from tidelog.sparql.evaluation.inquiries import answer_name, given_name
from tidelog.syntax.tree import Atom, Negation
from tidelog.values import Kind

_MOST_PLANS = 2000


class _Kept(NamedTuple):
    """What a plan was made for; it is good as long as all of that is there."""

    plan: Plan
    terms: Dictionary
    stored: tuple[tuple[str, Table | None], ...]
    """The table of each relation; None if it was virtual."""


class InquiryPlans(PlanCache):
    """Plans that outlive an inquiry: each is used as long as the tables, indexes and ids that it names are the same."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: dict[int, _Kept] = {}
        self.members = MemberQueries()
        self.subjects: dict[str, tuple[object, int, bool]] = {}
        """Whether relations have subjects that are no IRIs, with what tells whether that is still so."""

    def planned(self, rule: CoreRule) -> Plan | None:
        """The plan that a rule had last."""
        kept = self._kept.get(rule.serial)
        return None if kept is None else kept.plan

    def plan(self, rule: CoreRule, state: State, delta: int | None = None) -> Plan:
        """The plan of a rule; made again where something that it names has been replaced."""
        if delta is not None:
            return super().plan(rule, state, delta)
        kept = self._kept.get(rule.serial)
        if kept is not None and not _is_good(kept, state):
            kept = None
            self._plans.pop((rule.serial, None), None)
        plan = super().plan(rule, state)
        if kept is None or kept.plan is not plan:
            if len(self._kept) >= _MOST_PLANS:
                self.clear()
                self._kept.clear()
            names = dict.fromkeys((rule.head.predicate, *_relations_of(rule)))
            stored = tuple((name, None if name in state.virtual else state.table(name)) for name in names)
            self._kept[rule.serial] = _Kept(plan, state.terms, stored)
        return plan


def _relations_of(rule: CoreRule) -> list[str]:
    atoms = (literal.atom if isinstance(literal, Negation) else literal for literal in rule.body)
    return [atom.predicate for atom in atoms if isinstance(atom, Atom)]


def _is_good(kept: _Kept, state: State) -> bool:
    if kept.terms is not state.terms:
        return False
    for name, table in kept.stored:
        now = None if name in state.virtual else _table(state, name)
        if now is not table or (table is None and name not in state.virtual):
            return False
    return all(table.indexes.get(index.columns) is index for table, index in kept.plan.indexes)


def _table(state: State, name: str) -> Table | None:
    found = state.tables.get(name)
    return found if found is not None else state.helpers.get(name)


class Inquiry(Query):
    """Questions about one state, and the temporary relations that they need; to be used in a `with`."""

    def __init__(
        self, owner: Owner, watch: Watch, plans: InquiryPlans, prepare: Callable[[Iterable[str]], None] | None = None
    ) -> None:
        """`prepare` is called with the relations of each question before it is asked."""
        if owner.unfinished is not None:
            recover(owner)
        outer = owner.unfinished
        while outer is not None:
            if isinstance(outer, Inquiry):
                fix = "ask when the query is over: a progress display runs in the middle of it"
                raise fail("TL096", "this knowledge base is in the middle of a SPARQL query", fix=fix)
            outer = outer.outer
        super().__init__(owner, watch, [])
        self._prepare, self._plans = prepare, plans
        self._prepared: set[str] = set()

    @property
    def terms(self) -> Dictionary:
        """The values by their ids."""
        return self._engine.state.terms

    def size(self, relation: str) -> int:
        """About how many facts a relation has."""
        self._ready((relation,))
        stored = self._stored(relation)
        if stored is None:
            return 0
        return stored.estimated_size if isinstance(stored, VirtualRelation) else len(stored)

    def rows(self, relation: str) -> Rows:
        """All facts of a relation."""
        self._ready((relation,))
        stored = self._stored(relation)
        if stored is None:
            return np.empty((0, 2), np.int32)
        self._ready((REPRESENTATIVE,))
        members = members_of(self._engine.state.tables, relation)
        return stored.rows if members is None else members.expanded(stored.rows)

    def holds_other_subjects(self, relation: str, columns: int) -> bool:
        """Whether one of the first columns of a relation has anything but IRIs; of a table, rows are looked at once."""
        self._ready((relation,))
        stored = self._stored(relation)
        if stored is None:
            return False
        if not isinstance(stored, Table):
            known = self._plans.subjects.get(relation)
            if known is None or known[0] is not stored:
                known = self._plans.subjects[relation] = stored, 0, self._are_others(stored.lefts)
            return known[2]
        known, end = self._plans.subjects.get(relation), stored.end
        if known is not None and known[0] is stored.numbering and known[1] == end:
            return known[2]
        begin, found = (0, False) if known is None or known[0] is not stored.numbering else known[1:]
        rows = stored.rows_from(min(begin, end))
        found = found or any(self._are_others(rows[:, at]) for at in range(columns))
        self._plans.subjects[relation] = stored.numbering, end, found
        return found

    def _are_others(self, ids: Int32s) -> bool:
        return not self.terms.have_kind(Kind.IRI, ids).all()

    def new_name(self) -> str:
        """A name for a temporary relation."""
        return f"#sparql {len(self._made)}"

    def ask(self, needed: int) -> None:
        """Raise an error if so many bytes more are too many, or if it has taken too long."""
        self._engine.state.budget.ask(needed)
        self.watch.poll()

    def answer(self, rules: Sequence[CoreRule], arity: int) -> Rows:
        """The facts that some rules derive, each once; they share a head, whose relation `answer_name` names."""
        self._ready((REPRESENTATIVE, *(name for rule in rules for name in _relations_of(rule))))
        state = self._engine.state
        rules = self._plans.members.asked(rules, state)
        head = state.helper(answer_name(arity), arity)
        evaluation = self._evaluation()
        for name in {name for rule in rules for name in _relations_of(rule)}:
            if name not in state.virtual:
                state.table(name).mark_delta()
        evaluation.apply_once(rules)
        return head.rows.copy()

    def give(self, rows: Rows) -> str:
        """The relation that has some different rows, until others of the same width are given."""
        width = rows.shape[1]
        self._engine.state.helper(name := given_name(width), width, rows).mark_delta()
        return name

    def derive(self, arities: dict[str, int], rules: Sequence[CoreRule]) -> None:
        """Fill new temporary relations with what follows from rules, which may be recursive; they are there until the end."""
        state = self._engine.state
        self._made += list(arities)
        for name, arity in arities.items():
            state.ensure_table(name, arity)
        self._ready((REPRESENTATIVE, *(name for rule in rules for name in _relations_of(rule) if name not in arities)))
        rules = self._plans.members.asked(rules, state)
        uses = frozenset(name for rule in rules for name in _relations_of(rule))
        for name in uses:
            if name in state.helpers:
                state.helpers[name].mark_delta()
        given = {name for name in uses if name in state.helpers}
        unit = Unit(tuple(arities), tuple(rules), {}, uses - given, frozenset(), next(iter(arities)))
        Evaluation(state, self.watch, Statistics()).from_scratch(unit)

    def _evaluation(self) -> Evaluation:
        evaluation = Evaluation(self._engine.state, self.watch, Statistics())
        evaluation.enter(0, self._plans)
        return evaluation

    def _stored(self, relation: str) -> Table | VirtualRelation | None:
        state = self._engine.state
        return state.virtual[relation] if relation in state.virtual else _table(state, relation)

    def _ready(self, names: Iterable[str]) -> None:
        if self._prepare is None:
            return
        new = [name for name in names if name not in self._prepared and not name.startswith("#sparql")]
        if new:
            self._prepare(new)
            self._prepared.update(new)
