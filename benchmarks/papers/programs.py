"""The programs whose facts are deleted and inserted again: rules, facts of a size, and whether modules take part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.harness.workload import Inputs
from benchmarks.papers import analyses, categories, communities, university
from benchmarks.workloads import closure, graphs, points_to


@dataclass(frozen=True)
class Program:
    """What is deleted from."""

    name: str
    title: str
    rules: str
    facts: Callable[[int], Inputs]
    unit: str
    """What a size counts."""
    sizes: tuple[int, ...]
    tiny: int
    """The size at which a contender warms up, and at which the tests compare all algorithms."""
    modules: bool = True
    deleted: tuple[str, ...] = ()
    """The relations whose facts are deleted; all explicit ones where there are none."""

    def inputs(self, size: int) -> Inputs:
        """All explicit facts."""
        return self.facts(size)

    def candidates(self, inputs: Inputs) -> Inputs:
        """The facts among which those that are deleted are chosen."""
        return {name: inputs[name] for name in self.deleted} if self.deleted else inputs

    def with_rules(self) -> Program:
        """The same without modules."""
        return Program(
            f"{self.name}_rules",
            f"{self.title}, modules off",
            self.rules,
            self.facts,
            self.unit,
            self.sizes,
            self.tiny,
            modules=False,
            deleted=self.deleted,
        )


ANDERSEN = Program(
    "andersen",
    "Andersen points-to, one `assign`",
    points_to.RULES,
    points_to.statements,
    "variables",
    (330, 3_250, 10_600),
    60,
    deleted=("assign",),
)
SPARSE = Program(
    "sparse_pointers",
    "Points-to over many variables, one `assign`",
    points_to.RULES,
    analyses.sparse_statements,
    "variables",
    (6_000, 60_000),
    200,
    deleted=("assign",),
)
CSPA = Program(
    "cspa", "CSPA, one `assign`", analyses.CSPA, analyses.value_flows, "variables", (150, 1_500), 30, deleted=("assign",)
)
REACH = Program(
    "reach",
    "Reachability in a random graph, modules off",
    closure.LINEAR,
    lambda nodes: analyses.random_graph(nodes, 2),
    "nodes",
    (100, 1_000),
    20,
    modules=False,
)
FOREST = Program(
    "forest",
    "Closure of a forest, modules off",
    closure.LINEAR,
    lambda nodes: {"edge": graphs.forest(nodes)},
    "nodes",
    (2_000, 200_000),
    60,
    modules=False,
)
CYCLES = Program(
    "cycles",
    "Closure of a random graph, one cycle",
    closure.NONLINEAR,
    lambda nodes: analyses.random_graph(nodes, 10),
    "nodes",
    (400, 4_000),
    20,
)
COMMUNITIES = Program(
    "communities",
    "Communities, symmetric and transitive",
    communities.RULES,
    communities.facts,
    "members of each",
    (100, 1_000),
    6,
    deleted=("knows",),
)
SMALL_COMMUNITIES = Program(
    "small_communities",
    "Few communities, symmetric and transitive",
    communities.RULES,
    lambda members: communities.facts(members, 5 * members),
    "members of each",
    (10, 100),
    6,
    deleted=("knows",),
)
CATEGORIES = Program("categories", "SKOS categories", categories.RULES, categories.facts, "categories", (500, 5_000), 40)
DAG_R = Program("dag_r", "DAG-R", closure.NONLINEAR, lambda nodes: {"edge": graphs.dag(nodes)}, "nodes", (1_000, 10_000), 40)
LUBM_L = Program("lubm_l", "LUBM-L", university.rules_l(), university.facts, "universities", (1, 10, 100), 0)
LUBM_LE = Program("lubm_le", "LUBM-LE", university.rules_le(), university.facts, "universities", (1, 10), 0)

PROGRAMS = (
    ANDERSEN,
    SPARSE,
    CSPA,
    REACH,
    FOREST,
    CYCLES,
    COMMUNITIES,
    SMALL_COMMUNITIES.with_rules(),
    CATEGORIES,
    DAG_R,
    LUBM_L,
    LUBM_LE,
)
