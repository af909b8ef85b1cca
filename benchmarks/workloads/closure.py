"""Transitive closure of a random acyclic graph with ten edges a node: 2,000 nodes have 1,124,609 paths.

The rules are evaluated as they are written (`modules off`); what the closure module makes of them stands beside it.
"""

from __future__ import annotations

from benchmarks.harness.workload import Inputs, Target, Workload
from benchmarks.peers import duckdb_peer
from benchmarks.peers.clingo_peer import clingo
from benchmarks.peers.duckdb_peer import recursive_sql, semi_naive_loop
from benchmarks.peers.plain import plain
from benchmarks.peers.tidelog_peer import TIDELOG_WITHOUT_MODULES, tidelog
from benchmarks.workloads import graphs

LINEAR = """\
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z).
"""
NONLINEAR = """\
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), path(Y, Z).
"""
SIZES = (250, 500, 1000, 2000)
PATHS = {2000: 1_124_609}


def edges(nodes: int) -> Inputs:
    """The graph."""
    return {"edge": graphs.dag(nodes)}


LINEAR_CLOSURE = Workload(
    "linear_closure",
    "Linear transitive closure, 2k nodes/20k edges, modules off",
    edges,
    SIZES,
    "nodes",
    tiny=60,
    contenders=(
        tidelog(LINEAR, modules=False),
        tidelog(LINEAR),
        recursive_sql(LINEAR),
        semi_naive_loop(LINEAR),
        clingo(LINEAR),
        plain(LINEAR, largest=250),
    ),
    targets=(
        Target(TIDELOG_WITHOUT_MODULES, 2000, 1.2, duckdb_peer.RECURSIVE, elsewhere="duckdb 0.43, Souffle 0.59, compiled 0.42"),
    ),
    expected=PATHS,
)

NONLINEAR_CLOSURE = Workload(
    "nonlinear_closure",
    "Non-linear transitive closure of the same, modules off",
    edges,
    SIZES,
    "nodes",
    tiny=60,
    contenders=(
        tidelog(NONLINEAR, modules=False),
        tidelog(NONLINEAR),
        semi_naive_loop(NONLINEAR),
        clingo(NONLINEAR, 1000, "about 70 s by extrapolation"),
        plain(NONLINEAR, largest=250),
    ),
    targets=(Target(TIDELOG_WITHOUT_MODULES, 2000, 0.7, duckdb_peer.LOOP, elsewhere="duckdb 12, Souffle 11.9, compiled 7.0"),),
    expected=PATHS,
)
