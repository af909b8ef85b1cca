"""Plans for people: text and JSON."""

from __future__ import annotations

import json

from tidelog.report.costs import ProfiledRule
from tidelog.report.plan import JoinPlan, PlannedLiteral, Plans

RULE = ProfiledRule("r", "rules.dl:1", "r: p(X) :- q(X, Y), s(Y).")
ALL = JoinPlan(RULE, None, (PlannedLiteral("s(Y)", "all rows", 3.0, 3), PlannedLiteral("q(X, Y)", "index on 2", 1200.0, None)))
CHANGE = JoinPlan(RULE, "q(X, Y)", (PlannedLiteral("q(X, Y)", "what has changed", 0.0), PlannedLiteral("s(Y)", "look up", 0.0)))


def test_text() -> None:
    assert str(Plans([ALL, CHANGE])) == "\n".join(
        (
            "r: p(X) :- q(X, Y), s(Y).",
            "  expected  counted  literal  matched by",
            "         3        3  s(Y)     all rows",
            "     1,200     many  q(X, Y)  index on 2",
            "  when q(X, Y) changes",
            "    q(X, Y): what has changed",
            "    s(Y): look up",
        )
    )
    assert str(Plans([])) == "there is no rule to plan"
    assert str(JoinPlan(RULE, None, (), note="a module keeps it").lines()[-1]) == "  a module keeps it"


def test_objects() -> None:
    plans = Plans([ALL, CHANGE])
    assert (len(plans), plans[0], list(plans[1:]), list(plans)) == (2, ALL, [CHANGE], [ALL, CHANGE])
    assert json.loads(plans.to_json())[0]["literals"][0]["way"] == "all rows"
    assert "<pre>" in plans._repr_html_()
