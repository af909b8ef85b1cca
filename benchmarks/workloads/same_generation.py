"""Same generation: pairs of nodes at the same depth of the same tree, in a random forest of ten trees."""

from __future__ import annotations

from benchmarks.harness.workload import Inputs, Target, Workload
from benchmarks.peers import duckdb_peer
from benchmarks.peers.clingo_peer import clingo
from benchmarks.peers.duckdb_peer import recursive_sql
from benchmarks.peers.plain import plain
from benchmarks.peers.tidelog_peer import TIDELOG, tidelog
from benchmarks.workloads import graphs

RULES = """\
sg(X, Y) :- e(Z, X), e(Z, Y).
sg(X, Y) :- e(U, X), sg(U, V), e(V, Y).
"""


def edges(nodes: int) -> Inputs:
    """The forest."""
    return {"e": graphs.forest(nodes)}


SAME_GENERATION = Workload(
    "same_generation",
    "Same generation in a random forest",
    edges,
    (1000, 2000, 4000, 8100),
    "nodes",
    tiny=100,
    contenders=(tidelog(RULES), recursive_sql(RULES), clingo(RULES), plain(RULES, largest=1000)),
    targets=(Target(TIDELOG, 8100, 1.2, duckdb_peer.RECURSIVE, elsewhere="duckdb 0.32, Souffle 0.49, compiled 0.39"),),
)
