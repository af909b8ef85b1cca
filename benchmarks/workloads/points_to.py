"""Andersen's points-to analysis of a random program; objects have names of variables, so that what they hold can be loaded."""

from __future__ import annotations

import numpy as np

from benchmarks.harness.workload import Inputs, Target, Workload
from benchmarks.peers import duckdb_peer
from benchmarks.peers.clingo_peer import clingo
from benchmarks.peers.duckdb_peer import semi_naive_loop
from benchmarks.peers.plain import plain
from benchmarks.peers.tidelog_peer import TIDELOG, tidelog
from benchmarks.workloads import graphs

RULES = """\
pt(V, O) :- alloc(V, O).
pt(V, O) :- assign(V, W), pt(W, O).
pt(V, O) :- load(V, W), pt(W, P), pt(P, O).
pt(P, O) :- store(V, W), pt(V, P), pt(W, O).
"""
STATEMENTS_A_VARIABLE = {"alloc": 0.25, "assign": 1.4, "load": 0.05, "store": 0.05}


def statements(variables: int) -> Inputs:
    """The program."""
    random = np.random.default_rng(3)
    return {kind: graphs.random_pairs(random, variables, int(variables * share)) for kind, share in STATEMENTS_A_VARIABLE.items()}


POINTS_TO = Workload(
    "points_to",
    "Andersen points-to",
    statements,
    (512, 1025, 2050, 4100),
    "variables",
    tiny=60,
    contenders=(
        tidelog(RULES),
        semi_naive_loop(RULES),
        clingo(RULES, 2050, "about 70 s by extrapolation"),
        plain(RULES, largest=512),
    ),
    targets=(Target(TIDELOG, 4100, 1 / 3, duckdb_peer.LOOP, elsewhere="duckdb 4.0, Souffle 1.06, compiled 0.90"),),
)
