"""Files of integers are read as texts are, and without a text for each cell."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.files.relations import declared, kinds, lists, saved

from tidelog.errors import TidelogError
from tidelog.files.reading import read
from tidelog.files.text import delimited, integers
from tidelog.files.text.integers import integer_columns
from tidelog.program.relations import Relation
from tidelog.values import Kind

PLAIN = ["0", "7", "-5", "10", "100", "20", str(2**63 - 1), str(-(2**63))]
ODD = [str(2**63), "-0", "007", "-07", "00", "1-2", "-", "", "+3", " 4", "x", "0x1F", "1.5", "1e3", '"7"', "2020-01-01"]
ROW = st.lists(st.sampled_from(PLAIN), min_size=2, max_size=2)
ODD_ROW = st.lists(st.sampled_from(PLAIN + ODD), min_size=1, max_size=3)
NAMES = st.sampled_from(["a,b", "src,dst", '"dst","src"', "id 2,é", "a,1", "src", "src,dst,c"])
INT, FLOAT, STRING = Kind.INT, Kind.FLOAT, Kind.STRING
RELATIONS = [None, (None, None), (INT, INT), (FLOAT, INT), (STRING, INT)]


def outcome(path: Path, relation: Relation | None, header: delimited.Header) -> object:
    try:
        loaded = read(path, "p", relation, header=header)
    except TidelogError as error:
        return str(error)
    return loaded.description, kinds(loaded), lists(loaded), loaded.names


@given(
    st.lists(st.one_of(ROW, ROW, ROW, ODD_ROW), max_size=5),
    st.none() | NAMES,
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
    st.sampled_from(RELATIONS),
    st.sampled_from(["auto", True, False]),
)
@example([["1", "2"]], None, "\n", False, None, "auto")
@example([["1", "2"], ["3", "4"]], "a,b", "\n", True, None, "auto")
def test_the_outcome_is_that_of_texts(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[list[str]],
    names: str | None,
    end: str,
    is_ended: bool,
    columns: tuple[Kind | None, Kind | None] | None,
    header: delimited.Header,
) -> None:
    text = end.join([*([names] if names else []), *(",".join(row) for row in rows)]) + (end if is_ended else "")
    path = saved(tmp_path_factory.mktemp("files"), "p.csv", text)
    relation = declared(src=columns[0], dst=columns[1]) if columns else None
    found = outcome(path, relation, header)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "integer_columns", lambda *_: None)
        assert found == outcome(path, relation, header)


@pytest.mark.parametrize("odd", ODD)
def test_what_is_no_plain_integer_is_left_to_texts(odd: str) -> None:
    assert integer_columns(b"1,2\n3,4\n", 0, ",") is not None
    assert integer_columns(f"1,2\n3,{odd}\n".encode(), 0, ",") is None
    assert integer_columns(f"{odd},2\n3,4\n".encode(), 0, ",") is None


def test_a_zero_is_seen_where_two_pieces_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    for piece in range(1, 9):
        monkeypatch.setattr(integers, "_PIECE", piece)
        assert integer_columns(b"10,20\n100,-30\n0,0\n", 0, ",") is not None
        for text in (b"10,20\n100,030\n", b"10,20\n100,-03\n", b"10,20\n010,3\n", b"01,2\n", b"1,2\n3,x\n"):
            assert integer_columns(text, 0, ",") is None


def test_a_file_of_one_line_needs_no_line_break(tmp_path: Path) -> None:
    assert lists(read(saved(tmp_path, "p.csv", "1,2"), "p")) == [[1], [2]]
    assert lists(read(saved(tmp_path, "p.csv", "a,2"), "p")) == [["a"], [2]]
    assert kinds(read(saved(tmp_path, "p.csv", "a;2"), "p", header=False)) == [Kind.STRING]
