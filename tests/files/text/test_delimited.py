"""CSV, TSV and `.facts`: headers, quotes, lines, types that are inferred."""

from __future__ import annotations

import warnings
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from tests.files.relations import declared, kinds, lists, mentioned, rejected, saved

from tidelog import KnowledgeBase
from tidelog.errors import TidelogError, TidelogWarning
from tidelog.files.reading import read
from tidelog.files.text import delimited
from tidelog.files.text.delimited import Header
from tidelog.program.relations import Relation
from tidelog.values import Kind

INT, FLOAT, STRING, BOOL, DATE, TIMESTAMP, IRI = (
    Kind.INT,
    Kind.FLOAT,
    Kind.STRING,
    Kind.BOOL,
    Kind.DATE,
    Kind.TIMESTAMP,
    Kind.IRI,
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("edges.csv", "1,a\n2,b\n"),
        ("edges.csv", "1,a\r\n2,b"),
        ("edges.csv", "\ufeff1,a\n\n2,b\n\n"),
        ("edges.csv", '"1","a"\n"2","b"\n'),
        ("EDGES.CSV", "1,a\n2,b\n"),
        ("edges.csv.gz", "1,a\n2,b\n"),
        ("edges.tsv", "1\ta\n2\tb\n"),
        ("edges.tsv.gz", "1\ta\n2\tb\n"),
        ("edge.facts", "1\ta\n2\tb\n"),
        ("edge.facts.gz", "1\ta\n2\tb\n"),
    ],
)
def test_formats(tmp_path: Path, name: str, text: str) -> None:
    path = saved(tmp_path, name, text)
    loaded = read(path, "edge", mentioned(2))
    assert kinds(loaded) == [INT, STRING]
    assert lists(loaded) == [[1, 2], ["a", "b"]]
    ending = name.lower().partition(".")[2]
    assert loaded.description == f"edge: 2 rows from {path} ({ending}, no header; columns: int, string, inferred)"
    assert lists(read(str(path), "edge")) == [[1, 2], ["a", "b"]]


def test_facts_have_neither_quotes_nor_header(tmp_path: Path) -> None:
    assert lists(read(saved(tmp_path, "p.facts", 'n\t"a\n1\tb"\n'), "p")) == [["n", "1"], ['"a', 'b"']]
    assert lists(read(saved(tmp_path, "p.facts", "n\tm\n1\t2\n"), "p", header=True)) == [[1], [2]]


def test_quotes(tmp_path: Path) -> None:
    text = '"a, b","say ""hi"""\n"two\nlines",x\n"",y\n'
    assert lists(read(saved(tmp_path, "p.csv", text), "p")) == [["a, b", "two\nlines", ""], ['say "hi"', "x", "y"]]


def test_long_cells(tmp_path: Path) -> None:
    long = "x" * 9_000_000
    assert lists(read(saved(tmp_path, "p.csv", f"a,b\n{long},c\n"), "p")) == [["a", long], ["b", "c"]]


# --- headers --------------------------------------------------------------------------------------------------------------

EDGE = declared(src=STRING, dst=STRING)
HEADERS: list[tuple[str, object, Header, list[list[object]]]] = [
    ("src,dst\na,b\n", EDGE, "auto", [["a"], ["b"]]),
    ("DST, Src\nb,a\n", EDGE, "auto", [["a"], ["b"]]),
    ("note,dst,src\nn,b,a\n", EDGE, "auto", [["a"], ["b"]]),
    ("src,dst\n", EDGE, "auto", [[], []]),
    ("from,to\na,b\n", EDGE, "auto", [["from", "a"], ["to", "b"]]),
    ("from,to\na,b\n", EDGE, True, [["a"], ["b"]]),
    ("dst,src\nb,a\n", EDGE, False, [["dst", "b"], ["src", "a"]]),
    ("dst,src\nb,a\n", None, "auto", [["dst", "b"], ["src", "a"]]),
    ("from,to\na,1\nb,2\n", None, "auto", [["a", "b"], [1, 2]]),
    ("from,to\na,1\nb,\n", EDGE, "auto", [["a", "b"], ["1", ""]]),
    ("1,to\na,1\n", None, "auto", [["a"], [1]]),
    ("from,1\na,2\n", None, "auto", [["from", "a"], [1, 2]]),
    (",1\n3,2\n", declared(a=STRING, b=INT), "auto", [["", "3"], [1, 2]]),
    ("from,to\n", None, "auto", [["from"], ["to"]]),
    ("from,to\n", None, True, [[], []]),
    ("when\n2026-11-15\n", None, "auto", [[date(2026, 11, 15)]]),
    ("x\n007\n", None, "auto", [["x", "007"]]),
]


@pytest.mark.parametrize(("text", "relation", "header", "expected"), HEADERS)
def test_headers(tmp_path: Path, text: str, relation: object, header: Header, expected: list[list[object]]) -> None:
    assert lists(read(saved(tmp_path, "e.csv", text), "edge", relation, header=header)) == expected  # type: ignore[arg-type]


def test_header_is_described(tmp_path: Path) -> None:
    path = saved(tmp_path, "e.csv", "note,dst,src\nn,b,a\n")
    described = f"edge: 1 row from {path} (csv, a header, by name; columns: string, string, declared; left out: note)"
    assert read(path, "edge", EDGE).description == described


def test_a_header_that_is_neither(tmp_path: Path) -> None:
    with pytest.raises(TidelogError, match="TL074: there is no header='yes'"):
        read(saved(tmp_path, "e.csv", "a,b\n"), "edge", header="yes")  # type: ignore[arg-type]


# --- types ----------------------------------------------------------------------------------------------------------------

INFERRED: list[tuple[list[str], Kind, list[object]]] = [
    (["1", "-2", "0", "-0"], INT, [1, -2, 0, 0]),
    (["9223372036854775807", "-9223372036854775808"], INT, [2**63 - 1, -(2**63)]),
    ([" 1", "2 "], INT, [1, 2]),
    (["007", "1"], STRING, ["007", "1"]),
    (["1"] * 2000 + ["007"], STRING, [*["1"] * 2000, "007"]),
    (["-01", "1"], STRING, ["-01", "1"]),
    (["0x1F", "1"], STRING, ["0x1F", "1"]),
    (["+49", "1"], STRING, ["+49", "1"]),
    (["9223372036854775808", "1"], STRING, ["9223372036854775808", "1"]),
    (["9007199254740993", "0.5"], STRING, ["9007199254740993", "0.5"]),
    (["1", "2.5", "1e3", "-0.0", ".5"], FLOAT, [1.0, 2.5, 1000.0, 0.0, 0.5]),
    (["1e300", "inf", "-inf"], FLOAT, [1e300, float("inf"), float("-inf")]),
    (["nan", "inf"], STRING, ["nan", "inf"]),
    (["1.5", "Infinity"], STRING, ["1.5", "Infinity"]),
    (["007.5", "1"], STRING, ["007.5", "1"]),
    (["1_000", "2"], STRING, ["1_000", "2"]),
    (["1", "x"], STRING, ["1", "x"]),
    (["1"] * 2000 + ["x"], STRING, [*["1"] * 2000, "x"]),
    (["true", "False", "TRUE"], BOOL, [True, False, True]),
    (["true", "yes"], STRING, ["true", "yes"]),
    (["2026-11-15", "2024-02-29"], DATE, [date(2026, 11, 15), date(2024, 2, 29)]),
    (["2026-11-15", "2026-02-30"], STRING, ["2026-11-15", "2026-02-30"]),
    (["2026-11-15", "0000-01-01"], STRING, ["2026-11-15", "0000-01-01"]),
    (["2026-11-15", "2026-11-15T00:00:00"], STRING, ["2026-11-15", "2026-11-15T00:00:00"]),
    (
        ["2026-11-15T06:43:00Z", "2026-11-15 06:43:00.5", "2026-11-15T06:43:00+01:00", "2026-11-15T06:43:00.1234560"],
        TIMESTAMP,
        [
            datetime(2026, 11, 15, 6, 43, tzinfo=UTC),
            datetime(2026, 11, 15, 6, 43, 0, 500_000, tzinfo=UTC),
            datetime(2026, 11, 15, 5, 43, tzinfo=UTC),
            datetime(2026, 11, 15, 6, 43, 0, 123_456, tzinfo=UTC),
        ],
    ),
    (["9999-12-31T23:59:59-01:00"], STRING, ["9999-12-31T23:59:59-01:00"]),
    (["06:43:00", "07:00:00"], STRING, ["06:43:00", "07:00:00"]),
    (["<http://example.org/a>"], STRING, ["<http://example.org/a>"]),
    (["", ""], STRING, ["", ""]),
    (["", "a"], STRING, ["", "a"]),
    (["NA", "null"], STRING, ["NA", "null"]),
]


@pytest.mark.parametrize(("cells", "kind", "expected"), INFERRED)
def test_inferred(tmp_path: Path, cells: list[str], kind: Kind, expected: list[object]) -> None:
    path = saved(tmp_path, "e.csv", "".join(f"k,{cell}\n" for cell in cells))
    loaded = read(path, "edge", header=False)
    assert kinds(loaded) == [STRING, kind]
    assert lists(loaded)[1] == expected


DECLARED: list[tuple[Kind, str, object]] = [
    (INT, "007", 7),
    (INT, "+5", 5),
    (INT, " 5 ", 5),
    (FLOAT, "5", 5.0),
    (FLOAT, "+.5", 0.5),
    (FLOAT, "-0", 0.0),
    (FLOAT, "inf", float("inf")),
    (FLOAT, "99999999999999999999", 1e20),
    (BOOL, "1", True),
    (BOOL, " false", False),
    (STRING, "5", "5"),
    (STRING, "", ""),
    (STRING, " x ", " x "),
    (DATE, "2026-11-15", date(2026, 11, 15)),
    (TIMESTAMP, "2026-11-15 06:43:00", datetime(2026, 11, 15, 6, 43, tzinfo=UTC)),
    (IRI, "<http://example.org/a>", "http://example.org/a"),
    (IRI, "http://example.org/a", "http://example.org/a"),
]


@pytest.mark.parametrize(("kind", "cell", "expected"), DECLARED)
def test_declared(tmp_path: Path, kind: Kind, cell: str, expected: object) -> None:
    loaded = read(saved(tmp_path, "e.csv", f"k,{cell}\n"), "edge", declared(a=None, b=kind))
    assert kinds(loaded) == [STRING, kind]
    assert lists(loaded)[1] == [expected]
    assert kind is not FLOAT or str(lists(loaded)[1]) == str([expected])  # -0.0 == 0.0


def test_what_fits_does_not_depend_on_the_other_cells(tmp_path: Path) -> None:
    for kind in (INT, FLOAT, BOOL, DATE, TIMESTAMP, IRI):
        texts = [cell for cells, _, _ in INFERRED for cell in cells[:10]] + [cell for _, cell, _ in DECLARED]
        relation, fits = declared(a=STRING, b=kind), {}
        for text in dict.fromkeys(texts):
            try:
                fits[text] = lists(read(saved(tmp_path, "e.csv", f'k,"{text}"\n'), "edge", relation))[1][0]
            except TidelogError:
                continue
        fused = read(saved(tmp_path, "e.csv", "".join(f'k,"{text}"\n' for text in fits)), "edge", relation)
        assert str(lists(fused)[1]) == str(list(fits.values()))


# --- files that are wrong ---------------------------------------------------------------------------------------------------


def test_ragged_lines(tmp_path: Path) -> None:
    path = saved(tmp_path, "e.csv", '1,2\n\n3\n"4\n5",6\n7,8,9\n')
    code, notes, text = rejected(path)
    assert code == "TL080"
    assert f"2 of 4 rows of {path} do not fit `edge`; nothing is loaded" in text
    assert notes == (
        f'{path}:3: 1 cell, and the first row has 2: "3"',
        f'{path}:6: 3 cells, and the first row has 2: "7,8,9"',
    )


def test_an_open_quote(tmp_path: Path) -> None:
    for text in ('1,2\n"3,4\n5,6\n', '1,2\n3,"4\n5,6\n', '1,"x"y\n3,"4\n5,""6\n'):
        code, _, message = rejected(saved(tmp_path, "e.csv", text))
        assert (code, "line 2 has a quote that nothing closes" in message) == ("TL083", True)
    assert lists(read(saved(tmp_path, "e.csv", 'a,5"\nb,6\n'), "edge", header=False)) == [["a", "b"], ['5"', "6"]]


def test_an_open_quote_is_found_whatever_is_in_the_cell_and_before_it(tmp_path: Path) -> None:
    for text, line in (
        ('\ufeff"a\n1\n', 1),
        ('a,b\r\n"x\r\ny",2\r\n3,"4""\r\n', 4),
        ('a,b\n1,"' + "x" * 200_000 + "\n", 2),
    ):
        code, _, message = rejected(saved(tmp_path, "e.csv", text))
        assert (code, f"line {line} has a quote that nothing closes" in message) == ("TL083", True)


def test_rows_longer_than_a_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "_BLOCK", 64)
    long = "x" * 1_000
    text = "a,b\n1,2\n" * 20 + f'c,"{long}"\n' + "3,4\n" * 20
    assert lists(read(saved(tmp_path, "e.csv", text), "edge", header=False))[1].count(long) == 1
    path = saved(tmp_path, "e.csv", text.replace("1,2\n", "1\n"))
    assert f"20 of 61 rows of {path} do not fit `edge`" in rejected(path)[2]  # each once, though the file was read twice


@pytest.mark.parametrize("text", ["", "\n\n", "\r\n", "\ufeff\n"])
def test_a_file_without_a_row(tmp_path: Path, text: str) -> None:
    assert lists(read(saved(tmp_path, "e.csv", text), "edge", declared(a=STRING))) == [[]]


# --- headers that do not match ---------------------------------------------------------------------------------------------

CAN = declared(user=STRING, resource=STRING)


@pytest.mark.parametrize("first", ["resource,user id", "user,thing", "user,user", "user,", "User,thing,other"])
def test_a_header_with_some_of_the_names_is_refused(tmp_path: Path, first: str) -> None:
    path = saved(tmp_path, "can.csv", f"{first}\n" + ",".join("abc"[: first.count(",") + 1]) + "\n")
    headers: tuple[Header, ...] = ("auto", True)
    for header in headers:
        with pytest.raises(TidelogError, match="TL081"):
            read(path, "can", CAN, header=header)
    if first.count(",") == 1:
        assert len(lists(read(path, "can", CAN, header=False))[0]) == 2


def test_the_error_says_which_name_and_how_to_say_that_it_is_none(tmp_path: Path) -> None:
    path = saved(tmp_path, "can.csv", "resource,user id\n/srv/a,alice\n")
    with pytest.raises(TidelogError, match=r"(?s)has no column `user` of `can`.*\(resource, user id\).*say `header=False`"):
        read(path, "can", CAN)


@pytest.mark.parametrize("first", ["user,5", "user,2026-11-15", "name,thing"])
def test_a_row_that_is_no_header(tmp_path: Path, first: str) -> None:
    assert len(lists(read(saved(tmp_path, "can.csv", f"{first}\na,b\n"), "can", CAN))[0]) == 2


@pytest.mark.parametrize(
    "first", ["007", "+49", "9223372036854775808", "1e400", "1" + "0" * 400, "2026-11-15T00:00:00.000000001"]
)
def test_a_figure_is_no_header(tmp_path: Path, first: str) -> None:
    """It has no number's type, and so the column is one of strings; it must not be lost."""
    rest = "2026-11-15T00:00:00Z" if "T" in first else "8"
    assert lists(read(saved(tmp_path, "e.csv", f"{first}\n{rest}\n"), "edge")) == [[first, rest]]


def test_a_number_that_is_too_large_is_no_float(tmp_path: Path) -> None:
    for text in ("1e400", "-1e400", "1" + "0" * 400):
        path = saved(tmp_path, "e.csv", f"{text}\n1.5\n")
        assert rejected(path, declared(a=FLOAT))[0] == "TL080"
        assert kinds(read(path, "edge")) == [STRING]
    assert lists(read(saved(tmp_path, "e.csv", "inf\n1.5\n"), "edge")) == [[float("inf"), 1.5]]


def test_a_row_of_another_length_that_is_not_utf8(tmp_path: Path) -> None:
    """Arrow cannot report such a row, and would pass over it."""
    assert rejected(saved(tmp_path, "e.csv", b"a,b\n\xdf,c,d\n"))[0] == "TL061"


@pytest.mark.parametrize(("data", "code"), [(b'"a,b\n', "TL083"), (b"\0", "TL081")])
def test_a_file_that_arrow_takes_for_an_empty_one(tmp_path: Path, data: bytes, code: str) -> None:
    assert rejected(saved(tmp_path, "e.csv", data), mentioned(2))[0] == code


@pytest.mark.parametrize(
    ("rows", "header", "relation", "warns"),
    [
        ("supplier,part\nAlba,spoke\nBorg,rim\n", "auto", None, True),
        ("supplier,part\nAlba,spoke\nBorg,rim\n", "auto", mentioned(2), True),
        ("supplier,part\nAlba,spoke\nBorg,rim\n", True, None, False),
        ("supplier,part\nAlba,spoke\nBorg,rim\n", False, None, False),
        ("a,b\nb,c\nc,d\n", "auto", None, False),  # an edge to a node that has another one
        ("hub,north\nhub,south\n", "auto", None, False),
        ("part,part\nspoke,wheel\nrim,wheel\n", "auto", None, False),
        ("supplier,part\nAlba,spoke\n", "auto", None, False),  # one row says nothing of it
        ("part\nspoke\nrim\n", "auto", None, False),
        ("c 1,12 x\nAlba,spoke\nBorg,rim\n", "auto", None, False),
    ],
)
def test_a_first_row_that_looks_like_names(
    tmp_path: Path, rows: str, header: Header, relation: Relation | None, warns: bool
) -> None:
    path = saved(tmp_path, "supplies.csv", rows)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loaded = read(path, "supplies", relation, header=header)
    assert [str(warning.message)[:14] for warning in caught] == ["warning TL106:"] * warns
    assert len(lists(loaded)[0]) == rows.count("\n") - (header is True)


def test_names_with_blanks_are_proposed_as_they_can_be_declared(tmp_path: Path) -> None:
    path = saved(tmp_path, "supplies.csv", "shop name,part\nAlba,spoke\nBorg,rim\n")
    said = r'`@relation supplies\(shop_name: string, part: string\) .` and say columns=\{"shop name": "shop_name"\}'
    with pytest.warns(TidelogWarning, match=said):
        read(path, "supplies")


@pytest.mark.parametrize("ending", ["csv", "tsv", "facts"])
@pytest.mark.parametrize("line", [b'\r{"name":"a"}', b"1\r2", b"\r\r", b"a" * 200_000, b'"\r'])
def test_first_lines_that_the_reader_of_headers_refuses(tmp_path: Path, ending: str, line: bytes) -> None:
    path = tmp_path / f"x.{ending}"
    path.write_bytes(line + b"\n")
    kb = KnowledgeBase()
    with suppress(TidelogError):  # it may be refused, but by an error of Tidelog's
        kb.load("p", path)
    assert "p" not in kb.relations or kb.count("p") <= 2
