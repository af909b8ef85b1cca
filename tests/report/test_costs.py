"""How durations and tables are written."""

from __future__ import annotations

import pytest

from tidelog.report.costs import ProfiledRule, RuleCost, columns_of_text, shown_seconds


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (12.345, "12.3 s"),
        (1.0, "1.00 s"),
        (0.5, "500 ms"),
        (0.0123, "12.3 ms"),
        (2e-6, "2.00 µs"),
        (0.0, "0.00 µs"),
        (123.4, "123 s"),
    ],
)
def test_durations_have_three_digits(seconds: float, shown: str) -> None:
    assert shown_seconds(seconds) == shown


def test_columns() -> None:
    assert columns_of_text(("n", "name"), [("1", "a"), ("100", "b")], numbers=1) == ["  n  name", "  1  a", "100  b"]


def test_instances_a_fact() -> None:
    rule = ProfiledRule("r", "rules.dl:1", "p(X) :- q(X).")
    assert [RuleCost(rule, anew=anew).instances_a_fact for anew in ((0, 0), (8, 0), (9, 3))] == [0.0, 8.0, 3.0]
