"""One update in which rules have come and gone: units with other rules than before take part as if their facts had changed.

In a unit that has lost rules, the heads of all instances of these rules are suspects, over what there was before the update; any
deletion algorithm then finds out what follows from the rules that are left.  In a unit that has gained rules, only these are
evaluated as a whole; all that follows is semi-naive.  What comes and goes is a delta like any other to those that read it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import thread_time

from tidelog.core.arrays import Rows
from tidelog.core.rule_report import Visit
from tidelog.core.rules import Aggregation, Closure, CoreRule, Unit, positive_atoms
from tidelog.core.units import UnitChange
from tidelog.local.closure.closure_diff import VirtualChange
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.maintenance.cost_model import PLANNING, Choice, Costs, choose, costs_of, rows_of
from tidelog.local.maintenance.deletion import TooLongError
from tidelog.local.maintenance.deltas import Delta
from tidelog.local.maintenance.propagation import ALGORITHMS, OWN_GROUPS, ExplicitChanges, Maintenance, one_of, seen_in
from tidelog.local.rule_changes.migration import RuleUpdate, retire
from tidelog.local.storage.replacements import Replacement, Version
from tidelog.local.storage.state import State, UndoLog
from tidelog.local.storage.tables import Table
from tidelog.syntax.tree import Atom, Negation

_A_LOST_FACT = 3e-6
"""What it takes to follow one, in seconds, as long as the unit has not shown otherwise."""
_INDEXING = 2e-8
"""What it takes to find one row of a relation that has not lost any before, for each row that there is."""
_AGAIN = 0.6
"""Starting over takes that part of what it took before, when plans are there and room is made."""
_SHARE_TO_FOLD = 0.25
"""Of the bindings of an aggregate, the share that may come or go before all groups are folded anew."""
_PATIENCE = 0.5
"""One lost fact may take many along; deletion gives up after that part of the time that starting over takes."""


class RuleMaintenance(Maintenance):
    """An update of a state in which rules have changed."""

    def __init__(
        self, state: State, evaluation: Evaluation, undo: UndoLog, changes: ExplicitChanges, algorithm: str, update: RuleUpdate
    ) -> None:
        super().__init__(state, evaluation, undo, changes, algorithm)
        self.update = update
        after = update.change.after
        self._changed_units = {id(after.units[number]): change for number, change in update.change.units.items()}
        self._became_stored = set(update.change.became_stored)
        self.visits: list[Visit] = []
        self._starts_over = False
        self.deltas.may_take_all = algorithm != "counting"

    def apply(self, unit: Unit) -> None:
        """Make a unit's relations what they now are."""
        started, change = time.perf_counter(), self._changed_units.get(id(unit))
        self._starts_over = False
        if change is None or not change.is_affected:
            if change is not None:
                self._inherit_costs(unit, change)
            if self._folds_much(unit):
                self._start_over(unit)
            else:
                super().apply(unit)
        else:
            self._apply_changed(unit, change)
        is_evaluated = self._starts_over or (change is not None and change.is_affected)
        self.visits.append(Visit(unit, is_evaluated, time.perf_counter() - started))

    def _folds_much(self, unit: Unit) -> bool:
        """Whether a unit is an aggregate of which so much has changed that it is quicker to fold all of it."""
        inner = [special.inner for special in unit.operators.values() if isinstance(special, Aggregation)]
        if self.algorithm != "auto" or unit.stages or len(inner) != 1 or inner[0] not in self.deltas:
            return False
        delta = self.deltas.of[inner[0]]
        return delta.gained + delta.lost > _SHARE_TO_FOLD * len(self.state.tables[inner[0]])

    def _apply_changed(self, unit: Unit, change: UnitChange) -> None:
        closed = [(name, special) for name, special in unit.operators.items() if isinstance(special, Closure)]
        converted = {name for name in unit.relations if name in self._became_stored}
        if closed:
            with self._phase("closures"):
                self._close_anew(unit, closed[0][0])
        elif unit.stages or converted or (self.algorithm == "rematerialise" and change.before):
            why = f"`{min(converted)}` is stored in another way now" if converted else OWN_GROUPS
            self.chosen.setdefault("rematerialise", "as asked for" if self.algorithm == "rematerialise" else why)
            self._derive_anew(unit, converted)
        elif not change.before and not any(name in self.changes.deleted for name in unit.relations):
            self._derive_first(unit)
        else:
            self._follow_rules(unit, change)

    # --- relations that are stored in another way ------------------------------------------------------------------------

    def _close_anew(self, unit: Unit, name: str) -> None:
        """Close a relation that was not closed before, or by other rules."""
        is_there = name in self.state.virtual or name in self.state.tables
        before = self.state.stored(name) if is_there else None
        self.evaluation.from_scratch(unit)
        self.chosen.setdefault("modules", f"`{name}` is transitive")
        after = self.state.virtual[name]
        if before is None:
            self.deltas.of[name] = Delta(virtual=VirtualChange(None, after))
            return
        if isinstance(before, Table):
            self._made_anew(name, Replacement(Version.now(before), after))
            self.update.doom(name)
        else:
            self._made_anew(name, Replacement(before, after))

    def _derive_anew(self, unit: Unit, converted: set[str]) -> None:
        """Derive a unit from what the user gave; relations that were virtual are written out."""
        old = {name: self.state.drop_virtual(name) for name in converted if name in self.state.virtual}
        self._start_over(unit)
        for name, relation in old.items():
            self.deltas.of.pop(name, None)
            self._made_anew(name, Replacement(relation, Version.now(self.state.tables[name])))

    def _made_anew(self, name: str, replacement: Replacement) -> None:
        self.deltas.made_anew(name, replacement)

    def _start_over(self, unit: Unit, removed: Mapping[str, Rows] | None = None) -> None:
        self._starts_over = True
        super()._start_over(unit, removed or {})

    # --- rules -----------------------------------------------------------------------------------------------------------

    def _derive_first(self, unit: Unit) -> None:
        """Derive the relations of a unit that had no rules before."""
        begin = {name: self.state.tables[name].end for name in unit.relations}
        spent = time.thread_time()
        for name in begin:
            table = self.state.tables[name]
            if name in self.state.explicit:
                table.insert(self.state.explicit[name].rows)
        with self._phase("insertion"):
            self.evaluation.from_scratch(unit)
        costs_of(unit, self.state).derived(time.thread_time() - spent, rows_of(unit, self.state))
        for name, at in begin.items():
            self.deltas.grew(name, at)

    def _follow_rules(self, unit: Unit, change: UnitChange) -> None:
        """Take away what followed from removed rules only, then derive what follows from new ones."""
        self._inherit_costs(unit, change)
        state, watch, own = self.state, self.evaluation.watch, {name: self.state.tables[name] for name in unit.relations}
        others = watch.progress.facts - seen_in(own) if watch.counts_facts else 0
        begin = {name: table.end for name, table in own.items()}
        kept = _without(unit, change)
        changed = [name for name in kept.uses if name in self.deltas and name not in own]
        gone: dict[str, Table] = {}
        seeds = {name: one_of(self.changes.deleted[name]) for name in own if name in self.changes.deleted}
        try:
            if seeds or change.removed or self._loses(kept, changed):
                gone_or_none = self._delete_with(unit, kept, change, changed, seeds)
                if gone_or_none is None:
                    return
                gone = gone_or_none
                begin |= {name: 0 for name in gone if not own[name].arity}
                watch.progress.facts = others + seen_in(own) if watch.counts_facts else 0
        finally:
            retire(state, [kept], [], [], [])
        started, used = time.perf_counter(), self.evaluation.statistics.derivations
        for name, table in own.items():
            for rows in self.changes.inserted.get(name, ()):
                table.insert(rows)
        first = [variant for rule in kept.rules for variant in self.deltas.gaining(rule, set(own))]
        new = {name: at for name, at in begin.items() if own[name].end > at} | self.deltas.ranges(changed)
        self._derive_with(unit, kept.rules, new, [*first, *change.added])
        self.counters.inserted += self.evaluation.statistics.derivations - used
        self._spent("insertion", started)
        for name in own:
            if name in gone:
                self._changed(name, begin[name], gone[name].rows.copy())
            else:
                self.deltas.grew(name, begin[name])
        watch.progress.facts = others + seen_in(own) if watch.counts_facts else 0

    def _derive(self, unit: Unit, new: Mapping[str, int], first: list[CoreRule], by_table: frozenset[str]) -> None:
        whole = [rule for rule in unit.rules if self.deltas.takes_all(rule, set(unit.relations))]
        if not whole:
            super()._derive(unit, new, first, by_table)
            return
        self._derive_with(unit, unit.rules, new, list(dict.fromkeys([*first, *whole])))

    def _derive_with(self, unit: Unit, rules: Sequence[CoreRule], new: Mapping[str, int], first: Sequence[CoreRule]) -> None:
        """Derive what follows from facts that came, and from rules that apply once: to all facts, for they are new or many."""
        once = set(map(id, first))
        watch = self.evaluation.watch
        self.evaluation.mark(unit, new)
        watch.progress.round = 0
        watch.poll()
        others = [rule for rule in rules if id(rule) not in once]
        self.evaluation.apply_deltas([(rule, at) for rule in others for at, name in positive_atoms(rule) if name in new])
        self.evaluation.apply_once(first)
        self.evaluation.saturate(unit)

    def _choose(self, unit: Unit, changed: list[str], seeds: Mapping[str, Rows], removed: Sequence[CoreRule] = ()) -> Choice:
        """As for updates of facts; but when rules go, so many facts may be lost that nobody needs to try."""
        choice = choose(self.algorithm, unit, self.state, self.deltas, changed, seeds)
        if self.algorithm != "auto" or choice.algorithm == "rematerialise":
            return choice
        own = sum(len(self.state.tables[name]) for name in unit.relations)
        lost = choice.lost + sum(map(self._lost_pairs, changed)) + sum(map(self._instances, removed))
        share = max((self._lost_share(name) for name in changed if all(_reads(rule, name) for rule in unit.rules)), default=0.0)
        costs = costs_of(unit, self.state)
        takes = max(lost, share * own) * max(costs.per_fact, _A_LOST_FACT)
        if costs.deletions < 0:
            takes += PLANNING * (len(unit.rules) + len(removed)) + _INDEXING * own
        anew = _AGAIN * costs.anew_with(rows_of(unit, self.state))
        if takes > anew:
            why = f"about {lost:,} instances of rules have gone, and to follow each of them would take longer"
            return Choice("rematerialise", why, lost)
        if choice.deadline is not None:
            at = min(choice.deadline(), thread_time() + _PATIENCE * anew)
            choice.deadline = lambda: at
        return choice

    def _lost_pairs(self, name: str) -> int:
        """How many pairs a virtual relation has lost, at least."""
        change = self.deltas.of[name].virtual
        return max(0, len(change.before) - len(change.after)) if change is not None and change.before is not None else 0

    def _lost_share(self, name: str) -> float:
        """Which part of its rows a stored relation has lost."""
        lost = self.deltas.of[name].lost
        return lost / (lost + len(self.state.stored(name))) if lost else 0.0

    def _instances(self, rule: CoreRule) -> int:
        """How many instances a rule that is gone may have had: those of its only atom, or as many as there are heads."""
        names = [name for _, name in positive_atoms(rule)]
        return len(self.state.stored(names[0] if len(names) == 1 else rule.head.predicate))

    def _delete_with(
        self, unit: Unit, kept: Unit, change: UnitChange, changed: list[str], seeds: Mapping[str, Rows]
    ) -> dict[str, Table] | None:
        """Delete what does not follow from the rules that are left; None if the unit was derived anew instead."""
        self.state.costs[id(kept)] = costs_of(unit, self.state)
        choice = self._choose(kept, changed, seeds, change.removed)
        self.chosen.setdefault(choice.algorithm, choice.why)
        if choice.algorithm == "rematerialise":
            self._start_over(unit)
            return None
        started = time.perf_counter()
        algorithm, heads = ALGORITHMS[choice.algorithm], list(seeds)
        deletion = algorithm(kept, self.state, self.deltas, self.evaluation, self.undo, change.removed, heads)
        deletion.deadline = choice.deadline
        try:
            return deletion.delete(seeds)
        except TooLongError as given_up:
            self.chosen.setdefault("rematerialise", "to follow each of the facts that have gone was taking longer")
            self._start_over(unit, given_up.removed)
            return None
        finally:
            self.counters.add(deletion.counters)
            self._spent("deletion", started)

    def _inherit_costs(self, unit: Unit, change: UnitChange) -> None:
        """What is known of the units before is a good guess of what this one takes."""
        before = [costs_of(other, self.state) for other in change.before]
        if before:
            rows = sum(costs.rows for costs in before)
            self.state.costs[id(unit)] = Costs(sum(costs.anew for costs in before), rows)


def _without(unit: Unit, change: UnitChange) -> Unit:
    """A unit without its new rules; it reads what removed ones read, too."""
    added = set(change.added)
    rules = tuple(rule for rule in unit.rules if rule not in added)
    read = _read(rules)
    negative = {name for name, is_negated in (*read, *_read(change.removed)) if is_negated}
    uses = frozenset(name for name, _ in (*read, *_read(change.removed)))
    return replace(unit, rules=rules, uses=uses, uses_negatively=frozenset(negative))


def _reads(rule: CoreRule, name: str) -> bool:
    """Whether a rule has a relation in a positive atom."""
    return any(name == other for _, other in positive_atoms(rule))


def _read(rules: tuple[CoreRule, ...]) -> list[tuple[str, bool]]:
    """The relations that rules read, and whether under negation."""
    literals = [literal for rule in rules for literal in rule.body]
    positive = [(literal.predicate, False) for literal in literals if isinstance(literal, Atom)]
    return [*positive, *((literal.atom.predicate, True) for literal in literals if isinstance(literal, Negation))]
