"""Set membership of rows, distinct rows, and the last row of each key, against Python's sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelog.core.arrays import distinct_rows, isin_rows, last_of_each_key

IDS = st.sampled_from([-1, 0, 1, 2, 2**31 - 1])


@given(st.integers(0, 5).flatmap(lambda width: st.tuples(*[st.lists(st.tuples(*[IDS] * width), max_size=8)] * 2, st.just(width))))
def test_isin_rows_is_membership(case: tuple[list[tuple[int, ...]], list[tuple[int, ...]], int]) -> None:
    rows, others, width = case
    matrices = [np.array(some, np.int32).reshape(len(some), width) for some in (rows, others)]
    assert isin_rows(*matrices).tolist() == [row in others for row in rows]


@pytest.mark.parametrize("width", [1, 2, 3, 6])
def test_rows_need_not_be_contiguous(width: int) -> None:
    wide = np.arange(40 * width, dtype=np.int32).reshape(20, 2 * width)
    assert isin_rows(wide[:, ::2], wide[::3, ::2]).tolist() == [at % 3 == 0 for at in range(20)]


@pytest.mark.parametrize("width", [0, 1, 2, 3, 5])
def test_distinct_rows_and_the_last_of_each_key(width: int) -> None:
    random = np.random.default_rng(width)
    rows = random.integers(-3, 3, (200, width)).astype(np.int32)
    expected = list(dict.fromkeys(map(tuple, rows.tolist())))
    assert list(map(tuple, distinct_rows(rows).tolist())) == expected
    for key in ((0,), (1, 0), (2, 1, 0)):
        if max(key) < width:
            last = {tuple(row[at] for at in key): at_row for at_row, row in enumerate(rows.tolist())}
            assert last_of_each_key(rows, key).tolist() == rows[sorted(last.values())].tolist()
    assert len(distinct_rows(rows[:0])) == len(last_of_each_key(rows[:0], (0,) if width else ())) == 0
