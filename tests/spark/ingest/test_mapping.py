"""Columns that the user maps by name."""

from __future__ import annotations

import pytest
from tests.files.relations import declared

from tidelog.errors import TidelogError
from tidelog.files.raw import RawTable
from tidelog.spark.ingest.mapping import mapped
from tidelog.values import Kind

TABLE = RawTable("a.csv", "csv", ("x", "y", "z"), (["1"], ["2"], ["3"]), 1, lambda _: [])


def test_without_a_mapping_all_columns_are_meant() -> None:
    assert mapped(TABLE, {}, "edge", None) == (TABLE, [0, 1, 2])


def test_mapped_columns_come_first_in_the_order_of_the_relation() -> None:
    found, places = mapped(TABLE, {"z": "src"}, "edge", declared(y=Kind.STRING, src=Kind.STRING))
    assert (found.names, found.columns, places) == (("y", "src"), (["2"], ["3"]), [1, 2])
    found, places = mapped(TABLE, {"y": "b", "x": "a"}, "edge", None)
    assert (found.names, places) == (("b", "a"), [1, 0])


@pytest.mark.parametrize(
    ("columns", "message"),
    [({"q": "src"}, "no column `q`"), ({"x": "other"}, "no column for `src`"), ({"x": "src", "y": "more"}, "no column `more`")],
)
def test_mappings_that_do_not_fit(columns: dict[str, str], message: str) -> None:
    with pytest.raises(TidelogError, match=f"TL081.*{message}"):
        mapped(TABLE, columns, "edge", declared(src=Kind.STRING))
