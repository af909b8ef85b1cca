"""The report on a rule change for users: hyper-nodes, by the names of their rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from tidelog.changes import HyperNodeChange, HyperNodeVisit, RuleChanges, Rules
from tidelog.core.rules import Unit
from tidelog.program.changes.components import Component, HyperNode
from tidelog.program.changes.live_rules import LiveRules, RuleDifference

_What = Literal["merged", "split", "created", "dropped"]


@dataclass(slots=True)
class Visit:
    """One visit to a unit during a rule change, or while a profile is recorded."""

    unit: Unit
    is_evaluated: bool
    """Whether its rules changed or it was derived from scratch; otherwise it only received deltas."""
    seconds: float
    number: int = -1
    """The unit's, where an engine has numbers for units."""


def rule_report(difference: RuleDifference, visits: Sequence[Visit]) -> RuleChanges:
    """Report how a rule change affected the hyper-nodes of a program."""
    before, after = difference.before, difference.after
    return RuleChanges(
        lambda: tuple(map(after.shown, difference.added)),
        lambda: tuple(map(before.shown, difference.removed)),
        lambda: tuple(
            HyperNodeChange(cast("_What", c.what), _named(c.before, before), _named(c.after, after))
            for c in difference.node_changes()
        ),
        lambda: _visited(after, visits),
    )


def _named(nodes: Sequence[HyperNode], live: LiveRules) -> tuple[Rules, ...]:
    return tuple(tuple(map(live.shown, node.rules)) for node in nodes)


def _visited(live: LiveRules, visits: Sequence[Visit]) -> tuple[HyperNodeVisit, ...]:
    """The visits by component: functions and aggregates of a rule have units of their own, which users do not see."""
    grouped: dict[Component, list[Visit]] = {}
    for visit in visits:
        grouped.setdefault(live.components.of[visit.unit.owner], []).append(visit)
    return tuple(
        HyperNodeVisit(
            _named(live.components.hyper_nodes(component), live),
            component.predicates,
            "re-evaluated" if any(visit.is_evaluated for visit in some) else "difference",
            sum(visit.seconds for visit in some),
        )
        for component, some in grouped.items()
    )
