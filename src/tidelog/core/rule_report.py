"""What a change of rules did, for users: hyper-nodes by the names of their rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from tidelog.changes import HyperNodeChange, HyperNodeVisit, RuleChanges, Rules
from tidelog.core.rules import Unit
from tidelog.program.components import Component, HyperNode
from tidelog.program.live_rules import LiveRules, RuleDifference

_What = Literal["merged", "split", "created", "dropped"]


@dataclass(slots=True)
class Visit:
    """A unit whose turn came."""

    unit: Unit
    is_evaluated: bool
    """Whether its rules are others than before, or all of it was derived anew; otherwise, only differences came to it."""
    seconds: float


def rule_report(difference: RuleDifference, visits: Sequence[Visit]) -> RuleChanges:
    """What happened to the hyper-nodes of a program."""
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
    """The visits by component: functions and aggregates of a rule have units of their own, which users need not know."""
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
