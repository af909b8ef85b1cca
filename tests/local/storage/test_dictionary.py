"""Dictionary encoding: one id per value, whichever way it is encoded."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.local_engine import ODD, USUAL, under
from tests.some_values import INFINITY, NAN, OF_KIND, any_value, f, i, s

from tidelog.core.arrays import Int32s
from tidelog.files.columns import ARROW_TYPES
from tidelog.local.storage import dictionary
from tidelog.local.storage.dictionary import Dictionary
from tidelog.values import IRI, Kind, Literal, Value, boolean, from_python

COLUMN_KINDS = [kind for kind in Kind if kind in ARROW_TYPES]


def contents(values: list[Value]) -> list[object]:
    return [value.content.text if isinstance(value.content, IRI) else value.content for value in values]


@pytest.fixture(params=["usual", "tiny"])
def terms(request: pytest.FixtureRequest) -> Dictionary:
    """A dictionary, and one that has to grow at once."""
    if request.param == "usual":
        return Dictionary()
    with under(ODD):
        return Dictionary()


@given(st.lists(any_value, max_size=40), st.booleans())
def test_there_and_back(values: list[Value], is_tiny: bool) -> None:
    with under(ODD):
        dictionary = Dictionary()
    terms = dictionary if is_tiny else Dictionary()
    ids = terms.encode(values)
    assert terms.values_of(ids) == values
    assert len(terms) == len(set(values)) == len(set(ids.tolist()))
    assert terms.encode(values).tolist() == ids.tolist()
    terms._known.clear()  # what Python remembers is only a short cut
    assert terms.encode(values).tolist() == ids.tolist()
    assert terms.objects_of(ids).tolist() == [value.content for value in values] or NAN in values
    assert set(terms.kinds_of(ids)) == {value.kind for value in values}


@given(st.lists(any_value, max_size=40, unique=True), st.data(), st.booleans())
def test_some_of_the_values_in_a_dictionary_of_their_own(values: list[Value], data: st.DataObject, is_tiny: bool) -> None:
    with under(ODD if is_tiny else USUAL):
        terms = Dictionary()
        ids = terms.encode(values)
        used = np.sort(ids[data.draw(st.lists(st.booleans(), min_size=len(ids), max_size=len(ids)))])
        some = terms.only(used)
        kept = terms.values_of(used)
        assert some.values_of(np.arange(len(used), dtype=np.int32)) == kept
        assert len(some) == len(used)
        assert some.encode(kept).tolist() == list(range(len(used))), "each is found where it is"
        assert sorted(some.encode(values).tolist()) == list(range(len(values))), "and it can grow again"
        assert terms.values_of(ids) == values
        assert terms.encode(values).tolist() == ids.tolist()


@pytest.mark.parametrize("kind", COLUMN_KINDS)
@given(data=st.data())
@settings(max_examples=40)
def test_columns(kind: Kind, data: st.DataObject) -> None:
    """An Arrow column has the ids that its values have, and comes back as it was."""
    values = data.draw(st.lists(OF_KIND[kind], max_size=30))
    terms = Dictionary()
    known = terms.encode(values[::2])
    column = pa.array(contents(values), ARROW_TYPES[kind])
    ids = terms.encode_column(kind, column)
    assert ids[::2].tolist() == known.tolist()
    assert terms.values_of(ids) == values
    assert terms.encode_column(kind, column.slice(3)).tolist() == ids[3:].tolist()
    if values:
        decoded = terms.decode_column(ids)
        assert decoded.cast(ARROW_TYPES[kind]).to_pylist() == column.to_pylist() or NAN in values
        compact = terms.decode_compactly(ids)
        if isinstance(compact, pa.DictionaryArray):
            compact = compact.dictionary_decode()
        assert compact.equals(decoded) or NAN in values


def test_values_that_python_takes_for_equal_are_apart(terms: Dictionary) -> None:
    values = [i(1), f(1.0), boolean(True), s("1"), from_python(IRI("1")), from_python(Literal("1", None, "en"))]
    assert len(set(terms.encode(values).tolist())) == 6
    assert terms.values_of(terms.encode(values)) == values


def test_one_nan_and_one_zero(terms: Dictionary) -> None:
    odd_nan = np.array([0x7FF8000000000001, -1], np.int64).view(np.float64)
    ids = terms.encode_column(Kind.FLOAT, pa.array([*odd_nan, float("nan"), -0.0, 0.0, float("inf")]))
    assert len(set(ids.tolist())) == 3
    assert terms.encode([NAN, f(-0.0), INFINITY]).tolist() == [ids[0], ids[3], ids[5]]


def test_the_empty_text(terms: Dictionary) -> None:
    """It takes no room, and is another value than whatever stands in the same place."""
    values = [s(""), s("abc"), from_python(IRI("")), s("")]
    ids = terms.encode(values)
    assert len(set(ids.tolist())) == 3
    assert terms.decode_column(ids[[0, 1, 3]]).to_pylist() == ["", "abc", ""]


@pytest.mark.parametrize("text", ["x", "", "@2 x", "^", "a b", "12 3", "é日\U0001f600"])
def test_literals_have_parts(text: str, terms: Dictionary) -> None:
    values = [
        Value(Kind.LITERAL, Literal(text, None, "en")),
        Value(Kind.LITERAL, Literal(text, "http://example.org/t", None)),
        Value(Kind.LITERAL, Literal("en" + text, None, "de")),
        Value(Kind.LITERAL, Literal(text, "en", None)),
    ]
    assert terms.values_of(terms.encode(values)) == values
    assert len(terms) == 4


def test_thousands_of_values_of_each_kind(terms: Dictionary) -> None:
    count = 5000
    texts = terms.encode_column(Kind.STRING, pa.array([f"text {n}" for n in range(count)], pa.large_string()))
    long = terms.encode([s("x" * n) for n in range(0, 20_000, 500)])
    ints = terms.encode_column(Kind.INT, pa.array(range(count)))
    iris = terms.encode_column(Kind.IRI, pa.array([f"text {n}" for n in range(count)], pa.large_string()))
    assert len(terms) == 3 * count + len(long)
    for ids, kind in ((texts, Kind.STRING), (ints, Kind.INT), (iris, Kind.IRI)):
        assert terms.kinds_of(ids) == [kind]
        assert len(np.unique(ids)) == count
    assert terms.decode_column(texts).to_pylist() == [f"text {n}" for n in range(count)]
    assert [len(str(value.content)) for value in terms.values_of(long)] == list(range(0, 20_000, 500))
    assert terms.encode([s("text 4999"), i(4999)]).tolist() == [texts[-1], ints[-1]]


def test_nothing(terms: Dictionary) -> None:
    empty: Int32s = np.empty(0, np.int32)
    assert terms.encode([]).tolist() == []
    assert terms.kinds_of(empty) == []
    assert len(terms.decode_column(empty)) == 0
    assert terms.objects_of(empty).tolist() == []
    for kind in COLUMN_KINDS:
        assert terms.encode_column(kind, pa.array([], ARROW_TYPES[kind])).tolist() == []


def test_a_full_cache_begins_anew_with_the_values_of_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary, "_MOST_KNOWN", 3)
    terms = Dictionary()
    ids = [terms.encode_int(value) for value in range(5)] + [terms.encode_one(from_python(text)) for text in "abcde"]
    assert list(terms.id_caches[Kind.INT]) == [3, 4]
    assert list(terms.id_caches[Kind.STRING]) == ["d", "e"]
    assert terms.encode([from_python(value) for value in (*range(5), *"abcde")]).tolist() == ids


@given(st.lists(st.integers(-40, 40) | st.integers(-(1 << 63), (1 << 63) - 1), min_size=1, max_size=60), st.booleans())
def test_numbers_of_a_range_have_the_ids_that_they_have_alone(values: list[int], is_tiny: bool) -> None:
    """Also at the ends of 64 bits, and where some of them are there already."""
    with under(ODD):
        dictionary = Dictionary()
    terms = dictionary if is_tiny else Dictionary()
    first = terms.encode([i(value) for value in values[::2]])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tidelog.local.storage.dictionary._MANY", 1)
        ids = terms.encode_numbers(Kind.INT, np.array(values, np.int64))
    assert terms.values_of(ids) == [i(value) for value in values]
    assert ids[::2].tolist() == first.tolist()
    assert len(terms) == len(set(values))


def test_content_gets_its_ids_in_order() -> None:
    """A snapshot names values by their places."""
    terms, numbers = Dictionary(), np.random.default_rng(3).permutation(5_000)
    first = terms.encode_content(Kind.STRING, pa.array(["a", "b"]))
    assert terms.encode_content(Kind.INT, pa.array(numbers)).tolist() == list(range(2, 5_002))
    assert first.tolist() == [0, 1]


WHOLE = st.integers(0, 60) | st.integers(-5, 2_000) | st.integers(-(2**63), 2**63 - 1)


@given(st.lists(st.lists(WHOLE, min_size=1, max_size=40), min_size=1, max_size=6), st.booleans())
def test_small_integers_have_the_same_ids_whether_they_are_hashed_or_not(batches: list[list[int]], is_tiny: bool) -> None:
    """Batches of which each may make the array of small integers longer, and a dictionary that shares the buffers meanwhile."""
    with under(ODD if is_tiny else USUAL), pytest.MonkeyPatch.context() as patch:
        patch.setattr(dictionary, "_MANY", 4)
        direct, shared = Dictionary(), []
        for batch in batches:
            shared.append((direct.clone(), len(direct)))
            direct.encode_numbers(Kind.INT, np.array(batch, np.int64))
        patch.setattr(dictionary, "_MANY", 1 << 60)
        hashed = Dictionary()
        for batch in batches:
            hashed.encode_numbers(Kind.INT, np.array(batch, np.int64))
        values = {value for batch in batches for value in batch}
        assert len(direct) == len(hashed) == len(values)
        numbers = np.array(sorted(values), np.int64)
        assert sorted(direct.encode_numbers(Kind.INT, numbers).tolist()) == list(range(len(values)))
        for value in values:
            assert direct.encode_int(value) == direct.encode_numbers(Kind.INT, np.array([value], np.int64))[0]
        assert direct.payloads_of(direct.encode_numbers(Kind.INT, numbers)).tolist() == numbers.tolist()
        for clone, known in shared:
            ids = clone.encode_numbers(Kind.INT, numbers)
            assert clone.payloads_of(ids).tolist() == numbers.tolist()
            assert len(clone) == len(values)
            assert sorted(ids.tolist())[:known] == list(range(known))
        used = np.sort(direct.encode_numbers(Kind.INT, numbers[::2]))
        assert direct.only(used).encode_numbers(Kind.INT, direct.payloads_of(used)).tolist() == list(range(len(used)))


def test_integers_of_a_range_are_not_hashed() -> None:
    terms = Dictionary()
    terms.encode_numbers(Kind.INT, np.arange(2_000)[::-1].copy())
    assert len(terms._direct) == 2_000
    terms.encode_numbers(Kind.INT, np.arange(0, 10**9, 10**6))
    assert len(terms._direct) == 2_000, "so few of that range are there"
    assert terms.nbytes > 4 * 2_000


def test_a_limit_on_memory_does_not_count_values_that_may_come() -> None:
    """The first values are all new, and the others are the same again."""
    terms = Dictionary()
    values = np.concatenate([np.arange(1_500), np.zeros(100_000, np.int64)]) * 10**9
    terms.budget.limit = terms.nbytes + 100_000
    assert len(np.unique(terms.encode_numbers(Kind.INT, values))) == 1_500
    assert terms.nbytes <= terms.budget.limit


def test_texts_are_found_where_slots_are_read_ahead() -> None:
    """More slots than caches are taken to hold; texts of no, one and several words of eight bytes."""
    texts = [f"{'x' * (at % 30)}{at}" for at in range(40_000)] + ["", "abcdefgh", "abcdefgi", "abcdefghi"]
    terms = Dictionary()
    ids = terms.encode_column(Kind.STRING, pa.array(texts + texts[::-1], pa.large_string()))
    assert ids.tolist() == [*range(len(texts)), *reversed(range(len(texts)))]
    assert terms.decode_column(ids).to_pylist() == texts + texts[::-1]
    assert terms.encode_column(Kind.IRI, pa.array(texts[:5], pa.large_string())).min() == len(texts)
