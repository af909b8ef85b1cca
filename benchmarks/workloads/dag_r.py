"""DAG-R: the closure of 10,000 nodes and 100,000 edges has 22.4 million paths; counted from memory, and from file to file.

Tidelog is given the non-linear rule as it is written; DuckDB the linear one, because recursive SQL has no other.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow.csv
import pyarrow.parquet

from benchmarks.harness.workload import Contender, Evaluate, Inputs, Target, Workload
from benchmarks.peers.duckdb_peer import RECURSIVE, connect, recursive_sql
from benchmarks.peers.tidelog_peer import TIDELOG, knowledge_base, tidelog
from benchmarks.workloads.closure import LINEAR, NONLINEAR, edges

SIZES = (1250, 2500, 5000, 10_000)
DECLARED = "@relation edge(x: int, y: int) .\n" + NONLINEAR


def write_csv(inputs: Inputs, folder: Path) -> Path:
    """The edges as a file with a line of names."""
    file = folder / "edges.csv"
    pyarrow.csv.write_csv(inputs["edge"], file)
    return file


def rows_of(parquet: Path) -> int:
    """How many rows a Parquet file says it has."""
    return int(pyarrow.parquet.read_metadata(parquet).num_rows)


def _load_tidelog(inputs: Inputs, folder: Path) -> Evaluate:
    csv, parquet = write_csv(inputs, folder), folder / "paths.parquet"
    kb = knowledge_base(DECLARED)

    def evaluate() -> int:
        kb.load("edge", str(csv))
        kb.facts("path").write(str(parquet))
        return rows_of(parquet)

    return evaluate


def _load_duckdb(inputs: Inputs, folder: Path) -> Evaluate:
    csv, parquet = write_csv(inputs, folder), folder / "paths.parquet"
    connection = connect({})

    def evaluate() -> int:
        connection.execute(f"CREATE OR REPLACE TABLE edge AS FROM read_csv('{csv}')")
        connection.execute(
            "COPY (WITH RECURSIVE path(x, y) AS (FROM edge UNION SELECT path.x, edge.y FROM path JOIN edge ON path.y = edge.x)"
            f" FROM path) TO '{parquet}' (FORMAT parquet)"
        )
        return rows_of(parquet)

    return evaluate


DAG_R = Workload(
    "dag_r",
    "DAG-R, 10k nodes/100k edges, non-linear rule: closed and counted",
    edges,
    SIZES,
    "nodes",
    tiny=60,
    contenders=(tidelog(NONLINEAR), recursive_sql(LINEAR)),
    targets=(Target(TIDELOG, 10_000, 0.3),),
)

DAG_R_FILES = Workload(
    "dag_r_files",
    "DAG-R from a CSV file to a Parquet file",
    edges,
    SIZES,
    "nodes",
    tiny=60,
    contenders=(Contender(TIDELOG, _load_tidelog), Contender(RECURSIVE, _load_duckdb)),
    targets=(Target(TIDELOG, 10_000, 5.0, elsewhere="Souffle compiled, linear: 8.9"),),
)
