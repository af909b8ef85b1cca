"""Semi-naive evaluation, unit by unit: the textbook's algorithm (Abiteboul, Hull, Vianu, "Foundations of Databases", 13.1).

A round applies each rule to the facts that were new in the round before, in the place of one of its atoms after the other;
atoms further left see older facts only, so no instance is looked at twice. Departures: the delta is a range of row numbers,
not a relation of its own, and relations that operators fill (functions that Python computes) take part in the rounds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from tidelog.core.limits import Watch
from tidelog.core.rules import Aggregation, Closure, CoreRule, FunctionCalls, Unit, is_visible, positive_atoms
from tidelog.core.statistics import Round, Statistics
from tidelog.local.closure.closing import close
from tidelog.local.evaluation.aggregation import fold
from tidelog.local.evaluation.function_calls import compute_calls
from tidelog.local.evaluation.module_turns import ModuleTurns
from tidelog.local.kernel import join, layout
from tidelog.local.planning.plan import Plan
from tidelog.local.planning.plan_cache import PlanCache
from tidelog.local.storage.state import State
from tidelog.local.storage.tables import Table

STEP_BUDGET = 1 << 17
"""Steps of the kernel between two checks of limits and Ctrl-C: a few milliseconds."""


class Evaluation:
    """One evaluation of some units over a state."""

    def __init__(self, state: State, watch: Watch, statistics: Statistics) -> None:
        self.state, self.watch, self.statistics = state, watch, statistics
        state.terms.finish_growing()  # rules may add values
        self.unit, self.plans = 0, PlanCache()

    def enter(self, unit: int, plans: PlanCache) -> None:
        """Go on to another unit: its number, for the statistics, and its plans."""
        self.unit, self.plans = unit, plans

    def from_scratch(self, unit: Unit) -> None:
        """Derive all facts of a unit; its tables hold explicit facts, and nothing else."""
        if unit.stages:
            self._in_turn(unit)
            return
        for name, special in unit.operators.items():
            if isinstance(special, Closure):
                self.close(name, special)
            elif isinstance(special, Aggregation):
                fold(special, self.state, self.state.table(name))
        if not unit.rules and not any(isinstance(special, FunctionCalls) for special in unit.operators.values()):
            return
        turns = self._turns(unit, {})
        self.mark(unit, {})
        self.start_round(0)
        self.apply_once(unit.rules)
        self.saturate(unit)
        self._exchange(unit, turns)

    def continue_from(
        self,
        unit: Unit,
        before: Mapping[str, int],
        first: Sequence[CoreRule] = (),
        via: Callable[[CoreRule], CoreRule] = lambda rule: rule,
        after_rules: Callable[[], None] = lambda: None,
    ) -> None:
        """Derive what follows from facts appended to tables; `before` says where those of each begin.

        `first` are rules that apply once, in the first round.  `via` gives a rule that is applied instead of one of the unit,
        and `after_rules` is called when all rules of a round have been, to make facts of what they found.
        """
        turns = self._turns(unit, before)
        self.mark(unit, before)
        self.start_round(0)
        deltas = [(via(rule), at) for rule in unit.rules for at, name in positive_atoms(rule) if name in before]
        self.apply_deltas(deltas)
        self.apply_once(first)
        after_rules()
        self.saturate(unit, via, after_rules)
        self._exchange(unit, turns)

    def go_on(self, unit: Unit, before: Mapping[str, int]) -> None:
        """Run rounds, and let modules take in what they have not yet; `before` says where the new facts of each table begin."""
        turns = self._turns(unit, before)
        self.saturate(unit)
        self._exchange(unit, turns)

    def _turns(self, unit: Unit, before: Mapping[str, int]) -> ModuleTurns | None:
        """The closed relations that other rules of a unit recur through, if there are any."""
        if not unit.modules:
            return None
        return ModuleTurns(unit, self.state, self.watch, self.apply_once, self.plans, before)

    def _exchange(self, unit: Unit, turns: ModuleTurns | None) -> None:
        """Let modules and other rules exchange what is new until nothing is."""
        while turns is not None and turns.take():
            self.saturate(unit)

    def note(self, rule: CoreRule, number: int, derivations: int, new_facts: int, seconds: float = 0.0) -> None:
        """Record what a rule did in the statistics."""
        self.watch.progress.derivations += derivations
        self.statistics.derivations += derivations
        self.statistics.rounds.append(Round(self.unit, rule.origin, number, derivations, new_facts, seconds))

    def record_all(self, rules: Iterable[tuple[CoreRule, object]], counts: Iterable[tuple[int, int]], number: int) -> int:
        """Record what each of some rules did: its derivations and new facts; how many derivations there were in all."""
        unit, rounds, total = self.unit, self.statistics.rounds, 0
        for (rule, _), (derivations, new_facts) in zip(rules, counts, strict=True):
            if derivations:
                total += derivations
                rounds.append(Round(unit, rule.origin, number, derivations, new_facts, 0.0))
        self.watch.progress.derivations += total
        self.statistics.derivations += total
        return total

    def apply_once(self, rules: Sequence[CoreRule]) -> None:
        """Apply rules to all facts, in one round."""
        self.apply_deltas([(rule, None) for rule in rules])

    def _in_turn(self, unit: Unit) -> None:
        """Evaluate the stages of a unit, one after the other, until none has anything new to look at."""
        seen: list[dict[str, int]] = []
        for stage in unit.stages:
            seen.append(self._lengths(stage))
            self.from_scratch(stage)
        is_done = False
        while not is_done:
            is_done = True
            for at, stage in enumerate(unit.stages):
                now = self._lengths(stage)
                before = {name: seen[at][name] for name in now if seen[at][name] < now[name]}
                if not before:
                    continue
                is_done = False
                seen[at] = now
                for name, special in stage.operators.items():
                    if isinstance(special, Aggregation):
                        fold(special, self.state, self.state.table(name), before[special.inner])
                self.continue_from(stage, before)

    def _lengths(self, stage: Unit) -> dict[str, int]:
        """How many rows the stored relations have that a stage reads from others."""
        names = stage.uses - set(stage.relations) - set(self.state.virtual)
        return {name: self.state.tables[name].end for name in names}

    # --- rounds ----------------------------------------------------------------------------------------------------------

    def _tables(self, unit: Unit) -> list[tuple[str, Table]]:
        names = dict.fromkeys((*unit.relations, *unit.uses))
        return [(name, self.state.tables[name]) for name in names if name not in self.state.virtual]

    def mark(self, unit: Unit, before: Mapping[str, int]) -> None:
        """Say where the delta of each table begins; without one, where it ends."""
        for name, table in self._tables(unit):
            table.mark_delta(before.get(name) if before else None)

    def start_round(self, number: int) -> None:
        """Begin a round: record its number, and check limits."""
        self.watch.progress.round = number
        self.watch.poll()

    def saturate(
        self,
        unit: Unit,
        via: Callable[[CoreRule], CoreRule] = lambda rule: rule,
        after_rules: Callable[[], None] = lambda: None,
    ) -> None:
        """Run rounds to the fixpoint."""
        own = [(name, self.state.tables[name]) for name in unit.relations if name in self.state.tables]
        own = [(name, table) for name, table in own if name not in self.state.virtual]
        uses = [(via(rule), at, name) for rule in unit.rules for at, name in positive_atoms(rule) if name in unit.relations]
        number = 0
        self._answer(unit)
        self._mark_inputs_old(unit)
        while True:
            grown = set()
            for name, table in own:
                words = self.state.store.M[table.number]
                words[layout.OLD] = words[layout.ALL]
                words[layout.ALL] = table.end
                if words[layout.OLD] < words[layout.ALL]:
                    grown.add(name)
            deltas = [(rule, at) for rule, at, name in uses if name in grown]
            if not deltas:
                return
            number += 1
            self.start_round(number)
            self.apply_deltas(deltas)
            after_rules()
            self._answer(unit)

    def _mark_inputs_old(self, unit: Unit) -> None:
        for name, table in self._tables(unit):
            if name not in unit.relations:
                self.state.store.M[table.number, layout.OLD] = table.end

    def _answer(self, unit: Unit) -> None:
        for name, special in unit.operators.items():
            if isinstance(special, FunctionCalls):
                self.statistics.undefined += compute_calls(special, self.state, self.state.table(name), self.watch.poll)

    def apply_deltas(self, deltas: Sequence[tuple[CoreRule, int | None]]) -> None:
        """Apply rules in one round, each with the delta of one of its atoms, or to all facts."""
        for rule, at in deltas:
            if at is not None and self._sees_nothing(rule, at):
                self.note(rule, self.watch.progress.round, 0, 0)
            else:
                self._run(rule, self.plans.plan(rule, self.state, at))

    def _sees_nothing(self, rule: CoreRule, delta: int) -> bool:
        """Whether a relation was empty of which only what was there before the delta counts."""
        tables = self.state.tables
        before = [name for at, name in positive_atoms(rule) if at < delta and name in tables]
        return any(not tables[name].length_of(layout.BEFORE) for name in before)

    def _run(self, rule: CoreRule, prepared: Plan) -> None:
        state, progress = self.state, self.watch.progress
        head, words, started = state.table(rule.head.predicate), prepared.state, time.perf_counter()
        before = count = head.end
        progress.working_on = rule.shown
        counts = is_visible(rule.head.predicate)
        for table, index in prepared.indexes:
            table.extend_index(index, self.watch.poll)
        words[:] = 0
        words[layout.ENTERING] = 1
        while True:
            words[layout.BUDGET] = STEP_BUDGET
            store = state.store
            join.run(store.M, store.X, state.V, state.terms.header, prepared.addresses)
            progress.facts += counts * (head.end - count)
            if head.is_timed and head.end > count:
                head.note_time(count, is_continued=count > before)
            count = head.end
            if words[layout.STATUS] == layout.DONE:
                break
            if words[layout.STATUS] == layout.GROW_TABLE:
                store.tables[words[layout.CULPRIT]].grow()
            elif words[layout.STATUS] == layout.GROW_TERMS:
                state.terms.grow()
            self.watch.poll()
        self.statistics.undefined += int(words[layout.UNDEFINED])
        seconds = time.perf_counter() - started
        self.note(rule, progress.round, int(words[layout.DERIVATIONS]), counts * (count - before), seconds)

    # --- operators -------------------------------------------------------------------------------------------------------

    def close(self, name: str, special: Closure) -> None:
        """Build a virtual relation from what it closes."""
        module = special.module
        started = time.perf_counter()
        self.watch.progress.working_on = name
        relation = close(
            module,
            self.state.stored(special.given).rows,
            self.state.stored(module.edge).rows if module.edge is not None else None,
            self.watch.poll,
        )
        self.state.set_virtual(name, relation)
        seconds = time.perf_counter() - started
        self.statistics.rounds.append(Round(self.unit, module.rules[0], 0, 0, 0, seconds))
