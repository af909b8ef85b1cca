"""Dense relations beside other terms: what else is loaded should not decide how long a program takes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.harness.workload import Contender, Evaluate, Inputs, Target, Workload
from benchmarks.peers import duckdb_peer
from benchmarks.peers.duckdb_peer import semi_naive_loop
from benchmarks.peers.tidelog_peer import TIDELOG, knowledge_base
from benchmarks.workloads import points_to

_OTHERS = "others"
_FIRST = 50_000_000
"""The first of the other terms: no other relation has them."""


def _with_others(inputs: Inputs, count: int) -> Inputs:
    """Inputs, and before them a relation of pairs of so many other terms."""
    numbers = _FIRST + np.arange(count).reshape(-1, 2)
    return {_OTHERS: pa.table({"x": numbers[:, 0], "y": numbers[:, 1]}), **inputs}


def _tidelog(rules: str, relation: str) -> Contender:
    """All that is loaded is encoded and stored before the measurement, the other terms first."""

    def load(inputs: Inputs, _folder: Path) -> Evaluate:
        kb = knowledge_base(f"{rules}seen(X) :- {_OTHERS}(X, _).\n", modules=False)
        kb.load(_OTHERS, inputs[_OTHERS])
        assert kb.count("seen") == inputs[_OTHERS].num_rows
        for name, table in inputs.items():
            if name != _OTHERS:
                kb.load(name, table)
        return lambda: int(kb.count(relation))

    return Contender(TIDELOG, load)


POINTS_TO_BESIDE = Workload(
    "points_to_beside_others",
    "Andersen points-to, 3,250 variables, beside other terms",
    lambda count: _with_others(points_to.statements(3_250), count),
    (10, 1_500, 6_000, 40_000, 1_000_000),
    "other terms",
    tiny=100,
    contenders=(_tidelog(points_to.RULES, "pt"), semi_naive_loop(points_to.RULES)),
    targets=(Target(TIDELOG, 40_000, 1 / 3, duckdb_peer.LOOP), Target(TIDELOG, 1_000_000, 1 / 3, duckdb_peer.LOOP)),
)
