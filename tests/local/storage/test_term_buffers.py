"""The buffers of a dictionary: ids become values and columns, and buffers grow or end with a coded error."""

from __future__ import annotations

from datetime import UTC, date, datetime

import numpy as np
import pyarrow as pa
import pytest
from tests.local_engine import ODD, under
from tests.some_values import f, i, s

from tidelog import TidelogError
from tidelog.local.kernel import terms as kernel
from tidelog.local.storage.dictionary import Dictionary
from tidelog.local.storage.term_buffers import KIND_CODES, KINDS, MOST_TERMS
from tidelog.values import IRI, Kind, Literal, boolean, from_python, text_of


@pytest.fixture(params=["usual", "tiny"])
def terms(request: pytest.FixtureRequest) -> Dictionary:
    """A dictionary, and one that has to grow at once."""
    if request.param == "usual":
        return Dictionary()
    with under(ODD):
        return Dictionary()


def test_extremes_of_time(terms: Dictionary) -> None:
    moments = [
        datetime.min.replace(tzinfo=UTC),
        datetime.max.replace(tzinfo=UTC),
        datetime(1969, 12, 31, 23, 59, 59, 999999, UTC),
    ]
    days = [date.min, date.max, date(1969, 12, 31), date(1970, 1, 1)]
    values = [from_python(thing) for thing in (*moments, *days)]
    assert terms.values_of(terms.encode(values)) == values


def test_a_column_of_several_kinds_becomes_texts(terms: Dictionary) -> None:
    values = [i(1), f(1.5), s("a"), boolean(False), from_python(date(2026, 11, 15)), from_python(IRI("http://x"))]
    decoded = terms.decode_column(terms.encode(values))
    assert decoded.type == pa.large_string()
    assert decoded.to_pylist() == [text_of(value) for value in values]
    literal = terms.decode_column(terms.encode([from_python(Literal("chat", None, "fr"))]))
    assert literal.to_pylist() == ['"chat"@fr']


def test_kinds_have_codes() -> None:
    assert [KINDS[KIND_CODES[kind]] for kind in Kind] == list(Kind)


def test_growing_keeps_what_there_is(terms: Dictionary) -> None:
    ids = terms.encode([s("a"), i(1)])
    before = terms.nbytes
    terms.reserve(100_000, 1 << 20)
    assert terms.nbytes > before + 100_000
    assert terms.values_of(ids) == [s("a"), i(1)]
    assert terms.encode([i(1), s("a")]).tolist() == ids[::-1].tolist()


def test_no_more_values_than_ids(terms: Dictionary) -> None:
    terms.header[kernel.COUNT] = terms.header[kernel.CAPACITY] = MOST_TERMS
    with pytest.raises(TidelogError, match="TL070"):
        terms.grow()


def test_payloads_by_kind(terms: Dictionary) -> None:
    ids = terms.encode([i(7), f(0.5)])
    assert terms.have_kind(Kind.INT, ids).tolist() == [True, False]
    assert terms.payloads_of(ids).tolist() == [7, int(np.float64(0.5).view(np.int64))]
    assert terms.content_of(Kind.STRING, terms.encode([s("x")])).to_pylist() == ["x"]


def test_objects_of_few_ids_and_of_many(terms: Dictionary) -> None:
    """Values of one kind are decoded together."""
    things = [
        3,
        "a",
        "b\0",
        "é",
        "",
        IRI("http://a/"),
        IRI("http://é/"),
        2.5,
        True,
        date(2020, 1, 2),
        Literal("x", None, "en"),
        -7,
    ]
    ids = terms.encode([from_python(thing) for thing in things])
    many = np.concatenate([ids, ids[::-1], ids])
    found = terms.objects_of(many).tolist()
    assert found == [*things, *things[::-1], *things]
    assert list(map(type, found)) == list(map(type, [*things, *things[::-1], *things]))
    assert [terms.objects_of(ids[at : at + 1])[0] for at in range(len(ids))] == things
    texts = terms.encode([from_python(f"n{at}") for at in range(100)])
    assert terms.objects_of(texts).tolist() == [f"n{at}" for at in range(100)]
