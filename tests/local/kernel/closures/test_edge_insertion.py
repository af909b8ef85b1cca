"""Edges inserted into a closure: rows gain bits, cycles merge, and the version before keeps its rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.local.closure.test_virtual_relation import Case, as_set, matrix

from tidelog.local.closure.incremental import EdgeDelta, incremental_version
from tidelog.local.kernel.closures import virtual_access as words

EDGES = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), min_size=1, max_size=20, unique=True)


@given(EDGES, st.integers(0, 20))
def test_the_next_version_has_the_pairs_of_all_edges_and_the_old_one_its_own(edges: list[tuple[int, int]], first: int) -> None:
    before = Case(edges[:first]).build()
    after = incremental_version(before, EdgeDelta(matrix(edges[first:]), matrix([])), None, lambda: None)
    assert after is not None
    assert as_set(after) == Case(edges).expected
    assert as_set(before) == Case(edges[:first]).expected


def test_an_edge_that_closes_a_cycle_merges_the_components_on_it() -> None:
    before = Case([(1, 2), (2, 3), (3, 4), (0, 1), (4, 5)]).build()
    after = incremental_version(before, EdgeDelta(matrix([(4, 2)]), matrix([])), None, lambda: None)
    assert after is not None
    component = {int(term): int(after.component[node]) for node, term in enumerate(after.terms)}
    assert component[2] == component[3] == component[4]
    assert len({component[n] for n in (0, 1, 2, 5)}) == 4
    assert not after.words[words.IS_SIMPLE]
    assert before.words[words.IS_SIMPLE]


def test_rows_that_gain_nothing_are_shared_by_both_versions() -> None:
    before = Case([(1, 2), (2, 3), (7, 8)]).build()
    after = incremental_version(before, EdgeDelta(matrix([(3, 7)]), matrix([])), None, lambda: None)
    assert after is not None
    rows = {
        int(term): (int(before.component_row[before.component[node]]), int(after.component_row[after.component[node]]))
        for node, term in enumerate(before.terms)
    }
    assert all(rows[n][0] == rows[n][1] for n in (7, 8))
    assert all(rows[n][0] != rows[n][1] for n in (1, 2, 3))
    assert np.shares_memory(before.bit_rows.bits, after.bit_rows.bits)  # type: ignore[union-attr]
