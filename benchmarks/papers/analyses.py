"""Reachability and pointer analyses with cycles, whose facts have many proofs."""

from __future__ import annotations

import numpy as np

from benchmarks.harness.workload import Inputs
from benchmarks.workloads import graphs

CSPA = """\
valueFlow(Y, X) :- assign(Y, X).
valueFlow(X, Y) :- assign(X, Z), memoryAlias(Z, Y).
valueFlow(X, Y) :- valueFlow(X, Z), valueFlow(Z, Y).
valueFlow(X, X) :- assign(X, _).
valueFlow(X, X) :- assign(_, X).
memoryAlias(X, W) :- dereference(Y, X), valueAlias(Y, Z), dereference(Z, W).
memoryAlias(X, X) :- assign(X, _).
memoryAlias(X, X) :- assign(_, X).
valueAlias(X, Y) :- valueFlow(Z, X), valueFlow(Z, Y).
valueAlias(X, Y) :- valueFlow(Z, X), memoryAlias(Z, W), valueFlow(W, Y).
"""
SHARES = "p(X, Y) :- many(X, Y).\np(X, Y) :- few(X, Y).\n"
_SPARSE = {"alloc": 0.25, "assign": 0.9, "load": 0.01, "store": 0.01}


def sparse_statements(variables: int, seed: int = 3) -> Inputs:
    """A program with fewer assignments for each variable, as large ones have."""
    random = np.random.default_rng(seed)
    return {kind: graphs.random_pairs(random, variables, int(variables * share)) for kind, share in _SPARSE.items()}


def value_flows(variables: int, seed: int = 4) -> Inputs:
    """Assignments and dereferences for the context-sensitive pointer analysis."""
    random = np.random.default_rng(seed)
    return {
        "assign": graphs.random_pairs(random, variables, int(0.7 * variables)),
        "dereference": graphs.random_pairs(random, variables, int(0.3 * variables)),
    }


def random_graph(nodes: int, edges_a_node: int, seed: int = 17) -> Inputs:
    """Edges anywhere, so that most nodes are in one cycle."""
    return {"edge": graphs.random_pairs(np.random.default_rng(seed), nodes, nodes * edges_a_node)}
