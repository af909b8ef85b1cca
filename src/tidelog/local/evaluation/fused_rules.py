"""Fused rules: several rules run to their fixpoint in one call of the kernel, with plans kept from one update to the next.

`seminaive` runs rule after rule from Python, plans for the sizes of each round, and records what each rule did. An update of a
few facts has no time for that: here all rounds are one call (`kernel.fused_rounds`), and plans serve until sizes differ much.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.core.rules import CoreRule, Unit, is_visible
from tidelog.local.evaluation import seminaive
from tidelog.local.kernel import fused_rounds as kernel
from tidelog.local.kernel import layout
from tidelog.local.kernel.memory import address_of
from tidelog.local.planning.plan import Plan
from tidelog.local.planning.plan_cache import PlanCache
from tidelog.local.storage.state import State
from tidelog.syntax.tree import Atom, Negation

if TYPE_CHECKING:
    from tidelog.local.evaluation.seminaive import Evaluation

Entry = tuple[CoreRule, int | None]
"""A rule, and the place of the atom whose delta it joins; without one it runs once."""


_NOTHING: Mapping[str, int] = {}


class FusedRules:
    """Some rules of a state, ready to run in one call."""

    def __init__(
        self,
        state: State,
        plans: PlanCache,
        entries: Sequence[Entry],
        unit: Unit | None = None,
        *,
        begins_with_delta: bool = False,
    ) -> None:
        """With a unit, they run to the fixpoint of its relations; without one, they run once.

        With `begins_with_delta` the first plans serve for deltas of any size: they are made while the delta is small.
        """
        self._begins_with_delta = begins_with_delta
        self._state, self._cache, self.entries, self._is_once = state, plans, entries, unit is None
        names = unit.relations if unit is not None else ()
        inputs = unit.uses.difference(names, state.virtual) if unit is not None else ()
        self._own: Int32s = np.array([state.tables[name].number for name in names], np.int32)
        self._inputs: Int32s = np.array([state.tables[name].number for name in inputs], np.int32)
        self._seen = [state.tables[name] for name in names if is_visible(name)]
        self._place = {name: at for at, name in enumerate((*names, *inputs))}
        self._begins: Int64s = np.zeros(len(self._place), np.int64)
        self.words: Int64s = np.zeros(kernel.ROUNDS_WIDTH, np.int64)
        self.addresses: Int64s = np.zeros(kernel.RULES_WIDTH, np.int64)
        """Where the kernel finds its tables; the array stays where it is, at `address`, whatever is planned."""
        self.address = address_of(self.addresses)
        self.addresses[kernel.PROGRESS] = address_of(self.words)
        for at, buffer in ((kernel.OWN, self._own), (kernel.INPUTS, self._inputs), (kernel.BEGINS, self._begins)):
            self.addresses[at : at + 2] = address_of(buffer), len(buffer)
        self._is_planned = False

    def _plan(self) -> None:
        """Make all plans, for sizes as they are."""
        state, watched, numbers, rows = self._state, dict[tuple[int, bool], int](), list[int](), list[list[int]]()
        self._plans = self._made_plans()
        for number, ((rule, at), prepared) in enumerate(zip(self.entries, self._plans, strict=True)):
            begin = len(numbers)
            numbers += [index.number for _, index in prepared.indexes]
            delta = -1
            for place, literal in enumerate(rule.body):
                atom = literal.atom if isinstance(literal, Negation) else literal
                if isinstance(atom, Atom) and atom.predicate not in state.virtual:
                    table, span = state.table(atom.predicate), layout.DELTA if place == at else layout.WHOLE
                    is_test = isinstance(literal, Negation)  # which comes when its variables are known, whatever the sizes
                    if not is_test and (place != at or not self._begins_with_delta):
                        watched[table.number, place == at] = table.length_of(span)
                    delta = table.number if place == at else delta
            rows.append([number, delta, state.table(rule.head.predicate).number, begin, len(numbers), 0, 0])
        plans: Int64s = np.array([prepared.addresses for prepared in self._plans], np.int64).reshape(-1, layout.PLAN_WIDTH)
        entries: Int64s = np.array(rows, np.int64).reshape(-1, kernel.ENTRY_WIDTH)
        sizes: Int64s = np.array([[*key, size] for key, size in watched.items()], np.int64).reshape(-1, kernel.SIZE_WIDTH)
        indexes: Int32s = np.array(numbers, np.int32)
        self._buffers = plans, entries, sizes, indexes  # which the kernel knows by their addresses only
        self.addresses[kernel.PLANS] = address_of(plans)
        for place, buffer in ((kernel.ENTRIES, entries), (kernel.SIZES, sizes), (kernel.INDEXES, indexes)):
            self.addresses[place : place + 2] = address_of(buffer), len(buffer)
        self._counts: Int64s = entries[:, kernel.FOUND_COUNT :]
        self._indexes = {index.number: (table, index) for p in self._plans for table, index in p.indexes}
        self._walking = [prepared for prepared in self._plans if prepared.walks]
        self._is_planned = True

    def _made_plans(self) -> list[Plan]:
        """A plan for each entry."""
        return [self._cache.plan(rule, self._state, at) for rule, at in self.entries]

    @property
    def has_begun(self) -> bool:
        """Whether the last run did anything before it gave up."""
        return bool(self.words[kernel.HAS_BEGUN])

    def run(self, evaluation: Evaluation, new: Mapping[str, int] = _NOTHING) -> bool:
        """Run; False if the delta is too large for it, and `seminaive` is to continue.

        `new` says for relations of the unit, and those that it reads, where what is new of them begins.
        """
        if not self.entries:
            return True
        self._begins.fill(-1)
        for name, begin in new.items():
            self._begins[self._place[name]] = begin
        if not self._is_planned:  # for sizes as they are now
            for name in self._place:
                self._state.tables[name].mark_delta(new.get(name))
        self.ensure_planned()
        words, state, watch = self.words, self._state, evaluation.watch
        words.fill(0)
        words[kernel.IS_ONCE] = self._is_once
        held = sum(map(len, self._seen)) if watch.counts_facts else 0
        while True:
            words[kernel.STEPS] = seminaive.STEP_BUDGET
            store = state.store
            kernel.run_rounds(store.M, store.X, state.V, state.terms.header, self.addresses)
            outcome = words.item(kernel.OUTCOME)
            if outcome in (layout.DONE, kernel.TOO_LARGE):
                break
            self.handle_stop(outcome, evaluation)
            held = self._poll(evaluation, held)
        self._poll(evaluation, held)
        self.note(evaluation)
        return outcome == layout.DONE

    def ensure_planned(self) -> None:
        """Make plans, if there are none or a virtual relation has outgrown them."""
        if not self._is_planned or (self._walking and not all(prepared.can_walk(self._state) for prepared in self._walking)):
            self._plan()

    def handle_stop(self, outcome: int, evaluation: Evaluation) -> None:
        """Do what the kernel has stopped for."""
        state, culprit = self._state, int(self.words[kernel.CULPRIT_AT])
        if outcome == layout.GROW_TABLE:
            state.store.tables[culprit].grow()
        elif outcome == layout.GROW_TERMS:
            state.terms.grow()
        elif outcome == kernel.GROW_INDEX:
            table, index = self._indexes[culprit]
            table.extend_index(index, evaluation.watch.poll)
        elif outcome == kernel.PLAN_ANEW:
            self.note(evaluation)
            self._plan()

    def _poll(self, evaluation: Evaluation, held: int) -> int:
        watch, now = evaluation.watch, held
        if watch.counts_facts:
            now = sum(map(len, self._seen))
            watch.progress.facts += now - held
        watch.progress.round = max(watch.progress.round, self.words.item(kernel.ROUND))
        watch.poll()
        return now

    def note(self, evaluation: Evaluation) -> None:
        """Record what was found in the statistics."""
        if evaluation.record_all(self.entries, self._counts.tolist(), self.words.item(kernel.ROUND)):
            self._counts.fill(0)
        undefined = self.words.item(kernel.UNDEFINED_COUNT)
        if undefined:
            evaluation.statistics.undefined += undefined
            self.words[kernel.UNDEFINED_COUNT] = 0


def can_fuse(unit: Unit) -> bool:
    """Whether a unit's rules can run in one call of the kernel; functions that Python computes cannot."""
    return not unit.operators
