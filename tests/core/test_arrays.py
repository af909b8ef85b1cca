"""Set membership of rows, against Python's sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelog.core.arrays import isin_rows

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
