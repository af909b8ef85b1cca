"""Rules that hand a key on: the closure of many small graphs, derived by tasks; and one edge of it that goes and comes.

A graph is a ring of 50 nodes with a chord, so that its closure has 2,500 facts, and the result grows with the number of graphs:
what a fact costs should not.  Measured is `kb.load` and deriving, to the number of facts; of an update, `kb.update` for an edge
that goes and for the same edge that comes back.  Compared with it are the loop of DataFrames, and starting over.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.harness.workload import Contender, Evaluate, Inputs, Target, Workload
from benchmarks.spark import sessions
from benchmarks.spark.closure import DECOMPOSED, LOOP
from benchmarks.spark.plain_loop import closure

if TYPE_CHECKING:
    from tidelog import KnowledgeBase

RULES = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z)."
RELIABLE, OVER = "tidelog, decomposed, reliable", "tidelog, decomposed, starting over"
NODES = 50
SIZES = (400, 3700)


def rings(graphs: int) -> Inputs:
    """So many rings with a chord each."""
    base = np.arange(graphs, dtype=np.int64) * NODES
    ends = [*((at, (at + 1) % NODES) for at in range(NODES)), (3, 17)]
    pairs = np.concatenate([np.stack([base + one, base + other], axis=1) for one, other in ends])
    return {"edge": pa.table({"x": pairs[:, 0], "y": pairs[:, 1]})}


def _opened(inputs: Inputs, folder: Path, algorithm: str, lineage: str) -> KnowledgeBase:
    from tidelog import KnowledgeBase

    sessions.started()
    pq.write_table(inputs["edge"], folder / "edge.parquet")
    place = folder / "lineage" if lineage == "reliable" else None
    options = {"placement": "decomposed", "modules": False, "algorithm": algorithm, "lineage": lineage, "lineage_folder": place}
    return KnowledgeBase(RULES, engine="spark", **options)  # type: ignore[arg-type]


def _deriving(name: str, lineage: str) -> Contender:
    def load(inputs: Inputs, folder: Path) -> Evaluate:
        kb = _opened(inputs, folder, "auto", lineage)

        def evaluate() -> int:
            kb.load("edge", folder / "edge.parquet")
            return int(kb.count("path"))

        return evaluate

    return Contender(name, load)


def _load_loop(inputs: Inputs, folder: Path) -> Evaluate:
    spark = sessions.plain()
    pq.write_table(inputs["edge"], folder / "edge.parquet")
    return lambda: closure(spark.read.parquet(str(folder / "edge.parquet")))[1]


def _updating(name: str, algorithm: str) -> Contender:
    def load(inputs: Inputs, folder: Path) -> Evaluate:
        kb = _opened(inputs, folder, algorithm, "local")
        kb.load("edge", folder / "edge.parquet")
        kb.count("path")

        def evaluate() -> int:
            for _ in range(2):
                kb.update(delete=[("edge", 0, 1)])
                kb.update(insert=[("edge", 0, 1)])
            return int(kb.count("path"))

        return evaluate

    return Contender(name, load)


SPARK_RINGS = Workload(
    "spark_rings",
    "Closure of graphs of 50 nodes on Spark, 2,500 facts each",
    rings,
    SIZES,
    "graphs",
    tiny=4,
    contenders=(_deriving(DECOMPOSED, "local"), _deriving(RELIABLE, "reliable"), Contender(LOOP, _load_loop)),
    targets=(Target(DECOMPOSED, 3700, 14.0, measure="wall"), Target(RELIABLE, 3700, 1.3, DECOMPOSED, measure="wall")),
    expected={graphs: graphs * NODES * NODES for graphs in SIZES},
    plotted="cpu",
    time_limit=200.0,
)
SPARK_RINGS_UPDATE = Workload(
    "spark_rings_update",
    "One edge deleted and inserted, twice, under the closure of graphs of 50 nodes on Spark",
    rings,
    (400, 2600),
    "graphs",
    tiny=4,
    contenders=(_updating(DECOMPOSED, "auto"), _updating(OVER, "rematerialise")),
    targets=(Target(DECOMPOSED, 2600, 8.0, measure="wall"), Target(DECOMPOSED, 2600, 1.0, OVER, measure="wall")),
    expected={graphs: graphs * NODES * NODES for graphs in (400, 2600)},
    plotted="cpu",
    time_limit=300.0,
)
