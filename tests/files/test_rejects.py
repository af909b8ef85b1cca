"""Rows that do not fit: every reason, and the places."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from tests.files.relations import declared, rejected, saved

from tidelog.files.rejects import default_misfit, reject_error, shown, with_article
from tidelog.values import Kind

TEXTS = [
    (Kind.INT, "x7", '"x7" is not an int'),
    (Kind.INT, "1.0", '"1.0" is not an int'),
    (Kind.INT, "0x1F", '"0x1F" is not an int'),
    (Kind.INT, "", "it is empty"),
    (Kind.INT, " ", "it is empty"),
    (Kind.INT, "9223372036854775808", '"9223372036854775808" is outside of 64 bits'),
    (Kind.FLOAT, "1,5", '"1,5" is not a float'),
    (Kind.FLOAT, "nan(1)", '"nan(1)" is not a float'),
    (Kind.BOOL, "yes", '"yes" is not a bool (true or false)'),
    (Kind.DATE, "2026-02-30", '"2026-02-30" is not a date such as 2026-11-15'),
    (Kind.DATE, "0000-01-01", '"0000-01-01" is not a date such as 2026-11-15'),
    (Kind.DATE, "15.11.2026", '"15.11.2026" is not a date such as 2026-11-15'),
    (Kind.TIMESTAMP, "2026-11-15", '"2026-11-15" is not a timestamp such as 2026-11-15T06:43:00Z'),
    (Kind.TIMESTAMP, "2026-11-15T06:43:00+0100", '"2026-11-15T06:43:00+0100" is not a timestamp such as 2026-11-15T06:43:00Z'),
    (
        Kind.TIMESTAMP,
        "2026-11-15T06:43:00.1234567Z",
        '"2026-11-15T06:43:00.1234567Z" is not a timestamp such as 2026-11-15T06:43:00Z',
    ),
    (Kind.IRI, "a b", '"a b" is not an iri such as <http://example.org/a>'),
    (Kind.IRI, "<http://example.org/", '"<http://example.org/" is not an iri such as <http://example.org/a>'),
    (Kind.IRI, "", "it is empty"),
    (Kind.LITERAL, "chat", '"chat" is not a literal such as "chat"@fr or "5"^^xsd:byte'),
    (Kind.LITERAL, "", "it is empty"),
]


@pytest.mark.parametrize(("kind", "cell", "reason"), TEXTS)
def test_texts(tmp_path: Path, kind: Kind, cell: str, reason: str) -> None:
    path = saved(tmp_path, "e.csv", f'src,dst\nk,"{cell}"\n')
    code, notes, text = rejected(path, declared(src=Kind.STRING, dst=kind))
    assert code == "TL080"
    assert notes == (f"{path}:2: column dst: {reason}",)
    assert f"error TL080: the only row of {path} does not fit `edge`; nothing is loaded" in text


TYPED = [
    (Kind.INT, pa.array([None], pa.int64()), "it is null"),
    (Kind.INT, pa.nulls(1), "it is null"),
    (None, pa.nulls(1), "it is null"),
    (Kind.LITERAL, pa.nulls(1), "it is null"),
    (Kind.STRING, pa.array([None], pa.string()), "it is null"),
    (Kind.INT, pa.array([1.0]), "1.0 is a float, and the column is declared int"),
    (Kind.INT, pa.array(["1"]), '"1" is a string, and the column is declared int'),
    (Kind.INT, pa.array([True]), "True is a bool, and the column is declared int"),
    (Kind.INT, pa.array([2**63], pa.uint64()), "9223372036854775808 is outside of 64 bits"),
    (None, pa.array([2**63], pa.uint64()), "9223372036854775808 is outside of 64 bits"),
    (Kind.FLOAT, pa.array(["1.5"]), '"1.5" is a string, and the column is declared float'),
    (Kind.STRING, pa.array([1]), "1 is an int, and the column is declared string"),
    (Kind.BOOL, pa.array([1]), "1 is an int, and the column is declared bool"),
    (Kind.LITERAL, pa.array([1]), "1 is an int, and the column is declared literal"),
    (Kind.DATE, pa.array(["x"]), '"x" is not a date such as 2026-11-15'),
    (
        Kind.DATE,
        pa.array([datetime(2026, 11, 15)]),
        "datetime.datetime(2026, 11, 15, 0, 0) is a timestamp, and the column is declared date",
    ),
    (
        Kind.TIMESTAMP,
        pa.array([date(2026, 11, 15)]),
        "datetime.date(2026, 11, 15) is a date, and the column is declared timestamp",
    ),
    (Kind.IRI, pa.array(["a b"]), '"a b" is not an iri such as <http://example.org/a>'),
    (Kind.IRI, pa.array([{"lang": "fr", "value": "a"}]), "{'lang': 'fr', 'value': 'a'} is nothing that a fact can hold"),
    (None, pa.array([{"x": 1}]), "{'x': 1} is nothing that a fact can hold"),
]


@pytest.mark.parametrize(("kind", "cells", "reason"), TYPED)
def test_typed(kind: Kind | None, cells: pa.Array, reason: str) -> None:
    code, notes, _ = rejected(pa.table({"x": cells}), declared(x=kind))
    assert code == "TL080"
    assert notes == (f"row 1: column x: {reason}",)


def test_count_places_and_first_columns(tmp_path: Path) -> None:
    rows = ["1,2", "x,y", '3,"4\n5"', "", ",", "1,2", *["a,1"] * 3, "5,b", "6,c"]
    path = saved(tmp_path, "e.csv", "\n".join(rows))
    code, notes, text = rejected(path, declared(src=Kind.INT, dst=Kind.INT))
    assert code == "TL080"
    assert f"8 of 10 rows of {path} do not fit `edge`" in text
    assert notes == (
        f'{path}:2: column src: "x" is not an int',
        f'{path}:3: column dst: "4\\n5" is not an int',
        f"{path}:6: column src: it is empty",
        f'{path}:8: column src: "a" is not an int',
        f'{path}:9: column src: "a" is not an int',
        "... and 3 more",
    )


def test_labels_without_a_declaration(tmp_path: Path) -> None:
    assert rejected(saved(tmp_path, "e.csv", "1,2\n3,\n"))[1][0].endswith("e.csv:2: column 2: it is empty")
    assert rejected(saved(tmp_path, "e.csv", "a,b\n1,2\n3,\n"))[1][0].endswith("e.csv:3: column b: it is empty")


def test_long_cells_are_cut(tmp_path: Path) -> None:
    _, (note,), _ = rejected(saved(tmp_path, "e.csv", "x" * 500 + "\n"), declared(a=Kind.INT))
    assert len(note) < 100 + len(str(tmp_path))
    assert "xxx... is not an int" in note


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("a b", '"a b"'),
        ("a\nb", '"a\\nb"'),
        (1.5, "1.5"),
        (None, "None"),
        ("x" * 80, '"' + "x" * 56 + "..."),
        ("\ud800", '"\\ud800"'),
    ],
)
def test_cells_are_shown_on_one_line(cell: object, text: str) -> None:
    assert shown(cell) == text


def test_how_many_rows_do_not_fit() -> None:
    assert (
        reject_error("a.csv", "p", 1, 1, ["x"]).diagnostics[0].message
        == "the only row of a.csv does not fit `p`; nothing is loaded"
    )
    problem = reject_error("a.csv", "p", 1200, 5000, ["x", "y"]).diagnostics[0]
    assert problem.message == "1,200 of 5,000 rows of a.csv do not fit `p`; nothing is loaded"
    assert problem.notes == ("x", "y", "... and 1,198 more")


def test_a_default_of_another_type() -> None:
    assert default_misfit("p", "n", Kind.INT).diagnostics[0].fix == "give a default that is an int"
    assert with_article(Kind.DATE) == "a date"


def test_a_text_that_means_no_value_is_one_for_null(tmp_path: Path) -> None:
    path = saved(tmp_path, "a.csv", "x,n\na,1\nb,N/A\n")
    relation = declared(x=Kind.STRING, n=Kind.INT)
    assert 'say `null="N/A"` and what stands for it, `defaults={"n": …}`' in rejected(path, relation)[2]
    assert "defaults" in rejected(path, relation, null="N/A")[2]
