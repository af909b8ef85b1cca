"""Turtle, one whole file at a time: pyoxigraph parses it and writes N-Triples, which `ntriples` reads."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tidelog.rdf.ntriples import Triples, parse_lines, said
from tidelog.rdf.terms import oxigraph

_LABELS = re.compile(rb"_:([\w\x80-\xff](?:[\w\x80-\xff.\-]*[\w\x80-\xff\-])?)")
_NO_KEYS = pa.array([], pa.string())


def parse_turtle(data: bytes, scope: str, base: str | None = None) -> Triples:
    """The triples of a file, whose lines are those of its canonical N-Triples.

    A file with a mistake has no triples at all: there is one reject, whose line is that of the mistake, counted from 0.
    """
    ox = oxigraph()
    try:
        written = ox.serialize(ox.parse(data, format=ox.RdfFormat.TURTLE, base_iri=base), format=ox.RdfFormat.N_TRIPLES)
    except (SyntaxError, ValueError) as error:
        line = (getattr(error, "lineno", None) or 1) - 1
        reason = f"it is not Turtle: {said(error)}; nothing is taken from this file"
        return Triples(_NO_KEYS, _NO_KEYS, _NO_KEYS, np.empty(0, np.int64), [(line, reason)])
    triples = parse_lines(pa.array(written.decode().split("\n")[:-1], pa.string()), "")
    triples.subjects, triples.objects = _named(triples.subjects, triples.objects, data, scope)
    return triples


def _named(subjects: pa.Array, objects: pa.Array, data: bytes, scope: str) -> tuple[pa.Array, pa.Array]:
    """The keys with blank nodes scoped by file; those without a label are numbered, since the parser names them at random."""
    blanks = [pc.starts_with(keys, "u_:") for keys in (subjects, objects)]
    found = pa.concat_arrays([keys.filter(blank) for keys, blank in zip((subjects, objects), blanks, strict=True)])
    if len(found) == 0:
        return subjects, objects
    written = {label.decode("utf-8", "replace") for label in _LABELS.findall(data)}
    start = "b"
    while any(label.startswith(start) for label in written):
        start += "b"
    names: list[str] = []
    for key in (distinct := found.unique()).to_pylist():
        label = key.removeprefix("u_:")
        names.append(f"u_:{scope}{label if label in written else f'{start}{len(names)}'}")
    renamed = pa.array(names, pa.string())

    def keys_of(keys: pa.Array, blank: pa.Array) -> pa.Array:
        return pc.replace_with_mask(keys, blank, renamed.take(pc.index_in(keys.filter(blank), value_set=distinct)))

    return keys_of(subjects, blanks[0]), keys_of(objects, blanks[1])
