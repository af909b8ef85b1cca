"""The report on a rule change: hyper-nodes by the names of their rules."""

from __future__ import annotations

from tests.local_engine import program

from tidelog.core.rewriting import core_of
from tidelog.core.rule_report import Visit, rule_report
from tidelog.program.changes.live_rules import LiveRules
from tidelog.program.changes.rule_changes import plan_change


def test_changes_and_visits_by_rule_name() -> None:
    live = LiveRules.of(program("a: p(X) :- e(X). b: q(X) :- p(X). c: t(N) :- q(N), N = count { p(_) }."))
    difference = plan_change(live, ["c"], ["d: p(X) :- q(X), X > 1.", "s(X) :- q(X)."], {}).difference
    assert difference is not None
    units = {unit.relations: unit for unit in core_of(difference.after.program).units}
    report = rule_report(
        difference,
        [Visit(units["p", "q"], True, 0.25), Visit(units["p", "q"], False, 0.5), Visit(units["s",], False, 1.0)],
    )
    assert report.added == ("d", "s(X) :- q(X).")
    assert report.removed == ("c",)
    assert {(change.what, change.before, change.after) for change in report.hyper_nodes} == {
        ("dropped", (("c",),), ()),
        ("created", (), (("s(X) :- q(X).",),)),
    }
    first, second = report.visited
    assert (first.relations, first.how, first.seconds) == (("p", "q"), "re-evaluated", 0.75)
    assert second.how == "difference"
