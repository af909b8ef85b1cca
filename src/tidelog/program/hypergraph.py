"""The dependency graph of a program: hyper-nodes, components of predicates, strata, evaluation order.

Rules are the nodes of ZodiacEdge's rule dependency graph (Xu and Curé, 2023): a rule leads to every rule that has the head of
the first in its body, positive or negated.  Its strongly connected components are the *hyper-nodes*, which plan rule changes and
reports.  Several hyper-nodes can derive one predicate, so the unit of evaluation is the *component* of mutually dependent
predicates, with all their rules.

Departure: our graph has predicates as nodes beside the rules (rule -> its head -> the rules that use it).  It has
the same strongly connected components, and its size is that of the program's text, where the edges among rules alone would be
quadratic in the number of rules that share a predicate.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import rustworkx as rx

from tidelog.syntax.tree import Rule, atoms

POSITIVE, NEGATIVE, AGGREGATE = "positive", "negative", "aggregate"
HEAD = "head"

_MOST_CYCLES = 20

_Inside = dict[int, list[tuple[int, int, str]]]
"""For each component the edges inside it."""


@dataclass(frozen=True, slots=True)
class HyperNode:
    """Mutually dependent rules, or one rule by itself."""

    number: int
    rules: tuple[int, ...]
    """Positions of the rules in the program."""
    is_recursive: bool
    stratum: int


@dataclass(frozen=True, slots=True)
class Component:
    """Mutually dependent predicates, with all the rules that derive them: the unit of evaluation."""

    number: int
    predicates: tuple[str, ...]
    rules: tuple[int, ...]
    is_recursive: bool
    stratum: int


@dataclass(frozen=True, slots=True)
class BadCycle:
    """A cycle through negation or an aggregate: each rule with the predicate that it uses."""

    kind: str
    rules: tuple[int, ...]
    uses: tuple[str, ...]
    """`uses[i]` is the predicate of the body of rule i that the next rule of the cycle derives."""


@dataclass(frozen=True, slots=True)
class HyperGraph:
    """Hyper-nodes and components, each in evaluation order."""

    hyper_nodes: tuple[HyperNode, ...]
    components: tuple[Component, ...]
    strata: dict[str, int]
    bad_cycles: tuple[BadCycle, ...] = ()
    component_of: dict[str, int] = field(default_factory=dict)


class _Graph:
    """Rules and predicates with their edges; node numbers: predicates first, then rules."""

    def __init__(self, rules: Sequence[Rule], predicates: Sequence[str]) -> None:
        self.rules, self.predicates = rules, predicates
        self.graph: rx.PyDiGraph[int, str] = rx.PyDiGraph()
        self.graph.add_nodes_from(range(len(predicates) + len(rules)))
        self.node = {name: at for at, name in enumerate(predicates)}
        edges: list[tuple[int, int, str]] = []
        for at, rule in enumerate(rules):
            edges.append((self.rule_node(at), self.node[rule.head.predicate], HEAD))
            uses = {(atom.predicate, sign) for atom, sign in atoms(rule.body)}
            edges += [(self.node[name], self.rule_node(at), sign) for name, sign in sorted(uses)]
        self.edges = edges
        self.graph.add_edges_from(edges)

    def rule_node(self, at: int) -> int:
        return len(self.predicates) + at

    def is_rule(self, node: int) -> bool:
        return node >= len(self.predicates)

    def rule_of(self, node: int) -> int:
        return node - len(self.predicates)


def build(rules: Sequence[Rule], predicates: Sequence[str]) -> HyperGraph:
    """The hyper-graph of rules over predicates (all that the rules mention, and any others)."""
    parts = _Graph(rules, predicates)
    components = _ordered_components(parts)
    place = {node: at for at, nodes in enumerate(components) for node in nodes}
    strata = _strata(parts, components, place)
    # Strata never fall along an edge, so they can come first in the order.
    by_stratum = sorted(range(len(components)), key=strata.__getitem__)
    components, strata = [components[at] for at in by_stratum], [strata[at] for at in by_stratum]
    place = {node: at for at, nodes in enumerate(components) for node in nodes}
    inside = _edges_inside(parts, place)
    return HyperGraph(
        hyper_nodes=_hyper_nodes(parts, components, strata, inside),
        components=(units := _components(parts, components, strata, inside)),
        strata={name: strata[place[parts.node[name]]] for name in predicates},
        bad_cycles=_bad_cycles(parts, place, inside),
        component_of={name: unit.number for unit in units for name in unit.predicates},
    )


def _ordered_components(parts: _Graph) -> list[list[int]]:
    """Strongly connected components in topological order; ties by place in the program."""
    found = [sorted(nodes) for nodes in rx.strongly_connected_components(parts.graph)]
    place = {node: at for at, nodes in enumerate(found) for node in nodes}
    condensed: rx.PyDiGraph[int, None] = rx.PyDiGraph()
    condensed.add_nodes_from(range(len(found)))
    between = {(place[a], place[b]) for a, b, _ in parts.edges if place[a] != place[b]}
    condensed.add_edges_from_no_data(sorted(between))
    # A single rule sorts by its place in the text, so that the evaluation order reads like the program.
    first_rule = [min((parts.rule_of(n) for n in nodes if parts.is_rule(n)), default=-1) for nodes in found]
    order = rx.lexicographical_topological_sort(condensed, key=lambda at: f"{first_rule[at] + 1:09d}{found[at][0]:09d}")
    return [found[at] for at in order]


def _strata(parts: _Graph, components: list[list[int]], place: dict[int, int]) -> list[int]:
    """The stratum of each component: one above every component it negates or aggregates over."""
    incoming: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for a, b, sign in parts.edges:
        if place[a] != place[b]:
            incoming[place[b]].append((place[a], sign))
    strata: list[int] = []
    for at in range(len(components)):
        strata.append(max((strata[a] + (sign in (NEGATIVE, AGGREGATE)) for a, sign in incoming[at]), default=0))
    return strata


def _edges_inside(parts: _Graph, place: dict[int, int]) -> _Inside:
    inside: _Inside = defaultdict(list)
    for a, b, sign in parts.edges:
        if place[a] == place[b]:
            inside[place[a]].append((a, b, sign))
    return inside


def _hyper_nodes(parts: _Graph, components: list[list[int]], strata: list[int], inside: _Inside) -> tuple[HyperNode, ...]:
    result: list[HyperNode] = []
    for at, nodes in enumerate(components):
        rules = tuple(parts.rule_of(node) for node in nodes if parts.is_rule(node))
        if rules:
            result.append(HyperNode(len(result), rules, bool(inside.get(at)), strata[at]))
    return tuple(result)


def _components(parts: _Graph, components: list[list[int]], strata: list[int], inside: _Inside) -> tuple[Component, ...]:
    """One for each component with predicates that rules derive."""
    deriving: dict[str, list[int]] = defaultdict(list)
    for at, rule in enumerate(parts.rules):
        deriving[rule.head.predicate].append(at)
    result: list[Component] = []
    for at, nodes in enumerate(components):
        predicates = tuple(parts.predicates[node] for node in nodes if not parts.is_rule(node))
        rules = tuple(sorted(rule for name in predicates for rule in deriving[name]))
        if rules:
            result.append(Component(len(result), predicates, rules, bool(inside.get(at)), strata[at]))
    return tuple(result)


def _bad_cycles(parts: _Graph, place: dict[int, int], inside: _Inside) -> tuple[BadCycle, ...]:
    """For each negative edge inside a component the shortest cycle through it; at most `_MOST_CYCLES`."""
    result: list[BadCycle] = []
    negative = [(at, edge) for at, edges in sorted(inside.items()) for edge in edges if edge[2] in (NEGATIVE, AGGREGATE)]
    members: dict[int, list[int]] = defaultdict(list)
    for node, at in place.items():
        members[at].append(node)
    for at, (used, user, sign) in negative[:_MOST_CYCLES]:
        part = parts.graph.subgraph(members[at])
        local = {part[i]: i for i in part.node_indices()}
        # From the rule that negates, along heads and uses, back to the predicate that it negates.
        path = [part[i] for i in rx.dijkstra_shortest_paths(part, local[user], local[used])[local[used]]]
        rules = [parts.rule_of(node) for node in path if parts.is_rule(node)]
        heads = [parts.predicates[node] for node in path if not parts.is_rule(node)]
        # Against the edges: each rule uses the head of the next one.
        chain = rules[::-1]
        result.append(BadCycle(sign, tuple(chain[-1:] + chain[:-1]), tuple(heads[-1:] + heads[-2::-1])))
    return tuple(result)
