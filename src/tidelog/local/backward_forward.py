"""Backward/Forward: Motik, Nenov, Piro and Horrocks, "Incremental Update of Datalog Materialisation" (AAAI 2015), for one unit.

A suspect goes only if no proof is left for it (`kernel.proving` is Algorithms 2 and 3; `deletion` is the loop of Algorithm 1).
Departures: facts of lower units count as proved, since they are what they will be. All facts that a failed check has touched
and not proved go at once, for they are disproved as well (the paper's S; so S and D are one set, and O is what has left its
relation). There is no set of facts proved before they are checked (the paper's Y): a check begins by looking one step ahead,
which finds the same proofs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tidelog.local import materialise
from tidelog.local.core import CoreRule
from tidelog.local.deletion import Deletion
from tidelog.local.kernel import layout, proving
from tidelog.local.kernel.memory import Int32s, Int64s
from tidelog.local.kernel.plans import PLAN_WIDTH
from tidelog.local.planning import BackwardWords, plan, plan_backward
from tidelog.local.plans import Plan
from tidelog.syntax.tree import Atom

_FRAMES = 64
_FLOOR = 64
"""Sizes are not other sizes because of a few rows."""


class BackwardForward(Deletion):
    """Delete only what has no proof."""

    _machine: _Machine | None = None
    _examined = 0
    roles = ("gone", "suspect", "checked", "proved")

    def examine(self) -> bool:
        """Let those suspects go that cannot be proved."""
        ends = sum(table.end for table in self.suspects.values())
        if ends == self._examined:
            return False
        self._examined = ends
        if self._machine is None:
            self._machine = self.state.variants.get(("bf", id(self.unit)))
            if self._machine is None or not self._machine.begin(self):
                self._machine = self.state.variants["bf", id(self.unit)] = _Machine(self)
                self._machine.begin(self)
        self._machine.run()
        return True

    def finish(self) -> None:
        """Nothing went too early."""
        if self._machine is None:
            return
        words = self._machine.words
        self.counters.checked = int(words[proving.CHECKED_COUNT])
        self.counters.backward = int(words[proving.BACKWARD_COUNT])
        self.counters.forward = int(words[proving.FORWARD_COUNT])


@dataclass(slots=True)
class _Backward:
    plan: Plan
    words: BackwardWords


class _Machine:
    """The kernel's view of one unit: its plans and tables in one place, kept from one update to the next."""

    def __init__(self, deletion: BackwardForward) -> None:
        self.deletion, self.state, self.unit = deletion, deletion.state, deletion.unit
        self.names = list(deletion.gone)
        self.number = {name: k for k, name in enumerate(self.names)}
        read = [self.state.tables[name] for name in self.unit.uses if name not in self.state.virtual]
        self.sizes = [(table.number, _FLOOR + table.end) for table in read]
        self.explicit = -1
        self.R: Int64s = np.zeros((len(self.names), proving.RELATION_WIDTH), np.int64)
        self.forward: list[list[Plan]] = [[] for _ in self.names]
        self.backward: list[list[_Backward]] = [[] for _ in self.names]
        own = frozenset(self.names)
        for rule in deletion.unit.rules:
            self.backward[self.number[rule.head.predicate]].append(_Backward(*plan_backward(rule, self.state, own)))
            for at, literal in enumerate(rule.body):
                if isinstance(literal, Atom) and literal.predicate in own:
                    forward = plan(_proving(rule, own), self.state, at, delta_first=True)
                    self.forward[self.number[literal.predicate]].append(forward)
        self._assemble()
        self.words: Int64s = np.zeros(proving.PROVING_WIDTH, np.int64)

    def begin(self, deletion: BackwardForward) -> bool:
        """Start on another update, with nothing checked and nothing proved; False if plans were made for quite other sizes."""
        counts = self.state.store.M[:, layout.COUNT]
        for number, size in self.sizes:
            if not (_FLOOR + counts[number] <= 4 * size <= 16 * (_FLOOR + counts[number])):
                return False
        if not all(prepared.can_walk(self.state) for prepared in self.walking):
            return False
        self.deletion = deletion
        if self.explicit != self.state.explicit_version:
            self.R[:, : proving.BACK_FROM] = [self._tables(name) for name in self.names]
            self.explicit = self.state.explicit_version
        self.R[:, proving.NEXT_SUSPECT :] = 0
        self.words[:] = 0
        self.words[proving.FORTH] = -1
        return True

    def _tables(self, name: str) -> list[int]:
        of, explicit = self.deletion, self.state.explicit
        given = explicit[name].number if name in explicit else -1
        checked, proved = (of.helpers[role][name].number for role in ("checked", "proved"))
        return [checked, proved, of.gone[name].number, given, of.suspects[name].number]

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
                indexes += [index.number for index in self.state.helpers[f"#{role} {name}"].indexes.values()]
                bounds.append(len(indexes))
            self.R[k, proving.BACK_FROM : proving.CHECKED_TO + 1] = bounds
        self.plans, self.walking = plans, [prepared for prepared in plans if prepared.walks]
        self.Q: Int64s = np.array([prepared.addresses() for prepared in plans], np.int64).reshape(-1, PLAN_WIDTH)
        self.B: Int64s = np.array(back, np.int64).reshape(-1, proving.BACKWARD_WIDTH)
        self.A: Int32s = np.array(listed or [0], np.int32)
        self.F: Int32s = np.array(forth or [0], np.int32)
        self.N: Int32s = np.array(indexes, np.int32)
        read = {index.number for p in plans for _, index in p.indexes} - set(indexes)
        self.fixed: Int32s = np.array(sorted(read), np.int32)
        self.key: Int32s = np.zeros(max([1, *(self.state.table(name).arity for name in self.names)]), np.int32)
        widest = max((len(p.slots) + len(p.cursor) for p in plans), default=0)
        self.frames: Int64s = np.zeros((_FRAMES, proving.FRAME_HEAD + layout.STATE_WIDTH + widest), np.int64)

    def run(self) -> None:
        """Examine the suspects that have come since the last time."""
        state, store, words, watch = self.state, self.state.store, self.words, self.deletion.evaluation.watch
        words[proving.HAS_BEGUN] = 0
        while True:
            words[proving.STEPS_LEFT] = materialise.STEP_BUDGET
            buffers = (self.Q, self.R, self.B, self.A, self.F, self.N, self.fixed, self.frames, self.key, words)
            proving.prove(store.M, store.X, state.V, state.terms.header, *buffers)
            outcome = words[proving.OUTCOME]
            if outcome == layout.DONE:
                return
            if outcome == layout.GROW_TABLE:
                store.tables[words[proving.FULL_TABLE]].grow()
            elif outcome == proving.GROW_INDEX:
                self._see_to_indexes()
            elif outcome == layout.GROW_TERMS:
                state.terms.grow()
            elif outcome == proving.GROW_STACK:
                self.frames = np.concatenate([self.frames, np.zeros_like(self.frames)])
            watch.look()
            self.deletion.give_up_in_time()

    def _see_to_indexes(self) -> None:
        """Bring indexes up to date and make room; those on what is checked and proved the kernel extends by itself."""
        for table, index in {index.number: (table, index) for p in self.plans for table, index in p.indexes}.values():
            table.extend_index(index, self.deletion.evaluation.watch.look)
        for name in self.names:
            for table in (self.state.helpers[f"#proved {name}"], self.state.helpers[f"#checked {name}"]):
                for index in table.indexes.values():
                    table.make_room_in_index(index)


def _proving(rule: CoreRule, own: frozenset[str]) -> CoreRule:
    """A rule that proves its head from proved facts, if the head has been checked."""
    body = tuple(
        Atom(f"#proved {literal.predicate}", literal.args) if isinstance(literal, Atom) and literal.predicate in own else literal
        for literal in rule.body
    )
    checked = Atom(f"#checked {rule.head.predicate}", rule.head.args)
    return replace(rule, head=Atom(f"#proved {rule.head.predicate}", rule.head.args), body=(*body, checked))
