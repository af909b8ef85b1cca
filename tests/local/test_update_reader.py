"""Updates as users give them: checked as a whole, then encoded."""

from __future__ import annotations

import gc
import weakref

import pytest
from tests.local_engine import program

from tidelog.core.schema import Schema
from tidelog.errors import TidelogError
from tidelog.files.reading import read
from tidelog.local.encoded_facts import Fact
from tidelog.local.storage.dictionary import Dictionary
from tidelog.local.update_reader import UpdateReader

TEXT = "@relation stock(item: string key, count: int). low(X) :- stock(X, N), N < 3."


def reader() -> tuple[UpdateReader, Schema, Dictionary]:
    terms, schema = Dictionary(), Schema(program(TEXT))
    return UpdateReader(terms, schema, read), schema, terms


def tuples(terms: Dictionary, rows: dict[str, object]) -> dict[str, list[tuple[object, ...]]]:
    return {name: sorted(tuple(terms.objects_of(row)) for row in table) for name, table in rows.items()}  # type: ignore[attr-defined]


def test_an_update_as_rows() -> None:
    reading, schema, terms = reader()
    checked = reading.read(schema, [("stock", "a", 1), ("seen", "a")], [("stock", "b", 2)], [])
    encoded = checked.encode()
    assert tuples(terms, encoded.inserted) == {"stock": [("a", 1)], "seen": [("a",)]}
    assert tuples(terms, encoded.deleted) == {"stock": [("b", 2)]}
    assert (encoded.upserted, encoded.keys, encoded.relations) == ({}, {}, 0)


@pytest.mark.parametrize("order", [[1, 2], [2, 1]])
def test_of_two_upserts_with_one_key_the_last_counts(order: list[int]) -> None:
    reading, schema, terms = reader()
    upserts: list[Fact] = [*(("stock", "a", number) for number in order), ("stock", "b", 7)]
    encoded = reading.read(schema, [], [], iter(upserts)).encode()
    assert tuples(terms, encoded.upserted) == {"stock": [("a", order[-1]), ("b", 7)]}
    assert encoded.keys == {"stock": (0,)}


def test_an_upsert_needs_a_key() -> None:
    reading, schema, _ = reader()
    with pytest.raises(TidelogError, match="TL075"):
        reading.read(schema, [], [], [("low", "a")])


def test_everything_that_is_wrong_is_in_one_error() -> None:
    reading, schema, _ = reader()
    wrong: list[Fact] = [("#given x", 1), ("seen", 1), ("seen", 1, 2)]
    with pytest.raises(TidelogError) as refused:
        reading.read(schema, wrong, [], [])
    assert [problem.code for problem in refused.value.diagnostics] == ["TL013", "TL020"]


def test_another_schema_is_another_check() -> None:
    reading, schema, _ = reader()
    reading.read(schema.knowing("seen", 1), [("seen", 1)], [], [])
    with pytest.raises(TidelogError, match="TL020"):
        reading.read(schema.knowing("seen", 2), [("seen", 1)], [], [])
    reading.read(schema, [("seen", 1)], [], [])


def test_an_abandoned_reader_does_not_keep_the_dictionary() -> None:
    terms, schema = Dictionary(), Schema(program("p(1)."))
    reading, left = UpdateReader(terms, schema, read), weakref.ref(terms)
    gc.disable()
    try:
        reading.abandon()
        del reading, terms
        assert left() is None
    finally:
        gc.enable()
