"""Texts of RDF that are parsed as a whole: pyoxigraph reads any format and writes it as lines, which `ntriples` splits.

Blank nodes belong to their text.  Pyoxigraph names those without a label at random; here they are numbered in order, so that
reading a text twice gives the same nodes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tidelog.rdf.formats import RdfFormat
from tidelog.rdf.ntriples import Triples, parse_lines, said, shallow
from tidelog.rdf.terms import keys_of_nodes, oxigraph
from tidelog.text_limits import DEEPEST

DEFAULT_GRAPH = "s"
"""The key of the graph of triples that are in no named one: the empty string."""
_LABELS = re.compile(rb"""(?:_:|nodeID\s*=\s*["'])([\w\x80-\xff](?:[\w\x80-\xff.\-]*[\w\x80-\xff\-])?)""")
_ENTITY = re.compile(rb"""<!ENTITY\s[^"'>]*(?:"(?P<value>[^"]*)"|'(?P<other>[^']*)')""")
_REFERENCE = re.compile(rb"[&%](?!(?:lt|gt|amp|quot|apos|#\w+);)[^;\s]*;")
_LONGEST_ENTITY = 1000
_NO_KEYS = pa.nulls(0, pa.string())  # `pa.array` of a list would import pandas, if it is there: half of the time to start
_LAST = r'^(?P<triple>\S+ \S+ (?:<[^>]*>|_:\S+|"(?:[^"\\]|\\.)*"(?:@\S+|\^\^<[^>]*>)?)) (?P<graph><[^>]*>|_:\S+) \.$'
_TITLES = {RdfFormat.TURTLE: "Turtle", RdfFormat.TRIG: "TriG", RdfFormat.RDF_XML: "RDF/XML", RdfFormat.JSON_LD: "JSON-LD"}


@dataclass(slots=True)
class Quads:
    """Triples, and for each the key of its graph."""

    triples: Triples
    graphs: pa.Array | None = None
    """None if all are in the default graph."""

    def graph_column(self) -> pa.Array:
        """The keys of the graphs."""
        if self.graphs is not None:
            return self.graphs
        return pa.repeat(pa.scalar(DEFAULT_GRAPH, pa.string()), len(self.triples.subjects))


def parse_turtle(data: bytes, scope: str, base: str | None = None) -> Triples:
    """The triples of a text of Turtle."""
    return parse_document(data, RdfFormat.TURTLE, scope, base).triples


def parse_document(data: bytes, syntax: RdfFormat, scope: str, base: str | None = None) -> Quads:
    """The triples of a text; the number of a line is that of its triple.

    A text with a mistake has no triples at all: there is one reject, whose line is that of the mistake, counted from 0.
    """
    ox = oxigraph()
    data = data.removeprefix(b"\xef\xbb\xbf")
    lines = RdfFormat.N_QUADS if syntax.has_graphs else RdfFormat.N_TRIPLES
    try:
        if data.count(b"<<") > DEEPEST:
            shallow(data.decode("utf-8", "replace"))
        if syntax is RdfFormat.RDF_XML:
            _refuse_growing_entities(data)
        written = ox.serialize(ox.parse(data, format=syntax.of_oxigraph, base_iri=base), format=lines.of_oxigraph)
    except (SyntaxError, ValueError) as error:
        line = (getattr(error, "lineno", None) or 1) - 1
        reason = f"it is not {_TITLES.get(syntax, syntax)}: {said(error)}; nothing is taken from this file"
        return Quads(Triples(_NO_KEYS, _NO_KEYS, _NO_KEYS, np.empty(0, np.int64), [(line, reason)]))
    texts = pa.array(written.decode().split("\n")[:-1], pa.string())
    graphs = None
    if syntax.has_graphs:
        texts, graphs = _without_graphs(texts)
    triples = parse_lines(texts, "")
    if graphs is not None:
        graphs = graphs.take(pa.array(triples.lines))
    found = [triples.subjects, triples.objects, *([graphs] if graphs is not None else [])]
    triples.subjects, triples.objects, *more = _named(found, data, scope)
    return Quads(triples, more[0] if more else None)


def _refuse_growing_entities(data: bytes) -> None:
    """Entities of XML that stand for each other, or for long texts, could grow beyond any memory; pyoxigraph has no limit."""
    for entity in _ENTITY.finditer(data):
        value = entity["value"] or entity["other"] or b""
        if len(value) > _LONGEST_ENTITY or _REFERENCE.search(value):
            error = SyntaxError(f"an entity is longer than {_LONGEST_ENTITY} bytes, or refers to another one")
            error.lineno = data.count(b"\n", 0, entity.start()) + 1
            raise error


def _without_graphs(lines: pa.Array) -> tuple[pa.Array, pa.Array | None]:
    """Lines of N-Quads as lines of N-Triples, and the keys of their graphs; None if there are none."""
    found = pc.extract_regex(lines, _LAST)
    is_named = pc.is_valid(found)
    if not pc.any(is_named).as_py():
        return lines, None
    triples = pc.binary_join_element_wise(pc.struct_field(found, "triple"), " .", "")
    graphs = keys_of_nodes(pc.fill_null(pc.struct_field(found, "graph"), "<>"), "")
    return pc.if_else(is_named, triples, lines), pc.if_else(is_named, graphs, DEFAULT_GRAPH)


def _named(columns: list[pa.Array], data: bytes, scope: str) -> list[pa.Array]:
    """The keys with blank nodes scoped by file; those without a label are numbered."""
    blanks = [pc.starts_with(keys, "u_:") for keys in columns]
    found = pa.concat_arrays([keys.filter(blank) for keys, blank in zip(columns, blanks, strict=True)])
    if len(found) == 0:
        return columns
    written = {label.decode("utf-8", "replace") for label in _LABELS.findall(data)}
    start = "b"
    while any(label.startswith(start) for label in written):
        start += "b"
    names: list[str] = []
    for key in (distinct := found.unique()).to_pylist():
        label = key.removeprefix("u_:")
        names.append(f"u_:{scope}{label if label in written else f'{start}{len(names)}'}")
    renamed = pa.array(names, pa.string())
    return [
        pc.replace_with_mask(keys, blank, renamed.take(pc.index_in(keys.filter(blank), value_set=distinct)))
        for keys, blank in zip(columns, blanks, strict=True)
    ]
