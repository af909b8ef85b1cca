"""Rules as data, for the peers that need them in another language: atoms, `not` and `!=` of variables, nothing else.

Reads both `p(X, Z) :- q(X, Y), not r(Y, Z), X != Z.` and the notation of the ZodiacEdge paper (`and`, `COMP(X, !=, Z)`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import rustworkx

_ATOM = re.compile(r"(not\s+)?(\w+)\s*\(([^()]*)\)")
_DIFFERENT = re.compile(r"COMP\(\s*(\w+)\s*,\s*!=\s*,\s*(\w+)\s*\)|(\w+)\s*!=\s*(\w+)")


@dataclass(frozen=True)
class Atom:
    """A relation and its variables."""

    relation: str
    variables: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.relation}({', '.join(self.variables)})"


@dataclass(frozen=True)
class Rule:
    """A head and what must hold for it."""

    head: Atom
    positive: tuple[Atom, ...]
    negative: tuple[Atom, ...]
    different: tuple[tuple[str, str], ...]

    @property
    def relations_used(self) -> set[str]:
        """All relations of the body."""
        return {atom.relation for atom in (*self.positive, *self.negative)}


def parse(text: str) -> tuple[Rule, ...]:
    """The rules of a text, one a line."""
    return tuple(_parse_rule(line) for line in text.splitlines() if line.strip())


def _parse_rule(line: str) -> Rule:
    head, body = re.sub(r"^\s*\w+\s*:\s", "", line).split(":-")
    different = tuple((m[1] or m[3], m[2] or m[4]) for m in _DIFFERENT.finditer(body))
    literals = list(_atoms(_DIFFERENT.sub("", body)))
    return Rule(
        next(atom for _, atom in _atoms(head)),
        tuple(atom for negated, atom in literals if not negated),
        tuple(atom for negated, atom in literals if negated),
        different,
    )


def _atoms(text: str) -> Iterator[tuple[bool, Atom]]:
    for match in _ATOM.finditer(text):
        yield bool(match[1]), Atom(match[2], tuple(part.strip() for part in match[3].split(",")))


def derived(rules: tuple[Rule, ...]) -> list[str]:
    """The relations that rules derive, in the order of their first rules."""
    return list(dict.fromkeys(rule.head.relation for rule in rules))


def given(rules: tuple[Rule, ...]) -> set[str]:
    """The relations that rules only use."""
    return {relation for rule in rules for relation in rule.relations_used} - set(derived(rules))


def components(rules: tuple[Rule, ...]) -> list[set[str]]:
    """Derived relations that depend on each other, each component after those it uses."""
    names = derived(rules)
    graph: rustworkx.PyDiGraph[str, None] = rustworkx.PyDiGraph()
    nodes = dict(zip(names, graph.add_nodes_from(names), strict=True))
    for rule in rules:
        for used in rule.relations_used & nodes.keys():
            graph.add_edge(nodes[rule.head.relation], nodes[used], None)
    return [{graph[node] for node in component} for component in rustworkx.strongly_connected_components(graph)]
