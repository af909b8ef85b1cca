"""Rows for the local engine: columns by other names, rows that do not fit, and values of every kind."""

from __future__ import annotations

import gzip
from datetime import date
from pathlib import Path

import pytest

from tidelog import IRI, KnowledgeBase, Literal, TidelogError
from tidelog.pipeline.batch.local_rows import Triples, local_format, rows_of, tables_of, triples_of
from tidelog.pipeline.job.parts import SourcePart
from tidelog.program.program import check
from tidelog.program.relations import Relation
from tidelog.source import Source
from tidelog.values import from_python


def relation(columns: str = "src: string, weight: int") -> Relation:
    return check(Source(f"@relation edge({columns}) .", "p")).relations["edge"]


def source(path: Path, text: str, **columns: str) -> SourcePart:
    path.write_text(text, encoding="utf-8")
    return SourcePart("edge", path=str(path), format=path.suffix[1:], columns=columns)


def test_json_is_json_lines() -> None:
    assert local_format(SourcePart("edge", format="json")) == "jsonl"
    assert local_format(SourcePart("edge", format="csv")) == "csv"


def test_rows_that_do_not_fit_are_rejected_with_place_and_reason(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    (table,), rejected, rows = rows_of(source(path, "src,weight\na,1\nb,heavy\nc,\n"), relation())
    assert (table.to_pylist(), rows) == ([{"src": "a", "weight": 1}], 3)
    assert [(row.place, row.record, row.reason) for row in rejected] == [
        (f"{path}:3", "b,heavy", 'column weight: "heavy" is not of the type int'),
        (f"{path}:4", "c,", "column weight: it is empty"),
    ]


def test_columns_are_mapped_and_others_go_by_their_names(tmp_path: Path) -> None:
    (table,), rejected, _ = rows_of(source(tmp_path / "a.csv", "w,src,x\n1,a,?\n", w="weight"), relation())
    assert (table.to_pylist(), rejected) == ([{"src": "a", "weight": 1}], [])
    (table,), _, _ = rows_of(source(tmp_path / "a.json", '{"from": "a", "weight": 2}\n', **{"from": "src"}), relation())
    assert table.to_pylist() == [{"src": "a", "weight": 2}]


@pytest.mark.parametrize(
    ("columns", "problem"), [({"wieght": "weight"}, "has no column `wieght`"), ({"weight": "src"}, "has no column for `weight`")]
)
def test_columns_that_are_not_there(tmp_path: Path, columns: dict[str, str], problem: str) -> None:
    with pytest.raises(TidelogError, match=f"TL081: .*{problem}"):
        rows_of(source(tmp_path / "a.csv", "src,weight\na,1\n", **columns), relation())


def test_an_empty_file(tmp_path: Path) -> None:
    assert rows_of(source(tmp_path / "a.jsonl", ""), relation())[1:] == ([], 0)


def test_values_of_any_kinds_reach_the_knowledge_base_unchanged() -> None:
    facts = [
        ("text", 1),
        (IRI("http://e/x"), 2.5),
        (Literal("chat", None, "fr"), True),
        (Literal("1", "http://e/t"), date(2026, 11, 15)),
        ("more", 2),
    ]
    known, kb = Relation("edge", 2), KnowledgeBase()
    tables = list(tables_of(known, [tuple(map(from_python, fact)) for fact in facts]))
    assert [table.num_rows for table in tables] == [2, 1, 1, 1]
    for table in tables:
        kb.load("edge", table)
    assert set(kb["edge"]) == set(facts)


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
    garbled = bytearray(gzip.compress(b"<http://e/a> <http://e/p> <http://e/b> .\n" * 99))
    garbled[14:17] = b"\xff\xff\xff"
    (tmp_path / "a.nt.gz").write_bytes(garbled)
    with pytest.raises(TidelogError, match=r"TL083: .*not a whole gzip file"):
        triples_of(str(tmp_path / "a.nt.gz"), "nt", {})
    with pytest.raises(TidelogError, match="TL060"):
        triples_of(str(tmp_path / "missing.nt"), "nt", {})


@pytest.mark.parametrize("name", ["a.nt", "a.ttl", "a.ttl.gz"])
def test_triples_that_are_nested_deeply_are_refused(tmp_path: Path, name: str) -> None:
    """The parser recurses: such a file would end the process."""
    for depth, found in ((90, 1), (100_000, 0)):
        text = "<http://e/a> <http://e/p> " + "<<(<http://e/a> <http://e/p> " * depth + "<http://e/b>" + ")>>" * depth + " .\n"
        data = text.encode()
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        if found:
            assert triples_of(str(tmp_path / name), name.split(".")[1], {}).count == found
        else:
            with pytest.raises(TidelogError, match=rf"TL083: .*{name} is damaged: it is nested more than 100 levels deep"):
                triples_of(str(tmp_path / name), name.split(".")[1], {})
