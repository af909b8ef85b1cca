"""Formats of RDF by the ending of a file, or by name."""

from __future__ import annotations

import pytest

from tidelog import TidelogError
from tidelog.rdf.formats import Packing, RdfFile, RdfFormat, format_named, rdf_file_of, sniffed


@pytest.mark.parametrize(
    ("name", "format", "packing"),
    [
        ("a.nt", RdfFormat.N_TRIPLES, ""),
        ("a.NT.GZ", RdfFormat.N_TRIPLES, "gz"),
        ("a.b.ttl.zst", RdfFormat.TURTLE, "zst"),
        ("a.nq", RdfFormat.N_QUADS, ""),
        ("a.trig", RdfFormat.TRIG, ""),
        ("a.rdf", RdfFormat.RDF_XML, ""),
        ("a.jsonld", RdfFormat.JSON_LD, ""),
        ("a.owl", None, ""),
    ],
)
def test_endings(name: str, format: RdfFormat | None, packing: str) -> None:  # noqa: A002
    assert rdf_file_of(name) == RdfFile(format, Packing(packing))


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "nt", "a.gz", "a", "ttl.zst"])
def test_other_endings(name: str) -> None:
    assert rdf_file_of(name) is None


def test_a_format_that_is_named() -> None:
    assert rdf_file_of("a.txt.gz", "turtle") == RdfFile(RdfFormat.TURTLE, Packing.GZIP)
    with pytest.raises(TidelogError, match=r"TL082: there is no format of RDF named `tutle`\n.*turtle"):
        format_named("tutle")
    with pytest.raises(TidelogError, match="TL071"):
        format_named(5)


def test_an_ontology_is_sniffed() -> None:
    assert sniffed(b'\xef\xbb\xbf  <?xml version="1.0"?>') is RdfFormat.RDF_XML
    assert sniffed(b'<Ontology xmlns="http://a/">') is RdfFormat.RDF_XML
    assert sniffed(b"<http://a/s> a <http://a/C> .") is RdfFormat.TURTLE
    assert sniffed(b"@prefix ex: <http://a/> .") is RdfFormat.TURTLE
