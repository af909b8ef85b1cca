"""Reads RDF in batches of triples: files of any format, and the graphs and stores of rdflib and pyoxigraph.

Blank nodes belong to their file: the same label in two files is two nodes, and a file that is read twice gives the same nodes.
Graphs in memory keep the labels that their library gave.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc

from tidelog.arguments import path_of, wrong
from tidelog.errors import fail
from tidelog.files.raw import USUAL_SIZES, Sizes, check_size, damaged, unreadable
from tidelog.rdf.documents import Quads, parse_document
from tidelog.rdf.formats import Packing, RdfFile, RdfFormat, rdf_file_of, sniffed
from tidelog.rdf.ntriples import parse_lines
from tidelog.rdf.terms import oxigraph, scope_of
from tidelog.text_limits import check_lines

_CHUNK = 1 << 24
"""Bytes of lines that are parsed at once: what this takes for a moment is about ten times as much."""
_FIX = "give the path of a file, or a graph or store of rdflib or pyoxigraph"


@dataclass(frozen=True, slots=True)
class RdfSource:
    """A source that has not been read yet."""

    name: str
    """Its name in messages."""
    described: str
    """What it is: `ttl`, `an rdflib graph`."""
    batches: Iterator[Quads]
    """Its triples; the numbers of lines are those of the whole source."""


def rdf_source(source: object, given: str | None = None, base: str | None = None, sizes: Sizes = USUAL_SIZES) -> RdfSource:
    """The triples of a source; `given` is the format of a file, `base` what relative IRIs in it are relative to."""
    oxigraph()
    if base is not None and not isinstance(base, str):
        raise wrong("an IRI", base, 'give a text: `base="http://example.org/"`')
    if isinstance(source, str | PathLike):
        path = path_of(source)
        file = rdf_file_of(path, given)
        if file is None:
            fix = f"the endings are .{', .'.join(RdfFormat)} and .owl, each also with .gz and .zst; or say `format=`"
            raise fail("TL082", f"the ending of {path.name or path} is none of RDF", fix=fix)
        return RdfSource(str(path), str(file), _batches_of_file(path, file, base, sizes))
    if (found := library_of(source)) is None:
        raise wrong("a source of RDF", source, _FIX)
    return RdfSource(found[0], found[0].removeprefix("a ").removeprefix("an "), found[1])


def text_source(text: str | bytes, syntax: RdfFormat = RdfFormat.TURTLE, scope: str = "", base: str | None = None) -> RdfSource:
    """The triples of a text; without a scope, blank nodes keep the labels that are written."""
    oxigraph()
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    return RdfSource("the text", syntax.value, iter([parse_document(data, syntax, scope, base)]))


# --- files -------------------------------------------------------------------------------------------------------------------


def _batches_of_file(path: Path, file: RdfFile, base: str | None, sizes: Sizes) -> Iterator[Quads]:
    scope = scope_of(str(path.absolute()))
    pieces = _pieces(path, file.packing, sizes)
    if file.format is RdfFormat.N_TRIPLES:
        yield from _batches_of_lines(pieces, path, scope, sizes)
        return
    data = b"".join(pieces)
    check_size(path, len(data), sizes)
    check_lines(data, str(path), sizes.line)
    yield parse_document(data, file.format or sniffed(data), scope, base or path.absolute().as_uri())


def _pieces(path: Path, packing: Packing, sizes: Sizes) -> Iterator[bytes]:
    """The bytes of a file, unpacked, some at a time."""
    read = 0
    try:
        with path.open("rb") as file, _unpacked(file, packing) as stream:
            while piece := stream.read(_CHUNK):
                read += len(piece)
                check_size(path, read, sizes)
                yield piece
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise damaged(path, f"not a whole gzip file ({error})") from error
    except OSError as error:
        if packing is Packing.ZSTD and error.errno is None:
            raise damaged(path, f"not a whole zstd file ({error})") from error
        raise unreadable(path, error) from error


def _unpacked(file: Any, packing: Packing) -> IO[bytes] | Any:
    match packing:
        case Packing.GZIP:
            return gzip.GzipFile(fileobj=file)
        case Packing.ZSTD:
            return pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd")
    return file


def _batches_of_lines(pieces: Iterator[bytes], path: Path, scope: str, sizes: Sizes) -> Iterator[Quads]:
    """The triples of pieces of N-Triples, each up to its last whole line."""
    rest, first = b"", 0
    for piece in pieces:
        data = rest + piece
        end = data.rfind(b"\n") + 1
        check_lines(data, str(path), sizes.line)
        if end == 0:
            rest = data
            continue
        lines = _lines(data[:end] if first else data[:end].removeprefix(b"\xef\xbb\xbf"))
        rest = data[end:]
        yield _numbered(lines, scope, first)
        first += len(lines)
    if rest:
        yield _numbered(_lines(rest + b"\n"), scope, first)


def _lines(data: bytes) -> pa.Array:
    """The lines of bytes that end with a line break; `parse_lines` looks for those that are not UTF-8."""
    whole = pa.Array.from_buffers(
        pa.binary(), 1, [None, pa.array([0, len(data) - 1], pa.int32()).buffers()[1], pa.py_buffer(data)]
    )
    return pc.split_pattern(whole, b"\n").flatten().view(pa.string())


def _numbered(lines: pa.Array, scope: str, first: int) -> Quads:
    triples = parse_lines(lines, scope)
    if first:
        triples.lines = triples.lines + first
        triples.rejected = [(at + first, reason) for at, reason in triples.rejected]
    return Quads(triples)


# --- graphs in memory --------------------------------------------------------------------------------------------------------


def library_of(source: object) -> tuple[str, Iterator[Quads]] | None:
    """What a graph or store is, and its triples; None if it is neither."""
    module = type(source).__module__.partition(".")[0]
    has_methods: Any = source
    if module == "rdflib" and hasattr(source, "serialize") and hasattr(source, "triples"):
        syntax = RdfFormat.N_QUADS if hasattr(source, "quads") else RdfFormat.N_TRIPLES
        name = "nquads" if syntax.has_graphs else "nt"
        return f"an rdflib {type(source).__name__}", _later(lambda: has_methods.serialize(format=name, encoding="utf-8"), syntax)
    if module != "pyoxigraph":
        return None
    quads = RdfFormat.N_QUADS
    if hasattr(source, "dump"):
        return f"a pyoxigraph {type(source).__name__}", _later(lambda: has_methods.dump(format=quads.of_oxigraph), quads)
    if type(source).__name__ in ("Dataset", "QuadParser"):
        ox = oxigraph()
        return f"a pyoxigraph {type(source).__name__}", _later(lambda: ox.serialize(source, format=quads.of_oxigraph), quads)
    return None


def _cut(data: bytes) -> Iterator[bytes]:
    yield from (data[begin : begin + _CHUNK] for begin in range(0, len(data), _CHUNK))


def _later(write: Any, syntax: RdfFormat) -> Iterator[Quads]:
    data = write()
    if syntax is RdfFormat.N_TRIPLES:
        yield from _batches_of_lines(_cut(data), Path("graph"), "", USUAL_SIZES)
    else:
        yield parse_document(data, syntax, "")
