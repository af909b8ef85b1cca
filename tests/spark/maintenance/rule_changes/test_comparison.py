"""Snapshots from before and after a change of rules, compared in this process."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from tidelog.changes import Part
from tidelog.spark.data.explicit_snapshot import ExplicitSnapshot
from tidelog.spark.maintenance.rule_changes.comparison import Comparison, Snapshot


def facts(*pairs: tuple[int, int]) -> dict[str, ExplicitSnapshot]:
    keys = pa.table({f"k{at}": pa.array([f"i{pair[at]}" for pair in pairs], pa.string()) for at in (0, 1)})
    return {"path": ExplicitSnapshot("path", 2, keys, len(pairs))}


def compared(before: Snapshot, after: Snapshot) -> Comparison:
    no_spark: Any = None
    return Comparison(before, after, no_spark)


def shown(found: ExplicitSnapshot | None) -> list[tuple[object, ...]] | None:
    if found is None:
        return None
    assert isinstance(found.keys, pa.Table)
    assert found.rows == found.keys.num_rows
    return sorted(tuple(row.values()) for row in found.keys.to_pylist())


@pytest.mark.parametrize(
    ("part", "inserted", "expected"),
    [
        ("all", True, [("i3", "i3"), ("i4", "i4")]),
        ("explicit", True, [("i4", "i4")]),
        ("derived", True, [("i3", "i3")]),
        ("all", False, [("i1", "i1")]),
        ("explicit", False, [("i1", "i1")]),
        ("derived", False, None),
    ],
)
def test_what_came_and_what_went(part: Part, inserted: bool, expected: list[tuple[object, ...]] | None) -> None:
    before = Snapshot(facts((1, 1), (2, 2)), facts((1, 1), (2, 2)))
    after = Snapshot(facts((2, 2), (3, 3), (4, 4)), facts((4, 4)))
    assert shown(compared(before, after).facts("path", part, inserted=inserted)) == expected


def test_a_relation_that_was_not_there() -> None:
    comparison = compared(Snapshot({}, {}), Snapshot(facts((1, 2)), {}))
    assert shown(comparison.facts("path", "all", inserted=True)) == [("i1", "i2")]
    assert comparison.facts("path", "explicit", inserted=True) is None
    assert shown(comparison.facts("path", "derived", inserted=True)) == [("i1", "i2")]
    assert comparison.facts("path", "all", inserted=False) is None
