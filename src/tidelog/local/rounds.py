"""Rules that run together in one call of the kernel, kept from one update to the next with their plans.

`materialise` runs rule after rule from Python, plans for the sizes of each round, and notes what each rule did. An update of a
few facts has no time for that: here all rounds are one call (`kernel.rounds`), and plans serve until sizes are quite other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tidelog.local import materialise
from tidelog.local.core import CoreRule, Unit
from tidelog.local.kernel import layout
from tidelog.local.kernel import rounds as kernel
from tidelog.local.kernel.memory import Int32s, Int64s
from tidelog.local.kernel.plans import PLAN_WIDTH
from tidelog.local.planning import planned
from tidelog.local.state import State
from tidelog.syntax.tree import Atom, Negation

if TYPE_CHECKING:
    from tidelog.local.materialise import Evaluation

Entry = tuple[CoreRule, int | None]
"""A rule, and the place of the atom whose delta it joins; without one it runs once."""


_NOTHING: Mapping[str, int] = {}


class Together:
    """Some rules of a state, ready to run."""

    def __init__(self, state: State, entries: Sequence[Entry], unit: Unit | None = None) -> None:
        """With a unit, rounds go on until nothing is new in its relations."""
        self._state, self._entries, self._is_once = state, entries, unit is None
        names = unit.relations if unit is not None else ()
        inputs = unit.uses.difference(names, state.virtual) if unit is not None else ()
        self._own: Int32s = np.array([state.tables[name].number for name in names], np.int32)
        self._inputs: Int32s = np.array([state.tables[name].number for name in inputs], np.int32)
        self._seen = [state.tables[name] for name in names if materialise.is_seen(name)]
        self._place = {name: at for at, name in enumerate((*names, *inputs))}
        self._begins: Int64s = np.zeros(len(self._place), np.int64)
        self._words: Int64s = np.zeros(kernel.ROUNDS_WIDTH, np.int64)
        self._is_planned = False

    def _plan(self) -> None:
        """Make all plans, for sizes as they are."""
        state, watched, numbers, rows = self._state, dict[tuple[int, bool], int](), list[int](), list[list[int]]()
        self._plans = [planned(rule, state, at) for rule, at in self._entries]
        for number, ((rule, at), prepared) in enumerate(zip(self._entries, self._plans, strict=True)):
            begin = len(numbers)
            numbers += [index.number for _, index in prepared.indexes]
            delta = -1
            for place, literal in enumerate(rule.body):
                atom = literal.atom if isinstance(literal, Negation) else literal
                if isinstance(atom, Atom) and atom.predicate not in state.virtual:
                    table, span = state.table(atom.predicate), layout.DELTA if place == at else layout.WHOLE
                    watched[table.number, place == at] = table.length_of(span)
                    delta = table.number if place == at else delta
            rows.append([number, delta, state.table(rule.head.predicate).number, begin, len(numbers), 0, 0])
        self._Q: Int64s = np.array([prepared.addresses() for prepared in self._plans], np.int64).reshape(-1, PLAN_WIDTH)
        self._D: Int64s = np.array(rows, np.int64).reshape(-1, kernel.ENTRY_WIDTH)
        self._W: Int64s = np.array([[*key, size] for key, size in watched.items()], np.int64).reshape(-1, 3)
        self._N: Int32s = np.array(numbers or [0], np.int32)
        self._indexes = {index.number: (table, index) for p in self._plans for table, index in p.indexes}
        self._walking = [prepared for prepared in self._plans if prepared.walks]
        self._is_planned = True

    @property
    def has_begun(self) -> bool:
        """Whether the last run did anything before it gave up."""
        return bool(self._words[kernel.HAS_BEGUN])

    def run(self, evaluation: Evaluation, new: Mapping[str, int] = _NOTHING) -> bool:
        """Run; False if what is new is too much for it, and rounds are to go on without (`materialise`).

        `new` says for relations of the unit, and those that it reads, where what is new of them begins.
        """
        if not self._entries:
            return True
        self._begins.fill(-1)
        for name, begin in new.items():
            self._begins[self._place[name]] = begin
        if not self._is_planned or not all(prepared.can_walk(self._state) for prepared in self._walking):
            self._plan()
        words, state, watch = self._words, self._state, evaluation.watch
        words.fill(0)
        words[kernel.IS_ONCE] = self._is_once
        held = sum(map(len, self._seen)) if watch.counts_facts else 0
        while True:
            words[kernel.STEPS] = materialise.STEP_BUDGET
            store = state.store
            plans = self._Q, self._D, self._W, self._N, self._own, self._inputs, self._begins
            kernel.run_rounds(store.M, store.X, state.V, state.terms.header, *plans, words)
            outcome = words[kernel.OUTCOME]
            if outcome == layout.DONE:
                break
            if outcome == layout.GROW_TABLE:
                store.tables[words[kernel.CULPRIT_AT]].grow()
            elif outcome == layout.GROW_TERMS:
                state.terms.grow()
            elif outcome == kernel.GROW_INDEX:
                table, index = self._indexes[int(words[kernel.CULPRIT_AT])]
                table.extend_index(index, watch.look)
            elif outcome == kernel.PLAN_ANEW:
                self._plan()
            elif outcome == kernel.TOO_LARGE:
                break
            held = self._look(evaluation, held)
        self._look(evaluation, held)
        self._note(evaluation)
        return bool(outcome == layout.DONE)

    def _look(self, evaluation: Evaluation, held: int) -> int:
        watch, now = evaluation.watch, held
        if watch.counts_facts:
            now = sum(map(len, self._seen))
            watch.progress.facts += now - held
        watch.progress.round = max(watch.progress.round, int(self._words[kernel.ROUND]))
        watch.look()
        return now

    def _note(self, evaluation: Evaluation) -> None:
        for at, (found, new) in enumerate(self._D[:, kernel.FOUND_COUNT :].tolist()):
            if found:
                evaluation.note(self._entries[at][0], int(self._words[kernel.ROUND]), found, new)
        evaluation.statistics.undefined += int(self._words[kernel.UNDEFINED_COUNT])


def is_possible(unit: Unit) -> bool:
    """Whether a unit's rules can run together; calls need Python."""
    return not unit.specials
