"""Transitive closure of a random acyclic graph with ten edges a node, from a Parquet file to a Parquet file.

Tidelog runs a job file, as a user would, with each placement; what is measured goes from reading to the published sink.  The
number of facts is read from the files that were written.  It grows with the square of the nodes: a time that grows with
nodes^2 is linear in the result.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from pyarrow import dataset, parquet

from benchmarks.harness.workload import Contender, Evaluate, Inputs, Target, Workload
from benchmarks.spark import sessions
from benchmarks.spark.plain_loop import closure
from benchmarks.workloads.closure import edges

JOB = """\
[program]
text = '''
@relation edge(x: int, y: int) .
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z).
'''

[[source]]
relation = "edge"
path = "edge.parquet"

[[sink]]
relation = "path"
path = "results/path"

[engine]
name = "spark"
placement = "{placement}"
"""
KERNEL, DECOMPOSED, ROUNDS = "tidelog, kernel", "tidelog, decomposed", "tidelog, rounds"
LOOP = "dataframe loop"
SIZES = (2000, 4500, 10_000)
PATHS = {2000: 1_124_609, 4500: 4_990_160, 10_000: 22_385_713}


def write_inputs(inputs: Inputs, folder: Path) -> None:
    """Each relation as a Parquet file of its name."""
    for relation, table in inputs.items():
        parquet.write_table(table, folder / f"{relation}.parquet")


def rows_of(folder: str | Path) -> int:
    """How many rows a folder of Parquet files has, by the ends of the files."""
    return int(dataset.dataset(str(folder), format="parquet").count_rows())


def _pipeline(name: str, placement: str) -> Contender:
    def load(inputs: Inputs, folder: Path) -> Evaluate:
        from tidelog.pipeline import read_current, read_job, run_job

        sessions.started()
        write_inputs(inputs, folder)
        (folder / "job.toml").write_text(JOB.format(placement=placement), encoding="utf-8")

        def evaluate() -> int:
            run_job(read_job(folder / "job.toml"))
            return rows_of(read_current(folder / "results" / "path"))

        return evaluate

    return Contender(name, load)


def _load_loop(inputs: Inputs, folder: Path) -> Evaluate:
    spark = sessions.plain()
    write_inputs(inputs, folder)
    target = folder / "path.parquet"
    shutil.rmtree(target, ignore_errors=True)  # the warm-up was here

    def evaluate() -> int:
        paths, _ = closure(spark.read.parquet(str(folder / "edge.parquet")))
        paths.write.parquet(str(target))
        return rows_of(target)

    return evaluate


SPARK_CLOSURE = Workload(
    "spark_closure",
    "Closure on Spark, 10k nodes/100k edges, Parquet to Parquet",
    edges,
    SIZES,
    "nodes",
    tiny=60,
    contenders=(
        _pipeline(KERNEL, "kernel"),
        _pipeline(DECOMPOSED, "decomposed"),
        _pipeline(ROUNDS, "rounds"),
        Contender(LOOP, _load_loop),
    ),
    targets=(
        Target(KERNEL, 10_000, 12.0, measure="wall", alternatives=(DECOMPOSED,)),
        Target(ROUNDS, 10_000, 60.0, measure="wall"),
    ),
    expected=PATHS,
    plotted="wall",
)
