"""SPARQL of rdflib's graphs: what a knowledge base answers is asked there; rdflib's own evaluation does the rest.

That rest is what `kb.sparql` does not support, bindings that come with a query, graphs by name, and texts with mistakes, of which
rdflib's users expect rdflib's errors.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.query import Result

from tidelog.errors import TidelogError
from tidelog.sparql.results import SparqlAnswers

_PREFIX = re.compile(r"([A-Za-z][\w.-]*|):")
_LEFT_TO_RDFLIB = {"TL015", "TL016"}


def prefixed(text: str, prefixes: Mapping[str, Any]) -> str:
    """A query with declarations of the prefixes that it may use."""
    used = sorted(set(_PREFIX.findall(text)) & {str(name) for name in prefixes})
    return "".join(f"PREFIX {name}: <{prefixes[name]}> " for name in used) + text


def is_answerable(query: object, bindings: Mapping[str, Any], graph: object, *, graphs: bool) -> bool:
    """Whether a question is one for a knowledge base: a text about all triples, or about the default graph."""
    return isinstance(query, str) and not bindings and (not graphs or graph == DATASET_DEFAULT_GRAPH_ID)


def answer(kb: Any, text: str, prefixes: Mapping[str, Any], *, graphs: bool) -> Result | None:
    """The result of a query; None if rdflib has to evaluate it."""
    try:
        found = kb.sparql(prefixed(text, prefixes), graphs=graphs)
    except TidelogError as error:
        if error.diagnostics[0].code in _LEFT_TO_RDFLIB:
            return None
        raise
    if isinstance(found, bool):
        result = Result("ASK")
        result.askAnswer = found
        return result
    if isinstance(found, SparqlAnswers):
        answers: Result = found.to_rdflib()
        return answers
    result = Result("CONSTRUCT")
    result.graph = found.to_rdflib()
    return result
