"""The operators of a query: what rdflib's algebra becomes before anything is evaluated.

After the SPARQL 1.1 recommendation, section 18; basic graph patterns hold more than there: paths are patterns, too, and a pattern
may exclude predicates.  All nodes are immutable and are compared by identity, so that plans can be kept for each.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tidelog.syntax.tree import Constant, Variable
from tidelog.values import Value

Term = Variable | Constant
"""A part of a pattern.  Blank nodes of a query are variables whose names start with `_:`; so are those that paths need."""


# --- paths ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Link:
    """One predicate."""

    iri: str


@dataclass(frozen=True, slots=True)
class Inverse:
    """A path backwards."""

    path: Path


@dataclass(frozen=True, slots=True)
class Sequence:
    """Paths one behind the other."""

    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Alternative:
    """Any of some paths."""

    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Repeated:
    """A path any number of times: `*`, `+`, and `?`, which is at most once."""

    path: Path
    is_reflexive: bool
    is_closed: bool
    """Whether more than once is allowed."""


@dataclass(frozen=True, slots=True)
class Excluding:
    """Any predicate but these."""

    iris: frozenset[str]


Path = Link | Inverse | Sequence | Alternative | Repeated | Excluding


# --- patterns --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Triple:
    """A triple pattern."""

    subject: Term
    predicate: Term
    object: Term
    graph: Term | None = None
    """None: the graph is no argument of facts."""
    excluded: frozenset[str] = frozenset()
    """Predicates that a variable in that place does not have."""

    @property
    def terms(self) -> tuple[Term, ...]:
        """Its terms."""
        found = self.subject, self.predicate, self.object
        return found if self.graph is None else (*found, self.graph)


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """A path of any length between two terms."""

    subject: Term
    path: Repeated
    object: Term
    graph: Term | None = None

    @property
    def terms(self) -> tuple[Term, ...]:
        """Its ends."""
        return (self.subject, self.object) if self.graph is None else (self.subject, self.object, self.graph)


Pattern = Triple | Reach


# --- expressions -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Expression:
    """An expression of rdflib, the variables that it reads, and patterns whose existence it asks for."""

    tree: Any
    names: frozenset[str]
    exists: dict[str, Node] = field(default_factory=dict)
    """By the variable that stands for whether the pattern has a solution."""
    parts: dict[str, Any] = field(default_factory=dict)
    """What is computed before a function around it, by the variable that stands for it; inner parts come first."""


# --- operators -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Bgp:
    """A basic graph pattern; without patterns it has one solution."""

    patterns: tuple[Pattern, ...]
    kept: tuple[str, ...] | None = None
    """The variables that anybody reads, where it does not matter how often each solution is found; None: all, and it does."""


@dataclass(frozen=True, slots=True, eq=False)
class Join:
    """Solutions of both."""

    left: Node
    right: Node


@dataclass(frozen=True, slots=True, eq=False)
class LeftJoin:
    """Solutions of the left, with those of the right where they fit and the condition holds."""

    left: Node
    right: Node
    condition: Expression | None


@dataclass(frozen=True, slots=True, eq=False)
class Union:
    """Solutions of either."""

    left: Node
    right: Node


@dataclass(frozen=True, slots=True, eq=False)
class Minus:
    """Solutions of the left to which none of the right fits that shares a variable with it."""

    left: Node
    right: Node


@dataclass(frozen=True, slots=True, eq=False)
class Filter:
    """Solutions for which a condition holds."""

    condition: Expression
    node: Node


@dataclass(frozen=True, slots=True, eq=False)
class Extend:
    """Solutions with one variable more."""

    node: Node
    name: str
    expression: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Solutions that stand in the query; None is not bound."""

    names: tuple[str, ...]
    rows: tuple[tuple[Value | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Aggregated:
    """An aggregate and the variable that has its result; without an expression it counts solutions."""

    name: str
    function: str
    expression: Expression | None
    is_distinct: bool
    separator: str = " "


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """One solution for each group; without keys there is one group, even of no solutions."""

    node: Node
    keys: tuple[str, ...]
    aggregates: tuple[Aggregated, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Project:
    """Some variables only."""

    node: Node
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Distinct:
    """Each solution once."""

    node: Node


@dataclass(frozen=True, slots=True, eq=False)
class OrderBy:
    """Solutions in order; True: downwards."""

    node: Node
    conditions: tuple[tuple[Expression, bool], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """Some solutions from a place on."""

    node: Node
    start: int
    length: int | None


Node = Bgp | Join | LeftJoin | Union | Minus | Filter | Extend | Table | Group | Project | Distinct | OrderBy | Slice


def is_hidden(name: str) -> bool:
    """Whether a variable stands for a blank node of the query, or was made for a path."""
    return name.startswith("_:")
