"""Rules that come and go: ZodiacEdge (Xu and Curé, 2023), Algorithms 2 to 4 in intent, on plain sets.

Rules are nodes, and a rule leads to every rule that has its head in the body. The strongly connected components are the
hyper-nodes. Algorithm 2 adds a rule and merges the hyper-nodes on a cycle through it; Algorithm 3 removes one and splits its
hyper-node; Algorithm 4 evaluates what is touched, then hands differences to the successors in topological order.

As printed, Algorithm 2 adds only the edges out of a new rule and so misses cycles, and Algorithm 3 loops over the wrong set.
Here both look at all edges. `from_scratch` needs neither.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

HyperNode = frozenset[str]
"""Rules, by name."""
NodeChange = tuple[str, frozenset[HyperNode], frozenset[HyperNode]]
"""What happened, to which hyper-nodes, and what they have become."""


@dataclass(frozen=True)
class Rule:
    """A rule, as far as the graph knows it."""

    name: str
    head: str
    body: frozenset[str]
    text: str = ""


def _reached(start: Rule, step: Callable[[Rule], Iterable[Rule]]) -> set[Rule]:
    """All rules that one or more steps lead to."""
    found: set[Rule] = set()
    waiting = [start]
    while waiting:
        new = set(step(waiting.pop())) - found
        found |= new
        waiting += new
    return found


def _circle(rule: Rule, rules: Iterable[Rule]) -> HyperNode:
    """The hyper-node of a rule among some rules: what it leads to and what leads to it."""
    rules = list(rules)
    after = _reached(rule, lambda r: (other for other in rules if r.head in other.body))
    before = _reached(rule, lambda r: (other for other in rules if other.head in r.body))
    return frozenset(r.name for r in after & before | {rule})


def from_scratch(rules: Iterable[Rule]) -> set[HyperNode]:
    """All hyper-nodes of some rules."""
    rules = list(rules)
    return {_circle(rule, rules) for rule in rules}


class HyperGraph:
    """Rules and their hyper-nodes, while rules come and go."""

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        self.rules: dict[str, Rule] = {}
        self.nodes: set[HyperNode] = set()
        for rule in rules:
            self.add(rule)

    def add(self, rule: Rule) -> None:
        """Algorithm 2: merge the hyper-nodes on a cycle through a new rule."""
        self.rules[rule.name] = rule
        merged = _circle(rule, self.rules.values())
        self.nodes = {node for node in self.nodes if node.isdisjoint(merged)} | {merged}

    def remove(self, name: str) -> None:
        """Algorithm 3: split the hyper-node of a rule that goes."""
        del self.rules[name]
        (node,) = (node for node in self.nodes if name in node)
        self.nodes = self.nodes - {node} | from_scratch(self.rules[other] for other in node - {name})

    def changes_since(self, before: set[HyperNode]) -> set[NodeChange]:
        """Which hyper-nodes were dropped, split, created and merged; one that only gains or loses rules is still the same."""
        found: set[NodeChange] = set()
        for node in before:
            parts = frozenset(other for other in self.nodes if other & node)
            if len(parts) != 1:
                found.add(("split" if parts else "dropped", frozenset({node}), parts))
        for node in self.nodes:
            sources = frozenset(other for other in before if other & node)
            if len(sources) != 1:
                found.add(("merged" if sources else "created", sources, frozenset({node})))
        return found

    # --- Algorithm 4 -----------------------------------------------------------------------------------------------------

    def components(self) -> set[frozenset[str]]:
        """The predicates that depend on one another: the unit of maintenance, since hyper-nodes may share a predicate."""
        nodes = {name: node for node in self.nodes for name in node}
        heads = {rule.head for rule in self.rules.values()}
        circles = {head: {head} for head in heads}
        for rule in self.rules.values():
            circle = {self.rules[name].head for name in nodes[rule.name]}
            if len(nodes[rule.name]) > 1:
                circles[rule.head] |= circle
        return {frozenset(circle) for circle in circles.values()}

    def read_by(self, component: frozenset[str]) -> set[str]:
        """The predicates that the rules of a component read."""
        return {name for rule in self.rules.values() if rule.head in component for name in rule.body}

    def touched(self, changed_rules: Iterable[Rule], changed: set[str]) -> set[frozenset[str]]:
        """The components to maintain: those whose rules are others, and those that read, or have, a predicate that changed."""
        heads = {rule.head for rule in changed_rules}
        return {c for c in self.components() if c & heads or self.read_by(c) & changed}
