"""The kinds of values in columns: right after each change, and only new rows are looked at."""

from __future__ import annotations

import pytest
from tests.local_engine import engine_of

from tidelog import KnowledgeBase
from tidelog.functions.signatures import ANY
from tidelog.local.insight import columns_at_hand
from tidelog.local.insight.columns_at_hand import ColumnsAtHand, Seen
from tidelog.values import Kind, from_python

STRING, INT = frozenset({Kind.STRING}), frozenset({Kind.INT})


def test_kinds_follow_the_facts() -> None:
    kb, seen = KnowledgeBase("q(X) :- p(X, _). t(X) :- triple(X, _, _). flag() :- p(_, _)."), Seen()
    kb.update(insert=[("p", "a", 1), ("triple", 1, 2, 3)])
    columns = ColumnsAtHand(engine_of(kb), seen)
    assert (columns["p"], columns["q"], columns["triple"], columns["flag"]) == ((STRING, INT), (STRING,), (ANY,) * 3, ())
    assert set(columns) >= {"p", "q"}
    assert len(columns) >= 2
    kb.update(insert=[("p", "b", "n/a")], delete=[("p", "a", 1)])
    assert ColumnsAtHand(engine_of(kb), seen)["p"] == (STRING, STRING | INT), "of what has been there, too"
    assert ColumnsAtHand(engine_of(kb))["p"] == (STRING, STRING)
    with pytest.raises(KeyError):
        columns["r"]


def test_a_fact_with_a_value_of_a_kind() -> None:
    kb = KnowledgeBase("q(X) :- p(X, _).")
    kb.update(insert=[("p", "a", 1), ("p", "b", "n/a")])
    columns = ColumnsAtHand(engine_of(kb))
    assert columns.example("p", 1, Kind.STRING) == (from_python("b"), from_python("n/a"))
    assert columns.example("p", 1, Kind.DATE) is None
    assert columns.example("r", 1, Kind.DATE) is None


def test_rows_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    kb, seen = KnowledgeBase("q(X) :- p(X, _)."), Seen()
    kb.update(insert=[("p", "a", 1), ("p", "b", 2)])
    assert ColumnsAtHand(engine_of(kb), seen)["p"] == (STRING, INT)
    monkeypatch.setattr(columns_at_hand, "_MOST_ROWS", 1)
    kb.update(insert=[("p", "c", 2)])
    assert ColumnsAtHand(engine_of(kb), seen)["p"] == (STRING, INT), "one new row"
    assert ColumnsAtHand(engine_of(kb))["p"] == (ANY, ANY), "three rows are more than one"
