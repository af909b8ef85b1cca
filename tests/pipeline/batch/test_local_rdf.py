"""Triples for the local engine: by predicate, and by class."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tidelog import IRI, TidelogError
from tidelog.pipeline.batch.local_rdf import Triples, triples_of
from tidelog.program.program import check
from tidelog.program.relations import Relation
from tidelog.source import Source

pytest.importorskip("pyoxigraph")
XSD = "http://www.w3.org/2001/XMLSchema#"


def relations(text: str) -> dict[str, Relation]:
    return check(Source(f"@prefix e: <http://e/> . {text}", "p")).relations


def triples(folder: Path, text: str, program: str, syntax: str = "ttl") -> Triples:
    path = folder / f"a.{syntax}"
    path.write_text(text, encoding="utf-8")
    return triples_of(str(path), syntax, relations(program))


def test_predicates_classes_and_others(tmp_path: Path) -> None:
    text = "@prefix e: <http://e/> . e:a e:knows e:b ; a e:Person ; e:unused 1 ."
    found = triples(tmp_path, text, "k(X, Y) :- e:knows(X, Y), e:Person(X).")
    contents = {name: [tuple(value.content for value in row) for row in rows] for name, rows in found.rows.items()}
    assert contents == {"http://e/knows": [(IRI("http://e/a"), IRI("http://e/b"))], "http://e/Person": [(IRI("http://e/a"),)]}
    assert (found.count, found.others, found.rejected) == (3, 1, [])


@pytest.mark.parametrize(
    ("program", "target", "reason"),
    [
        ("@relation e:age(x: iri, n: int) .", '"x"', "column n: it is of the type string, and int is declared"),
        ("@relation e:age(x: iri, n: int) .", f'"five"^^<{XSD}integer>', "a term has no value: its text does not fit"),
        ("p(X) :- e:age(X).", "1", "`http://e/age` has 1 arguments, and this gives 2"),
    ],
)
def test_triples_that_do_not_fit(tmp_path: Path, program: str, target: str, reason: str) -> None:
    found = triples(tmp_path, f"<http://e/a> <http://e/age> {target} .", program)
    (row,) = found.rejected
    assert row.reason.startswith(reason)
    assert (found.rows, found.count) == ({}, 1)


def test_blank_nodes_belong_to_their_file(tmp_path: Path) -> None:
    first, second = tmp_path / "1", tmp_path / "2"
    for folder in (first, second):
        folder.mkdir()
    text, program = "_:x <http://e/p> _:x .\n", "q(X) :- e:p(X, X)."
    (((left, right),), ((other, _),)) = (triples(folder, text, program, "nt").rows["http://e/p"] for folder in (first, second))
    assert left == right != other


def test_files_that_are_damaged_or_not_there(tmp_path: Path) -> None:
    with pytest.raises(TidelogError, match=r"TL083: .*a.nt is damaged: line 1"):
        triples(tmp_path, "<http://e/a> <http://e/p .\n", "", "nt")
    (tmp_path / "a.nt.gz").write_bytes(gzip.compress(b"<http://e/a> <http://e/p> <http://e/b> .\n" * 99)[:40])
    with pytest.raises(TidelogError, match=r"TL083: .*not a whole gzip file"):
        triples_of(str(tmp_path / "a.nt.gz"), "nt", {})
    with pytest.raises(TidelogError, match="TL060"):
        triples_of(str(tmp_path / "missing.nt"), "nt", {})
