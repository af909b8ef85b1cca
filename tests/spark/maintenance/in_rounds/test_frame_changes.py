"""What an update has changed on Spark: empty at first, and never shared."""

from __future__ import annotations

from tests.local.small_engine import PATHS, SmallEngine

from tidelog.spark.maintenance.in_rounds.frame_changes import FrameChanges, RuleDelta


def test_a_rule_delta_is_there_if_rules_came_or_went() -> None:
    first, _ = SmallEngine(PATHS).unit("path").rules
    assert not RuleDelta()
    assert RuleDelta(added=frozenset({0}))
    assert RuleDelta(removed=(first,))


def test_two_updates_share_no_deltas() -> None:
    one, other = FrameChanges({}, {}), FrameChanges({}, {})
    assert one.deltas == one.given == {}
    assert one.deltas is not other.deltas
    assert one.given is not other.given
