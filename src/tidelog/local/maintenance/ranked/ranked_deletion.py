"""The deletions of one unit by ranks: Python's side of the compiled loop (`rank_loop`)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tidelog.local.evaluation.fused_rules import Entry, FusedRules, can_fuse
from tidelog.local.maintenance.backward_forward import unit_layout as unit
from tidelog.local.maintenance.backward_forward.unit_tables import UnitTables
from tidelog.local.maintenance.compiled_deletion import CompiledDeletion, RuleSet
from tidelog.local.maintenance.deletion import A_SUSPECT, Deadline
from tidelog.local.maintenance.delta.delta_rules import DeltaRules
from tidelog.local.maintenance.delta.rule_sets import DeletionRules
from tidelog.local.maintenance.ranked import rank_loop
from tidelog.local.maintenance.ranked.instance_rules import InstanceRules
from tidelog.local.maintenance.ranked.suspect_queue import QUEUE_WIDTH
from tidelog.syntax.tree import Atom, Literal

_FIRST_ROOM = 256
_ENOUGH = 100
"""So many looks tell what others will take."""
_MUCH, _LITTLE = 0.75, 0.1
"""Parts of starting over: to look at so many facts is too much; and so little is done even if it was late."""


class RankedTables(UnitTables):
    """The kernel's view of a unit whose facts are looked at in the order of their ranks: no proofs, but a queue."""

    proves = False

    def begin(self) -> bool:
        """Begin another update, with nothing queued; False if tables have grown or shrunk too much for the plans."""
        if not super().begin():
            return False
        for table in self.tables:
            table.number_pairs()
        self.progress[unit.LOOKED_OF] = self.progress[unit.NOW] = -1
        self.backward[:, unit.TRIED], self.backward[:, unit.HELPED] = -1, 0
        if not self.U[unit.QUEUE_ROOM]:
            self._keep(unit.QUEUE, np.empty((_FIRST_ROOM, QUEUE_WIDTH), np.int64))
        return True

    def grow_queue(self) -> None:
        """Make room for twice as many facts."""
        queue = self._buffers[unit.QUEUE]
        self._keep(unit.QUEUE, np.concatenate([queue, np.empty_like(queue)]))


class RankedDeletion(CompiledDeletion):
    """Delete what has no support among the facts before it, then rederive what still follows."""

    tables_type = RankedTables
    tables: RankedTables
    steps_at_once = 1 << 10
    """A millisecond or two."""

    def rule_sets(self, rules: DeletionRules) -> Mapping[int, RuleSet]:
        """Rules for what lower units have lost, for what the unit itself loses, and for what comes back."""
        self._rederiving, self._rederiving_fused = self._rederivation()
        losing: RuleSet = rules.losing, rules.losing_fused, rank_loop.COLLECT
        propagating: RuleSet = rules.propagating, rules.propagating_fused, rank_loop.REMOVE
        rederiving: RuleSet = self._rederiving, self._rederiving_fused, rank_loop.FINISHED
        return {
            rank_loop.SEED: losing,
            rank_loop.SEEDING: losing,
            rank_loop.PROPAGATE: propagating,
            rank_loop.PROPAGATING: propagating,
            rank_loop.REDERIVE: rederiving,
            rank_loop.REDERIVING: rederiving,
        }

    def _rederivation(self) -> tuple[list[Entry], FusedRules | None]:
        """Rules that derive what has left its relation from what is left."""
        known = self.runtime.kept(_Rederivation)
        if known is None:
            name, variant = self.runtime.table_name, self.runtime.variant
            entries: list[Entry] = [
                (variant(rule, "rederiving", (Atom(name("deleted", rule.head.predicate), rule.head.args), *rule.body)), 0)
                for rule in self.unit.rules
            ]
            fused = FusedRules(self.state, self.runtime.plans, entries, begins_with_delta=True) if can_fuse(self.unit) else None
            known = self.runtime.keep(_Rederivation(entries, fused))
        return known.entries, known.fused

    def _beside(self, literal: Literal, made: DeltaRules) -> tuple[Literal, ...]:  # noqa: ARG002
        """A fact may stand by what has only just come below the unit, too: all instances of a fact that falls are looked at."""
        return (literal,)

    def _fused(self, propagating: list[Entry]) -> FusedRules:
        """Some ticks have many facts that fall, others few: plans do not depend on that."""
        return InstanceRules(self.state, self.runtime.plans, propagating, self._places(), self.own, begins_with_delta=True)

    def _fused_losing(self, losing: list[Entry]) -> FusedRules:
        return InstanceRules(self.state, self.runtime.plans, losing, self._places(), self.own)

    def _places(self) -> dict[str, int]:
        """Which relation of the unit a name stands for: its own, or that of a table beside it."""
        helper = self.runtime.table_name
        return {
            other: k for k, name in enumerate(self.deleted) for other in (name, helper("deleted", name), helper("suspect", name))
        }

    def begin_loop(self, rules: DeletionRules) -> None:
        """Let the loop apply the rules that it can."""
        super().begin_loop(rules)
        rederiving = self._rederiving_fused
        self.tables.U[unit.REDERIVATION_RULES] = rederiving.address if rederiving is not None else 0

    def call_loop(self) -> None:
        """Look at facts, and delete what falls."""
        state = self.state
        rank_loop.delete_unsupported(state.store.M, state.store.X, state.V, state.terms.header, self.tables.U)

    def after_stop(self, outcome: int, phase: int) -> None:  # noqa: ARG002
        """Give up if it takes too long; not in the end, when facts come back."""
        if phase < rank_loop.REDERIVE:
            self._finds_more = phase == rank_loop.PROPAGATING
            self.check_deadline(self._waiting())

    def _waiting(self) -> int:
        """How many facts are known that have to be looked at."""
        relations, progress = self.tables.relations, self.tables.progress
        affected = self.suspect_count - int(relations[:, unit.NEXT_AFFECTED].sum())
        return max(0, affected) + progress.item(unit.QUEUED)

    def is_to_give_up(self, deadline: Deadline, now: float, suspects: int) -> bool:
        """If what is known would take about as long as starting over; in the end also if that would be another part of it."""
        looks = self.tables.progress.item(unit.CHECKED_FACTS)
        if self._since is None:
            self._since = now, looks
        began, before = self._since
        rest = suspects * (max(A_SUSPECT, (now - began) / (looks - before)) if looks > before + _ENOUGH else A_SUSPECT)
        if now > deadline.latest:
            return self._finds_more or rest >= _LITTLE * deadline.anew
        return now > deadline.soonest and rest > _MUCH * deadline.anew

    _finds_more = False
    """Whether rules are applied to what has fallen, so that nobody knows how many facts there will be."""
    _since: tuple[float, int] | None = None
    """When it was first asked, and how many facts had been looked at: what came before are plans and indexes."""

    def handle_stop(self, outcome: int) -> None:
        """Do what the kernel has stopped for."""
        if outcome == rank_loop.GROW_QUEUE:
            self.tables.grow_queue()
        else:
            super().handle_stop(outcome)

    def rederive(self) -> None:
        """What still follows is back already; collect the counters."""
        self.collect_counters()
        self.counters.overdeleted = sum(map(len, self.deleted.values()))
        if self._rederiving_fused is not None:
            self._rederiving_fused.note(self.evaluation)


class _Rederivation:
    """What is kept of the rules that derive what has left."""

    def __init__(self, entries: list[Entry], fused: FusedRules | None) -> None:
        self.entries, self.fused = entries, fused
