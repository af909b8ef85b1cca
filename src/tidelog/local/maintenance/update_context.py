"""What all units of one update share: the state, the deltas so far, the undo log, what has been counted; and its result."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Protocol

from tidelog.changes import ChangeStatistics, Counters, DeletionCost
from tidelog.core.arrays import Rows
from tidelog.core.rule_report import Visit
from tidelog.core.rules import Unit, is_visible
from tidelog.core.statistics import Statistics
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.maintenance.delta.deltas import Deltas, ExplicitChanges
from tidelog.local.maintenance.delta.differences import Difference, InTurn
from tidelog.local.storage.replacements import Replacement
from tidelog.local.storage.tables import Table
from tidelog.local.storage.undo_log import UndoLog


class FirstSuspects(Protocol):
    """Who knows the first suspects of a unit: marks, in a stream that looks ahead (`lookahead.marking`)."""

    def using(
        self, unit: Unit, algorithm: str, deltas: Deltas, seeds: Mapping[str, Rows]
    ) -> AbstractContextManager[Mapping[str, Rows]]:
        """The first suspects of a unit; meanwhile, deltas of lower relations lack what these stand for."""

    def finish(self) -> Counters:
        """How many marks were used, and how many were not."""


class UpdateContext:
    """One update of a state, for the functions that maintain a unit."""

    def __init__(
        self, evaluation: Evaluation, undo: UndoLog, changes: ExplicitChanges, algorithm: str, *, changes_rules: bool = False
    ) -> None:
        """`algorithm` is what the user asked for; with `changes_rules`, deltas may be as large as the relations."""
        self.state, self.evaluation, self.undo, self.changes = evaluation.state, evaluation, undo, changes
        self.algorithm, self.changes_rules = algorithm, changes_rules
        self.marks: FirstSuspects | None = None
        """The marks of facts that the update deletes and the one before has inserted."""
        self.deltas = Deltas(self.state)
        self.deltas.may_join_all = changes_rules and algorithm != "counting"
        self.chosen: dict[str, str] = {}
        """The algorithms that took part, each with the reason that it was first chosen for."""
        self.counters = Counters()
        self.seconds: dict[str, float] = {}
        """What each phase took."""
        self.reordered: set[str] = set()
        """The relations of units that have lost facts: what is left may have proofs that hold only now."""
        self.replaced_tables: list[Table] = []
        """Tables of relations that are virtual now."""
        self.has_rematerialised = False
        """Whether the unit in hand was rematerialised."""
        self.visits: list[Visit] = []
        """The units that were visited, if rules have changed or a profile is recorded."""
        self.records_visits = changes_rules
        self.deletions: list[DeletionCost] = []
        """What deletions were expected to take, and took."""

    def spent(self, phase: str, started: float) -> None:
        """Add to what a phase took."""
        self.seconds[phase] = self.seconds.get(phase, 0.0) + time.perf_counter() - started

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Measure a phase."""
        started = time.perf_counter()
        yield
        self.spent(name, started)

    def record_change(self, name: str, begin: int, deleted: Rows) -> None:
        """Record the delta of a relation: rows from `begin` on are new in its table; `deleted` left it, and some may be back."""
        table = self.state.tables[name]
        if table.end == begin and begin:
            self.deltas.changed(name, deleted[:0], deleted)
            return
        inserted = table.appended_since(begin if table.arity else 0)
        if len(inserted):
            is_back = self.state.isin_rows(inserted, deleted)
            if is_back.any():
                inserted, deleted = inserted[~is_back], deleted[~table.contains(deleted)]
        self.deltas.changed(name, inserted, deleted)

    def record_replacement(self, name: str, replacement: Replacement) -> None:
        """Record the delta of a relation that was made anew.

        When rules change, the delta is computed if and when it is needed.  In a stream of updates that would keep old versions
        alive, so there it is computed at once.
        """
        if self.changes_rules:
            self.deltas.made_anew(name, replacement)
        else:
            self.deltas.changed(name, replacement.inserted(), replacement.deleted())

    def add(self, later: UpdateContext) -> None:
        """Add what a later step of the same update has counted and measured."""
        done = later.evaluation.statistics
        self.evaluation.statistics.add(done.rounds, done.undefined)
        self.counters.add(later.counters)
        self.chosen |= later.chosen
        self.visits += later.visits
        self.deletions.extend(later.deletions)
        for phase, seconds in later.seconds.items():
            self.seconds[phase] = self.seconds.get(phase, 0.0) + seconds


class FactCount:
    """Keeps the number of facts that limits and progress see in step with the tables of a unit."""

    def __init__(self, evaluation: Evaluation, own: Mapping[str, Table]) -> None:
        self._progress = evaluation.watch.progress
        self._visible = [table for name, table in own.items() if is_visible(name)]
        self._others = self._progress.facts - sum(map(len, self._visible))

    def update(self) -> None:
        """Count again."""
        self._progress.facts = self._others + sum(map(len, self._visible))


def count_visible(tables: Iterable[tuple[str, Table]]) -> int:
    """How many facts that users see are in some tables."""
    return sum(len(table) for name, table in tables if is_visible(name))


@dataclass(slots=True)
class UpdateResult:
    """What a committed transaction has done."""

    difference: Difference
    statistics: Statistics
    counters: Counters
    seconds: dict[str, float]
    """What each phase took."""
    chosen: dict[str, str]
    """The algorithms that took part, and why each was chosen."""
    added: int
    removed: int
    without_effect: int
    """Explicit facts that were added and removed, and requests that changed nothing."""
    visits: list[Visit]
    """The units that were visited, if rules have changed or a profile is recorded."""
    deletions: Sequence[DeletionCost] = ()
    """What deletions were expected to take, and took."""

    @classmethod
    def of(
        cls, steps: Sequence[Difference], counted: UpdateContext, added: int, removed: int, without_effect: int
    ) -> UpdateResult:
        """What some steps have done, which were counted together."""
        difference = steps[0] if len(steps) == 1 else InTurn(steps)
        of_all = counted.evaluation.statistics, counted.counters, counted.seconds, counted.chosen
        return cls(difference, *of_all, added, removed, without_effect, counted.visits, counted.deletions)

    def change_statistics(self, seconds: float) -> ChangeStatistics:
        """What users see of it, after so many seconds."""
        algorithm = "; ".join([f"{name}: {why}" for name, why in self.chosen.items()]) if self.chosen else "semi-naive"
        rounds = 0
        for done in self.statistics.rounds:
            rounds = max(rounds, done.number)
        derivations = self.statistics.derivations + self.counters.backward + self.counters.forward
        counts = self.added, self.removed, self.without_effect, derivations, rounds, self.statistics.undefined
        return ChangeStatistics(algorithm, *counts, self.counters, seconds, self.seconds, self.deletions)
