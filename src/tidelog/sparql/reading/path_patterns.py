"""Triple patterns and property paths as patterns: what a path of fixed length says, triples say as well."""

from __future__ import annotations

from functools import reduce
from typing import Any, Protocol

from tidelog.errors import TidelogError
from tidelog.sparql.algebra import (
    Alternative,
    Bgp,
    Excluding,
    Inverse,
    Link,
    Node,
    Path,
    Pattern,
    Reach,
    Repeated,
    Sequence,
    Term,
    Triple,
    Union,
)
from tidelog.sparql.scopes import join
from tidelog.syntax.tree import Variable, iri_constant


class Translation(Protocol):
    """What the translation of a whole query has for its patterns."""

    def term(self, term: Any) -> Term:
        """A term of a pattern."""

    def fresh(self) -> str:
        """The name of a variable that nobody has written."""

    def unsupported(self, word: str, what: str, fix: str) -> TidelogError:
        """The error for a part of SPARQL that is not supported."""


class PathPatterns:
    """Collects the patterns of a basic graph pattern."""

    def __init__(self, translation: Translation, graph: Term | None) -> None:
        self._translation, self._graph = translation, graph
        self.patterns: list[Pattern] = []

    def add(self, subject: Term, predicate: Any, target: Term, others: list[Node]) -> None:
        """Add a triple pattern of rdflib; what is no pattern, such as a choice between paths, goes to `others`."""
        if type(predicate).__name__ in ("URIRef", "Variable", "BNode"):
            self.patterns.append(Triple(subject, self._translation.term(predicate), target, self._graph))
        else:
            self.follow(subject, self.path(predicate), target, others)

    def follow(self, subject: Term, path: Path, target: Term, others: list[Node]) -> None:
        """Add what a path between two terms says."""
        match path:
            case Link(iri):
                self.patterns.append(Triple(subject, iri_constant(iri), target, self._graph))
            case Inverse(inner):
                self.follow(target, inner, subject, others)
            case Sequence(paths):
                ends = [subject, *(Variable(self._translation.fresh()) for _ in paths[1:]), target]
                for step, left, right in zip(paths, ends[:-1], ends[1:], strict=True):
                    self.follow(left, step, right, others)
            case Alternative(paths):
                choices: list[Node] = [self._alone(subject, one, target) for one in paths]
                others.append(reduce(Union, choices))
            case Repeated():
                self.patterns.append(Reach(subject, path, target, self._graph))
            case Excluding(iris):
                predicate = Variable(self._translation.fresh())
                self.patterns.append(Triple(subject, predicate, target, self._graph, iris))

    def _alone(self, subject: Term, path: Path, target: Term) -> Node:
        """The solutions of one path."""
        inner, others = PathPatterns(self._translation, self._graph), list[Node]()
        inner.follow(subject, path, target, others)
        first: Node = Bgp(tuple(inner.patterns))
        return reduce(join, others, first)

    def path(self, path: Any) -> Path:
        """A path of rdflib."""
        match type(path).__name__:
            case "URIRef":
                return Link(str(path))
            case "InvPath":
                return Inverse(self.path(path.arg))
            case "SequencePath":
                return Sequence(tuple(self.path(one) for one in path.args))
            case "AlternativePath":
                return Alternative(tuple(self.path(one) for one in path.args))
            case "MulPath":
                return Repeated(self.path(path.path), is_reflexive=path.mod in "*?", is_closed=path.mod in "*+")
            case "NegatedPath":
                if all(type(one).__name__ == "URIRef" for one in path.args):
                    return Excluding(frozenset(map(str, path.args)))
        fix = "write it as a union: { ?x !(ex:p) ?y } UNION { ?y ?p ?x FILTER(?p != ex:q) }"
        raise self._translation.unsupported("!", "an inverse predicate inside of a negated property set", fix)
