"""The rules of a unit under change: delete what does not follow any more, then derive what follows now.

One path serves updates of facts and changes of rules; a `UnitChange` without rules is the usual case. In a unit that has lost
rules, the heads of all instances of these rules are suspects, over what there was before the update; any deletion algorithm
then finds out what follows from the rules that are left. Of rules that a unit has gained, all instances are derived, once; all
that follows is semi-naive. What is inserted and deleted is a delta like any other to the units that read it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tidelog.changes import Counters, DeletionCost
from tidelog.core.arrays import Rows
from tidelog.core.limits import TooExpensiveError
from tidelog.core.rules import CoreRule, Unit, positive_atoms
from tidelog.core.units import UnitChange
from tidelog.local.evaluation.fused_rules import Entry, FusedRules, can_fuse
from tidelog.local.maintenance import counting
from tidelog.local.maintenance.backward_forward.bf_deletion import BackwardForward
from tidelog.local.maintenance.closure_update import record_closure
from tidelog.local.maintenance.cost_model import Choice, choose, choose_for_rules
from tidelog.local.maintenance.deletion import Deletion
from tidelog.local.maintenance.delta.delta_rules import DeltaRules
from tidelog.local.maintenance.delta.deltas import concatenated
from tidelog.local.maintenance.delta.rule_sets import InsertionRules, insertion_rules, without_deltas
from tidelog.local.maintenance.dred import DRed, ModularDRed
from tidelog.local.maintenance.ranked.ranked_deletion import RankedDeletion
from tidelog.local.maintenance.rematerialisation import start_over
from tidelog.local.maintenance.unit_runtime import UnitRuntime
from tidelog.local.maintenance.update_context import FactCount, UpdateContext
from tidelog.local.storage.tables import Table
from tidelog.syntax.tree import atoms

ALGORITHMS: dict[str, type[Deletion]] = {
    "ranked": RankedDeletion,
    "bf": BackwardForward,
    "dred": DRed,
    "counting": counting.Counting,
}
"""How facts of a unit are deleted."""
NO_CHANGE = UnitChange((), (), (), has_new_operators=False)
"""A unit whose rules are what they were."""


class RuleMaintenance:
    """The maintenance of one unit in one update."""

    def __init__(self, runtime: UnitRuntime, context: UpdateContext, change: UnitChange = NO_CHANGE) -> None:
        self._runtime, self._context, self._change = runtime, context, change
        self._unit, self._deltas = runtime.unit, context.deltas
        self._has_other_rules = bool(change.added or change.removed)
        self._kept = runtime.with_unit(_without(runtime.unit, change)) if self._has_other_rules else runtime
        """The unit with the rules that were there before and still are."""
        modules, state = runtime.unit.modules, context.state
        self._own = {name: state.tables[name] for name in runtime.unit.relations if name not in modules}
        self._closed = {name: state.virtual[name] for name in modules}
        """Relations of the unit that are closed, as they were."""
        self._begin = {name: table.end for name, table in self._own.items()}
        """Rows from here on are new."""
        self._removed: Mapping[str, Rows] = {}
        """Facts that a deletion has removed before it was given up."""
        self._changed = [name for name in self._kept.unit.uses if name in self._deltas and name not in self._own]

    def run(self) -> None:
        """Bring the relations of the unit up to date, and record their deltas."""
        context, own = self._context, self._own
        count = FactCount(context.evaluation, own) if context.evaluation.watch.counts_facts else None
        try:
            deleted = self._delete()
            if deleted or deleted is None:
                context.reordered.update(own)
            if deleted is None:
                return
            if count is not None:
                count.update()
            if deleted:
                self._begin |= {name: 0 for name in deleted if not own[name].arity}  # its one row leaves no tombstone
            self._insert()
        finally:
            if self._has_other_rules:
                self._kept.retire()
        for name in own:
            if name in deleted:
                context.record_change(name, self._begin[name], deleted[name])
            else:
                self._deltas.grew(name, self._begin[name])
        for name, before in self._closed.items():
            record_closure(name, self._unit.modules[name], before, context)
        if count is not None:
            count.update()

    # --- deletion --------------------------------------------------------------------------------------------------------

    def _delete(self) -> Mapping[str, Rows] | None:
        """Delete what does not follow any more; the deleted facts, or None if the unit was rematerialised instead."""
        context, explicit = self._context, self._context.changes.deleted
        seeds = {name: concatenated(explicit[name]) for name in self._own if name in explicit} if explicit else {}
        if not (seeds or self._change.removed or self._loses()):
            return {}
        if context.marks is None and not any(map(len, self._own.values())):  # marks count what they have spared
            return {}
        choice = self._choose(seeds)
        context.chosen.setdefault(choice.algorithm, choice.why)
        if choice.algorithm == "rematerialise":
            expected, started = self._runtime.costs.per_fact * choice.lost, time.perf_counter()
            start_over(self._runtime, context, choice.why)
            self._record(choice, expected, started)
            return None
        try:
            tables = self._delete_with(choice, seeds)
        except TooExpensiveError as reason:
            start_over(self._runtime, context, str(reason), self._removed)
            return None
        return {name: table.rows.copy() for name, table in tables.items()}

    def _choose(self, seeds: Mapping[str, Rows]) -> Choice:
        """The algorithm for this unit and update."""
        context, kept = self._context, self._kept
        choice = choose(context.algorithm, kept, self._deltas, self._changed, seeds)
        if context.changes_rules and context.algorithm == "auto" and choice.algorithm != "rematerialise":
            return choose_for_rules(choice, kept, self._deltas, self._changed, self._change.removed)
        return choice

    def _delete_with(self, choice: Choice, seeds: Mapping[str, Rows]) -> dict[str, Table]:
        context, costs, started, gave_up = self._context, self._runtime.costs, time.perf_counter(), False
        expected = costs.per_fact * choice.lost
        heads = [*seeds, *self._closed] if self._has_other_rules else [*self._closed]
        algorithm = ModularDRed if self._closed else ALGORITHMS[choice.algorithm]
        deletion = algorithm(self._kept, self._deltas, context.evaluation, context.undo, self._change.removed, heads)
        deletion.deadline = choice.deadline
        done, records = deletion.counters, not self._has_other_rules
        context.evaluation.plans = self._kept.plans
        try:
            if context.marks is None:
                deleted = deletion.delete(seeds)
            else:
                with context.marks.using(self._unit, choice.algorithm, self._deltas, seeds) as suspects:
                    deleted = deletion.delete(suspects)
        except TooExpensiveError:
            gave_up = True
            self._removed = deletion.removed_rows()
            is_measured = choice.began is not None and records
            costs.gave_up(time.thread_time() - (choice.began or 0.0) if is_measured else None, choice.lost)
            raise
        finally:
            context.evaluation.plans = self._runtime.plans
            context.counters.add(done)
            context.spent("deletion", started)
            self._record(choice, expected, started, gave_up=gave_up)
        if choice.deadline is not None:
            costs.ended()
        if choice.lost and records:
            suspected, kept = _suspected(choice.algorithm, done)
            took = time.thread_time() - choice.began if choice.began is not None else None
            costs.deleted(took, choice.lost, suspected, kept)
        return deleted

    def _record(self, choice: Choice, expected: float, started: float, *, gave_up: bool = False) -> None:
        """Record what a deletion was expected to take, and took."""
        anew = self._runtime.costs.anew_with(choice.rows) if choice.rows else 0.0
        relations, took = self._unit.relations, time.perf_counter() - started
        cost = DeletionCost(relations, choice.algorithm, choice.why, choice.lost, expected, anew, took, gave_up)
        self._context.deletions.append(cost)

    def _loses(self) -> bool:
        """Whether deltas of lower relations can take an instance of a rule away."""
        negated, deltas = self._kept.unit.uses_negatively, self._deltas.of
        for name in self._changed:  # noqa: SIM110 - a generator takes longer, and every update asks
            if deltas[name].has_lost or (name in negated and deltas[name].has_gained):
                return True
        return False

    # --- insertion -------------------------------------------------------------------------------------------------------

    def _insert(self) -> None:
        """Insert explicit facts, and derive what follows from them, from deltas of lower relations, and from added rules."""
        context, unit, own = self._context, self._unit, self._own
        started, evaluation = time.perf_counter(), context.evaluation
        used = evaluation.statistics.derivations
        for name in own if context.changes.inserted else ():
            for rows in context.changes.inserted.get(name, ()):
                own[name].insert(rows)
        rules = insertion_rules(self._kept, self._changed, self._deltas) if self._gains() else without_deltas(self._kept)
        new = {name: at for name, at in self._begin.items() if own[name].end > at}
        new |= self._deltas.ranges(self._changed, rules.by_table)
        if context.algorithm == "counting" and counting.is_counted(unit, context.state):
            counting.insert(self._runtime, new, rules.rules, evaluation)
        elif new or rules.rules or self._change.added or unit.operators:  # functions may have been requested, too
            counting.forget(unit, context.state)
            self._derive(rules, new)
        context.counters.inserted += evaluation.statistics.derivations - used
        context.spent("insertion", started)

    def _gains(self) -> bool:
        """Whether deltas of lower relations can bring an instance of a rule, beside those of rows that were only appended."""
        negated, deltas = self._kept.unit.uses_negatively, self._deltas.of
        for name in self._changed:
            delta = deltas[name]
            if (delta.begin is None and delta.has_gained) or (name in negated and delta.has_lost):
                return True
        return False

    def _derive(self, rules: InsertionRules, new: Mapping[str, int]) -> None:
        """Derive what follows from inserted facts and added rules: in one call of the kernel, if that is possible."""
        evaluation, first = self._context.evaluation, [variant for variant, _ in rules.rules]
        whole: list[CoreRule] = []
        if self._deltas.may_join_all:
            made = DeltaRules(self._kept, self._deltas)
            whole = [rule for rule in self._kept.unit.rules if made.joins_all(rule)]
        if self._has_other_rules or whole:
            self._derive_in_rounds(list(dict.fromkeys([*first, *whole, *self._change.added])), new)
            return
        if can_fuse(self._unit):
            fused = self._fused(rules, first)
            if fused.run(evaluation, new):
                return
            if fused.has_begun:
                evaluation.go_on(self._unit, self._begin)
                return
        evaluation.continue_from(self._unit, new, first)

    def _fused(self, rules: InsertionRules, first: Sequence[CoreRule]) -> FusedRules:
        """All rules of the unit in one call; `first` are those for deltas that are tables."""
        if rules.fused is None:
            key = rules.by_table, tuple(rule.serial for rule in first)
            rules.fused = self._runtime.kept(FusedRules, key)
        if rules.fused is None:
            others = rules.by_table | self._context.state.virtual.keys()
            atoms = [(rule, at, name) for rule in self._unit.rules for at, name in positive_atoms(rule)]
            entries: list[Entry] = [(rule, at) for rule, at, name in atoms if name not in others]
            entries += [(rule, None) for rule in first]
            fused = FusedRules(self._context.state, self._runtime.plans, entries, self._unit)
            rules.fused = self._runtime.keep(fused, key)
        return rules.fused

    def _derive_in_rounds(self, first: Sequence[CoreRule], new: Mapping[str, int]) -> None:
        """Derive what follows from inserted facts, and from rules that apply once to all facts, for they are new or many."""
        once, evaluation = {rule.serial for rule in first}, self._context.evaluation
        evaluation.mark(self._unit, new)
        evaluation.start_round(0)
        others = [rule for rule in self._kept.unit.rules if rule.serial not in once]
        evaluation.apply_deltas([(rule, at) for rule in others for at, name in positive_atoms(rule) if name in new])
        evaluation.apply_once(first)
        evaluation.go_on(self._unit, self._begin)


def _suspected(algorithm: str, done: Counters) -> tuple[int, int]:
    """How many facts a deletion suspected, and how many of them stayed or came back."""
    if algorithm == "ranked":
        return done.checked, done.checked - done.overdeleted + done.rederived
    return done.checked + done.overdeleted, done.proved + done.rederived


def _without(unit: Unit, change: UnitChange) -> Unit:
    """A unit without its new rules; it reads what removed ones read, too."""
    added = set(change.added)
    rules = tuple(rule for rule in unit.rules if rule not in added)
    read = [(atom.predicate, sign) for rule in (*rules, *change.removed) for atom, sign in atoms(rule.body)]
    negative = frozenset(name for name, sign in read if sign == "negative")
    return replace(unit, rules=rules, uses=frozenset(name for name, _ in read), uses_negatively=negative)
