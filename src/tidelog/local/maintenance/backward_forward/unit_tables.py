"""The kernel's view of one unit: its plans, tables and buffers as rows of addresses, kept from one update to the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int64s
from tidelog.core.rules import CoreRule, Unit
from tidelog.local.evaluation.fused_rules import FusedRules
from tidelog.local.kernel import layout
from tidelog.local.kernel.memory import address_of
from tidelog.local.maintenance.backward_forward import unit_layout as unit
from tidelog.local.maintenance.unit_runtime import UnitRuntime
from tidelog.local.planning.join_order import BackwardWords, plan, plan_backward, plan_support
from tidelog.local.planning.plan import Plan
from tidelog.local.storage.tables import Table
from tidelog.syntax.tree import Atom

_ALL_COLUMNS = np.arange(1 << 16, dtype=np.int32)
_FRAMES = 64
_FLOOR = 64
"""Row-count slack before plans are made again."""


class UnitTables:
    """What the kernel needs to know of one unit: `U`, and the buffers that it leads to."""

    roles = ("checked", "proved", "deleted", "suspect")
    """The helper tables of C, P, S and D, if there are any, in the order of `unit_layout.CHECKED` and so on."""
    proves = True
    """Whether facts are proved forward, too."""

    def __init__(self, runtime: UnitRuntime, helpers: Mapping[str, Mapping[str, Table]]) -> None:
        """`helpers` are tables beside the relations that the unit has rules for, by role and relation."""
        state, rules, names = runtime.state, runtime.unit, list(helpers["deleted"])
        self._runtime, self._state, self._helpers, self.names = runtime, state, helpers, names
        self.tables = [state.table(name) for name in names]
        self.U: Int64s = np.zeros(unit.UNIT_WIDTH, np.int64)
        self._buffers: dict[int, NDArray[Any]] = {}
        self.relations: Int64s = np.zeros((len(names), unit.RELATION_WIDTH), np.int64)
        self.progress: Int64s = np.zeros(unit.PROGRESS_WIDTH, np.int64)
        self._keep(unit.RELATIONS, self.relations)
        self._keep(unit.ALL_COLUMNS, _ALL_COLUMNS)
        self.U[unit.PROGRESS] = address_of(self.progress)
        read = [state.tables[name] for name in rules.uses if name not in state.virtual]
        self._sizes = [(table.number, _FLOOR + table.end) for table in read]
        self._explicit_version = self._index_count = -1
        self._plans = self._make_plans(rules)
        self._walking = [prepared for prepared in self._plans if prepared.walks]

    def _keep(self, place: int, buffer: NDArray[Any]) -> None:
        """Tell the kernel of a buffer and its length, and keep it alive."""
        self._buffers[place] = buffer
        self.U[place], self.U[place + 1] = address_of(buffer), len(buffer)

    # --- plans -----------------------------------------------------------------------------------------------------------

    def _make_plans(self, rules: Unit) -> list[Plan]:
        """Plan all rules backward and forward, relation after relation, for sizes as they are."""
        own, state = frozenset(self.names), self._state
        number = {name: k for k, name in enumerate(self.names)}
        backward: list[list[tuple[Plan, BackwardWords, Plan | None]]] = [[] for _ in self.names]
        forward: list[list[Plan]] = [[] for _ in self.names]
        for rule in rules.rules:
            made = (*plan_backward(rule, state, own), None) if self.proves else plan_support(rule, state, own)
            backward[number[rule.head.predicate]].append(made)
            for at, literal in enumerate(rule.body):
                if self.proves and isinstance(literal, Atom) and literal.predicate in own:
                    forward[number[literal.predicate]].append(plan(self._proving(rule, own), state, at, delta_first=True))
        plans: list[Plan] = []
        backward_rows: list[tuple[int, ...]] = []
        forward_plans: list[int] = []
        arguments: list[int] = []
        indexes: list[int] = []
        for k, name in enumerate(self.names):
            bounds = [len(backward_rows)]
            for prepared, words, witness in backward[k]:
                at = len(plans)
                plans.append(prepared)
                if witness is not None:
                    plans.append(witness)
                with_head = len(arguments) + len(words.head)
                row = (at, len(arguments), with_head, prepared.is_test, at + 1 if witness is not None else -1, 0, 0)
                backward_rows.append(row)
                arguments += [*words.head, len(words.body)]
                for predicate, slots in words.body:
                    arguments += [number[predicate], *slots]
            bounds += [len(backward_rows), len(forward_plans)]
            for prepared in forward[k]:
                forward_plans.append(len(plans))
                plans.append(prepared)
            bounds.append(len(forward_plans))
            for role in ("proved", "checked"):
                bounds.append(len(indexes))
                indexes += [index.number for index in self._helpers[role][name].indexes.values()] if self.proves else []
                bounds.append(len(indexes))
            self.relations[k, unit.BACKWARD_FROM : unit.CHECKED_TO + 1] = bounds
        read = {index.number for prepared in plans for _, index in prepared.indexes} - set(indexes)
        self._keep(unit.PLANS, np.array([prepared.addresses for prepared in plans], np.int64).reshape(-1, layout.PLAN_WIDTH))
        self.backward: Int64s = np.array(backward_rows, np.int64).reshape(-1, unit.BACKWARD_WIDTH)
        self._keep(unit.BACKWARD_PLANS, self.backward)
        for place, numbers in (
            (unit.FORWARD_PLANS, forward_plans),
            (unit.ARGUMENTS, arguments),
            (unit.HELPER_INDEXES, indexes),
            (unit.READ_INDEXES, sorted(read)),
        ):
            self._keep(place, np.array(numbers, np.int32))
        self._keep(unit.KEY, np.zeros(max([1, *(table.arity for table in self.tables)]), np.int32))
        widest = max((len(prepared.slots) + len(prepared.cursor) for prepared in plans), default=0)
        self._keep_stack(np.zeros((_FRAMES, unit.FRAME_HEAD + layout.STATE_WIDTH + widest), np.int64))
        return plans

    def _proving(self, rule: CoreRule, own: frozenset[str]) -> CoreRule:
        """A rule that proves its head from proved facts, if the head has been checked."""
        name, head = self._runtime.table_name, rule.head
        body = tuple(
            Atom(name("proved", literal.predicate), literal.args)
            if isinstance(literal, Atom) and literal.predicate in own
            else literal
            for literal in rule.body
        )
        checked = Atom(name("checked", head.predicate), head.args)
        return replace(rule, head=Atom(name("proved", head.predicate), head.args), body=(*body, checked))

    def begin(self) -> bool:
        """Begin another update, with nothing checked or proved; False if tables have changed too much for the plans."""
        state = self._state
        count_of = state.store.M.item
        for number, size in self._sizes:
            now = _FLOOR + count_of(number, layout.COUNT)
            if not (now <= 4 * size <= 16 * now):
                return False
        if self._walking and not all(prepared.can_walk(state) for prepared in self._walking):
            return False
        if self._explicit_version != state.explicit_version:
            for k, name in enumerate(self.names):
                explicit = state.explicit[name].number if name in state.explicit else -1
                checked, proved, disproved, affected = (
                    self._helpers[role][name].number if role in self._helpers else -1 for role in self.roles
                )
                self.relations[k, : unit.BACKWARD_FROM] = checked, proved, disproved, explicit, affected
            self._explicit_version = state.explicit_version
        self.relations[:, unit.NEXT_AFFECTED :] = 0
        self.progress[:] = 0
        self.progress[unit.FORWARD] = -1
        return True

    def begin_loop(self, seed: FusedRules | None, propagation: FusedRules | None, rule_steps: int) -> None:
        """Set the rules that the loop applies by itself; None where only Python can."""
        self.progress[unit.RULE_STEPS] = rule_steps
        self.U[unit.SEED_RULES] = seed.address if seed is not None else 0
        self.U[unit.PROPAGATION_RULES] = propagation.address if propagation is not None else 0
        self.register_indexes()

    # --- what the kernel stops for ---------------------------------------------------------------------------------------

    def grow_stack(self) -> None:
        """Make room for twice as many checks under way."""
        frames = self._buffers[unit.STACK]
        self._keep_stack(np.concatenate([frames, np.zeros_like(frames)]))

    def _keep_stack(self, frames: Int64s) -> None:
        self._keep(unit.STACK, frames)
        self.U[unit.FRAME_WIDTH] = frames.shape[1]

    def register_indexes(self) -> None:
        """Tell the kernel of all indexes that removed rows have to leave."""
        count = 0
        for table in self.tables:
            count += len(table.indexes)
        if count == self._index_count:
            return
        numbers: list[int] = []
        for k, table in enumerate(self.tables):
            first, begin = table.indexes.get((0,)), len(numbers)
            numbers += [index.number for index in table.indexes.values()]
            by_first = first.number if first is not None else -1
            self.relations[k, unit.TABLE : unit.NEXT_AFFECTED] = table.number, begin, len(numbers), by_first
        self._keep(unit.OWN_INDEXES, np.array(numbers, np.int32))
        self._index_count = count

    def removed_counts(self) -> dict[str, int]:
        """How many of the disproved facts have been removed, by relation."""
        return dict(zip(self.names, self.relations[:, unit.REMOVED].tolist(), strict=True))

    def extend_indexes(self, poll: Callable[[], None]) -> None:
        """Bring indexes up to date and make room; those on checked and proved facts the kernel extends by itself."""
        for table, index in {index.number: (table, index) for p in self._plans for table, index in p.indexes}.values():
            table.extend_index(index, poll)
        for name in self.names if self.proves else ():
            for table in (self._helpers["proved"][name], self._helpers["checked"][name]):
                for index in table.indexes.values():
                    table.make_room_in_index(index)
