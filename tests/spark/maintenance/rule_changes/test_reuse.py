"""Which relations a change of rules affects: heads of added and removed rules, and all that is derived from them."""

from __future__ import annotations

import pytest

from tidelog.program.changes.live_rules import LiveRules
from tidelog.program.changes.rule_changes import plan_change
from tidelog.program.program import check
from tidelog.source import Source
from tidelog.spark.maintenance.rule_changes.reuse import affected_relations

RULES = "p(X) :- e(X). q(X) :- p(X), not r(X). r(X) :- f(X). s(X) :- q(X). t(X) :- f(X)."


@pytest.mark.parametrize(
    ("removed", "added", "affected"),
    [
        (["r(X) :- f(X)."], [], {"r", "q", "s"}),
        ([], ["t(X) :- g(X)."], {"t"}),
        (["s(X) :- q(X)."], ["f2(X) :- s(X).", "u(X) :- f2(X)."], {"s", "f2", "u"}),
    ],
)
def test_affected_relations(removed: list[str], added: list[str], affected: set[str]) -> None:
    live = LiveRules.of(check(Source(RULES)))
    difference = plan_change(live, removed, added, {}).difference
    assert difference is not None
    assert affected_relations(difference) == affected
