"""Terms of rdflib and values: patterns and triples in, rows of ids out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from rdflib import BNode, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

from tidelog.arguments import shown
from tidelog.core.arrays import Int32s
from tidelog.errors import fail
from tidelog.rdf.exchange import value_of_term
from tidelog.sparql.terms import term_of
from tidelog.values import Kind, Value, string

_MOST_KEPT = 1 << 17
DEFAULT_GRAPH = string("")
"""The graph of triples that are in no named one."""


def value_to_add(term: Any) -> Value:
    """The value of a term, or an error if facts cannot hold it."""
    if not isinstance(term, URIRef | BNode | Literal):
        raise fail("TL072", f"{shown(term)} cannot be a part of a triple", fix="give a URIRef, a BNode or a Literal")
    return value_of_term(term)


def value_to_find(term: Any) -> tuple[bool, Value | None]:
    """Whether a part of a pattern may match anything, and its value; None matches everything."""
    if term is None:
        return True, None
    if not isinstance(term, URIRef | BNode | Literal):
        return False, None
    if isinstance(term, Literal) and term.ill_typed:
        return False, None
    return True, value_to_add(term)


def value_of_context(context: Any) -> Value | None:
    """The value of a graph, as the last argument of facts; None for all graphs."""
    if context is None:
        return None
    name = getattr(context, "identifier", context)
    return DEFAULT_GRAPH if name == DATASET_DEFAULT_GRAPH_ID else value_to_add(name)


class Terms:
    """Terms by ids, of which the last ones are kept."""

    def __init__(self) -> None:
        self._of: Any = None
        self._known: dict[int, Any] = {}

    def of(self, ids: Int32s, dictionary: Any) -> list[Any]:
        """A column of ids as terms; the default graph is its name in rdflib."""
        if self._of is not dictionary or len(self._known) > _MOST_KEPT:
            self._of, self._known = dictionary, {}
        known, wanted = self._known, ids.tolist()
        missing = list({one for one in wanted if one not in known})
        if missing:
            for one, value in zip(missing, dictionary.values_of(np.array(missing, np.int32)), strict=True):
                known[one] = term_of(value)
        return [known[one] for one in wanted]

    def graphs(self, ids: Int32s, dictionary: Any) -> list[Any]:
        """A column of graphs as their names in rdflib."""
        return [DATASET_DEFAULT_GRAPH_ID if name == _NO_NAME else name for name in self.of(ids, dictionary)]


_NO_NAME = Literal("")


def can_be_subject(values: Sequence[Value | None]) -> bool:
    """Whether the subject and the predicate of a pattern may match anything."""
    return all(value is None or value.kind is Kind.IRI for value in values[:2])
