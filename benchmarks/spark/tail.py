"""Late rounds: what a round costs that finds a handful of new facts while millions are known.

The graph is that of `closure`, with a chain apart from it.  When the graph is closed, the chain still goes on for some dozens
of rounds, each with fewer new facts than the chain has nodes.  The figure is the median of these.
"""

from __future__ import annotations

import math
import statistics
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.harness.workload import Contender, Evaluate, Found, Inputs, Target, Workload
from benchmarks.spark import sessions
from benchmarks.spark.closure import LOOP, PATHS, ROUNDS, SIZES, write_inputs
from benchmarks.spark.plain_loop import closure
from benchmarks.workloads import graphs

if TYPE_CHECKING:
    from tidelog.core.limits import Progress

RULES = """\
@relation edge(x: int, y: int) .
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z).
"""
LONGEST, SHORTEST = 40, 8
FEW = 1000
"""A late round finds fewer facts than this."""


class RoundTimes:
    """When the number of facts was seen to change: one change is one round.

    Tidelog tells its progress ten times a second at most, so that rounds shorter than that count together as one: a late round
    may look slower than it is, never quicker.
    """

    def __init__(self) -> None:
        self.seen: list[tuple[int, float]] = []

    def note(self, facts: int) -> None:
        """There are so many facts now."""
        if not self.seen or self.seen[-1][0] != facts:
            self.seen.append((facts, time.perf_counter()))

    def late_round(self) -> float:
        """The median seconds of the rounds that found few facts and came after the one that found most."""
        rounds = [(facts - before, end - start) for (before, start), (facts, end) in pairwise(self.seen)]
        most = max(range(len(rounds)), key=lambda at: rounds[at][0], default=0)
        late = [seconds for new, seconds in rounds[most + 1 :] if new < FEW]
        return statistics.median(late) if late else math.nan


def chain_length(nodes: int) -> int:
    """How many nodes the chain has beside a graph of so many: few in a warm-up."""
    return min(LONGEST, max(SHORTEST, nodes // 10))


def graph_and_chain(nodes: int) -> Inputs:
    """The graph, and a chain whose nodes have the numbers after it."""
    chain = graphs.chain(chain_length(nodes))
    apart = pa.table({name: pc.add(chain[name], pa.scalar(nodes, pa.int32())) for name in chain.column_names})
    return {"edge": pa.concat_tables([graphs.dag(nodes), apart])}


def _load_tidelog(inputs: Inputs, folder: Path) -> Evaluate:
    from tidelog import KnowledgeBase

    sessions.started()
    write_inputs(inputs, folder)

    def evaluate() -> Found:
        times = RoundTimes()

        def note(progress: Progress) -> None:
            times.note(progress.facts)

        kb = KnowledgeBase(RULES, engine="spark", placement="rounds", modules=False, progress=note)
        kb.load("edge", folder / "edge.parquet")
        return Found(kb.count("path"), {"round_wall": times.late_round()})

    return evaluate


def _load_loop(inputs: Inputs, folder: Path) -> Evaluate:
    spark = sessions.plain()
    write_inputs(inputs, folder)

    def evaluate() -> Found:
        times = RoundTimes()
        _, facts = closure(spark.read.parquet(str(folder / "edge.parquet")), times.note)
        return Found(facts, {"round_wall": times.late_round()})

    return evaluate


SPARK_TAIL = Workload(
    "spark_tail",
    "Late rounds on Spark, each with few new facts beside 22.4M",
    graph_and_chain,
    SIZES,
    "nodes",
    tiny=60,
    contenders=(Contender(ROUNDS, _load_tidelog), Contender(LOOP, _load_loop)),
    targets=(Target(ROUNDS, 10_000, 0.7, measure="round_wall"),),
    expected={nodes: paths + math.comb(chain_length(nodes), 2) for nodes, paths in PATHS.items()},
    plotted="round_wall",
    time_limit=1800.0,  # the loop compares each handful with everything
)
