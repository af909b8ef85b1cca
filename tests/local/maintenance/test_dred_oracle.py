"""DRed and DRed with counters against plain Python versions: the same facts, and the same counters."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from tests.oracles import counting, dred
from tests.oracles.histories import histories_without_projection, plain_histories, run
from tests.random_programs import History, RandomProgram


def check_dred(history: History) -> None:
    for change, bounds in run(history, "dred", dred.delete):
        for name in ("suspected", "overdeleted", "affected", "rederived", "inserted"):
            bounds.check(name, getattr(change.stats.counters, name))


def check_counting(history: History) -> None:
    for change, bounds in run(history, "counting", counting.delete):
        for name in ("suspected", "overdeleted", "rederived", "inserted"):
            bounds.check(name, getattr(change.stats.counters, name))


@pytest.mark.by_night(2_000)
@settings(max_examples=40)
@given(histories_without_projection())
def test_dred_on_rules_without_projection(history: History) -> None:
    """Every variable is in the head: all bounds of instances are exact, but where facts come back in turn."""
    check_dred(history)


@pytest.mark.by_night(2_000)
@settings(max_examples=40)
@given(plain_histories)
def test_dred_on_any_rules(history: History) -> None:
    check_dred(history)


@pytest.mark.by_night(2_000)
@settings(max_examples=40)
@given(histories_without_projection())
def test_counting_on_rules_without_projection(history: History) -> None:
    check_counting(history)


@pytest.mark.by_night(2_000)
@settings(max_examples=40)
@given(plain_histories)
def test_counting_on_any_rules(history: History) -> None:
    """Counting lists instances with all their variables, so they are counted exactly whatever the rules are."""
    check_counting(history)


def test_a_cycle_with_a_chord() -> None:
    """DRed deletes all 36 paths, for every one depends on another; counting stops at those that are edges."""
    paths = (("path(X, Y)", ("edge(X, Y)",)), ("path(X, Z)", ("path(X, Y)", "edge(Y, Z)")))
    edges = [*(f"edge({at}, {(at + 1) % 6})" for at in range(6)), "edge(0, 3)"]
    history = History(RandomProgram(paths, tuple(edges)), ((("edge(0, 3)",), ()),), ())
    ((change, bounds),) = run(history, "dred", dred.delete)
    counters = change.stats.counters
    assert counters.overdeleted == bounds.least["overdeleted"] == 36
    assert counters.rederived == bounds.least["rederived"] == 6
    assert counters.inserted == bounds.least["inserted"] == bounds.most["inserted"] == 36
    ((change, bounds),) = run(history, "counting", counting.delete)
    counters = change.stats.counters
    assert counters.overdeleted == bounds.least["overdeleted"] == 15
    assert counters.inserted == bounds.least["inserted"]
    assert counters.rederived == 0
