"""Whether what a graph says follows: its triples as questions, its axioms by trying them.

Triples with blank nodes are conjunctive queries, one for each group of triples that share blank nodes.  An axiom is a number of
rules; a rule follows if its head holds once its body does, for individuals that nothing else is said about.  So they are inserted
into a copy.  Where a rule finds a contradiction, or `owl:differentFrom` is asked for, the copy must become inconsistent.  That is
sound, and for rules without negation it misses nothing that the rules of the knowledge base derive.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any, Protocol

import rustworkx as rx

from tidelog.ontology import vocabulary as owl
from tidelog.ontology.axioms import Malformed, OntologyGraph, Triple, is_blank
from tidelog.ontology.consistency import is_contradiction
from tidelog.ontology.expressions import Body, Expressions, Names, Outside
from tidelog.ontology.rule_maker import INCONSISTENT
from tidelog.ontology.translation import translate
from tidelog.program.relations import Relation
from tidelog.syntax.printer import Printer
from tidelog.syntax.tree import Atom, Comparison, Constant, Literal, Term, Variable, iri_constant, names_of
from tidelog.values import IRI, Value, from_python, text_of

_NEW = "urn:tidelog:new:"


class Asked(Protocol):
    """What questions need of a knowledge base."""

    @property
    def relations(self) -> dict[str, Relation]:
        """Its relations."""

    def query(self, text: str, /) -> Any:
        """The answers to a query."""

    def count(self, relation: str) -> int:
        """How many facts a relation has."""

    def update(self, insert: Iterable[tuple[object, ...]] = ()) -> Any:
        """Insert facts."""

    def copy(self) -> Any:
        """An independent one with the same facts and rules."""

    def __contains__(self, fact: object) -> bool: ...


class Questions:
    """Asks a knowledge base what a graph says."""

    def __init__(self, kb: Asked, graph: OntologyGraph, *, triples: str | None) -> None:
        """`triples` is the relation that has all triples, if there is one."""
        self._kb, self._graph, self._triples = kb, graph, triples
        self._printer, self._expressions = Printer(), Expressions(graph)
        self._variables: dict[Value, Variable] = {}

    def hold(self) -> bool:
        """Whether everything in the graph follows."""
        if self._triples is not None:
            return self._triples_hold([triple for triple in self._graph.triples if not self._is_header(triple)])
        translated = translate(self._graph, self._printer, is_question=True)
        described = [triple for triple in self._graph.assertions() if is_described(triple)]
        apart = [triple for triple in translated.triples if triple.predicate == owl.DIFFERENT]
        facts = [triple for triple in translated.triples if triple.predicate != owl.DIFFERENT]
        return (
            not translated.outside
            and self._triples_hold([*facts, *described])
            and all(self._differ(triple) for triple in apart)
            and all(self._follows(rule.body, None if is_contradiction(rule) else rule.head) for rule in translated.rules)
        )

    def _is_header(self, triple: Triple) -> bool:
        """Whether a triple says that something is an ontology, or something about one."""
        return owl.ONTOLOGY in self._graph.types(triple.subject)

    # --- triples ---------------------------------------------------------------------------------------------------------

    def _triples_hold(self, asked: list[Triple]) -> bool:
        return all(self._group_holds(group) for group in _groups(asked))

    def _group_holds(self, group: list[Triple]) -> bool:
        """Whether triples hold together: for one choice of what makes each of them true."""
        try:
            choices = [self._ways(triple) for triple in group]
        except (Malformed, Outside):
            choices = []
        if choices and any(self._has_answer([part for way in chosen for part in way]) for chosen in product(*choices)):
            return True
        return len(group) == 1 and is_described(group[0]) and not is_blank(group[0].subject) and self._is_instance(group[0])

    def _ways(self, triple: Triple) -> list[Body]:
        """The bodies of which one must hold."""
        subject, value = self._term(triple.subject), triple.object
        if self._triples is not None:
            return [[Atom(self._triples, (subject, iri_constant(triple.predicate), self._term(value)))]]
        if is_described(triple):
            return self._expressions.bodies(value, subject, Names())
        if triple.predicate == owl.SAME and triple.subject == value:
            return [[]]
        if triple.predicate == owl.TYPE:
            return [[Atom(text_of(value), (subject,))]]
        return [[Atom(triple.predicate, (subject, self._term(value)))]]

    def _term(self, value: Value) -> Term:
        """Blank nodes are variables."""
        if not is_blank(value):
            return Constant(value)
        return self._variables.setdefault(value, Variable(f"Blank{len(self._variables)}"))

    def _has_answer(self, body: Body) -> bool:
        """Whether a query has an answer; relations that nobody knows have no facts."""
        for literal in body:
            if isinstance(literal, Atom):
                known = self._kb.relations.get(literal.predicate)
                if known is None or known.arity != len(literal.args):
                    return False
        return not body or bool(self._kb.query(", ".join(map(self._printer.literal, body))))

    # --- axioms ----------------------------------------------------------------------------------------------------------

    def _is_instance(self, triple: Triple) -> bool:
        """Whether an individual belongs to a class expression, by what follows if it does."""
        try:
            heads = self._expressions.heads(triple.object, Constant(triple.subject), Names())
        except (Malformed, Outside):
            return False
        return bool(heads.heads) and not heads.reasons and all(self._follows(head.more, head.atom) for head in heads.heads)

    def _differ(self, triple: Triple) -> bool:
        """Whether two individuals differ: it is known, or they cannot be the same."""
        return self._group_holds([triple]) or self._contradicts([(owl.SAME, triple.subject, triple.object)])

    def _follows(self, body: Sequence[Literal], head: Atom | None) -> bool:
        """Whether a head follows from a body, for new individuals; without a head, whether the body contradicts something."""
        values = _new_individuals(body, head)
        facts = [_fact(literal, values) for literal in body if isinstance(literal, Atom)]
        if head is None:
            return self._contradicts(facts)
        name, *arguments = _fact(head, values)
        tried = self._with(facts)
        return (name in tried.relations and (name, *arguments) in tried) or self._count(tried) > self._count(self._kb)

    def _contradicts(self, facts: list[tuple[Any, ...]]) -> bool:
        return self._count(self._with(facts)) > self._count(self._kb)

    def _with(self, facts: list[tuple[Any, ...]]) -> Asked:
        tried: Asked = self._kb.copy()
        tried.update(insert=facts)
        return tried

    @staticmethod
    def _count(kb: Asked) -> int:
        return kb.count(INCONSISTENT) if INCONSISTENT in kb.relations else 0


def is_described(triple: Triple) -> bool:
    """Whether a triple says that something belongs to a class expression."""
    return triple.predicate == owl.TYPE and is_blank(triple.object)


def _groups(asked: list[Triple]) -> list[list[Triple]]:
    """Triples that share blank nodes, together."""
    graph: rx.PyGraph[int, None] = rx.PyGraph()
    graph.add_nodes_from(range(len(asked)))
    first: dict[Value, int] = {}
    for at, triple in enumerate(asked):
        for node in (triple.subject, triple.object):
            if is_blank(node) and not (node is triple.object and is_described(triple)):
                graph.add_edge(first.setdefault(node, at), at, None)
    return [[asked[at] for at in sorted(nodes)] for nodes in rx.connected_components(graph)]


def _new_individuals(body: Sequence[Literal], head: Atom | None) -> dict[str, Value]:
    """A value for each variable: a new individual, or a number where numbers are compared."""
    names = names_of([*body, *([head] if head is not None else [])])
    values = {name: from_python(IRI(_NEW + name)) for name in names}
    for literal in body:
        if isinstance(literal, Comparison) and literal.op == "<":
            for at, term in enumerate((literal.left, literal.right)):
                if isinstance(term, Variable):
                    values[term.name] = from_python(at)
    return values


def _fact(atom: Atom, values: dict[str, Value]) -> tuple[Any, ...]:
    return atom.predicate, *(values[term.name] if isinstance(term, Variable) else _constant(term) for term in atom.args)


def _constant(term: Term) -> Value:
    assert isinstance(term, Constant), "expressions have variables and constants"
    return term.value
