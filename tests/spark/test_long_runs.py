"""Many rounds: plans, what Spark keeps, the memory of its driver and the files of the lineage all stay as large as they were."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
from tests.local_engine import looking_often
from tests.spark.on_executors import nothing_in_the_driver

from tidelog import KnowledgeBase
from tidelog.spark.data import frames
from tidelog.spark.kb import SparkKnowledgeBase
from tidelog.spark.session.lineage import Lineage

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tidelog.core.limits import Progress

RULES = """
here(X, Y) :- edge(X, Y).
there(X, Y) :- edge(X, Y).
here(X, Z) :- there(X, Y), edge(Y, Z).
there(X, Z) :- here(X, Y), edge(Y, Z).
"""
"""Two relations that read one another's new facts, of which there are fewer from round to round; and no transitive relation."""


@dataclass
class Observed:
    """What was measured on the way, by round."""

    plans: dict[int, int] = field(default_factory=dict)
    """The largest plan that was executed in a round, in characters."""
    folders: dict[int, int] = field(default_factory=dict)
    """How many frames the lineage keeps in files."""
    blocks: dict[int, int] = field(default_factory=dict)
    """How many frames Spark itself keeps, when all that nobody refers to is gone; measured twice."""
    heap: dict[int, int] = field(default_factory=dict)
    """What the JVM of the driver holds then, in bytes."""
    left: list[Path] = field(default_factory=list)
    """What is in the folder of the lineage when all is over."""


def run(spark: SparkSession, policy: str, folder: Path, rounds: int, *, first: int) -> Observed:
    """Follow a chain for so many rounds; in the round `first`, and in the last one, look at the memory too."""
    observed = Observed()
    at_round = 0

    def show(progress: Progress) -> None:
        nonlocal at_round
        if progress.round <= at_round:
            return
        at_round = progress.round
        observed.folders[at_round] = len(list(folder.glob("*/*")))
        if at_round in (first, rounds):
            observed.blocks[at_round], observed.heap[at_round] = memory_of(spark)

    def note(frame: DataFrame) -> None:
        size = len(frame._jdf.queryExecution().toString())
        observed.plans[at_round] = max(size, observed.plans.get(at_round, 0))

    edges = "".join(f"edge({at}, {at + 1})." for at in range(rounds))
    options: dict[str, Any] = {"placement": "rounds", "lineage": policy, "lineage_folder": folder}
    kb = KnowledgeBase(RULES + edges, engine="spark", spark=spark, progress=show, **options)
    assert isinstance(kb, SparkKnowledgeBase)
    with looking_often(), nothing_in_the_driver(), noting_what_is_cut(note):
        for relation in ("here", "there"):
            assert sorted(kb[relation]) == list(combinations(range(rounds + 1), 2))
    kb.close()
    observed.left = list(folder.rglob("*"))
    return observed


@contextmanager
def noting_what_is_cut(note: Callable[[DataFrame], None]) -> Iterator[None]:
    """See every frame before its history is cut, which is when it is computed."""
    cut, cut_and_count = Lineage.cut, Lineage.cut_and_count

    def noted_cut(lineage: Lineage, frame: DataFrame) -> DataFrame:
        note(frame)
        return cut(lineage, frame)

    def noted_cut_and_count(lineage: Lineage, frame: DataFrame) -> tuple[DataFrame, int]:
        note(frame)
        return cut_and_count(lineage, frame)

    with patch.object(Lineage, "cut", noted_cut), patch.object(Lineage, "cut_and_count", noted_cut_and_count):
        yield


def memory_of(spark: SparkSession) -> tuple[int, int]:
    """How many frames Spark keeps, and the bytes of its heap, when what nobody refers to has been cleared away.

    Python tells Spark in one thread what it has let go of, and Spark clears away in another one: only when nothing has changed
    for a while, all of it has been done.
    """
    context, jvm = spark.sparkContext, spark.sparkContext._jvm
    assert jvm is not None
    seen: list[int] = []
    while len(seen) < _SAME or len(set(seen[-_SAME:])) > 1:
        gc.collect()
        jvm.System.gc()
        sleep(0.3)
        seen.append(len(context._jsc.sc().getRDDStorageInfo()))
    runtime = jvm.Runtime.getRuntime()
    return seen[-1], runtime.totalMemory() - runtime.freeMemory()


_SAME = 5


def check_all_is_flat(observed: Observed, rounds: int, *, first: int, policy: str) -> None:
    """No measurement of the later rounds is much above those up to the round `first`."""

    def growth(what: dict[int, int]) -> float:
        before = max(size for number, size in what.items() if number <= first)
        return max(size for number, size in what.items() if first < number <= rounds) / before

    assert len(observed.plans) >= rounds, "there is a plan for each round"
    assert growth(observed.plans) < 1.2
    assert growth(observed.heap) < 1.5
    if policy == "local":
        assert observed.blocks[first] > 0, "it is Spark that keeps them"
        assert growth(observed.blocks) < 1.7
    else:
        assert observed.folders[first] > 0, "they are kept in files"
        assert growth(observed.folders) < 1.7
        assert observed.blocks[rounds] <= observed.blocks[first], "Spark keeps nothing beside the files"
    assert observed.left == []


@pytest.mark.parametrize("policy", ["local", pytest.param("reliable", marks=pytest.mark.nightly)])
def test_rounds_leave_nothing_behind(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, policy: str) -> None:
    """A short run in which segments become one early and often."""
    monkeypatch.setattr(frames, "_MOST_SEGMENTS", 4)
    observed = run(spark, policy, tmp_path, 12, first=6)
    check_all_is_flat(observed, 12, first=6, policy=policy)


@pytest.mark.nightly
@pytest.mark.parametrize("policy", ["local", "reliable"])
def test_a_hundred_rounds(spark: SparkSession, tmp_path: Path, policy: str) -> None:
    observed = run(spark, policy, tmp_path, 100, first=30)
    check_all_is_flat(observed, 100, first=30, policy=policy)
