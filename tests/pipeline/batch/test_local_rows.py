"""Rows for the local engine: columns by other names, rows that do not fit, and values of every kind."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tidelog import IRI, KnowledgeBase, Literal, TidelogError
from tidelog.pipeline.batch.local_rows import local_format, rows_of, tables_of
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
