"""Sources of RDF: packed and plain files in pieces, graphs of other libraries, and what is none of these."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tidelog import TidelogError
from tidelog.files.raw import Sizes
from tidelog.rdf import sources
from tidelog.rdf.sources import rdf_source, text_source

ox = pytest.importorskip("pyoxigraph")
LINES = "".join(f'<http://a/s{n}> <http://a/p> "é{n}" .\n' for n in range(50))


def keys(source: Any, **options: Any) -> list[tuple[str, ...]]:
    """The triples of all batches."""
    found: list[tuple[str, ...]] = []
    for batch in rdf_source(source, **options).batches:
        triples = batch.triples
        assert not triples.rejected
        columns = (triples.subjects, triples.predicates, triples.objects)
        found += zip(*(column.to_pylist() for column in columns), strict=True)
    return found


def written(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    if name.endswith(".gz"):
        data = gzip.compress(data)
    elif name.endswith(".zst"):
        data = pa.compress(data, "zstd", asbytes=True)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", ["a.nt", "a.nt.gz", "a.nt.zst", "a.ttl", "a.ttl.zst"])
@pytest.mark.parametrize("chunk", [1, 100, 1 << 20])
def test_files_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, chunk: int) -> None:
    monkeypatch.setattr(sources, "_CHUNK", chunk)
    found = keys(written(tmp_path, name, LINES.encode()))
    assert found == [(f"uhttp://a/s{n}", "uhttp://a/p", f"sé{n}") for n in range(50)]


def test_a_last_line_without_its_end_and_a_mark_in_front(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_CHUNK", 100)
    assert len(keys(written(tmp_path, "a.nt", b"\xef\xbb\xbf" + LINES[:-1].encode()))) == 50
    assert keys(written(tmp_path, "b.nt", b"")) == []


def test_rejected_lines_have_their_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_CHUNK", 100)
    path = written(tmp_path, "a.nt", (LINES + "nonsense\n" + LINES).encode())
    rejected = [at for batch in rdf_source(path).batches for at, _ in batch.triples.rejected]
    assert rejected == [50]


def test_blank_nodes_belong_to_their_file(tmp_path: Path) -> None:
    line = b"_:b <http://a/p> _:b .\n"
    first, second = (keys(written(tmp_path, name, line)) for name in ("a.nt", "b.nt"))
    assert first != second
    assert first == keys(tmp_path / "a.nt")
    assert keys(written(tmp_path, "c.nq", line))[0][0].startswith("u_:f")


def test_an_ontology_file_is_either(tmp_path: Path) -> None:
    xml = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://a/"><C rdf:about="#s"/></rdf:RDF>'
    (found,) = keys(written(tmp_path, "a.owl", xml.encode()))
    assert found[0] == f"u{(tmp_path / 'a.owl').as_uri()}#s"
    assert keys(written(tmp_path, "b.owl", b"<#s> a <http://a/C> ."), base="http://b/")[0][0] == "uhttp://b/#s"


def test_graphs_of_pyoxigraph() -> None:
    quad = ox.Quad(ox.NamedNode("http://a/s"), ox.NamedNode("http://a/p"), ox.BlankNode("b"), ox.NamedNode("http://a/g"))
    store = ox.Store()
    store.add(quad)
    expected = [("uhttp://a/s", "uhttp://a/p", "u_:b")]
    assert keys(store) == expected
    assert keys(ox.Dataset([quad])) == expected


@pytest.mark.filterwarnings("ignore:Dataset:DeprecationWarning")  # rdflib warns of itself
def test_graphs_of_rdflib() -> None:
    rdflib = pytest.importorskip("rdflib")
    graph = rdflib.Graph().parse(data="_:b <http://a/p> 5, 'x'@EN .", format="turtle")
    assert sorted(key for _, _, key in keys(graph)) == ["i5", "l@2 enx"]
    assert next(iter(keys(graph)))[0].startswith("u_:")
    dataset = rdflib.Dataset()
    dataset.graph(rdflib.URIRef("http://a/g")).add(tuple(rdflib.URIRef(f"http://a/{name}") for name in "spo"))
    (batch,) = rdf_source(dataset).batches
    assert batch.graph_column().to_pylist() == ["uhttp://a/g"]


def test_texts_keep_their_labels() -> None:
    (batch,) = text_source("_:x <http://a/p> [] .").batches
    assert batch.triples.subjects.to_pylist() == ["u_:x"]
    assert batch.triples.objects.to_pylist()[0].startswith("u_:b")


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("a.nt.gz", b"nonsense", "TL083"),
        ("a.nt.zst", b"nonsense", "TL083"),
        ("a.csv", b"", "TL082"),
        ("missing.nt", None, "TL060"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, name: str, data: bytes | None, code: str) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(TidelogError) as caught:
        keys(tmp_path / name)
    assert caught.value.diagnostics[0].code == code


def test_limits(tmp_path: Path) -> None:
    path = written(tmp_path, "a.nt", LINES.encode())
    for sizes, what in ((Sizes(file=100), "more than 100 bytes"), (Sizes(line=20), "longer than 20 bytes")):
        for file in (path, written(tmp_path, "a.ttl", LINES.encode())):
            with pytest.raises(TidelogError, match=f"TL070: .*{what}"):
                keys(file, sizes=sizes)


@pytest.mark.parametrize("thing", [5, None, [("a", "b", "c")], object()])
def test_what_is_no_source(thing: object) -> None:
    with pytest.raises(TidelogError, match=r"TL071: .* is not a source of RDF"):
        rdf_source(thing)
