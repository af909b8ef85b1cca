"""A small engine for direct tests of its parts: rows of integers in and out, and what an update needs around a unit."""

from __future__ import annotations

from collections.abc import Sequence

from tests.local_engine import program
from tests.some_values import i

from tidelog.core.arrays import Rows
from tidelog.core.limits import Watch
from tidelog.core.rules import Unit
from tidelog.core.statistics import Statistics
from tidelog.local.engine import LocalEngine
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.maintenance.unit_runtime import UnitRuntime
from tidelog.local.maintenance.update_context import UpdateContext
from tidelog.local.storage.state import State
from tidelog.local.storage.undo_log import UndoLog
from tidelog.program.program import GroundFact

PATHS = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z)."
CHAIN = "edge(1, 2). edge(2, 3). edge(3, 4)."


Facts = Sequence[tuple[int, ...]]


class SmallEngine:
    """An engine with the facts of a program's text, which are integers."""

    def __init__(self, text: str, *, modules: bool = False, algorithm: str = "auto", derive: bool = True) -> None:
        """Without `derive`, nothing has been derived yet."""
        checked = program(text)
        self.engine = LocalEngine(checked, modules=modules, algorithm=algorithm)
        for fact in checked.facts:
            self._add(fact)
        if derive:
            self.engine.maintain(Watch())

    def _add(self, fact: GroundFact) -> None:
        name, values = fact
        self.engine.add(name, self.state.terms.encode(values).reshape(1, len(values)))

    @property
    def state(self) -> State:
        """The state of the engine."""
        return self.engine.state

    def rows(self, *facts: tuple[int, ...], arity: int = 2) -> Rows:
        """Integers as rows of ids."""
        ids = self.state.terms.encode([i(number) for fact in facts for number in fact])
        return ids.reshape(len(facts), len(facts[0]) if facts else arity)

    def tuples(self, rows: Rows) -> list[tuple[object, ...]]:
        """Rows of ids as integers, sorted."""
        ids = rows.reshape(-1)
        objects = iter(self.state.terms.objects_of(ids).tolist() if len(ids) else ())
        return sorted(tuple(next(objects) for _ in range(rows.shape[1])) for _ in range(len(rows)))

    def facts(self, name: str) -> list[tuple[object, ...]]:
        """The facts of a relation, or of a helper table, sorted."""
        return self.tuples(self.state.stored(name).rows)

    def number(self, relation: str) -> int:
        """The number of the unit that derives a relation."""
        return self.engine.structure.deriver[relation]

    def unit(self, relation: str) -> Unit:
        """The unit that derives a relation."""
        return self.engine.structure.units[self.number(relation)]

    def runtime(self, relation: str) -> UnitRuntime:
        """The runtime of the unit that derives a relation."""
        return self.engine.runtime(self.number(relation))

    def evaluation(self) -> Evaluation:
        """An evaluation without limits."""
        return Evaluation(self.state, Watch(), Statistics())

    def context(self, algorithm: str = "auto", *, changes_rules: bool = False) -> UpdateContext:
        """The context of an update of the explicit facts that have changed by now."""
        undo = UndoLog(self.state)
        return UpdateContext(self.evaluation(), undo, self.engine.changes, algorithm, changes_rules=changes_rules)

    def change(self, relation: str, *, delete: Facts = (), insert: Facts = ()) -> None:
        """Change the explicit facts of a relation within an update; nothing is derived yet."""
        if delete:
            self.engine.remove(relation, self.rows(*delete))
        if insert:
            self.engine.add(relation, self.rows(*insert))
