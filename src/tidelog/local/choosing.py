"""Which algorithm maintains a unit: what the user asked for, or what should be cheapest.

B/F is the rule: it never deletes what stays, and where little has another proof its checks fail at once, so that it does
hardly more than DRed. Where much of what a unit reads has gone, to derive the unit anew is cheaper than to look for what is
left of it: the B/F paper's equilibrium.
"""

from __future__ import annotations

from collections.abc import Mapping

from tidelog.local.backward_forward import is_possible
from tidelog.local.core import Unit
from tidelog.local.counting import is_counted
from tidelog.local.deltas import Deltas, Rows
from tidelog.local.state import State

_MOST = 0.2
"""The share of a relation that may go before starting over is expected to be cheaper."""
_FEW = 64
"""So many facts may always go."""


def choose(asked: str, unit: Unit, state: State, deltas: Deltas, seeds: Mapping[str, Rows]) -> tuple[str, str]:
    """`bf`, `dred` or `rematerialise` for a unit that may lose facts, and why."""
    if asked == "bf" and not is_possible(unit, state):
        return "dred", "B/F does not look for proofs through virtual relations"
    if asked == "counting" and not is_counted(unit, state):
        return "dred", "facts of a relation with special means are not counted"
    if asked != "auto":
        return asked, "as asked for"
    for name in unit.uses:
        if name in deltas and not deltas.is_virtual(name):
            went, left = len(deltas.of[name].went), len(state.table(name))
            if went > _FEW and went > _MOST * (went + left):
                return "rematerialise", f"{went:,} of {went + left:,} facts of `{name}` have gone"
    for name, rows in seeds.items():
        if len(rows) > _FEW and len(rows) > _MOST * len(state.table(name)):
            return "rematerialise", f"{len(rows):,} facts of `{name}` are no longer given"
    if not is_possible(unit, state):
        return "dred", "B/F does not look for proofs through virtual relations"
    return "bf", "few facts have gone"
