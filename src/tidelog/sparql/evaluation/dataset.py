"""The triples that relations hold: which atoms a triple pattern stands for.

A relation that is named by an IRI holds triples `s p o` if it has two arguments, and `s rdf:type C` if it has one; the relation
`triple` holds triples of any predicate.  Where facts say in which graph they are, each has one argument more.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tidelog.core.schema import Schema
from tidelog.functions.conform import CONFORM
from tidelog.program.modules import ModuleKind
from tidelog.rdf.terms import TYPE
from tidelog.sparql.algebra import Triple
from tidelog.syntax.tree import Atom, Call, Comparison, Constant, Literal, Term, Variable, iri_constant, is_iri_name
from tidelog.values import IRI, Kind

TRIPLE = "triple"
_IRI_ONLY = CONFORM + Kind.IRI.value
_MOST_KEPT = 32


class Holder(NamedTuple):
    """An atom whose facts are triples that a pattern matches, and what variables of the pattern are constant in it."""

    atom: Atom
    fixed: dict[str, Constant]
    literals: tuple[Literal, ...] = ()
    """What must hold as well."""

    def body(self, guarded: frozenset[str]) -> tuple[Literal, ...]:
        """The atom, with a test that subjects are IRIs where some facts of the relation have others, which are no triples."""
        relation, arguments = self.atom.predicate, self.atom.args
        subjects = arguments[:2] if relation == TRIPLE else arguments[:1]
        tests = [
            Comparison("=", one, Call(_IRI_ONLY, (one,))) for one in subjects if relation in guarded and isinstance(one, Variable)
        ]
        return (self.atom, *tests, *self.literals)

    def head(self, names: tuple[str, ...]) -> tuple[Term, ...]:
        """The values of variables of the pattern."""
        return tuple(self.fixed.get(name, Variable(name)) for name in names)


class Dataset:
    """The relations that hold triples."""

    def __init__(self, relations: Mapping[str, int], *, graphs: bool, closed: frozenset[str] = frozenset()) -> None:
        """`closed` are the relations that are their own transitive closure."""
        more = 1 if graphs else 0
        self.graphs = graphs
        self.properties = frozenset(name for name, arity in relations.items() if is_iri_name(name) and arity == 2 + more)
        self.classes = frozenset(name for name, arity in relations.items() if is_iri_name(name) and arity == 1 + more)
        self.has_triples = relations.get(TRIPLE) == 3 + more
        self.closed = closed if not graphs else frozenset()

    def holders(self, pattern: Triple) -> Iterator[Holder]:
        """The atoms that a triple pattern stands for; one triple may match several of them."""
        predicate = pattern.predicate
        if not isinstance(predicate, Constant):
            yield from self._of_any(pattern, predicate.name)
            return
        iri = _iri(predicate)
        subject, target, graph = pattern.subject, pattern.object, _graph(pattern)
        if iri in self.properties:
            yield Holder(Atom(iri, (subject, target, *graph)), {})
        if iri == TYPE:
            yield from self._of_classes(pattern, {})
        if self.has_triples:
            yield Holder(Atom(TRIPLE, (subject, predicate, target, *graph)), {})

    def _of_classes(self, pattern: Triple, fixed: dict[str, Constant]) -> Iterator[Holder]:
        target = pattern.object
        if isinstance(target, Constant):
            if (name := _iri(target)) in self.classes:
                yield _holder(name, (pattern.subject, *_graph(pattern)), fixed)
            return
        for name in sorted(self.classes):
            known = fixed.get(target.name)
            if known is None or known == iri_constant(name):
                yield _holder(name, (pattern.subject, *_graph(pattern)), {**fixed, target.name: iri_constant(name)})

    def _of_any(self, pattern: Triple, variable: str) -> Iterator[Holder]:
        graph, excluded = _graph(pattern), pattern.excluded
        for name in sorted(self.properties - excluded):
            yield _holder(name, (pattern.subject, pattern.object, *graph), {variable: iri_constant(name)})
        if TYPE not in excluded:
            yield from self._of_classes(pattern, {variable: iri_constant(TYPE)})
        if self.has_triples:
            others = tuple(Comparison("!=", Variable(variable), iri_constant(iri)) for iri in sorted(excluded))
            yield Holder(Atom(TRIPLE, (pattern.subject, pattern.predicate, pattern.object, *graph)), {}, others)


def _holder(relation: str, arguments: tuple[Term, ...], fixed: dict[str, Constant]) -> Holder:
    """An atom in which some variables are constant."""
    return Holder(
        Atom(relation, tuple(fixed.get(one.name, one) if isinstance(one, Variable) else one for one in arguments)), fixed
    )


def _graph(pattern: Triple) -> tuple[Term, ...]:
    return () if pattern.graph is None else (pattern.graph,)


def _iri(constant: Constant) -> str:
    content = constant.value.content
    return content.text if isinstance(content, IRI) else ""


_KEPT: deque[tuple[Schema, Dataset]] = deque(maxlen=_MOST_KEPT)
"""The last ones that were made."""


def dataset_of(schema: Schema, *, graphs: bool) -> Dataset:
    """The triples of the relations of a schema; the same object for the same schema, while it is used."""
    for known, kept in _KEPT.copy():  # another thread may add one
        if known is schema and kept.graphs is graphs:
            return kept
    closed = frozenset(
        module.relation for module in schema.program.modules if module.kind is not ModuleKind.LINEAR and not module.is_irreflexive
    )
    found = Dataset({name: known.arity for name, known in schema.relations().items()}, graphs=graphs, closed=closed)
    _KEPT.append((schema, found))
    return found
