"""An ontology for rules that read its axioms as triples: the triples are all of it, but for its rules of SWRL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tidelog.ontology import vocabulary as owl
from tidelog.ontology.axioms import OntologyGraph
from tidelog.ontology.expressions import Body
from tidelog.ontology.rule_maker import RuleMaker, Translation
from tidelog.ontology.swrl.swrl_rules import add_rules
from tidelog.syntax.printer import Printer
from tidelog.syntax.tree import Atom, Rule, Term, iri_constant, is_iri_name


def over_triples(graph: OntologyGraph, printer: Printer, taken: Mapping[str, Rule]) -> Translation:
    """All triples of an ontology, and its rules of SWRL as rules about triples."""
    maker = _OverTriples(graph, printer, {}, taken)
    add_rules(maker)
    for triple in graph.triples:
        maker.result.triples[triple] = None
    return maker.result


class _OverTriples(RuleMaker):
    def _rule(self, name: str, body: Body, head: Atom | None, about: Term) -> Rule | None:
        body = [_triple(literal) if isinstance(literal, Atom) else literal for literal in body]
        return super()._rule(name, body, None if head is None else _triple(head), about)


def _triple(atom: Atom) -> Atom:
    """An atom of a class or property as one of the relation of all triples."""
    if not is_iri_name(atom.predicate):
        return atom
    name, first = iri_constant(atom.predicate), atom.args[0]
    args = (first, iri_constant(owl.TYPE), name) if len(atom.args) == 1 else (first, name, atom.args[1])
    return replace(atom, predicate="triple", args=args)
