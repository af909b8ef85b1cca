"""Backward/Forward: Motik, Nenov, Piro and Horrocks, "Incremental Update of Datalog Materialisation" (AAAI 2015), for one unit.

A suspect goes only if no proof is left for it (`kernel.proving` is Algorithms 2 and 3; `deletion` is the loop of Algorithm 1).
Departures: facts of lower units count as proved, since they are what they will be. All facts that a failed check has touched
and not proved go at once, for they are disproved as well (the paper's S; so S and D are one set, and O is what has left its
relation). There is no set of facts proved before they are checked (the paper's Y): a check begins by looking one step ahead,
which finds the same proofs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.core.rules import CoreRule
from tidelog.local.evaluation import seminaive as materialise
from tidelog.local.evaluation.fused_rules import FusedRules
from tidelog.local.kernel import fused_rounds as rounds
from tidelog.local.kernel import layout
from tidelog.local.kernel.plan_table import PLAN_WIDTH
from tidelog.local.maintenance.backward_forward import bf_loop as letting_go
from tidelog.local.maintenance.backward_forward import checks, proving
from tidelog.local.maintenance.deletion import Deletion
from tidelog.local.maintenance.rule_sets import DeletionRules
from tidelog.local.maintenance.unit_runtime import UnitRuntime
from tidelog.local.planning.join_order import BackwardWords, plan, plan_backward
from tidelog.local.planning.plan import Plan
from tidelog.syntax.tree import Atom

_EVERY = np.arange(1 << 16, dtype=np.int32)
"""All columns there may be."""
_LOSING = (letting_go.LOSING, letting_go.GOING_ON_LOSING)
_APPLYING_RULES = (*_LOSING, letting_go.PASSING_ON, letting_go.GOING_ON_PASSING_ON)
_FRAMES = 64
_FLOOR = 64
"""Sizes are not other sizes because of a few rows."""


class BackwardForward(Deletion):
    """Delete only what has no proof."""

    _machine: _Machine | None = None
    _examined = 0
    roles = ("deleted", "suspect", "checked", "proved")

    def run(self, rules: DeletionRules) -> None:
        """All in one call of the kernel, if that can run the rules and remove the facts."""
        losing, passing_on = rules.losing_fused, rules.propagating_fused
        if losing is None or passing_on is None or not all(table.arity for table in self.deleted.values()):
            super().run(rules)
        else:
            self._begun().run(losing, passing_on)

    def overdelete(self) -> bool:
        """Let those suspects go that cannot be proved."""
        ends = sum(table.end for table in self.suspects.values())
        if ends == self._examined:
            return False
        self._examined = ends
        (self._machine or self._begun()).run()
        return True

    def _begun(self) -> _Machine:
        """The machine of the unit, ready for this update."""
        machine = self.runtime.kept(_Machine)
        if machine is None or not machine.begin(self):
            machine = self.runtime.keep(_Machine(self))
            machine.begin(self)
        self._machine = machine
        return machine

    def rederive(self) -> None:
        """No rederivation needed; collect counters."""
        if self._machine is None:
            return
        words, counters = self._machine.words.tolist(), self.counters
        counters.checked = words[checks.CHECKED_COUNT]
        counters.backward = words[checks.BACKWARD_COUNT]
        counters.forward = words[checks.FORWARD_COUNT]
        counters.affected = words[checks.AFFECTED_COUNT] - self.first_suspects
        counters.proved = words[checks.PROVED_COUNT]


@dataclass(slots=True)
class _Backward:
    plan: Plan
    words: BackwardWords


class _Machine:
    """The kernel's view of one unit: its plans and tables in one place, kept from one update to the next."""

    def __init__(self, deletion: BackwardForward) -> None:
        self.deletion, self.state, self.unit = deletion, deletion.state, deletion.unit
        self.names = list(deletion.deleted)
        self.number = {name: k for k, name in enumerate(self.names)}
        read = [self.state.tables[name] for name in self.unit.uses if name not in self.state.virtual]
        self.sizes = [(table.number, _FLOOR + table.end) for table in read]
        self.explicit = -1
        self.R: Int64s = np.zeros((len(self.names), checks.RELATION_WIDTH), np.int64)
        self.forward: list[list[Plan]] = [[] for _ in self.names]
        self.backward: list[list[_Backward]] = [[] for _ in self.names]
        own = frozenset(self.names)
        for rule in deletion.unit.rules:
            self.backward[self.number[rule.head.predicate]].append(_Backward(*plan_backward(rule, self.state, own)))
            for at, literal in enumerate(rule.body):
                if isinstance(literal, Atom) and literal.predicate in own:
                    forward = plan(_proving(rule, own, deletion.runtime), self.state, at, delta_first=True)
                    self.forward[self.number[literal.predicate]].append(forward)
        self._assemble()
        self.words: Int64s = np.zeros(checks.PROVING_WIDTH, np.int64)
        self.no_rules = FusedRules(self.state, deletion.runtime.plans, ())
        self.tables = [self.state.table(name) for name in self.names]
        self.leaving: Int64s = np.zeros((len(self.names), letting_go.LEAVING_WIDTH), np.int64)
        self.indexes: Int32s = np.empty(0, np.int32)
        self.index_count = -1
        self.removed: Int32s = np.empty((2, _FLOOR), np.int32)
        self.loop: Int64s = np.zeros(letting_go.LOOP_WIDTH, np.int64)

    def begin(self, deletion: BackwardForward) -> bool:
        """Start on another update, with nothing checked and nothing proved; False if plans were made for quite other sizes."""
        count_of = self.state.store.M.item
        for number, size in self.sizes:
            now = _FLOOR + count_of(number, layout.COUNT)
            if not (now <= 4 * size <= 16 * now):
                return False
        if self.walking and not all(prepared.can_walk(self.state) for prepared in self.walking):
            return False
        self.deletion = deletion
        if self.explicit != self.state.explicit_version:
            self.R[:, : checks.BACK_FROM] = [self._tables(name) for name in self.names]
            self.explicit = self.state.explicit_version
        self.R[:, checks.NEXT_SUSPECT :] = 0
        self.words[:] = 0
        self.words[checks.FORTH] = -1
        return True

    def _tables(self, name: str) -> list[int]:
        of, explicit = self.deletion, self.state.explicit
        given = explicit[name].number if name in explicit else -1
        checked, proved = (of.helpers[role][name].number for role in ("checked", "proved"))
        return [checked, proved, of.deleted[name].number, given, of.suspects[name].number]

    def _assemble(self) -> None:
        """One matrix of all plans, and lists of words for what the kernel must know of them."""
        plans: list[Plan] = []
        back: list[tuple[int, ...]] = []
        listed: list[int] = []
        forth: list[int] = []
        indexes: list[int] = []
        for k, name in enumerate(self.names):
            bounds = [len(back)]
            for backward in self.backward[k]:
                fact_at = len(listed)
                listed += backward.words.head
                back.append((len(plans), fact_at, len(listed), backward.plan.is_test))
                listed.append(len(backward.words.body))
                for predicate, slots in backward.words.body:
                    listed += [self.number[predicate], *slots]
                plans.append(backward.plan)
            bounds += [len(back), len(forth)]
            for prepared in self.forward[k]:
                forth.append(len(plans))
                plans.append(prepared)
            bounds.append(len(forth))
            for role in ("proved", "checked"):
                bounds.append(len(indexes))
                indexes += [index.number for index in self.deletion.helpers[role][name].indexes.values()]
                bounds.append(len(indexes))
            self.R[k, checks.BACK_FROM : checks.CHECKED_TO + 1] = bounds
        self.plans, self.walking = plans, [prepared for prepared in plans if prepared.walks]
        self.Q: Int64s = np.array([prepared.addresses() for prepared in plans], np.int64).reshape(-1, PLAN_WIDTH)
        self.B: Int64s = np.array(back, np.int64).reshape(-1, checks.BACKWARD_WIDTH)
        self.A: Int32s = np.array(listed or [0], np.int32)
        self.F: Int32s = np.array(forth or [0], np.int32)
        self.N: Int32s = np.array(indexes, np.int32)
        read = {index.number for p in plans for _, index in p.indexes} - set(indexes)
        self.fixed: Int32s = np.array(sorted(read), np.int32)
        self.key: Int32s = np.zeros(max([1, *(self.state.table(name).arity for name in self.names)]), np.int32)
        widest = max((len(p.slots) + len(p.cursor) for p in plans), default=0)
        self.frames: Int64s = np.zeros((_FRAMES, checks.FRAME_HEAD + layout.STATE_WIDTH + widest), np.int64)

    def run(self, losing: FusedRules | None = None, passing_on: FusedRules | None = None) -> None:
        """Examine the suspects that have come since the last time; with rules for what was lost and what went, do it all."""
        state, words, loop, deletion = self.state, self.words, self.loop, self.deletion
        evaluation, store = deletion.evaluation, self.state.store
        loop.fill(0)
        loop[letting_go.RULE_STEPS] = materialise.STEP_BUDGET
        does_all = losing is not None and passing_on is not None
        lost, past = losing or self.no_rules, passing_on or self.no_rules
        for rules in (lost, past):
            rules.ensure_planned()
        if does_all:
            self.leaving[:, letting_go.LEFT] = 0
            self._register_indexes()
        else:
            loop[letting_go.ONLY_EXAMINES], loop[letting_go.PHASE] = 1, letting_go.EXAMINING
        while True:
            words[checks.STEPS_LEFT] = materialise.STEP_BUDGET
            known = store.M, store.X, state.V, state.terms.header
            plans = self.Q, self.R, self.B, self.A, self.F, self.N, self.fixed, self.frames, self.key, words
            leaving = self.leaving, self.indexes, _EVERY, self.removed, loop
            arguments: tuple[Any, ...] = (*known, *plans, *lost.buffers, lost.words, *past.buffers, past.words, *leaving)
            letting_go.delete_unproved(*arguments)
            if does_all:
                self._note_removed()
            outcome, phase = loop.item(letting_go.RESULT), loop.item(letting_go.PHASE)
            if outcome == layout.DONE:
                break
            if does_all:
                deletion.left = dict(zip(self.names, self.leaving[:, letting_go.LEFT].tolist(), strict=True))
            if phase in _APPLYING_RULES:
                self._handle_rule_stop(lost if phase in _LOSING else past, outcome)
            else:
                self._handle_stop(outcome)
            evaluation.watch.poll()
            deletion.check_deadline(deletion.suspect_count if outcome == letting_go.MANY_SUSPECTS else 0)
        lost.note(evaluation)
        past.note(evaluation)

    def _handle_rule_stop(self, rules: FusedRules, outcome: int) -> None:
        """Do what rules have stopped for."""
        evaluation = self.deletion.evaluation
        if outcome == rounds.TOO_LARGE:
            evaluation.apply_deltas(rules.entries)
            is_losing = self.loop[letting_go.PHASE] in _LOSING
            self.loop[letting_go.PHASE] = letting_go.EXAMINING if is_losing else letting_go.REMOVING
        else:
            rules.handle_stop(outcome, evaluation)

    def _handle_stop(self, outcome: int) -> None:
        """Do what the kernel has stopped for."""
        if outcome == layout.GROW_TABLE:
            self.state.store.tables[self.words[checks.FULL_TABLE]].grow()
        elif outcome == rounds.GROW_INDEX:
            self._extend_indexes()
        elif outcome == layout.GROW_TERMS:
            self.state.terms.grow()
        elif outcome == proving.GROW_STACK:
            self.frames = np.concatenate([self.frames, np.zeros_like(self.frames)])
        elif outcome == letting_go.GROW_REMOVED:
            self.removed = np.empty((2, 2 * int(self.loop[letting_go.WANTED])), np.int32)
        elif outcome == letting_go.SEE_TO_TABLE:
            self.tables[self.loop[letting_go.WANTED]].prepare_removal()
            self._register_indexes()

    def _register_indexes(self) -> None:
        """Tell the kernel of the indexes that facts have to leave, and keep what was handed out as it was."""
        count = 0
        for table in self.tables:
            table.detach_snapshots()
            count += len(table.indexes)
        if count == self.index_count:
            return
        numbers: list[int] = []
        for at, table in enumerate(self.tables):
            first = table.indexes.get((0,))
            begin = len(numbers)
            numbers += [index.number for index in table.indexes.values()]
            by_first = first.number if first is not None else -1
            self.leaving[at, : letting_go.LEFT] = table.number, begin, len(numbers), by_first
        self.indexes, self.index_count = np.array(numbers, np.int32), count

    def _note_removed(self) -> None:
        """Enter what has left its relation into the way back."""
        count, undo = self.loop.item(letting_go.REMOVED), self.deletion.undo
        self.loop[letting_go.REMOVED] = 0
        if count and len(self.tables) == 1:
            undo.record_removed(self.tables[0], self.removed[1, :count].copy())
        elif count:
            of, rows = self.removed[:, :count]
            for at, table in enumerate(self.tables):
                undo.record_removed(table, rows[of == at])

    def _extend_indexes(self) -> None:
        """Bring indexes up to date and make room; those on what is checked and proved the kernel extends by itself."""
        for table, index in {index.number: (table, index) for p in self.plans for table, index in p.indexes}.values():
            table.extend_index(index, self.deletion.evaluation.watch.poll)
        for name in self.names:
            for table in (self.deletion.helpers["proved"][name], self.deletion.helpers["checked"][name]):
                for index in table.indexes.values():
                    table.make_room_in_index(index)


def _proving(rule: CoreRule, own: frozenset[str], runtime: UnitRuntime) -> CoreRule:
    """A rule that proves its head from proved facts, if the head has been checked."""
    name, head = runtime.table_name, rule.head
    body = tuple(
        Atom(name("proved", literal.predicate), literal.args)
        if isinstance(literal, Atom) and literal.predicate in own
        else literal
        for literal in rule.body
    )
    checked = Atom(name("checked", head.predicate), head.args)
    return replace(rule, head=Atom(name("proved", head.predicate), head.args), body=(*body, checked))
