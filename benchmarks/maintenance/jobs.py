"""What there is to measure: for each job its data and rules, the sizes of the change or of what it meets, and who takes part."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.maintenance import equilibrium, pathway_peer
from benchmarks.maintenance.job import EVERYBODY, Job
from benchmarks.maintenance.measuring import Fact, Steps, chosen, maintained
from benchmarks.papers import jobs as papers
from benchmarks.workloads import graphs, lubm
from benchmarks.workloads.closure import LINEAR, NONLINEAR
from benchmarks.workloads.symmetric_chain import RULES as SYMMETRIC
from tidelog.options import ALGORITHMS

MANY, SOME, FEW = 201, 15, 5
"""How often a step is repeated in a process, by how long it takes."""
COPIES = 10
FOREST = (600, 5000, 39_000, 330_000)
"""Nodes; the closures have about 3,000, 30,000, 300,000 and 3 million facts."""


def copies(table: pa.Table, number: int, distance: int) -> pa.Table:
    """A graph several times, with other nodes each time."""
    return pa.concat_tables(
        pa.table({name: pc.add(table[name], pa.scalar(at * distance, pa.int32())) for name in table.column_names})
        for at in range(number)
    )


def _one_fact(contender: str, nodes: int) -> Steps:
    inputs = {"edge": graphs.forest(nodes)}
    return maintained(LINEAR, inputs, chosen(inputs, 1, MANY), contender, modules=False)


def _one_fact_in_copies(contender: str, nodes: int) -> Steps:
    """The facts that go are those of `_one_fact`."""
    one = {"edge": graphs.forest(nodes)}
    inputs = {"edge": copies(one["edge"], COPIES, nodes)}
    return maintained(LINEAR, inputs, chosen(one, 1, MANY), contender, modules=False)


def _one_edge_of_many_paths(contender: str, nodes: int) -> Steps:
    inputs = {"edge": graphs.dag(nodes)}
    return maintained(LINEAR, inputs, chosen(inputs, 1, SOME * 5), contender, modules=False)


def _dag_r(contender: str, size: int) -> Steps:
    inputs = {"edge": graphs.dag(10_000)}
    return maintained(NONLINEAR, inputs, chosen(inputs, size, FEW), contender)


def _dag_xs(*, modules: bool) -> Callable[[str, int], Steps]:
    def run(contender: str, size: int) -> Steps:
        inputs = {"edge": graphs.dag(500, 5)}
        rounds = chosen(inputs, size, SOME)
        if contender == pathway_peer.PATHWAY:
            return pathway_peer.maintained(inputs, rounds)
        return maintained(LINEAR, inputs, rounds, contender, modules=modules)

    return run


def clique(nodes: int) -> pa.Table:
    """An edge between any two nodes, in one direction."""
    first, second = np.triu_indices(nodes, 1)
    return graphs.pairs(first, second)


def ring(nodes: int) -> pa.Table:
    """Each node to the next, and the last to the first."""
    numbers = np.arange(nodes)
    return graphs.pairs(numbers, (numbers + 1) % nodes)


def _one_of(graph: Callable[[int], pa.Table]) -> Callable[[str, int], Steps]:
    def run(contender: str, nodes: int) -> Steps:
        inputs = {"edge": graph(nodes)}
        return maintained(SYMMETRIC, inputs, chosen(inputs, 1, FEW), contender, modules=False)

    return run


def _lubm(*, modules: bool) -> Callable[[str, int], Steps]:
    def run(contender: str, size: int) -> Steps:
        inputs = lubm.facts()
        rounds: list[list[Fact]] = chosen(inputs, size, SOME)
        return maintained(lubm.rules(), inputs, rounds, contender, modules=modules)

    return run


_EDGES = "edges deleted, then re-inserted"
_FACTS = "facts deleted, then re-inserted"
_CHANGES = (1, 10, 100, 1000)
_NODES = (25, 50, 100, 200)
_WITH_PATHWAY = (*EVERYBODY, pathway_peer.PATHWAY)
_ROWS = (
    Job("one_fact", "One edge of a forest, closure stored row by row", "nodes", FOREST, FOREST[:3], 60, _one_fact),
    Job(
        "one_fact_copies", "The same in ten disjoint copies", "nodes of a copy", FOREST[:3], FOREST[2:3], 60, _one_fact_in_copies
    ),
    Job(
        "one_edge",
        "One edge of a dense DAG, modules off",
        "nodes",
        (125, 250, 500, 1000),
        (250, 1000),
        60,
        _one_edge_of_many_paths,
    ),
    Job("dag_r", "DAG-R, 22.4M paths", _EDGES, (*_CHANGES, 25_000), (1000, 25_000), 1, _dag_r, EVERYBODY),
    Job("clique", "One edge of a clique, modules off", "nodes", _NODES, (50, 200), 10, _one_of(clique)),
    Job("ring", "One edge of a ring, modules off", "nodes", (12, 25, 50, 100), (25, 50), 10, _one_of(ring)),
    Job("lubm", "LUBM(1)", _FACTS, (*_CHANGES, 5000), (100, 5000), 1, _lubm(modules=True), EVERYBODY),
    Job("lubm_rules", "LUBM(1), modules off", _FACTS, (*_CHANGES, 5000), (100, 5000), 1, _lubm(modules=False), EVERYBODY),
    Job("dag_xs", "dagXS", _EDGES, _CHANGES, _CHANGES[1:], 1, _dag_xs(modules=True), _WITH_PATHWAY),
    Job("dag_xs_rules", "dagXS, modules off", _EDGES, _CHANGES, _CHANGES[1:], 1, _dag_xs(modules=False), _WITH_PATHWAY),
)
_EQUILIBRIA = tuple(
    Job(f"equilibrium_{name}", title, equilibrium.UNIT, equilibrium.SHARES, equilibrium.QUICK_SHARES, 10, None, ALGORITHMS, scale)
    for name, (title, scale) in equilibrium.SCALES.items()
)
JOBS = {job.name: job for job in (*_ROWS, *_EQUILIBRIA, *papers.jobs())}
