"""Updates on Spark: edges deleted from a closure of millions of facts, and a folder of waiting updates worked off as a stream.

What is measured of a deletion is `kb.update` alone, the facts that are left counted; everything has been derived before.  The
stream is that of a wind farm of 400 turbines in farms of twenty, ten new measurements an update; measured is all of it, from the
start of the query to the last commit, snapshot and new version of the sink included.  Of a micro-batch of a stream that runs, the
time from the moment at which a file with updates has its name in the folder to their commit is measured.
"""

from __future__ import annotations

import json
import random
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.harness.workload import Contender, Evaluate, Found, Inputs, Target, Workload
from benchmarks.spark import sessions
from benchmarks.spark.closure import KERNEL, ROUNDS, SIZES
from benchmarks.workloads import graphs

if TYPE_CHECKING:
    from tidelog.pipeline.streaming.streaming_job import StreamingJob

RULES = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z)."
OVER = "tidelog, rounds, starting over"
STREAM, RUNNING = "tidelog, stream", "tidelog, stream that runs"
IN_ROUNDS = "tidelog, stream that runs in rounds"
SHARE = 100
"""One edge of so many is deleted."""
TURBINES, FARM, FACTS = 400, 20, 10


def edges_and_some(nodes: int) -> Inputs:
    """A random acyclic graph, and the edges of it that will go."""
    table = graphs.dag(nodes)
    chosen = sorted(random.Random(nodes).sample(range(table.num_rows), max(1, table.num_rows // SHARE)))
    return {"edge": table, "gone": table.take(pa.array(chosen))}


def _deletion(name: str, placement: str, algorithm: str) -> Contender:
    def load(inputs: Inputs, folder: Path) -> Evaluate:
        from tidelog import KnowledgeBase
        from tidelog.spark.kb import SparkKnowledgeBase

        sessions.started()
        options = {"placement": placement, "algorithm": algorithm, "modules": placement != "rounds"}
        kb = KnowledgeBase(RULES, engine="spark", **options)  # type: ignore[arg-type]
        assert isinstance(kb, SparkKnowledgeBase)
        for relation, table in inputs.items():
            pq.write_table(table, folder / f"{relation}.parquet")
        kb.load("edge", folder / "edge.parquet")
        kb.count("path")

        def evaluate() -> int:
            kb.update(delete={"edge": folder / "gone.parquet"})
            return kb.count("path")

        return evaluate

    return Contender(name, load)


SPARK_DELETION = Workload(
    "spark_deletion",
    "One edge of a hundred deleted from the closure on Spark, 10k nodes/100k edges",
    edges_and_some,
    SIZES,
    "nodes",
    tiny=60,
    contenders=(
        _deletion(KERNEL, "kernel", "auto"),
        _deletion(ROUNDS, "rounds", "auto"),
        _deletion(OVER, "rounds", "rematerialise"),
    ),
    targets=(Target(KERNEL, 10_000, 2.0, measure="wall"), Target(ROUNDS, 10_000, 1.0, OVER, measure="wall")),
    plotted="wall",
    time_limit=1200.0,
)

JOB = """\
[program]
path = "rules.dl"

[[source]]
relation = "turbine"
path = "turbine.parquet"

[[source]]
relation = "near"
path = "near.parquet"

[[source]]
relation = "measurement"
path = "measurement.parquet"

[[sink]]
relation = "anomaly"
path = "out/anomaly"

[stream]
folder = "updates"
state = "out/state"
feed = "out/feed"

[engine]
placement = "{placement}"
"""
FARM_RULES = """\
@relation turbine(turbine: string, farm: string) .
@relation near(one: string, other: string) .
@relation measurement(turbine: string, at: int, celsius: float) .
near(X, Y) :- near(Y, X).
near(X, Y) :- near(X, Z), near(Z, Y), X != Y.
temperature(X, T) :- measurement(X, _, T).
middle(X, M) :- M = median { T : near(X, Y), temperature(Y, T) }.
anomaly(X, F, T, M) :- middle(X, M), temperature(X, T), abs(T - M) > 5.0, turbine(X, F).
"""


def waiting_updates(count: int) -> Inputs:
    """The wind farm, and so many updates of ten measurements each."""
    dice = random.Random(count)
    names = [f"t{at}" for at in range(TURBINES)]
    pairs = [(names[at], names[at + 1]) for at in range(TURBINES - 1) if (at + 1) % FARM]

    def celsius() -> float:
        return round(dice.uniform(4.0, 8.0) + (12.0 if dice.random() < 0.01 else 0.0), 1)

    rows = [
        {"update": at, "turbine": dice.choice(names), "at": 1 + at * FACTS + fact, "celsius": celsius()}
        for at in range(count)
        for fact in range(FACTS)
    ]
    return {
        "turbine": pa.table({"turbine": names, "farm": [f"f{at // FARM}" for at in range(TURBINES)]}),
        "near": pa.table({"one": [one for one, _ in pairs], "other": [other for _, other in pairs]}),
        "measurement": pa.table({"turbine": names, "at": [0] * TURBINES, "celsius": [celsius() for _ in names]}),
        "updates": pa.Table.from_pylist(rows),
    }


def _begun(inputs: Inputs, folder: Path, should_stop: Callable[[], bool], placement: str = "auto") -> StreamingJob:
    """A streaming job that has derived what follows from its sources, over a folder of updates that is empty."""
    from tidelog.pipeline.job.job_file import read_job
    from tidelog.pipeline.report.terminal import Terminal
    from tidelog.pipeline.streaming.streaming_job import StreamingJob

    sessions.started()
    for name in ("out", "updates"):
        shutil.rmtree(folder / name, ignore_errors=True)  # the warm-up was here
    (folder / "updates").mkdir()
    (folder / "job.toml").write_text(JOB.format(placement=placement), encoding="utf-8")
    (folder / "rules.dl").write_text(FARM_RULES, encoding="utf-8")
    for name in ("turbine", "near", "measurement"):
        pq.write_table(inputs[name], folder / f"{name}.parquet")
    job = StreamingJob(read_job(folder / "job.toml"), Terminal(is_quiet=True), should_stop)
    job.begin()
    return job


def _lines(inputs: Inputs) -> list[str]:
    """The updates as they are written to files."""
    updates: dict[int, list[list[object]]] = {}
    for row in inputs["updates"].to_pylist():
        updates.setdefault(row["update"], []).append(["measurement", row["turbine"], row["at"], row["celsius"]])
    return [json.dumps({"id": at, "insert": facts}) + "\n" for at, facts in updates.items()]


def _load_stream(inputs: Inputs, folder: Path) -> Evaluate:
    job = _begun(inputs, folder, lambda: False)
    for at, line in enumerate(_lines(inputs)):
        (folder / "updates" / f"{at:06}.jsonl").write_text(line, encoding="utf-8")
    return lambda: job.follow(lambda *_: None, once=True).updates


def _load_running(inputs: Inputs, folder: Path, placement: str = "auto") -> Evaluate:
    stop = threading.Event()
    job = _begun(inputs, folder, stop.is_set, placement)
    following = threading.Thread(target=job.follow, args=(lambda *_: None,))
    following.start()
    first, *others = _lines(inputs)

    def give(name: str, lines: Sequence[str]) -> float:
        """Seconds until they are committed."""
        (folder / name).write_text("".join(lines), encoding="utf-8")
        expected, began = job.committed.updates + len(lines), time.perf_counter()
        (folder / name).rename(folder / "updates" / name)
        while job.committed.updates < expected and following.is_alive():
            time.sleep(0.001)
        return time.perf_counter() - began

    give("000000.jsonl", [first])

    def evaluate() -> Found:
        seconds = give("000001.jsonl", others)
        stop.set()
        following.join()
        return Found(job.committed.updates, {"wall": seconds})

    return evaluate


SPARK_STREAM = Workload(
    "spark_stream",
    "Waiting updates of ten measurements, as a stream on Spark, wind farm of 400 turbines",
    waiting_updates,
    (1, 10, 100, 1_000),
    "updates",
    tiny=3,
    contenders=(Contender(STREAM, _load_stream),),
    targets=(Target(STREAM, 1_000, 50.0, measure="wall"),),
    expected={count: count for count in (1, 10, 100, 1_000)},
    plotted="wall",
)

SPARK_MICRO_BATCH = Workload(
    "spark_micro_batch",
    "A micro-batch of updates of ten measurements, in a stream that runs on Spark, wind farm of 400 turbines",
    lambda count: waiting_updates(count + 1),
    (1, 10),
    "updates",
    tiny=3,
    contenders=(
        Contender(RUNNING, _load_running),
        Contender(IN_ROUNDS, lambda inputs, folder: _load_running(inputs, folder, "rounds")),
    ),
    targets=tuple(Target(who, *most, measure="wall") for who in (RUNNING, IN_ROUNDS) for most in ((1, 1.5), (10, 2.5))),
    expected={count: count + 1 for count in (1, 10)},
    plotted="wall",
)
