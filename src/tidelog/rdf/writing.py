"""Facts as files of N-Triples and Turtle: keys are written as terms, each distinct one once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from tidelog.arguments import path_of
from tidelog.core.keys import value_of
from tidelog.errors import fail
from tidelog.files.writing import replaced
from tidelog.rdf.formats import Packing, RdfFile, RdfFormat, rdf_file_of
from tidelog.rdf.terms import oxigraph
from tidelog.values import IRI, XSD, Kind, Literal, Value, text_of

Columns: TypeAlias = tuple[pa.DictionaryArray, pa.DictionaryArray, pa.DictionaryArray]
"""Subjects, predicates and objects as dictionary arrays of keys."""

_ESCAPED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"}
_TO_ESCAPE = re.compile(r'["\\\n\r\x00-\x08\x0b\x0c\x0e-\x1f\x7f]')
_NO_IRI = re.compile(r'[\x00-\x20<>"{}|^`\\]')
_TYPES = {
    Kind.INT: "integer",
    Kind.FLOAT: "double",
    Kind.BOOL: "boolean",
    Kind.DATE: "date",
    Kind.TIMESTAMP: "dateTime",
}
_FLOATS = {"inf": "INF", "-inf": "-INF", "nan": "NaN"}


@dataclass(slots=True)
class RdfWriteReport:
    """What was written to a file of RDF."""

    triples: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    """By relation, the facts that are no triples: the relation's name or a subject is no IRI, or the arity is another."""

    def leave_out(self, relation: str, count: int) -> None:
        """Count facts that are no triples."""
        if count:
            self.left_out[relation] = self.left_out.get(relation, 0) + count

    def __repr__(self) -> str:
        counted = "1 triple" if self.triples == 1 else f"{self.triples:,} triples"
        more = ", ".join(f"{count:,} of {name}" for name, count in self.left_out.items())
        return f"{counted}; no triples: {more}" if more else counted


def term_of(value: Value) -> str:
    """A value as a term of N-Triples."""
    match value.content:
        case IRI(text):
            return text if text.startswith("_:") else f"<{_NO_IRI.sub(_code, text)}>"
        case Literal(text, _, str(language)):
            return f"{_quoted(text)}@{language}"
        case Literal(text, str(datatype), None):
            return f"{_quoted(text)}^^<{_NO_IRI.sub(_code, datatype)}>"
        case str(text):
            return _quoted(text)
    text, datatype = typed_text(value)
    return f'"{text}"^^<{XSD}{datatype}>'


def typed_text(value: Value) -> tuple[str, str]:
    """The text of a number, boolean, date or timestamp, and the name of its datatype."""
    text = text_of(value)
    return _FLOATS.get(text, text), _TYPES[value.kind]


def _quoted(text: str) -> str:
    return f'"{_TO_ESCAPE.sub(lambda match: _ESCAPED.get(match[0]) or _code(match), text)}"'


def _code(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04X}"


def write_rdf(
    batches: Iterable[Columns],
    path: str | PathLike[str],
    format: str | None,  # noqa: A002
    prefixes: Mapping[str, str],
    report: RdfWriteReport,
) -> None:
    """Write batches of triples to a file, which is replaced when the new one is complete; what is no triple is left out."""
    path = path_of(path)
    file = check_target(path, format)
    lines = _lines(batches, report)
    with replaced(path, is_compressed=file.packing is Packing.GZIP) as target:
        if file.format is RdfFormat.TURTLE:
            target.write(_as_turtle(lines, prefixes))
        else:
            for some in lines:
                target.write(some)


def check_target(path: str | PathLike[str], format: str | None = None) -> RdfFile:  # noqa: A002
    """The format of a file that is to be written, or an error if it cannot be."""
    file = rdf_file_of(path, format)
    if file is None or file.format not in (RdfFormat.N_TRIPLES, RdfFormat.TURTLE) or file.packing is Packing.ZSTD:
        raise fail("TL082", f"cannot write {path}: it is neither N-Triples nor Turtle", fix="write .nt, .ttl, .nt.gz or .ttl.gz")
    return file


def _lines(batches: Iterable[Columns], report: RdfWriteReport) -> Iterator[bytes]:
    for columns in batches:
        subjects, predicates, objects = (_terms(column) for column in columns)
        if len(subjects) == 0:
            continue
        lines = pc.binary_join_element_wise(subjects, predicates, objects, " ")
        report.triples += len(lines)
        yield (" .\n".join(lines.to_pylist()) + " .\n").encode()


def _terms(column: pa.DictionaryArray) -> pa.Array:
    texts = pa.array([term_of(value_of(key)) for key in column.dictionary.to_pylist()], pa.string())
    return texts.take(column.indices)


def _as_turtle(lines: Iterable[bytes], prefixes: Mapping[str, str]) -> bytes:
    """Lines of N-Triples as Turtle: subjects together, with the prefixes that are used."""
    ox = oxigraph()
    text = b"\n".join(sorted(set(b"".join(lines).split(b"\n")) - {b""}))
    used = {name: iri for name, iri in prefixes.items() if f"<{iri}".encode() in text}
    found: bytes = ox.serialize(
        ox.parse(text, format=RdfFormat.N_TRIPLES.of_oxigraph), format=RdfFormat.TURTLE.of_oxigraph, prefixes=used
    )
    return found
