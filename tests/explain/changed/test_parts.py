"""The parts of the explanation of a change."""

from __future__ import annotations

from tidelog.explain.changed.parts import Changed, ChangedReason, ChangedStep
from tidelog.explain.steps import ShownRule

RULE = ShownRule(0, "r1", "p(X) :- q(X).")


def test_what_brought_it_about() -> None:
    assert ChangedStep(0, ("q", 1), "q(1)", "came").why == "inserted"
    assert ChangedStep(0, ("q", 1), "q(1)", "went").why == "deleted"
    assert ChangedStep(0, ("p", 1), "p(1)", "came", (RULE,)).why == "by r1"
    assert ChangedStep(0, ("p", 1), "p(1)", "went", (RULE,)).why == "followed by r1"
    assert ChangedStep(0, ("p", 1), "p(1)", "came", (RULE,), rule_changed=True).why == "by r1, which was added"


def test_what_a_change_began_with() -> None:
    steps = [
        ChangedStep(0, ("p", 1), "p(1)", "went", (RULE,), rule_changed=True, reasons=(ChangedReason("q(1)", "", (1,)),)),
        ChangedStep(1, ("q", 1), "q(1)", "went"),
    ]
    assert Changed(("p", 1), "p(1)", "went", steps).started_by == ("r1 removed", "q(1) deleted")
    assert steps[0].to_dict()["reasons"] == [{"text": "q(1)", "note": "", "steps": [1]}]
