"""Single rules that are no recursion, each beside one statement of SQL."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from benchmarks.harness.workload import Inputs, Target, Workload
from benchmarks.peers import duckdb_peer
from benchmarks.peers.duckdb_peer import statement
from benchmarks.peers.tidelog_peer import TIDELOG, tidelog_rule
from benchmarks.workloads import graphs

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


def hub(rows: int) -> Inputs:
    """Three relations of random pairs; a tenth of the rows of `a` end where a tenth of those of `b` begin."""
    random = np.random.default_rng(2)
    x, y, z = (random.integers(0, rows, (2, rows)) for _ in range(3))
    x[1, : rows // 10] = y[0, : rows // 10] = rows
    return {name: graphs.pairs(*columns) for name, columns in zip("abc", (x, y, z), strict=True)}


HUB_JOIN = Workload(
    "hub_join",
    "A join through a hub, r(X, Z) :- a(X, Y), b(Y, Z), c(X, Z)",
    hub,
    (2_000, 20_000, 200_000, 1_000_000),
    "rows",
    tiny=300,
    contenders=(
        tidelog_rule("r(X, Z) :- a(X, Y), b(Y, Z), c(X, Z)."),
        statement(
            "SELECT DISTINCT a.x, b.y FROM a, b, c WHERE a.y = b.x AND a.x = c.x AND b.y = c.y",
            200_000,
            "a hub of 100,000 rows on both sides",
        ),
    ),
    targets=(Target(TIDELOG, 20_000, 1.5, duckdb_peer.STATEMENT), Target(TIDELOG, 200_000, 1.5, duckdb_peer.STATEMENT)),
)


def power_law(edges: int) -> Inputs:
    """So many edges between a fourteenth as many nodes, drawn with a density that falls as in many networks."""
    random, nodes = np.random.default_rng(4), edges // 14
    ends = (nodes * random.random((2, edges)) ** 3).astype(np.int64)
    names = random.permutation(nodes)
    first, second = names[ends]
    return {"e": graphs.pairs(first[first != second], second[first != second])}


TRIANGLES = Workload(
    "triangles",
    "Triangles of a power-law graph",
    power_law,
    (10_000, 30_000, 100_000, 300_000),
    "edges",
    tiny=100,
    contenders=(
        tidelog_rule("t(X, Y, Z) :- e(X, Y), e(Y, Z), e(Z, X)."),
        statement("SELECT DISTINCT a.x, b.x AS y, c.x AS z FROM e a, e b, e c WHERE a.y = b.x AND b.y = c.x AND c.y = a.x"),
    ),
    targets=(Target(TIDELOG, 100_000, 1.5, duckdb_peer.STATEMENT), Target(TIDELOG, 300_000, 1.5, duckdb_peer.STATEMENT)),
)

FOUR_CYCLES = Workload(
    "four_cycles",
    "Four-cycles of a power-law graph, projected on two corners",
    power_law,
    (10_000, 30_000, 100_000),
    "edges",
    tiny=100,
    contenders=(
        tidelog_rule("f(X, Z) :- e(X, Y), e(Y, Z), e(Z, W), e(W, X)."),
        statement(
            "SELECT DISTINCT a.x, c.x AS z FROM e a, e b, e c, e d WHERE a.y = b.x AND b.y = c.x AND c.y = d.x AND d.y = a.x"
        ),
    ),
    targets=(Target(TIDELOG, 30_000, 1.5, duckdb_peer.STATEMENT), Target(TIDELOG, 100_000, 1.5, duckdb_peer.STATEMENT)),
)


def grouped_numbers(rows: int) -> Inputs:
    """So many random numbers in random groups of fifty."""
    random = np.random.default_rng(1)
    columns = {"g": random.integers(0, rows // 50, rows), "i": np.arange(rows), "v": random.integers(0, 1_000_000, rows)}
    return {"r": pa.table(columns)}


def _grouped(function: str) -> Workload:
    return Workload(
        f"grouped_{function}",
        f"{function} of numbers in groups of fifty",
        grouped_numbers,
        (50_000, 500_000, 5_000_000),
        "rows",
        tiny=100,
        contenders=(
            tidelog_rule(f"n(G, N) :- N = {function} {{ V : r(G, I, V) }}."),
            statement(f"SELECT g, {function}(v) FROM r GROUP BY g"),
        ),
        targets=(Target(TIDELOG, 5_000_000, 1.5, duckdb_peer.STATEMENT),),
    )


GROUPED = tuple(map(_grouped, ("count", "sum", "max", "avg", "median")))
