"""Buffers and their copies; set membership of rows, distinct rows, and the last row of each key, against Python's sets."""

from __future__ import annotations

import errno
import mmap
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelog.core.arrays import distinct_rows, isin_rows, last_of_each_key, resized, zeros

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


@pytest.mark.parametrize("length", [0, 10, 300_000, 1_200_000])
@pytest.mark.parametrize("is_elsewhere", [False, True])
def test_buffers_are_zeros_and_copies_have_the_same_content(length: int, is_elsewhere: bool) -> None:
    if not is_elsewhere:
        check_buffers(length)
        return
    with ThreadPoolExecutor() as pool:
        pool.submit(check_buffers, length).result()


def check_buffers(length: int) -> None:
    buffer = zeros(length, np.int32)
    assert buffer.dtype == np.int32
    assert len(buffer) == length
    assert not buffer.any()
    buffer[:] = np.arange(length)
    for other in length // 2, length, 2 * length + 1:
        copy = resized(buffer, other)
        assert len(copy) == other
        copy[:] += 1
        kept = min(length, other)
        assert (copy[:kept] == np.arange(1, kept + 1)).all()
        assert (copy[kept:] == 1).all()
    assert (buffer == np.arange(length)).all()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux says how much memory a process uses")
def test_the_memory_of_large_buffers_goes_back_at_once() -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * mmap.PAGESIZE

    def in_thread() -> None:
        held = [zeros(size, np.int8) for size in range(2 << 20, 10 << 20, 1 << 20)]
        for buffer in held:
            buffer[:] = 1
        sizes.append(resident())

    for _ in range(2):  # what the threads themselves need is there after the first round
        sizes: list[int] = []
        before = resident()
        threads = [threading.Thread(target=in_thread) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert max(sizes) - before > 30 << 20
    assert resident() - before < 4 << 20


def test_without_room_for_another_mapping_numpy_finds_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    monkeypatch.setattr("tidelog.core.arrays.mmap.mmap", refuse)
    with ThreadPoolExecutor() as pool:
        assert len(pool.submit(zeros, 1 << 21, np.int32).result()) == 1 << 21
