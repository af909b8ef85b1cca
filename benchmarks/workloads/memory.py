"""Memory of a relation with two columns at rest, after rules have looked it up by its first and by its second column.

The values are numbers below a tenth of the number of facts.  What counts is how much the process has grown, per fact, once the
result is there and the input is let go.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.harness.workload import Contender, Evaluate, Inputs, Target, Workload
from benchmarks.peers.duckdb_peer import connect, number
from benchmarks.peers.tidelog_peer import TIDELOG, tidelog

RULES = """\
a(X) :- probe(X), big(X, _).
b(Y) :- probe(Y), big(_, Y).
"""
PROBES = 1000


def big_and_probe(facts: int) -> Inputs:
    """So many distinct pairs, and a few values to look up, half of them in vain."""
    random = np.random.default_rng(8)
    values = facts // 10
    codes = np.unique(random.integers(0, values * values, int(facts * 1.1) + 100))
    chosen = random.permutation(codes)[:facts]
    big = pa.table({"x": (chosen // values).astype(np.int32), "y": (chosen % values).astype(np.int32)})
    return {"big": big, "probe": pa.table({"x": np.unique(random.integers(0, values * 2, PROBES)).astype(np.int32)})}


def _load_duckdb(inputs: Inputs, _folder: Path) -> Evaluate:
    connection = connect(inputs)

    def evaluate() -> int:
        connection.execute("CREATE INDEX big_by_x ON big (x)")
        connection.execute("CREATE INDEX big_by_y ON big (y)")
        return sum(
            number(connection, f"SELECT count(DISTINCT probe.x) FROM probe SEMI JOIN big ON probe.x = big.{column}")
            for column in ("x", "y")
        )

    return evaluate


MEMORY = Workload(
    "memory",
    "Memory, arity 2 with two indexes, 10M facts",
    big_and_probe,
    (1_000_000, 2_000_000, 5_000_000, 10_000_000),
    "facts",
    tiny=1000,
    contenders=(tidelog(RULES), Contender("duckdb, two indexes", _load_duckdb)),
    targets=(Target(TIDELOG, 10_000_000, 50.0, measure="bytes_a_fact"),),
    plotted="at_rest_mb",
)
