"""The parts of answers: how far a rule gets, and what they are in JSON."""

from __future__ import annotations

from datetime import date

from tidelog.explain.absent.parts import Answer, Attempt, Failure, Miss, Repair
from tidelog.explain.steps import ShownRule


def test_how_far_a_rule_gets() -> None:
    rule = ShownRule(0, "r1", "p(X) :- q(X), r(X).")
    miss = Miss(("q(1)",), (Failure("r(1)", "it is missing"),))
    assert Attempt(rule, fits=True, literals=2, misses=(miss,), is_whole=True).reached == 1
    assert Attempt(rule, fits=False, literals=2, misses=(), is_whole=True).reached == 0
    assert not Answer(("p", 1), "p(1)").holds


def test_values_in_json() -> None:
    repair = Repair((("p", date(2020, 1, 2)),), ("p(2020-01-02)",), ("2020-01-02",))
    assert repair.to_dict()["text"] == ["p(2020-01-02)"]
    assert repair.to_dict()["insert"] == [["p", {"value": "2020-01-02", "type": "http://www.w3.org/2001/XMLSchema#date"}]]
