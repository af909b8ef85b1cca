"""Keys: one text for each value, and back; columns and the dictionary agree with single values."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from tests.some_values import any_value

from tidelog.core.keys import columns_of_keys, key_of, keys_of_column, value_of
from tidelog.files.columns import MixedColumn
from tidelog.local.storage.dictionary import Dictionary
from tidelog.values import Value


@given(st.lists(any_value, min_size=1))
def test_a_key_stands_for_one_value(some: list[Value]) -> None:
    keys = [key_of(value) for value in some]
    assert [value_of(key) for key in keys] == some
    assert len(set(keys)) == len(set(some))


@given(st.lists(any_value, min_size=1))
def test_columns_agree_with_single_values(some: list[Value]) -> None:
    keys = keys_of_column(MixedColumn(some))
    assert keys.to_pylist() == [key_of(value) for value in some]
    assert keys_of_column(columns_of_keys(keys)).to_pylist() == keys.to_pylist()


@given(st.lists(any_value, min_size=1))
def test_the_dictionary_encodes_keys_like_their_values(some: list[Value]) -> None:
    terms = Dictionary()
    keys = pa.array([key_of(value) for value in some], pa.string())
    ids = terms.encode_keys(keys)
    assert np.array_equal(ids, terms.encode(some))
    distinct = np.unique(ids)
    assert terms.values_of(distinct) == [value_of(key) for key in terms.decode_keys(distinct).to_pylist()]
