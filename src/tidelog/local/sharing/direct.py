"""Queries of one join, repeated while nothing has changed: one call of the kernel, and nothing around it.

What an `Inquiry` does to be safe from signals, limits and other threads costs more than a small join.  Here the kernel gets
one portion of steps.  If these are not enough, or anything has changed since the plan was made, an inquiry answers as usual.
Only the table of answers is written, which nobody else reads, and which is dropped if an exception comes in between.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np

from tidelog.core.arrays import Rows
from tidelog.core.rules import CoreRule
from tidelog.local.engine import LocalEngine
from tidelog.local.evaluation.seminaive import STEP_BUDGET
from tidelog.local.kernel import join, layout
from tidelog.local.planning.plan import Plan
from tidelog.local.sharing.inquiry import InquiryPlans
from tidelog.local.storage.state import State
from tidelog.local.storage.tables import Table

_MOST_KEPT = 500


class _Direct(NamedTuple):
    """A join with its plan, and what tells that both are good."""

    begun: int
    """How many transactions the engine had begun."""
    state: State
    plan: Plan
    head: Table
    name: str
    """The relation of the answers."""
    nothing: Rows
    shown: Any
    """What the caller needs to know of the answers."""


class DirectAnswers:
    """The joins of late."""

    def __init__(self) -> None:
        self._known: OrderedDict[Hashable, _Direct] = OrderedDict()

    def answer(self, engine: LocalEngine | None, key: Hashable) -> tuple[Rows, Any] | None:
        """The answers to a question that `remember` knows, and what was said of them; None if it must be asked as usual."""
        known = self._known.get(key)
        if known is None or engine is None or engine.unfinished is not None:
            return None
        state, plan, head = known.state, known.plan, known.head
        if engine.begun != known.begun or engine.state is not state or state.helpers.get(known.name) is not head:
            del self._known[key]
            return None
        rows = _run(state, plan, known)
        return None if rows is None else (rows, known.shown)

    def remember(self, engine: LocalEngine, key: Hashable, rule: CoreRule, plans: InquiryPlans, shown: Any) -> None:
        """Remember a join that has just been answered."""
        state, name = engine.state, rule.head.predicate
        head = state.helpers.get(name)
        plan = plans.planned(rule)
        if head is None or plan is None or not head.arity:
            return
        nothing = np.empty((0, head.arity), np.int32)
        self._known[key] = _Direct(engine.begun, state, plan, head, name, nothing, shown)
        while len(self._known) > _MOST_KEPT:
            self._known.popitem(last=False)


def _run(state: State, plan: Plan, known: _Direct) -> Rows | None:
    """The answers, if one portion of steps is enough."""
    head, words, store = known.head, plan.state, state.store
    try:
        head.refill(known.nothing)
        words[:] = 0
        words[layout.ENTERING], words[layout.BUDGET] = 1, STEP_BUDGET
        join.run(store.M, store.X, state.V, state.terms.header, plan.addresses)
        while words[layout.STATUS] == layout.GROW_TABLE and words[layout.CULPRIT] == head.number:
            head.grow()
            join.run(store.M, store.X, state.V, state.terms.header, plan.addresses)
        if words[layout.STATUS] != layout.DONE:
            return None
        return head.appended_since(0)
    except BaseException:
        state.helpers.pop(known.name, None)  # something may be half done
        raise
