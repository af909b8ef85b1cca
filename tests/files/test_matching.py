"""Which column is which: by name, by position, or an error that shows both sides; and columns with a default."""

from __future__ import annotations

import math
from pathlib import Path

import pyarrow as pa
import pytest
from tests.files.relations import declared, lists, mentioned, rejected, saved

from tidelog.errors import TidelogError
from tidelog.files.matching import (
    Matched,
    as_identifier,
    declared_kinds,
    default_values,
    find_names,
    has_some,
    mapped,
    match_columns,
)
from tidelog.files.raw import RawTable, row_places
from tidelog.files.reading import read
from tidelog.values import Kind, integer

TABLE = pa.table({"dst": ["b"], "weight": [3], "SRC": ["a"]})


def raw(*names: str) -> RawTable:
    """A table of one row with these columns."""
    columns = tuple(pa.chunked_array([pa.array([at])]) for at in range(len(names)))
    return RawTable("a table", "test", names, columns, 1, row_places("a table", is_file=False))


def test_positions_labels_and_what_is_left_out() -> None:
    found = match_columns(raw("dst", "weight", "SRC"), "edge", declared(src=Kind.STRING, dst=None))
    assert found == Matched((2, 0), ("src", "dst"), (Kind.STRING, None), True, ("weight",))
    found = match_columns(raw("x", ""), "edge", mentioned(2))
    assert found == Matched((0, 1), ("x", "2"), (None, None), False, ())


@pytest.mark.parametrize(
    ("wanted", "names", "found"),
    [
        (["a", "b"], ["b", "a"], (1, 0)),
        (["a"], [" A "], (0,)),
        (["a"], ["A", "a"], (1,)),
        (["a", "c"], ["a", "b"], None),
        (["a", "A"], ["a"], None),
        ([], ["a"], ()),
    ],
)
def test_find_names(wanted: list[str], names: list[str], found: tuple[int, ...] | None) -> None:
    assert find_names(wanted, names) == found


def test_declared_kinds() -> None:
    assert declared_kinds(None, 2) == (None, None)
    assert declared_kinds(mentioned(3), 2) == (None, None, None)
    assert declared_kinds(declared(a=Kind.INT, b=None), 9) == (Kind.INT, None)


def test_default_values_by_any_name_that_a_column_has() -> None:
    matched = Matched((1, 0), ("src", "dst"), (None, None), True, ())
    names = ("DST", "SRC")
    for key in ("src", "SRC", 0):
        assert default_values({key: 7}, matched, "edge", names) == {0: integer(7)}
    assert default_values(None, matched, "edge", names) == {}
    with pytest.raises(TidelogError, match=r"(?s)TL081: .*'dstt'.*did you mean `dst`"):
        default_values({"dstt": 7}, matched, "edge", names)


# --- from the way in -----------------------------------------------------------------------------------------------------


def test_columns_by_name() -> None:
    loaded = read(TABLE, "edge", declared(src=Kind.STRING, dst=Kind.STRING))
    assert lists(loaded) == [["a"], ["b"]]
    columns = "columns: string, string, declared; left out: weight"
    assert loaded.description == f"edge: 1 row from an Arrow table (arrow, by name; {columns})"
    described = read(TABLE, "edge", declared(src=None, weight=Kind.FLOAT)).description
    assert "columns: string (inferred), float; left out: dst" in described


def test_columns_by_position() -> None:
    assert lists(read(TABLE, "edge", declared(x=Kind.STRING, y=Kind.INT, z=None))) == [["b"], [3], ["a"]]
    assert lists(read(TABLE, "edge", mentioned(3))) == [["b"], [3], ["a"]]
    assert lists(read(TABLE, "edge")) == [["b"], [3], ["a"]]


def test_columns_of_exactly_the_name_come_first() -> None:
    table = pa.table([pa.array([1]), pa.array([2]), pa.array([3])], names=["A", "a", "b"])
    assert lists(read(table, "edge", declared(a=Kind.INT, b=Kind.INT))) == [[2], [3]]
    table = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    assert lists(read(table, "edge")) == [[1], [2]]


def test_columns_that_do_not_fit() -> None:
    code, _, text = rejected(TABLE, declared(src=Kind.STRING, dest=Kind.STRING))
    assert code == "TL081"
    assert "an Arrow table has no column `dest` of `edge`, but others of its names: 3 columns (dst, weight, SRC)" in text
    assert "did you mean `dst`?" in text
    assert rejected(TABLE, mentioned(2))[0] == "TL081"
    assert rejected(TABLE, mentioned(0))[0] == "TL081"
    assert read(pa.table({}), "edge", mentioned(0)).rows == 0


def test_arity(tmp_path: Path) -> None:
    path = saved(tmp_path, "e.csv", "1,2,3\n")
    code, _, text = rejected(path, mentioned(2))
    assert code == "TL081"
    assert f"{path} has 3 columns, and `edge` has 2 columns" in text
    _, _, text = rejected(path, declared(src=Kind.INT, dst=Kind.INT))
    assert "has 3 columns, and `edge` has 2 columns (src, dst)" in text
    assert "header=True" in text


def test_defaults_by_name_and_position(tmp_path: Path) -> None:
    path = saved(tmp_path, "e.csv", "1,2.5,a\n,,\n 	,2.5,b\n")
    loaded = read(path, "edge", defaults={0: 7, 1: 1, 2: "?"})
    assert lists(loaded) == [[1, 7, 7], [2.5, 1.0, 2.5], ["a", "?", "b"]]
    relation = declared(x=Kind.INT, y=Kind.FLOAT, z=Kind.STRING)
    assert lists(read(path, "edge", relation, defaults={"x": 7, "y": math.inf})) == [
        [1, 7, 7],
        [2.5, math.inf, 2.5],
        ["a", "", "b"],
    ]
    path = saved(tmp_path, "e.csv", "n\n1\n \n")
    assert lists(read(path, "edge", defaults={"n": 0})) == [[1, 0]]


def test_defaults_that_do_not_fit(tmp_path: Path) -> None:
    path = saved(tmp_path, "e.csv", "1,2\n3,\n")
    assert rejected(path, defaults={1: "x"})[0] == "TL081"
    assert rejected(path, defaults={2: 0})[0] == "TL081"
    assert rejected(path, defaults={-1: 0})[0] == "TL081"
    assert rejected(path, declared(src=Kind.INT, dst=Kind.INT), defaults={"dsst": 0})[2].endswith("did you mean `dst`?")
    assert rejected(path, defaults={1: None})[0] == "TL072"


MAPPED_TABLE = RawTable("a.csv", "csv", ("x", "y", "z"), (["1"], ["2"], ["3"]), 1, lambda _: [])


def test_without_a_mapping_all_columns_are_meant() -> None:
    assert mapped(MAPPED_TABLE, {}, "edge", None) == (MAPPED_TABLE, [0, 1, 2])


def test_mapped_columns_come_first_in_the_order_of_the_relation() -> None:
    found, places = mapped(MAPPED_TABLE, {"z": "src"}, "edge", declared(y=Kind.STRING, src=Kind.STRING))
    assert (found.names, found.columns, places) == (("y", "src"), (["2"], ["3"]), [1, 2])
    found, places = mapped(MAPPED_TABLE, {"y": "b", "x": "a"}, "edge", None)
    assert (found.names, places) == (("b", "a"), [1, 0])


@pytest.mark.parametrize(
    ("columns", "message"),
    [({"q": "src"}, "no column `q`"), ({"x": "other"}, "no column for `src`"), ({"x": "src", "y": "more"}, "no column `more`")],
)
def test_mappings_that_do_not_fit(columns: dict[str, str], message: str) -> None:
    with pytest.raises(TidelogError, match=f"TL081.*{message}"):
        mapped(MAPPED_TABLE, columns, "edge", declared(src=Kind.STRING))


# --- some names match ------------------------------------------------------------------------------------------------------

CAN = declared(user=Kind.STRING, resource=Kind.STRING)


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (("resource", "user id"), "no column `user` of `edge`"),
        (("user", "thing"), "no column `resource` of `edge`"),
        (("User", "thing", "other"), "no column `resource` of `edge`"),
        (("user",), "no column `resource` of `edge`"),
        (("user", "user"), "more than one column `user`"),
        (("user", "resource", "user"), "more than one column `user`"),
        (("USER", "User", "resource"), "more than one column `user`"),
    ],
)
def test_columns_of_which_some_names_match_are_refused(names: tuple[str, ...], problem: str) -> None:
    with pytest.raises(TidelogError, match=f"TL081: a table has {problem}"):
        match_columns(raw(*names), "edge", CAN)


def test_two_names_for_one_column_are_refused() -> None:
    with pytest.raises(TidelogError, match="TL081: a table has no column `A`"):
        match_columns(raw("a", "b"), "edge", declared(a=None, A=None))


def test_the_error_knows_similar_names() -> None:
    with pytest.raises(TidelogError, match="fix: did you mean `resources`"):
        match_columns(raw("user", "resources"), "edge", CAN)


def test_where_no_name_matches_positions_do() -> None:
    assert match_columns(raw("name", "thing"), "edge", CAN).positions == (0, 1)
    assert has_some(["user"], ["USER "])
    assert not has_some(["user"], ["user id"])


@pytest.mark.parametrize("key", [None, 1.5, True, (0,)])
def test_a_default_is_for_a_name_or_a_position(key: object) -> None:
    with pytest.raises(TidelogError, match="TL081: there is a default for the column"):
        read(TABLE, "edge", defaults={key: 1})  # type: ignore[dict-item]


@pytest.mark.parametrize(("mark", "fix"), [(";", "`delimiter=';'`"), ("|", "`delimiter='|'`"), (":", "say `header=True`")])
def test_another_delimiter_is_named(tmp_path: Path, mark: str, fix: str) -> None:
    path = saved(tmp_path, "edge.csv", f"a{mark}b\nc{mark}d\n")
    with pytest.raises(TidelogError, match="TL081") as caught:
        read(path, "edge", declared(src=Kind.STRING, dst=Kind.STRING))
    assert fix in str(caught.value)


def test_columns_whose_names_have_blanks_are_mapped() -> None:
    relation = declared(order_id=None, price=None, place=None)
    text = rejected(pa.table({"order id": ["a"], "price": [2], "town": ["b"]}), relation)[2]
    assert 'columns={"order id": "order_id"}' in text
    text = rejected(pa.table({"order id": ["a"], "unit price": [2]}), relation)[2]
    assert 'columns={"order id": "order_id", …}' in text


def test_a_mapping_the_wrong_way_round_is_turned() -> None:
    table = pa.table({"order id": ["a"], "unit price": [2]})
    turned = {"id": "order id", "price": "unit price"}
    text = rejected(table, declared(id=None, price=None), columns=turned)[2]
    assert 'the names of the source come first: `columns={"order id": "id", "unit price": "price"}`' in text


@pytest.mark.parametrize(
    ("text", "name"), [("order id", "order_id"), (" Größe (m) ", "Größe_m"), ("2nd", "c_2nd"), ("%", "c_"), ("a", "a")]
)
def test_names_that_a_program_can_declare(text: str, name: str) -> None:
    assert as_identifier(text) == name
