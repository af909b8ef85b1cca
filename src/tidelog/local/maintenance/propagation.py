"""One update: through the units in order, each told how the relations below it have changed, and telling how its own do.

Whatever a unit is made of, what it offers is the same: from the deltas of what it reads to the deltas of what it derives. So
rules with any algorithm, aggregates and transitive relations work together without knowing of one another, and negation is
nothing but a delta that works the other way round.
"""

from __future__ import annotations

import time
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from tidelog.changes import Counters
from tidelog.core.arrays import Rows
from tidelog.core.rules import Aggregation, Closure, CoreRule, FunctionCalls, Unit, is_visible, positive_atoms
from tidelog.local.closure.closure_diff import VirtualChange
from tidelog.local.closure.closure_update import reclose
from tidelog.local.evaluation.fused_rules import Entry, FusedRules, is_possible
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.lookahead.marking import Marks
from tidelog.local.maintenance import counting
from tidelog.local.maintenance.aggregate_update import refold
from tidelog.local.maintenance.backward_forward.bf_deletion import BackwardForward
from tidelog.local.maintenance.cost_model import Choice, choose, costs_of, rows_of
from tidelog.local.maintenance.deletion import Deletion, TooLongError
from tidelog.local.maintenance.delta_rules import gaining
from tidelog.local.maintenance.deltas import Delta, Deltas
from tidelog.local.maintenance.dred import DRed
from tidelog.local.storage.replacements import Replacement, Version
from tidelog.local.storage.state import State, UndoLog
from tidelog.local.storage.tables import Table

NONE: Mapping[str, Rows] = {}
ALGORITHMS: dict[str, type[Deletion]] = {"bf": BackwardForward, "dred": DRed, "counting": counting.Counting}
"""How facts of a unit are deleted."""
OWN_GROUPS = "an aggregate's groups come from its own recursion"


@dataclass(slots=True)
class ExplicitChanges:
    """What the user has added and taken away since everything was last derived."""

    began: dict[str, int] = field(default_factory=dict)
    """Relations without rules to which rows were appended: where these begin."""
    deleted: dict[str, list[Rows]] = field(default_factory=dict)
    """Facts that are not explicit any more; of relations without rules, they have gone."""
    inserted: dict[str, list[Rows]] = field(default_factory=dict)
    """Facts of relations with rules that have become explicit; they are not in their tables yet."""
    lost: dict[str, Rows] = field(default_factory=dict)
    """Facts that only rules gave, of relations that have no rules any more; they have gone."""

    def __bool__(self) -> bool:
        return bool(self.began or self.deleted or self.inserted or self.lost)


NO_RULES: list[tuple[CoreRule, CoreRule]] = []
NO_NAMES: frozenset[str] = frozenset()


class Maintenance:
    """One update of a state."""

    def __init__(
        self,
        state: State,
        evaluation: Evaluation,
        undo: UndoLog,
        changes: ExplicitChanges,
        algorithm: str,
        marks: Marks | None = None,
    ) -> None:
        """`marks` are those of the facts that the update deletes and the one before has inserted."""
        self.state, self.evaluation, self.undo, self.changes = state, evaluation, undo, changes
        self.algorithm, self.marks = algorithm, marks
        self.deltas = Deltas(state)
        self.chosen: dict[str, str] = {}
        """The algorithms that took part, each with the reason that it was first chosen for."""
        self.counters = Counters()
        self.seconds: dict[str, float] = {}

    def begin(self, derived: Container[str]) -> list[str]:
        """Take up what happened to relations without rules; which of them have changed."""
        began, deleted, lost = self.changes.began, self.changes.deleted, self.changes.lost
        for name in began:
            if name not in derived and name not in deleted and name not in lost:
                self.deltas.grew(name, began[name])
        for name in deleted:
            if name not in derived and name not in lost:
                self._changed(name, began[name] if name in began else self.state.tables[name].end, one_of(deleted[name]))
        for name in lost:
            if name not in derived:
                at = began.get(name, self.state.tables[name].end)
                self._changed(name, at, np.concatenate([lost[name], *deleted[name]]) if name in deleted else lost[name])
        return list(self.deltas.of)

    def apply(self, unit: Unit) -> None:
        """Make a unit's relations what they now are, if anything that it reads, or that was given of them, has changed."""
        if not unit.operators and not unit.stages and self.algorithm != "rematerialise":
            self._maintain(unit)
            return
        closed = [(name, special) for name, special in unit.operators.items() if isinstance(special, Closure)]
        folded = [(name, special) for name, special in unit.operators.items() if isinstance(special, Aggregation)]
        if unit.stages or (self.algorithm == "rematerialise" and not closed):
            why = "as asked for" if self.algorithm == "rematerialise" else OWN_GROUPS
            self.chosen.setdefault("rematerialise", why)
            self._start_over(unit)
        elif closed:
            with self._phase("closures"):
                for name, closure in closed:
                    self.deltas.of[name] = Delta(virtual=self._close(unit, name, closure))
                    self.chosen.setdefault("modules", f"`{name}` is transitive")
        elif folded:
            with self._phase("aggregates"):
                for name, special in folded:
                    self.deltas.changed(name, *refold(name, special, self.state, self.deltas, self.evaluation, self.undo))
        else:
            self._maintain(unit)

    def _close(self, unit: Unit, name: str, special: Closure) -> VirtualChange:
        if self.algorithm != "rematerialise":
            return reclose(name, special, self.state, self.deltas, self.evaluation)
        self.evaluation.from_scratch(unit)
        return VirtualChange(self.undo.virtual[name], self.state.virtual[name])

    # --- rules -----------------------------------------------------------------------------------------------------------

    def _maintain(self, unit: Unit) -> None:
        watch, own = self.evaluation.watch, {name: self.state.tables[name] for name in unit.relations}
        others = watch.progress.facts - seen_in(own) if watch.counts_facts else 0
        begin = {name: table.end for name, table in own.items()}
        changed = [name for name in unit.uses if name in self.deltas and name not in own]
        gone: dict[str, Table] = {}
        chosen = ""
        deleted = self.changes.deleted
        seeds = {name: one_of(deleted[name]) for name in own if name in deleted}
        if seeds or self._loses(unit, changed):
            choice = self._choose(unit, changed, seeds)
            chosen = choice.algorithm
            self.chosen.setdefault(chosen, choice.why)
            if chosen == "rematerialise":
                self._start_over(unit)
                return
            try:
                gone = self._delete(unit, choice, seeds)
            except TooLongError as given_up:
                self.chosen.setdefault("rematerialise", "to follow each of the facts that have gone was taking longer")
                self._start_over(unit, given_up.removed)
                return
            watch.progress.facts = others + seen_in(own) if watch.counts_facts else 0
            begin |= {name: 0 for name in gone if not own[name].arity}  # its one row leaves no hole
        started = time.perf_counter()
        used = self.evaluation.statistics.derivations
        for name in own if self.changes.inserted else ():
            for rows in self.changes.inserted.get(name, ()):
                own[name].insert(rows)
        first, by_table = NO_RULES, NO_NAMES
        if self._gains(unit, changed):
            found = gaining(unit, changed, self.deltas)
            first, by_table = found.rules, found.by_table
        new = {name: at for name, at in begin.items() if own[name].end > at} | self.deltas.ranges(changed, by_table)
        if chosen == "counting" or (self.algorithm == "counting" and counting.is_counted(unit, self.state)):
            counting.insert(unit, new, first, self.deltas, self.evaluation)
        elif new or first or unit.operators:  # functions may have been asked for something, too
            counting.forget(unit, self.state)
            self._derive(unit, new, [variant for variant, _ in first], by_table)
        self.counters.inserted += self.evaluation.statistics.derivations - used
        self._spent("insertion", started)
        for name in own:
            if name in gone:
                self._changed(name, begin[name], gone[name].rows.copy())
            else:
                self.deltas.grew(name, begin[name])
        watch.progress.facts = others + seen_in(own) if watch.counts_facts else 0

    def _choose(self, unit: Unit, changed: list[str], seeds: Mapping[str, Rows]) -> Choice:
        return choose(self.algorithm, unit, self.state, self.deltas, changed, seeds)

    def _derive(self, unit: Unit, new: Mapping[str, int], first: list[CoreRule], by_table: frozenset[str]) -> None:
        """Derive what follows from facts that came, in one go if that is possible; `first` are the rules for some of them."""
        if not is_possible(unit):
            self.evaluation.continue_from(unit, new, first)
            return
        key = ("inserting", id(unit), by_table, *map(id, first))
        fused: FusedRules | None = self.state.variants.get(key)
        if fused is None:
            atoms = [(rule, at, name) for rule in unit.rules for at, name in positive_atoms(rule)]
            others = by_table | self.state.virtual.keys()
            entries: list[Entry] = [(rule, at) for rule, at, name in atoms if name not in others]
            fused = self.state.variants[key] = FusedRules(self.state, [*entries, *((rule, None) for rule in first)], unit)
        if not fused.run(self.evaluation, new):
            if fused.has_begun:
                self.evaluation.saturate(unit)
            else:
                self.evaluation.continue_from(unit, new, first)

    def _delete(self, unit: Unit, choice: Choice, seeds: Mapping[str, Rows]) -> dict[str, Table]:
        started = time.perf_counter()
        deletion = ALGORITHMS[choice.algorithm](unit, self.state, self.deltas, self.evaluation, self.undo)
        deletion.deadline = choice.deadline
        done = deletion.counters
        try:
            if self.marks is None:
                gone = deletion.delete(seeds)
            else:
                with self.marks.using(unit, choice.algorithm, self.deltas, seeds) as suspects:
                    gone = deletion.delete(suspects)
        except TooLongError:
            if choice.began is not None:
                costs_of(unit, self.state).gave_up(time.thread_time() - choice.began, choice.lost)
            raise
        finally:
            self.counters.add(done)
            self._spent("deletion", started)
        if choice.lost:
            suspected, kept = done.checked + done.overdeleted, done.proved + done.rederived
            took = time.thread_time() - choice.began if choice.began is not None else None
            costs_of(unit, self.state).deleted(took, choice.lost, suspected, kept)
        return gone

    def _spent(self, phase: str, started: float) -> None:
        self.seconds[phase] = self.seconds.get(phase, 0.0) + time.perf_counter() - started

    @contextmanager
    def _phase(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self._spent(name, started)

    def _loses(self, unit: Unit, changed: list[str]) -> bool:
        """Whether changes below can take an instance of a rule away."""
        negated, deltas = unit.uses_negatively, self.deltas.of
        return any(deltas[name].has_lost or (name in negated and deltas[name].has_gained) for name in changed)

    def _gains(self, unit: Unit, changed: list[str]) -> bool:
        """Whether changes below can bring an instance of a rule, beside those of rows that were only appended."""
        negated, deltas = unit.uses_negatively, self.deltas.of
        return any(
            (deltas[name].begin is None and deltas[name].has_gained) or (name in negated and deltas[name].has_lost)
            for name in changed
        )

    def _changed(self, name: str, begin: int, gone: Rows) -> None:
        """Note how a relation differs: rows from `begin` on are new in its table, and `gone` left it and may be back."""
        table = self.state.tables[name]
        if table.end == begin and begin:
            self.deltas.changed(name, gone[:0], gone)
            return
        inserted = table.appended_since(begin if table.arity else 0)
        if len(inserted):
            is_back = self.state.helper(f"#known {gone.shape[1]}", gone.shape[1], gone).contains(inserted)
            if is_back.any():
                inserted, gone = inserted[~is_back], gone[~table.contains(gone)]
        self.deltas.changed(name, inserted, gone)

    # --- from nothing ----------------------------------------------------------------------------------------------------

    def _start_over(self, unit: Unit, removed: Mapping[str, Rows] = NONE) -> None:
        """Derive a unit anew, from what the user gave; `removed` are facts that this update has taken away already."""
        spent = time.thread_time()
        progress = self.evaluation.watch.progress
        own = {name: self.state.tables[name] for name in unit.relations}
        facts, held = progress.facts, seen_in(own)
        for name, table in own.items():
            count = table.end
            self.undo.truncate(table)
            table.reserve(count)  # as good a guess as any, and what is not used takes no memory
            if name in self.state.explicit:
                table.insert(self.state.explicit[name].rows)
            if name in self.state.answered:
                self.state.answered[name] = 0  # arguments that are asked for get other numbers
        for special in unit.operators.values():
            if isinstance(special, FunctionCalls):
                self.state.answered[special.requested] = 0
        progress.facts = facts + seen_in(own) - held
        with self._phase("starting over"):
            self.evaluation.from_scratch(unit)
        costs_of(unit, self.state).derived(time.thread_time() - spent, rows_of(unit, self.state))
        for name, table in own.items():
            self._made_anew(name, Replacement(self.undo.version_before(table, removed.get(name)), Version.now(table)))

    def _made_anew(self, name: str, replacement: Replacement) -> None:
        """Note how a relation differs; in a stream of updates nobody should keep old versions to find it out later."""
        self.deltas.changed(name, replacement.inserted(), replacement.deleted())


def one_of(parts: list[Rows]) -> Rows:
    """Rows that came in parts, which is rare."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def seen_in(tables: Mapping[str, Table]) -> int:
    """How many facts that users see are in some tables."""
    return sum(len(table) for name, table in tables.items() if is_visible(name))
