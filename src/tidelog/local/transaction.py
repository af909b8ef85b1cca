"""One update under way: explicit facts go and come, and what follows is derived, in one or more steps; all of it, or nothing.

An update has one step, unless facts that the next one takes back are to be told from the others (`look_ahead`). Each step has
a way back of its own, and they are gone in turn. What the steps did is counted together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from tidelog.changes import Counters
from tidelog.core.arrays import Rows
from tidelog.core.limits import Watch
from tidelog.core.statistics import Statistics
from tidelog.local.engine import LocalEngine, compact_tables
from tidelog.local.lookahead.mark_propagation import propagate_marks
from tidelog.local.lookahead.marking import EarlierMarks, Marks, Step
from tidelog.local.maintenance.differences import Backwards, Difference, Differences, InTurn
from tidelog.local.storage.state import UndoLog


@dataclass(slots=True)
class EncodedUpdate:
    """What an update asks for, as rows by relation."""

    deleted: dict[str, Rows]
    inserted: dict[str, Rows]
    upserted: dict[str, Rows]
    """Upserts; of several with one key, the last."""
    keys: dict[str, tuple[int, ...]]
    """Of the relations of upserts, the columns that are their keys."""
    relations: int
    """How many relations were known that the program does not mention."""

    def added(self) -> Iterable[tuple[str, Rows]]:
        """All facts that will be explicit."""
        return (*self.inserted.items(), *self.upserted.items())

    def all_added(self) -> dict[str, Rows]:
        """The same, by relation."""
        both = self.inserted.keys() & self.upserted.keys()
        return {
            **self.inserted,
            **self.upserted,
            **{name: np.concatenate([self.inserted[name], self.upserted[name]]) for name in both},
        }


class Transaction:
    """The work of one update."""

    def __init__(self, engine: LocalEngine, watch: Watch, know: Callable[[str, int], None]) -> None:
        """`know` is told of each relation that gets facts, and how many arguments they have."""
        self._engine, self._watch, self._know = engine, watch, know
        self._undos = [UndoLog(engine.state)]
        self._steps: list[Difference] = []
        self.statistics, self.counters = Statistics(), Counters()
        self.seconds: dict[str, float] = {}
        self._how: dict[str, str] = {}
        self.added = self.removed = self.without_effect = 0
        self._taken: Mapping[str, Rows] = {}
        self.shortest_step = math.inf
        """In seconds."""
        engine.begin_update(watch)

    @property
    def undo(self) -> UndoLog:
        """The way back from what happens now."""
        return self._undos[-1]

    def work_off(self, given: EncodedUpdate) -> None:
        """All of it in one step."""
        self.remove_all(given)
        self.add_all(given.added())
        self.derive()

    # --- explicit facts --------------------------------------------------------------------------------------------------

    def remove_all(self, given: EncodedUpdate) -> None:
        """Let facts not be explicit any more that are to be deleted, or replaced."""
        engine, undo = self._engine, self._undos[-1]
        for name, rows in given.deleted.items():
            left = rows if not self._taken else self._not_taken(name, rows)
            count = engine.remove(name, left, undo) if len(left) else 0
            self.removed += count
            self.without_effect += len(left) - count
        for name, rows in given.upserted.items():
            self.removed += engine.remove(name, engine.rows_with_key(name, given.keys[name], rows), undo)

    def _not_taken(self, name: str, rows: Rows) -> Rows:
        """Facts that have not been taken back with a step."""
        taken = self._taken.get(self._engine.core.stored_name(name))
        if taken is None or not len(taken):
            return rows
        return rows[~self._engine.state.helper(f"#known {rows.shape[1]}", rows.shape[1], taken).contains(rows)]

    def add_all(self, facts: Iterable[tuple[str, Rows]]) -> None:
        """Let facts be explicit."""
        for name, rows in facts:
            self._know(name, rows.shape[1])
            count = self._engine.add(name, rows)
            self.added += count
            self.without_effect += len(rows) - count

    # --- steps -----------------------------------------------------------------------------------------------------------

    def take_back(self, step: Step, difference: Difference) -> None:
        """Take back what marked facts have brought, and these themselves."""
        step.take_back(self._engine.state, self._undos[-1])
        self._steps.append(Backwards(difference))
        self._how["marks"] = "what marked facts had brought went with them"
        self.counters.explicit_marks += step.explicit
        self.counters.implicit_marks += step.implicit
        self.removed += step.explicit
        self._taken = step.given

    def derive(self, marks: Marks | None = None) -> None:
        """Derive what follows so far."""
        engine, started = self._engine, perf_counter()
        is_first = not self._steps
        self._steps.append(engine.maintain(self._watch, self._undos[-1], marks))
        self.shortest_step = min(self.shortest_step, perf_counter() - started)
        if is_first:
            self.statistics, self.counters, self.seconds, self._how = (
                engine.statistics,
                engine.counters,
                engine.seconds,
                engine.chosen,
            )
            return
        self._how |= engine.chosen
        self.counters.add(engine.counters)
        self.statistics.add(engine.statistics.rounds, engine.statistics.undefined)
        for phase, seconds in engine.seconds.items():
            self.seconds[phase] = self.seconds.get(phase, 0.0) + seconds

    def derive_apart(self, later: Mapping[str, Rows], marks: Marks | None = None) -> tuple[Step, Differences]:
        """Derive what follows so far; then add other facts, and derive what follows from them: a step of its own."""
        if self._engine.has_changes:
            self.derive(marks)
            self._undos.append(UndoLog(self._engine.state))
        self.add_all(later.items())
        given = self._engine.given_rows()
        self.derive()
        last = self._steps[-1]
        assert isinstance(last, Differences)
        return Step(given, last.deltas), last

    def explicit_among(self, other: EncodedUpdate) -> dict[str, Rows]:
        """The facts that another update deletes or replaces and does not bring back, and that are there, by stored relation."""
        found: dict[str, Rows] = {}
        engine = self._engine
        for name, rows in other.deleted.items():
            found[name] = rows[engine.are_explicit(name, rows)]
        for name, rows in other.upserted.items():
            replaced = engine.rows_with_key(name, other.keys[name], rows)
            found[name] = np.concatenate([found[name], replaced]) if name in found else replaced
        added = other.all_added()
        for name in found.keys() & added.keys():
            width = found[name].shape[1]
            found[name] = found[name][~engine.state.helper(f"#known {width}", width, added[name]).contains(found[name])]
        return {engine.core.stored_name(name): rows for name, rows in found.items()}

    def pass_marks_on(self, given: Mapping[str, Rows]) -> EarlierMarks:
        """Mark facts that were there before, and what they were used for."""
        steps = [step.deltas for step in self._steps if isinstance(step, Differences)]
        return propagate_marks(self._engine, given, steps, self._watch)

    def finish(self) -> Difference:
        """Nobody will go back any more; what has changed."""
        for undo in self._undos:
            compact_tables(self._engine.state, undo)
        self._engine.state.forget_some()
        self._engine.statistics = self.statistics
        return self._steps[0] if len(self._steps) == 1 else InTurn(self._steps)

    def rollback(self) -> None:
        """Make everything what it was."""
        for undo in reversed(self._undos):
            undo.rollback()
        self._engine.forget_changes()

    @property
    def algorithm(self) -> str:
        """How it was done, and why."""
        return "; ".join(f"{name}: {why}" for name, why in self._how.items()) or "semi-naive"

    @property
    def derivations(self) -> int:
        """Rule instances of all steps."""
        return self.statistics.derivations + self.counters.backward + self.counters.forward
