"""From a query and a state to its result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tidelog.core.arrays import Int32s, Rows
from tidelog.core.rules import CoreRule
from tidelog.core.schema import Schema
from tidelog.sparql.algebra import Project, Term, Triple, is_hidden
from tidelog.sparql.evaluation.dataset import TRIPLE, Dataset, dataset_of
from tidelog.sparql.evaluation.inquiries import Inquiry
from tidelog.sparql.evaluation.operators import Operators
from tidelog.sparql.evaluation.solutions import Solutions, firsts
from tidelog.sparql.reading.parsing import question_of
from tidelog.sparql.reading.question import Question
from tidelog.sparql.results import SparqlAnswers, SparqlResult, SparqlTriples
from tidelog.syntax.clauses import WELL_KNOWN
from tidelog.syntax.tree import Constant, Variable
from tidelog.values import IRI, Kind, Value, string


def asked(text: object, schema: Schema, *, graphs: bool | None) -> tuple[Question, bool]:
    """The query in a text, and whether facts say in which graph they are: by default if `triple` has four columns."""
    known = schema.relation(TRIPLE)
    is_of_graphs = known is not None and known.arity == 4 if graphs is None else bool(graphs)
    return question_of(text, {**WELL_KNOWN, **schema.program.prefixes}, graphs=is_of_graphs), is_of_graphs


Remember = Callable[[CoreRule, tuple[tuple[str, ...], tuple[int, ...]]], None]
"""Is told of a query that is one join: its rule, and the variables with the places that they have in the head."""


def answers_of(rows: Rows, shown: tuple[tuple[str, ...], tuple[int, ...]], terms: Any) -> SparqlAnswers:
    """The answers to a query that is one join."""
    names, places = shown
    return SparqlAnswers(names, [rows[:, at] for at in places], len(rows), terms)


def answer(
    question: Question, inquiry: Inquiry, schema: Schema, *, graphs: bool, remember: Remember | None = None
) -> SparqlResult:
    """The result of a query."""
    prefixes = schema.program.prefixes
    dataset = dataset_of(schema, graphs=graphs)
    with question.lock:
        operators = Operators(question, inquiry, dataset)
        found = operators.solve(question.node)
        match question.kind:
            case "ask":
                return found.count > 0
            case "construct":
                return SparqlTriples(_constructed(question, found, inquiry), inquiry.terms, prefixes)
            case "describe":
                return SparqlTriples(_described(question, found, operators, dataset, inquiry), inquiry.terms, prefixes)
        columns = [found.column(name) for name in question.variables]
        if remember is not None and isinstance(question.node, Project):
            names, rule = question.variables, operators.patterns.only_rule(question.node.node)
            if rule is not None:
                at = {term.name: place for place, term in enumerate(rule.head.args) if isinstance(term, Variable)}
                if all(name in at for name in names):
                    remember(rule, (names, tuple(at[name] for name in names)))
        return SparqlAnswers(question.variables, columns, found.count, inquiry.terms)


# --- CONSTRUCT ---------------------------------------------------------------------------------------------------------------


def _constructed(question: Question, found: Solutions, inquiry: Inquiry) -> Rows:
    """The triples of the template, for each solution; those that would be none are left out."""
    blanks: dict[str, Int32s] = {}
    pieces = [np.empty((0, 3), np.int32)]
    for triple in question.template:
        rows = np.column_stack([_instances(term, found, blanks, inquiry) for term in triple])
        rows = rows[(rows >= 0).all(axis=1)]
        are_triples = inquiry.terms.have_kind(Kind.IRI, rows[:, 0]) & inquiry.terms.have_kind(Kind.IRI, rows[:, 1])
        pieces.append(rows[are_triples])
    return _once(np.concatenate(pieces))


def _instances(term: Term, found: Solutions, blanks: dict[str, Int32s], inquiry: Inquiry) -> Int32s:
    """A term of the template for each solution; a blank node is another one for each."""
    if isinstance(term, Constant):
        return np.full(found.count, inquiry.terms.encode([term.value])[0], np.int32)
    if not is_hidden(term.name):
        return found.column(term.name)
    if term.name not in blanks:
        labels = [Value(Kind.IRI, IRI(f"{term.name}-{at}")) for at in range(found.count)]
        blanks[term.name] = inquiry.terms.encode(labels)
    return blanks[term.name]


def _once(rows: Rows) -> Rows:
    return rows[firsts([rows[:, at] for at in range(3)], len(rows))]


# --- DESCRIBE ----------------------------------------------------------------------------------------------------------------


def _described(question: Question, found: Solutions, operators: Operators, dataset: Dataset, inquiry: Inquiry) -> Rows:
    """The triples whose subject is one of the resources, and those of blank nodes that they lead to."""
    ids = [
        inquiry.terms.encode([term.value]) if isinstance(term, Constant) else found.column(term.name)
        for term in question.described
    ]
    waiting = np.unique(np.concatenate(ids)) if ids else np.empty(0, np.int32)
    waiting = waiting[waiting >= 0]
    known, pieces = waiting, [np.empty((0, 3), np.int32)]
    graph = Constant(string("")) if dataset.graphs else None
    s, p, o = (Variable(name) for name in "spo")
    while len(waiting):
        rows = operators.patterns.triples_of(Triple(s, p, o, graph), Solutions(len(waiting), {"s": waiting}))
        pieces.append(rows)
        nodes = np.unique(rows[:, 2])
        nodes = nodes[inquiry.terms.have_kind(Kind.IRI, nodes)]
        blank = [value.content.text.startswith("_:") for value in inquiry.terms.values_of(nodes)]
        nodes = nodes[np.array(blank, np.bool_)]
        waiting = nodes[~np.isin(nodes, known)]
        known = np.concatenate([known, waiting])
    return _once(np.concatenate(pieces))
