"""Triples that come one by one, or as a text or graph, as values: what an update or a question is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike
from typing import Any, NamedTuple

from tidelog.arguments import iterable, shown
from tidelog.core.keys import value_of
from tidelog.errors import fail
from tidelog.rdf.documents import DEFAULT_GRAPH
from tidelog.rdf.formats import RdfFormat, format_named
from tidelog.rdf.sources import RdfSource, library_of, rdf_source, text_source
from tidelog.values import IRI, Kind, Value, from_python, language_literal, string, typed_literal

_FIX = "give triples `(IRI(…), IRI(…), value)`, a text of Turtle, a path, or a graph"


class Quad(NamedTuple):
    """A triple as values, and its graph: the empty string for the default graph."""

    subject: Value
    predicate: Value
    object: Value
    graph: Value = Value(Kind.STRING, "")


def quads_of(given: object, format: str | None = None) -> Iterator[Quad]:  # noqa: A002
    """The triples of a text (Turtle, or another format), a path, a graph, or of an iterable of triples.

    Terms are those of Tidelog, rdflib or pyoxigraph.  Blank nodes keep their labels, except those of files.
    """
    if isinstance(given, str):
        chosen = None if format is None else format_named(format)
        yield from quads_of_source(text_source(given, chosen or RdfFormat.TURTLE))
    elif isinstance(given, PathLike) or library_of(given) is not None:
        yield from quads_of_source(rdf_source(given, format))
    else:
        some: Any = given
        for triple in iterable(some, "triples", _FIX):
            yield _quad(triple)


def quads_of_source(source: RdfSource) -> Iterator[Quad]:
    """The triples of a source that has been opened."""
    values: dict[str, Value] = {}

    def value(key: str) -> Value:
        if key not in values:
            values[key] = value_of(key)
        return values[key]

    for batch in source.batches:
        triples = batch.triples
        if triples.rejected:
            line, reason = triples.rejected[0]
            raise fail("TL080", f"{source.name}:{line + 1}: {reason}", fix="mend it; nothing has been changed")
        columns = [triples.subjects, triples.predicates, triples.objects, batch.graph_column()]
        for keys in zip(*(column.to_pylist() for column in columns), strict=True):
            yield Quad(*map(value, keys))


def _quad(triple: Any) -> Quad:
    """One triple as values, or an error."""
    parts = tuple(triple) if isinstance(triple, Iterable) and not isinstance(triple, str | bytes) else ()
    if len(parts) not in (3, 4):
        raise fail("TL072", f"{shown(triple)} is not a triple", fix=_FIX)
    subject, predicate, *others = map(value_of_term, parts)
    for what, value in (("subject", subject), ("predicate", predicate)):
        if value.kind is not Kind.IRI:
            raise fail("TL072", f"{shown(value.content)} cannot be the {what} of a triple", fix="give an IRI: `IRI(…)`")
    return Quad(subject, predicate, *others)


def value_of_term(term: Any) -> Value:
    """The value of a term of Tidelog, rdflib or pyoxigraph, or an error."""
    module, name = _kind_of(term)
    value: Value | None = None
    match module, name:
        case ("pyoxigraph", "NamedNode"):
            value = from_python(IRI(term.value))
        case ("pyoxigraph", "BlankNode"):
            value = from_python(IRI(f"_:{term.value}"))
        case ("pyoxigraph", "DefaultGraph"):
            value = value_of(DEFAULT_GRAPH)
        case ("pyoxigraph", "Literal"):
            value = _literal(term.value, term.language, term.datatype.value)
        case ("pyoxigraph", _):
            raise fail("TL072", f"{shown(term)} cannot be a part of a triple", fix="give an IRI, a blank node or a literal")
        case _:
            return from_python(term)
    if value is None:
        raise fail("TL072", f"{shown(term)} is not what its datatype says", fix="mend the literal")
    return value


def _kind_of(term: object) -> tuple[str, str]:
    """The library of a term and its class there, of which the term's own class may be a subclass."""
    for kind in type(term).__mro__:
        module = kind.__module__.partition(".")[0]
        if module == "pyoxigraph":
            return module, kind.__name__
    return "", ""


def _literal(text: str, language: str | None, datatype: object) -> Value | None:
    if language:
        return language_literal(text, language)
    return string(text) if datatype is None else typed_literal(text, str(datatype))
