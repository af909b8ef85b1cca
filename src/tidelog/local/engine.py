"""The local engine: explicit facts in, everything that follows from them out, unit by unit.

Every change is a `Transaction` (`begin`): facts and rules change, deltas are propagated, and it commits, or rolls back. This
module is the door to the engine: other engines, which evaluate some units here and others elsewhere, import from it alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from tidelog.core.arrays import Rows
from tidelog.core.limits import Watch
from tidelog.core.rewriting import core_of_rule
from tidelog.core.statistics import Statistics
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.encoded_facts import EncodedUpdate
from tidelog.local.equality.members import members_of, with_representatives
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.lookahead.look_ahead import LookAhead
from tidelog.local.maintenance.delta.differences import Difference
from tidelog.local.maintenance.update_context import UpdateResult
from tidelog.local.program_state import ProgramState
from tidelog.local.recovery import Owner, Work, recover
from tidelog.local.storage.dictionary import Dictionary
from tidelog.local.storage.tables import Table
from tidelog.local.transaction import Transaction
from tidelog.program.queries import ANSWER
from tidelog.syntax.tree import Atom, Literal, Rule, Variable, atoms

if TYPE_CHECKING:
    from tidelog.streams.update import Update

__all__ = [
    "Dictionary",
    "Difference",
    "EncodedUpdate",
    "LocalEngine",
    "LookAhead",
    "Transaction",
    "UpdateResult",
    "VirtualRelation",
]


class Query(Work):
    """A query, which leaves nothing behind but plans."""

    def __init__(self, owner: Owner, watch: Watch, made: Iterable[str]) -> None:
        """`made` are the tables that it makes."""
        super().__init__(owner, watch)
        self._made = list(made)

    def _begin(self) -> None:
        self._engine.state.budget.limit = self.watch.limits.memory

    def _end(self) -> None:
        state = self._engine.state
        state.budget.limit = None
        if not self.is_clean:
            state.repair()
        for name in self._made:
            state.answered.pop(name, None)
            if name in state.tables:
                state.store.release(state.tables[name])
                state.take_table(name)


class LocalEngine(ProgramState):
    """A program and its facts in this process."""

    begun = 0
    """How many transactions have begun: while it is the same, so is everything that queries read."""

    def begin(self, watch: Watch) -> Transaction:
        """Begin an update: facts and rules may change, all of it or nothing."""
        if self.unfinished is not None:
            recover(self)
        self.begun += 1
        return Transaction(self, watch)

    def maintain(self, watch: Watch) -> UpdateResult:
        """Derive what follows from facts added and removed; all of it, or, if anything stops it, nothing."""
        with self.begin(watch) as transaction:
            transaction.maintain()
            return transaction.commit()

    def rederived(self, watch: Watch) -> UpdateResult:
        """What it takes to derive everything anew, measured on a copy."""
        copy = self.clone()
        copy.is_profiled = True
        with copy.begin(watch) as transaction:
            propagation = transaction.begin_step()
            propagation.context.changes_rules = True  # what has changed is not listed: nothing has
            propagation.rematerialise_all(copy.structure)
            transaction.end_step()
            return transaction.commit()

    def look_ahead(self, read: Callable[[Update], EncodedUpdate | None], *, always: bool) -> LookAhead:
        """What is known of the updates of a stream; `read` encodes an update before its turn, or gives None."""
        return LookAhead(self, read, always=always)

    @property
    def dictionary(self) -> Dictionary:
        """Values to ids and back."""
        return self.state.terms

    def stored(self, relation: str) -> Table | VirtualRelation | None:
        """What holds the facts of a relation, or None if there is no such relation."""
        if relation in self.state.virtual or relation in self.state.tables:
            return self.state.stored(relation)
        return None

    def query(self, body: tuple[Literal, ...], names: Iterable[str], watch: Watch) -> Rows:
        """All bindings of the named variables that make a body true, each once."""
        return answers(self, self.core.arities, body, names, watch)

    # --- for an owner that evaluates some units elsewhere ----------------------------------------------------------------

    def load(self, relation: str, arity: int, rows: Rows) -> None:
        """Store facts of a relation: explicit ones of a unit that is not materialised yet, or facts derived elsewhere."""
        self.state.ensure_table(relation, arity).insert(rows)

    def snapshot(self, relation: str) -> Rows | VirtualRelation:
        """The facts of a relation, which later updates do not change."""
        stored = self.state.stored(relation)
        return stored.version().rows if isinstance(stored, Table) else stored

    def rows(self, relation: str) -> Rows:
        """The facts of a relation, until the next update."""
        return self.state.stored(relation).rows

    def explicit_rows(self, relation: str) -> Rows | None:
        """The explicit facts of a relation, by the name that stores them; None if there are none."""
        tables = self.state.explicit if relation in self.derived else self.state.tables
        return tables[relation].rows if relation in tables else None

    def size(self, relation: str) -> int:
        """How many facts a relation has."""
        return len(self.state.stored(relation))

    def stored_sizes(self) -> dict[str, int]:
        """How many facts each relation has that is not virtual, internal ones included."""
        return {name: len(table) for name, table in self.state.tables.items()}


def answers(owner: Owner, arities: Mapping[str, int], body: tuple[Literal, ...], names: Iterable[str], watch: Watch) -> Rows:
    """All bindings of the named variables that make a body true, each once: one rule, evaluated over temporary tables."""
    if owner.unfinished is not None:
        recover(owner)
    state, head = owner.state, Atom(ANSWER, tuple(Variable(name) for name in names))
    members = members_of(state.tables, *(atom.predicate for atom, _ in atoms(body)))
    if members is not None:
        body = tuple(with_representatives(literal, members.rows, state.terms) for literal in body)
    core = core_of_rule(Rule(head, body), {**arities, ANSWER: len(head.args)}, "#query ")
    made = [name for name in core.arities if name not in state.tables and name not in state.virtual]
    evaluation = Evaluation(state, watch, Statistics())
    with Query(owner, watch, made):
        for name in made:
            state.ensure_table(name, core.arities[name])
        for unit in core.units:
            evaluation.from_scratch(unit)
        found: Rows = state.table(ANSWER).rows.copy()
        return found if members is None else members.expanded(found)
