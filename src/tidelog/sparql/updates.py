"""SPARQL updates of data: `INSERT DATA` and `DELETE DATA`, several of them as one change.

The whole text is read before anything changes.  Of several operations on one triple the last counts, so one transaction does what
they would do in turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from uuid import uuid4

from tidelog.errors import Diagnostic, TidelogError
from tidelog.rdf.exchange import Quad
from tidelog.source import Source, Span
from tidelog.sparql.reading.parsing import as_text, parsed_update
from tidelog.sparql.reading.question import occurrences
from tidelog.sparql.terms import value_of
from tidelog.values import IRI, Kind, Value, from_python, string

_KEYWORDS = {
    "Modify": ("WHERE", "DELETE and INSERT with WHERE"),
    "DeleteWhere": ("WHERE", "DELETE WHERE"),
    "Load": ("LOAD", "LOAD"),
    "Clear": ("CLEAR", "CLEAR"),
    "Drop": ("DROP", "DROP"),
    "Create": ("CREATE", "CREATE"),
    "Add": ("ADD", "ADD"),
    "Move": ("MOVE", "MOVE"),
    "Copy": ("COPY", "COPY"),
}
_FIXES = {
    "Load": "load it: kb.load_rdf(path)",
    "Modify": "ask with kb.sparql(CONSTRUCT …), and give the triples to kb.update_rdf",
    "DeleteWhere": "ask with kb.sparql(CONSTRUCT …), and give the triples to kb.update_rdf",
}


def quads_of_update(given: object, prefixes: Mapping[str, str], *, graphs: bool) -> tuple[list[Quad], list[Quad]]:
    """The triples that a text inserts, and those that it deletes; one error with its place if it says anything else."""
    text = as_text(given, "a SPARQL update", 'give a text: `kb.sparql_update("INSERT DATA { … }")`')
    source, operations = parsed_update(text, prefixes)
    last: dict[Quad, bool] = {}
    for operation in operations:
        if operation.name not in ("InsertData", "DeleteData"):
            word, what = _KEYWORDS.get(operation.name, (operation.name, operation.name))
            raise _error(
                source, word, f"{what} is not supported", _FIXES.get(operation.name, "insert and delete triples: INSERT DATA")
            )
        inserts = operation.name == "InsertData"
        blanks: dict[str, Value] = {}
        for quad in _quads(operation, source, blanks, graphs=graphs, inserts=inserts):
            last.pop(quad, None)
            last[quad] = inserts
    return [quad for quad, inserts in last.items() if inserts], [quad for quad, inserts in last.items() if not inserts]


def _quads(operation: Any, source: Source, blanks: dict[str, Value], *, graphs: bool, inserts: bool) -> Iterator[Quad]:
    """The triples of an operation, with their graphs."""
    parts = [(string(""), operation.triples or []), *((value_of(graph), some) for graph, some in (operation.quads or {}).items())]
    for graph, triples in parts:
        if graph.kind is Kind.IRI and triples and not graphs:
            fix = "say graphs=True, if the last argument of facts is their graph"
            raise _error(source, "GRAPH", "GRAPH over facts that do not say in which graph they are is not supported", fix)
        for triple in triples:
            subject, predicate, target = (_value(term, source, blanks, inserts=inserts) for term in triple)
            if subject.kind is not Kind.IRI or predicate.kind is not Kind.IRI:
                raise _error(source, "DATA", "a literal cannot be the subject or the predicate of a triple", "give an IRI")
            yield Quad(subject, predicate, target, graph)


def _value(term: Any, source: Source, blanks: dict[str, Value], *, inserts: bool) -> Value:
    """A term as a value; a blank node is a new one in each operation that inserts it."""
    match type(term).__name__:
        case "Variable":
            raise _error(source, f"?{term}", "there are no variables in data", "give a term")
        case "BNode":
            if not inserts:
                raise _error(
                    source, "DELETE", "a blank node stands for any node, which DELETE DATA cannot have", "name it by an IRI"
                )
            return blanks.setdefault(str(term), from_python(IRI(f"_:{uuid4().hex}")))
    return value_of(term)


def _error(source: Source, word: str, message: str, fix: str) -> TidelogError:
    at = source.text.find(word)
    place = next(occurrences(source, word), None) or (Span(at, at + len(word)) if at >= 0 else Span(0, 1))
    return TidelogError([Diagnostic("TL016", message, source, place, fix)])
