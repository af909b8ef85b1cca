"""The knowledge base of the local engine: refusals of load, replay, look-ahead, and statistics after rule changes."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from tests.local_engine import engine_of

from tidelog import KnowledgeBase, TidelogError, Update
from tidelog.core import limits
from tidelog.core.rules import Unit
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.kb import LocalKnowledgeBase

STOCK = "@relation stock(item: string key, count: int). low(X) :- stock(X, N), N < 3."


def local(text: str, **options: Any) -> LocalKnowledgeBase:
    kb = KnowledgeBase(text, **options)
    assert isinstance(kb, LocalKnowledgeBase)
    return kb


def rows(*found: tuple[str, int]) -> pa.Table:
    return pa.table({"item": [item for item, _ in found], "count": pa.array([count for _, count in found], pa.int64())})


# --- loading -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["options", "rejects"])
def test_what_only_spark_takes_is_refused(option: str) -> None:
    kb = local(STOCK)
    with pytest.raises(TidelogError, match=f"TL074.*the local engine takes no {option}"):
        kb.load("stock", rows(("a", 1)), **{option: {"a": "b"}})  # type: ignore[arg-type]
    assert kb.count("stock") == 0
    assert kb.loads == []


def test_upserts_need_a_key() -> None:
    with pytest.raises(TidelogError, match="TL075"):
        local(STOCK).load("low", pa.table({"item": ["a"]}), upsert=True)


@pytest.mark.parametrize("is_derived", [True, False])
def test_loaded_rows_replace_those_with_their_keys(is_derived: bool) -> None:
    kb = local(STOCK)
    kb.load("stock", rows(("a", 1), ("b", 2), ("c", 3)))
    if is_derived:
        assert set(kb["low"]) == {("a",), ("b",)}
    report = kb.load("stock", rows(("a", 2), ("a", 9), ("b", 2), ("d", 0)), upsert=True)
    assert (report.rows, report.replaced) == (4, 1)
    assert set(kb["stock"]) == {("a", 9), ("b", 2), ("c", 3), ("d", 0)}
    assert set(kb["low"]) == {("b",), ("d",)}


# --- replay --------------------------------------------------------------------------------------------------------------

HISTORY = [
    Update(insert=(("stock", "a", 1), ("stock", "b", 2), ("seen", "x"))),
    Update(upsert=(("stock", "a", 7),), delete=(("stock", "b", 2),)),
    Update(add_rules=("high(X) :- stock(X, N), N > 5.",), remove_rules=("low(X) :- stock(X, N), N < 3.",)),
    Update(insert=(("stock", "c", 1),)),
]


def test_replayed_updates_are_derived_from_once(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []
    from_scratch = Evaluation.from_scratch

    def noted(self: Evaluation, unit: Unit) -> None:
        started.append(unit)
        from_scratch(self, unit)

    monkeypatch.setattr(Evaluation, "from_scratch", noted)
    kb = local(STOCK)
    kb.replay(HISTORY)
    assert started == []
    assert not engine_of(kb).has_derived
    assert set(kb["high"]) == {("a",)}
    assert len(started) == 1
    assert set(kb["stock"]) == {("a", 7), ("c", 1)}
    assert kb.relations.keys() == {"stock", "high", "seen"}


def test_replay_of_a_knowledge_base_that_has_derived_something() -> None:
    kb = local(STOCK)
    assert kb.count("low") == 0
    kb.replay(HISTORY)
    assert set(kb["high"]) == {("a",)}


def test_an_update_that_fails_leaves_those_before_it() -> None:
    kb = local(STOCK)
    with pytest.raises(TidelogError):
        kb.replay([HISTORY[0], Update(insert=(("stock", "z", 1), ("seen", "x", "y")))])
    assert set(kb["stock"]) == {("a", 1), ("b", 2)}


# --- streams and rules ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "looks"), [({}, True), ({"marking": True}, True), ({"marking": False}, False), ({"algorithm": "counting"}, False)]
)
def test_whether_a_stream_looks_ahead(options: dict[str, Any], looks: bool) -> None:
    kb, following = local(STOCK, **options), Update(delete=(("stock", "a", 1),))
    asked: list[bool] = []

    def next_update() -> Update:
        asked.append(True)
        return following

    kb.apply(Update(insert=(("stock", "a", 1),)), next_update)
    assert bool(asked) == looks
    change = kb.apply(following)
    assert ("marks" in change.stats.algorithm or change.stats.counters.marks > 0) == looks
    assert kb.count("low") == 0


def test_an_update_in_between_is_no_part_of_the_stream() -> None:
    kb, following = local(STOCK), Update(delete=(("stock", "a", 1),))
    kb.apply(Update(insert=(("stock", "a", 1),)), lambda: following)
    kb.update(insert=[("stock", "b", 1)])
    assert "marks" not in kb.apply(following).stats.algorithm
    assert set(kb["low"]) == {("b",)}


def test_statistics_number_rules_as_they_are_written_now() -> None:
    kb = local("a(X) :- s(X). b(X) :- s(X). c(X) :- s(X). s(1).")
    assert {done.rule for done in kb.statistics.rounds} == {0, 1, 2}
    kb.update(remove_rules="a(X) :- s(X).")
    kb.update(insert=[("s", 2)])
    assert {done.rule for done in kb.statistics.rounds if done.derivations} == {0, 1}
    assert kb.statistics.derivations == 2


def test_a_limit_holds_for_each_update() -> None:
    kb = local("p(X, Y) :- s(X), s(Y).", limit_facts=20)
    kb.update(insert=[("s", number) for number in range(3)])
    with pytest.raises(limits.LimitReachedError, match="20"):
        kb.update(insert=[("s", number) for number in range(5)])
    assert kb.count("p") == 9
