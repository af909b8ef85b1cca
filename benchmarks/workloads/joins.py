"""Single rules that are no recursion, each beside one statement of SQL."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from benchmarks.harness.workload import Inputs, Target, Workload
from benchmarks.peers import duckdb_peer
from benchmarks.peers.duckdb_peer import statement
from benchmarks.peers.tidelog_peer import TIDELOG, tidelog_rule

_WIDTH = 100
"""Of an interval, at most, where there is a point in ten."""


def points_and_intervals(count: int) -> Inputs:
    """So many random points, and as many intervals, each with five points on average."""
    random = np.random.default_rng(5)
    points, begins = random.integers(0, 10 * count, (2, count))
    ends = begins + random.integers(1, _WIDTH, count)
    numbers = np.arange(count)
    return {"p": pa.table({"x": numbers, "t": points}), "w": pa.table({"x": numbers, "l": begins, "h": ends})}


RANGE_JOIN = Workload(
    "range_join",
    "Points in intervals: a join by order",
    points_and_intervals,
    (2_000, 20_000, 200_000, 1_000_000),
    "points and as many intervals",
    tiny=100,
    contenders=(
        tidelog_rule("in(P, W) :- p(P, T), w(W, L, H), L <= T, T < H."),
        statement("SELECT DISTINCT p.x, w.x AS w FROM p, w WHERE w.l <= p.t AND p.t < w.h"),
    ),
    targets=(
        Target(TIDELOG, 200_000, 1.5, duckdb_peer.STATEMENT),
        Target(TIDELOG, 1_000_000, 1.5, duckdb_peer.STATEMENT),
    ),
)
