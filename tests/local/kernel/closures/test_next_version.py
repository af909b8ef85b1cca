"""The next version of a closure with left ends of its own: only the rows of left ends that are touched are made again."""

from __future__ import annotations

from tests.local.closure.test_virtual_relation import Case, as_set, matrix

from tidelog.local.closure.incremental import EdgeDelta, incremental_version
from tidelog.local.kernel.closures import next_version as kernel

STARTS = [(20, 1), (21, 5), (22, 3)]
STEPS = [(1, 2), (2, 3), (5, 6)]
NONE = EdgeDelta(matrix([]), matrix([]))


def test_rows_of_left_ends_follow_the_steps_behind_them() -> None:
    before = Case(STARTS, STEPS).build()
    after = incremental_version(before, NONE, EdgeDelta(matrix([(3, 4)]), matrix([])), lambda: None)
    assert after is not None
    assert as_set(after) == Case(STARTS, [*STEPS, (3, 4)]).expected
    row = {int(term): (int(before.row_of[at]), int(after.row_of[at])) for at, term in enumerate(before.terms)}
    assert row[21][0] == row[21][1], "5 reaches what it reached"
    assert row[20][0] != row[20][1]
    assert row[22][0] != row[22][1]


def test_a_left_end_without_pairs_has_the_empty_row() -> None:
    before = Case(STARTS, STEPS).build()
    after = incremental_version(before, EdgeDelta(matrix([]), matrix([(21, 5)])), NONE, lambda: None)
    assert after is not None
    assert as_set(after) == Case(STARTS[:1] + STARTS[2:], STEPS).expected
    assert after.row_of[after.numbering.node_of[21]] == 0


def test_words_of_the_scratch_are_numbered_without_gaps() -> None:
    names = ("USED_ROWS", "FIRST_OWN_ROW", "USED_MEMBERS", "WORK", "COLUMNS")
    assert [getattr(kernel, name) for name in names] == list(range(kernel.SCRATCH_WIDTH))
