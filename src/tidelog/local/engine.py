"""The local engine: explicit facts in, everything that follows from them out, unit by unit.

Every change is a `Transaction` (`begin`): facts and rules change, deltas are propagated, and it commits, or rolls back.
"""

from __future__ import annotations

from collections.abc import Iterable

from tidelog.core.arrays import Rows
from tidelog.core.limits import Watch
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.evaluation.query_answers import answers
from tidelog.local.program_state import ProgramState
from tidelog.local.storage.tables import Table
from tidelog.local.transaction import Transaction
from tidelog.syntax.tree import Literal


class LocalEngine(ProgramState):
    """A program and its facts in this process."""

    def begin(self, watch: Watch) -> Transaction:
        """Begin an update: facts and rules may change, all of it or nothing."""
        return Transaction(self, watch)

    def maintain(self, watch: Watch) -> None:
        """Derive what follows from facts added and removed; all of it, or, if anything stops it, nothing."""
        with self.begin(watch) as transaction:
            transaction.maintain()
            transaction.commit()

    def stored(self, relation: str) -> Table | VirtualRelation | None:
        """What holds the facts of a relation, or None if there is no such relation."""
        if relation in self.state.virtual or relation in self.state.tables:
            return self.state.stored(relation)
        return None

    def query(self, body: tuple[Literal, ...], names: Iterable[str], watch: Watch) -> Rows:
        """All bindings of the named variables that make a body true, each once."""
        return answers(self.state, self.core.arities, body, names, watch)
