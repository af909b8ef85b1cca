"""The dictionary inside the kernel: one id a value, room that runs out, texts that come out as they went in."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelog.local.kernel import terms as kernel
from tidelog.local.kernel.build import kernel as compiled
from tidelog.local.kernel.memory import address_of
from tidelog.local.storage.dictionary import Dictionary

INTS = st.lists(st.integers(-(2**63), 2**63 - 1), max_size=20)


@compiled
def compare(left_kind: int, left: int, right_kind: int, right: int) -> int:
    return kernel.compare_numbers(left_kind, left, right_kind, right)


@given(INTS)
def test_a_value_has_one_id_and_a_kind_makes_another_value(numbers: list[int]) -> None:
    terms = Dictionary()
    header, ids = terms.header, np.empty(2 * len(numbers), np.int32)
    payloads = np.array(numbers * 2, np.int64)
    assert kernel.intern_numbers(header, kernel.INT, payloads, ids, 0) == len(ids)
    assert len(set(ids.tolist())) == len(set(numbers))
    assert ids[: len(numbers)].tolist() == ids[len(numbers) :].tolist()
    for number, found in zip(numbers, ids.tolist(), strict=False):
        assert kernel.intern_one(header, kernel.INT, number) == found
        assert kernel.intern_one(header, kernel.TIMESTAMP, number) not in ids


def test_interning_stops_where_the_dictionary_is_full() -> None:
    terms = Dictionary()
    header = terms.header
    room = int(min(header[kernel.CAPACITY], header[kernel.SLOT_COUNT] // 2) - header[kernel.COUNT])
    payloads = np.arange(room + 10, dtype=np.int64)
    ids = np.empty(len(payloads), np.int32)
    assert kernel.intern_numbers(header, kernel.INT, payloads, ids, 0) == room
    assert kernel.intern_one(header, kernel.INT, room + 1) == kernel.FULL
    assert kernel.intern_one(header, kernel.INT, 0) == ids[0]


@given(st.lists(st.text(max_size=12), min_size=1, max_size=10))
def test_texts_come_out_as_they_went_in(texts: list[str]) -> None:
    terms = Dictionary()
    header = terms.header
    encoded = [text.encode() for text in texts]
    data = np.frombuffer(b"".join(encoded) + b"\0" * 8, np.uint8).copy()
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in encoded])]).astype(np.int64)
    ids = np.empty(len(texts), np.int32)
    assert kernel.intern_texts(header, kernel.STRING, offsets, address_of(data), len(data), ids, 0) == len(texts)
    assert len(set(ids.tolist())) == len(set(texts))
    copy = np.zeros(int(offsets[-1]), np.uint8)
    kernel.gather_texts(header, ids, offsets, copy)
    assert copy.tobytes() == b"".join(encoded)


@pytest.mark.parametrize(
    ("whole", "number"), [(2**53 + 1, 2.0**53), (-(2**63), -(2.0**63)), (2**63 - 1, 2.0**63), (3, 3.5), (0, -0.0)]
)
def test_integers_and_floats_are_compared_exactly(whole: int, number: float) -> None:
    bits = int(np.float64(number).view(np.int64))
    difference = Fraction(whole) - Fraction(number)
    expected = (difference > 0) - (difference < 0)
    assert compare(kernel.INT, whole, kernel.FLOAT, bits) == expected
    assert compare(kernel.FLOAT, bits, kernel.INT, whole) == -expected
