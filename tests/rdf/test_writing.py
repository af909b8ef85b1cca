"""Facts as RDF: what is written and read again is the same."""

from __future__ import annotations

import datetime
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.some_values import booleans, dates, floats, ints, literals, strings, timestamps

from tidelog import TidelogError
from tidelog.core.keys import key_of
from tidelog.rdf.exchange import quads_of
from tidelog.rdf.writing import RdfWriteReport, term_of, write_rdf
from tidelog.values import IRI, Literal, Value, from_python

pytest.importorskip("pyoxigraph")


def column(*things: object) -> pa.DictionaryArray:
    return pa.array([key_of(from_python(thing)) for thing in things], pa.string()).dictionary_encode()


@given(st.lists(ints | floats | strings | booleans | dates | timestamps | literals, max_size=5))
def test_terms_come_back(some: list[Value]) -> None:
    lines = "".join(f"<http://a/s> <http://a/p> {term_of(value)} .\n" for value in some)
    assert {quad.object for quad in quads_of(lines, "nt")} == set(some)


@pytest.mark.parametrize(
    ("thing", "term"),
    [
        (IRI("http://a/ä b"), "<http://a/ä\\u0020b>"),
        (IRI("_:f1-b0"), "_:f1-b0"),
        ('a"\\\n\x00', '"a\\"\\\\\\n\\u0000"'),
        (float("inf"), '"INF"^^<http://www.w3.org/2001/XMLSchema#double>'),
        (datetime.date(2026, 11, 15), '"2026-11-15"^^<http://www.w3.org/2001/XMLSchema#date>'),
        (Literal("x", None, "en"), '"x"@en'),
        (Literal("5", "http://a/t"), '"5"^^<http://a/t>'),
        (True, '"true"^^<http://www.w3.org/2001/XMLSchema#boolean>'),
    ],
)
def test_terms(thing: object, term: str) -> None:
    assert term_of(from_python(thing)) == term


@pytest.mark.parametrize("name", ["out.nt", "out.nt.gz", "out.ttl", "out.ttl.gz"])
def test_files_come_back(tmp_path: Path, name: str) -> None:
    subjects, predicates = [IRI("http://a/s"), IRI("http://a/t")], [IRI("http://a/p")] * 2
    batch = column(*subjects), column(*predicates), column("é", 5)
    report = RdfWriteReport()
    write_rdf([batch, batch[:1] * 3], tmp_path / name, None, {"a": "http://a/", "z": "http://z/"}, report)
    found = {(quad.subject.content, quad.object.content) for quad in quads_of(tmp_path / name)}
    assert found == {(IRI("http://a/s"), "é"), (IRI("http://a/t"), 5), *((iri, iri) for iri in subjects)}
    assert report.triples == 4
    if name == "out.ttl":
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert "a:p" in text
        assert "z:" not in text


def test_nothing(tmp_path: Path) -> None:
    write_rdf([], tmp_path / "out.ttl", None, {}, RdfWriteReport())
    assert (tmp_path / "out.ttl").read_text(encoding="utf-8").strip() == ""


@pytest.mark.parametrize("name", ["out.csv", "out.rdf", "out.nt.zst"])
def test_other_formats(tmp_path: Path, name: str) -> None:
    with pytest.raises(TidelogError, match="TL082"):
        write_rdf([], tmp_path / name, None, {}, RdfWriteReport())


def test_the_report() -> None:
    report = RdfWriteReport(1)
    assert repr(report) == "1 triple"
    report.leave_out("p", 0)
    report.leave_out("q", 2)
    assert repr(report) == "1 triple; no triples: 2 of q"
