"""Choosing an algorithm: by what units took, and giving up in time, which changes no result."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.differential.checks import check_updates
from tests.differential.places import OpenPlace, local
from tests.random_graphs import graph_histories
from tests.random_programs import History

from tidelog import KnowledgeBase, TidelogError
from tidelog.local.maintenance import cost_model as choosing
from tidelog.local.maintenance import deletion
from tidelog.local.maintenance.costs import Costs
from tidelog.local.maintenance.deletion import Deadline

PATHS = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z). twice(X) :- path(X, X)."


@contextmanager
def giving_up_after(looks: int) -> Iterator[None]:
    """A deletion is given up after so many looks at the time."""
    clock = count()
    with (
        patch.object(choosing, "SMALL", 0),
        patch.object(choosing, "_deadline", lambda _runtime, now: Deadline(now, now, now, 0.0)),
        patch.object(choosing, "thread_time", lambda: 0.0),
        patch.object(deletion, "thread_time", lambda: float(next(clock) >= looks)),
    ):
        yield


@pytest.mark.by_night(1_000)
@settings(max_examples=50)
@given(graph_histories(most_updates=5), st.integers(0, 4))
def test_giving_up_changes_no_result(history: History, looks: int) -> None:
    with giving_up_after(looks):
        check_updates(history, OpenPlace(local("auto", modules=False)))


def test_what_was_given_up_is_said() -> None:
    kb = KnowledgeBase(PATHS, modules=False)
    kb.update(insert=[("edge", n, (n + 1) % 9) for n in range(9)])
    with giving_up_after(0):
        change = kb.update(delete=[("edge", 3, 4)])
    assert "rematerialise: to follow each of the facts that have gone was taking longer" in change.stats.algorithm
    assert kb.count("path") == 36
    assert len(change.deleted["path"]) == 81 - 36


def test_an_error_after_giving_up_changes_nothing() -> None:
    kb = KnowledgeBase(PATHS, modules=False, limit_facts=200)
    kb.update(insert=[("edge", n, (n + 1) % 9) for n in range(9)])
    before = sorted(kb.facts())
    with giving_up_after(1), pytest.raises(TidelogError, match="TL070"):
        kb.update(delete=[("edge", 3, 4)], insert=[("edge", n, n + 1) for n in range(100, 140)])
    assert sorted(kb.facts()) == before
    kb.update(delete=[("edge", 3, 4)])
    assert kb.count("path") == 36


def test_costs_follow_what_was_measured() -> None:
    costs = Costs()
    costs.derived(2.0, 10_000)
    assert costs.anew_with(5_000) == 1.0
    costs.derived(0.001, 1)  # plans and calls, which say nothing about many rows
    assert costs.anew_with(5_000) == 0.001
    costs.deleted(1_000.0, 1, 1, 1)  # the first time makes plans
    for _ in range(40):
        costs.deleted(1.0, 10, 40, 1)
    assert costs.per_fact == pytest.approx(0.1, rel=0.01)
    assert costs.has_few_proofs
    costs.deleted(1.0, 10, 100, 90)
    assert not costs.has_few_proofs


def test_much_that_has_gone_is_derived_anew() -> None:
    kb = KnowledgeBase(PATHS, modules=False)
    edges = [("edge", n, m) for n in range(40) for m in range(40) if (n * m) % 3 == 1]
    kb.update(insert=edges)
    with patch.object(choosing, "SMALL", 0), patch.object(Costs, "anew_with", lambda *_: 1e-9):
        kb.update(delete=edges[:1])  # of so few nobody notes what they took
        kb.update(insert=edges[:1], delete=edges[-20:])
        change = kb.update(delete=edges[1:100])
    assert change.stats.algorithm.startswith("rematerialise: 99 facts have gone")
