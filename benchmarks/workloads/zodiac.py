"""The rule sets RS2 and RS3 of the ZodiacEdge paper on its four chains of n edges."""

from __future__ import annotations

import numpy as np
from tests.rule_sets import RS2, RS3, derived_facts_of_rs2

from benchmarks.harness.workload import Inputs, Target, Workload
from benchmarks.peers.clingo_peer import clingo
from benchmarks.peers.duckdb_peer import semi_naive_loop
from benchmarks.peers.plain import plain
from benchmarks.peers.tidelog_peer import TIDELOG, tidelog
from benchmarks.workloads import graphs

SIZES = (25, 50, 100, 200)


def chains(edges: int) -> Inputs:
    """Four chains, each starting where the one before ends, as `tests.rule_sets.chains` has them."""
    steps = np.arange(edges)
    return {f"p{k}": graphs.pairs((k - 1) * edges + steps, (k - 1) * edges + steps + 1) for k in (1, 2, 3, 4)}


def _workload(name: str, rules: str, expected: dict[int, int]) -> Workload:
    return Workload(
        f"zodiac_{name.lower()}",
        f"{name} of the ZodiacEdge paper, n = 200",
        chains,
        SIZES,
        "edges of each chain",
        tiny=5,
        contenders=(
            tidelog(rules),
            tidelog(rules, modules=False),
            semi_naive_loop(rules),
            clingo(rules),
            plain(rules, largest=25),
        ),
        targets=(Target(TIDELOG, 200, 0.6, elsewhere="ZodiacEdge 24, Souffle 1.2, compiled 0.72"),),
        expected=expected,
    )


ZODIAC_RS2 = _workload("RS2", RS2, {n: derived_facts_of_rs2(n) for n in SIZES})
ZODIAC_RS3 = _workload("RS3", RS3, {200: 423_101})
