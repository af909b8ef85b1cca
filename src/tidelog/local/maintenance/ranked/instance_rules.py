"""Rules whose plans stop at each lost instance, so that the kernel can ask whether it was support (`lost_instances`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

import numpy as np

from tidelog.core.arrays import Int32s
from tidelog.core.rules import positive_atoms
from tidelog.local.evaluation.fused_rules import Entry, FusedRules
from tidelog.local.kernel import fused_rounds as kernel
from tidelog.local.kernel.memory import address_of
from tidelog.local.planning.join_order import plan_instances
from tidelog.local.planning.plan import Plan
from tidelog.local.planning.plan_cache import PlanCache
from tidelog.local.storage.state import State


class InstanceRules(FusedRules):
    """Rules that suspect heads of lost instances."""

    def __init__(
        self,
        state: State,
        plans: PlanCache,
        entries: Sequence[Entry],
        places: Mapping[str, int],
        own: Set[str],
        *,
        begins_with_delta: bool = False,
    ) -> None:
        """`places` say which relation of the unit an atom reads, or a head suspects, also through a helper table."""
        self._places, self._ranked = places, own
        super().__init__(state, plans, entries, begins_with_delta=begins_with_delta)

    def _made_plans(self) -> list[Plan]:
        plans: list[Plan] = []
        begins: list[int] = []
        words: list[int] = []
        for rule, at in self.entries:
            if len([name for _, name in positive_atoms(rule) if name in self._places]) == 1:  # any instance may have been support
                plans.append(self._cache.plan(rule, self._state, at))
                begins.append(0)
                continue
            plan, found = plan_instances(rule, self._state, at, frozenset(self._places))
            plans.append(plan)
            begins.append(len(self.entries) + len(words))
            body = sorted(
                found.body[:-1], key=lambda atom: atom[0] in self._ranked
            )  # what has fallen first; the last is the head
            words += [self._places[rule.head.predicate], *found.head, len(body)]
            for predicate, slots in body:
                words += [self._places[predicate], *slots]
        self._instances: Int32s = np.array([*begins, *words], np.int32)
        self.addresses[kernel.INSTANCES : kernel.INSTANCE_LENGTH + 1] = address_of(self._instances), len(self._instances)
        return plans
