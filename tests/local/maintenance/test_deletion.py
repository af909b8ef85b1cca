"""The loop that all deletions share: no instance of a rule is used twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.local_engine import as_tuples, engine_of, kept_counts
from tests.random_graphs import graph_histories
from tests.random_programs import History, histories

from tidelog import KnowledgeBase, Source
from tidelog.core.arrays import Rows
from tidelog.core.limits import Watch
from tidelog.local.maintenance import counting
from tidelog.local.storage.tables import Table
from tidelog.program.program import check


def updates_of(history: History) -> Iterator[dict[str, Any]]:
    for texts in history.updates:
        deleted, inserted = (as_tuples(check(Source(" ".join(f"{line}." for line in lines))).facts) for lines in texts)
        yield {"insert": inserted, "delete": deleted}


def check_each_once(history: History) -> None:
    """Counting lists lost instances with all their variables: as many must be found as there are.

    The rules that find them are the same for all algorithms.
    """
    found: list[tuple[int, int]] = []

    class Spying(counting.Counting):
        def delete(self, seeds: Mapping[str, Rows]) -> dict[str, Table]:
            gone = super().delete(seeds)
            found.append((self.counters.suspected, sum(table.end for table in self._lost.tables)))
            return gone

    with patch.dict("tidelog.local.maintenance.rule_maintenance.ALGORITHMS", {"counting": Spying}):
        kb = KnowledgeBase(Source(history.program.text), algorithm="counting", modules=False)
        for update in updates_of(history):
            kb.update(**update)
    for used, there_are in found:
        assert used == there_are


@pytest.mark.by_night(2_000)
@settings(max_examples=60)
@given(histories(largest_arity=4))
def test_lost_instances_are_found_once(history: History) -> None:
    check_each_once(history)


@pytest.mark.by_night(2_000)
@settings(max_examples=40)
@given(graph_histories(most_updates=5))
def test_lost_instances_of_recursive_rules_are_found_once(history: History) -> None:
    check_each_once(history)


@pytest.mark.by_night(2_000)
@settings(max_examples=40)
@given(graph_histories(most_updates=5))
def test_deletion_and_proofs_use_no_more_instances_than_there_are(history: History) -> None:
    counted, kb = (KnowledgeBase(Source(history.program.text), algorithm=a, modules=False) for a in ("counting", "bf"))
    for update in updates_of(history):
        engine = engine_of(counted)
        list(counted.facts())  # so that everything is derived
        engine.count_derivations(Watch())  # which counts, if nobody has
        instances = 0
        for unit in engine.structure.units.values():
            for name in {rule.head.predicate for rule in unit.rules} if counting.is_counted(unit, engine.state) else ():
                table = engine.state.tables[name]
                assert table.counters is not None
                counters = np.pad(table.counters, ((0, 0), (0, table.end)))
                instances += int(counters[:, table.numbers_of(table.rows)].sum())
        counted.update(**update)
        done = kb.update(**update).stats.counters
        assert done.suspected + done.forward <= instances


@pytest.mark.by_night(2_000)
@pytest.mark.parametrize("algorithm", ["bf", "dred", "counting", "auto", "rematerialise"])
@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), min_size=8, max_size=24, unique=True))
def test_two_facts_of_an_instance_that_go_in_turn(algorithm: Any, edges: list[tuple[int, int]]) -> None:
    """A rule with two atoms of its own relation, of which one goes a round before the other."""
    rules = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), path(Y, Z). loop(X) :- path(X, X)."
    kb = KnowledgeBase(rules, algorithm=algorithm, modules=False)
    kb.update(insert=[("edge", *edge) for edge in edges])
    while edges:
        kb.update(delete=[("edge", *edge) for edge in edges[:2]])
        edges = edges[2:]
        anew = KnowledgeBase(rules)
        anew.update(insert=[("edge", *edge) for edge in edges])
        assert set(kb.facts("path")) == set(anew.facts("path"))


@pytest.mark.parametrize("algorithm", ["bf", "dred"])
def test_rules_for_facts_that_came_serve_where_none_did(algorithm: Any) -> None:
    kb: Any = KnowledgeBase("two(X, Z) :- edge(X, Y), edge(Y, Z), not bad(Y).", algorithm=algorithm)
    kb.update([("edge", n, n + 1) for n in range(9)])
    kb.update(delete=[("edge", 0, 1)], insert=[("edge", 9, 10)])
    cached_plan = kept_counts(kb)["plans"]
    change = kb.update(delete=[("edge", 4, 5)])
    assert set(change.deleted["two"]) == {(3, 5), (4, 6)}
    assert kept_counts(kb)["plans"] == cached_plan
    kb.update(insert=[("bad", 2)], delete=[("edge", 8, 9)])
    assert set(kb["two"]) == {(2, 4), (5, 7), (6, 8)}
