"""Counting: after every update the counters are what counting from nothing finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from tests.local_engine import as_tuples, engine_of
from tests.random_programs import History, histories

from tidelog import KnowledgeBase, Source, TidelogError
from tidelog.core.limits import Watch
from tidelog.core.statistics import Statistics
from tidelog.local.engine import LocalEngine
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.maintenance import counting
from tidelog.program.program import check


def check_counters(engine: LocalEngine) -> int:
    """Compare all counters with those of a new count; how many facts there were."""
    compared = 0
    evaluation = Evaluation(engine.state, Watch(), Statistics())
    for number in engine.structure.numbers_in_order():
        unit = engine.structure.units[number]
        if not counting.is_counted(unit, engine.state):
            continue
        heads = {rule.head.predicate for rule in unit.rules}
        tables = {name: engine.state.tables[name] for name in heads}
        before = {name: table.counters for name, table in tables.items()}
        counting.count_all(engine.runtime(number), evaluation)
        for name, table in tables.items():
            numbers, counted, kept = table.numbers_of(table.rows), table.counters, before[name]
            assert counted is not None
            assert kept is not None
            padded = np.zeros((2, table.end), np.int32)
            padded[:, : min(kept.shape[1], table.end)] = kept[:, : table.end]
            assert np.array_equal(padded[:, numbers], counted[:, numbers]), name
            compared += len(table)
    return compared


@pytest.mark.by_night(2_000)
@settings(max_examples=60)
@given(histories(largest_arity=4))
def test_counters_are_kept(history: History) -> None:
    kb = KnowledgeBase(Source(history.program.text), algorithm="counting", modules=False)
    for texts in history.updates:
        deleted, inserted = (as_tuples(check(Source(" ".join(f"{line}." for line in lines))).facts) for lines in texts)
        kb.update(insert=inserted, delete=deleted)
        check_counters(engine_of(kb))


PATHS = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z)."


def test_a_fact_with_a_derivation_that_is_not_recursive_stays() -> None:
    """In a cycle DRed takes every path away; with counters those over an edge stay."""
    kb = KnowledgeBase(PATHS, algorithm="counting", modules=False)
    kb.update(insert=[("edge", n, (n + 1) % 6) for n in range(6)] + [("edge", 0, 3)])
    change = kb.update(delete=[("edge", 0, 3)])
    assert change.stats.algorithm.startswith("counting")
    assert list(change.deleted) == ["edge"]
    assert check_counters(engine_of(kb)) == 36
    dred = KnowledgeBase(PATHS, algorithm="dred", modules=False)
    dred.update(insert=[("edge", n, (n + 1) % 6) for n in range(6)] + [("edge", 0, 3)])
    over = dred.update(delete=[("edge", 0, 3)]).stats.counters.overdeleted
    assert change.stats.counters.overdeleted < over


def test_an_update_that_fails_is_counted_anew() -> None:
    kb = KnowledgeBase(PATHS, algorithm="counting", modules=False, limit_facts=30)
    kb.update(insert=[("edge", n, n + 1) for n in range(4)])
    kb.update(delete=[("edge", 1, 2)])
    with pytest.raises(TidelogError, match="30"):
        kb.update(insert=[("edge", n, n + 1) for n in range(20)], delete=[("edge", 0, 1)])
    change = kb.update(delete=[("edge", 0, 1)])
    assert change.stats.algorithm.startswith("counting")
    assert sorted(kb.facts("path")) == [(2, 3), (2, 4), (3, 4)]
    assert check_counters(engine_of(kb)) == 3
