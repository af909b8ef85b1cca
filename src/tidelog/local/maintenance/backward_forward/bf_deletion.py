"""The deletions of one unit by Backward/Forward: Python's side of the compiled loop (`bf_loop`)."""

from __future__ import annotations

from collections.abc import Mapping

from tidelog.local.maintenance.backward_forward import bf_loop, proving
from tidelog.local.maintenance.backward_forward import unit_layout as unit
from tidelog.local.maintenance.compiled_deletion import CompiledDeletion, RuleSet
from tidelog.local.maintenance.delta.rule_sets import DeletionRules


class BackwardForward(CompiledDeletion):
    """Delete only what has no proof."""

    roles = ("deleted", "suspect", "checked", "proved")

    def rule_sets(self, rules: DeletionRules) -> Mapping[int, RuleSet]:
        """Rules for what lower units have lost, and for what the unit itself loses."""
        losing: RuleSet = rules.losing, rules.losing_fused, bf_loop.SEEDED
        propagating: RuleSet = rules.propagating, rules.propagating_fused, bf_loop.REMOVE
        return {
            bf_loop.SEED: losing,
            bf_loop.SEEDING: losing,
            bf_loop.PROPAGATE: propagating,
            bf_loop.PROPAGATING: propagating,
        }

    def call_loop(self) -> None:
        """Algorithm 1."""
        state = self.state
        bf_loop.delete_unproved(state.store.M, state.store.X, state.V, state.terms.header, self.tables.U)

    def after_stop(self, outcome: int, phase: int) -> None:  # noqa: ARG002
        """Give up if it takes too long, or is about to."""
        self.check_deadline(self.suspect_count if outcome == bf_loop.MANY_AFFECTED else 0)

    def handle_stop(self, outcome: int) -> None:
        """Do what the kernel has stopped for."""
        if outcome == proving.GROW_STACK:
            self.tables.grow_stack()
        else:
            super().handle_stop(outcome)

    def rederive(self) -> None:
        """No rederivation needed; collect the counters."""
        words, counters = self.collect_counters(), self.counters
        counters.forward = words[unit.FORWARD_INSTANCES]
        counters.proved = words[unit.PROVED_FACTS]
        if counters.proved:  # perhaps by facts that came later, so ranks tell nothing any more
            for table in self.tables.tables:
                table.forget_order()
