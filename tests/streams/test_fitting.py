"""Texts of a stream in columns that are declared as dates, timestamps, IRIs and literals."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from tidelog import IRI, KnowledgeBase, Literal
from tidelog.streams import Update, UpdateError
from tidelog.streams.fitting import fitting
from tidelog.values import from_python

RULES = """
@relation temp(turbine: string key, celsius: float) .
@relation seen(what: iri, day: date, at: timestamp, word: literal) .
"""
RELATIONS = KnowledgeBase(RULES).program.relations
TEXTS = ("http://example.org/a", "2026-11-15", "2026-11-15T06:43:00Z", '"chat"@fr')
VALUES = tuple(
    from_python(value)
    for value in (IRI(TEXTS[0]), date(2026, 11, 15), datetime(2026, 11, 15, 6, 43, tzinfo=UTC), Literal("chat", None, "fr"))
)


def test_texts_become_values_in_every_list() -> None:
    fact, expected = ("seen", *TEXTS), ("seen", *VALUES)
    update = Update("u", delete=(fact,), insert=(fact, ("temp", "t", 1)), upsert=(fact,), place="here")
    found = fitting(RELATIONS)(update)
    assert found == Update("u", (expected,), (expected, ("temp", "t", 1)), (expected,))
    assert found.place == "here"


def test_a_space_may_stand_between_day_and_time() -> None:
    found = fitting(RELATIONS)(Update(insert=(("seen", TEXTS[0], TEXTS[1], "2026-11-15 06:43:00Z", TEXTS[3]),)))
    assert found.insert == (("seen", *VALUES),)


def test_what_does_not_fit_stays_a_text() -> None:
    """Whoever checks the update refuses it then, with its place."""
    fact = ("seen", "a b", "yesterday", "soon", "chat")
    assert fitting(RELATIONS)(Update(insert=(fact,))).insert == (fact,)


def test_what_is_no_text_stays() -> None:
    fact = ("seen", IRI("http://a/"), date(2026, 1, 1), 7, None)
    assert fitting(RELATIONS)(Update(insert=(fact,))).insert == (fact,)


def test_a_fact_without_a_name_is_left_to_others_to_refuse() -> None:
    update = Update(insert=(("seen", *TEXTS), ()))
    assert fitting(RELATIONS)(update).insert == (("seen", *VALUES), ())
    with pytest.raises(UpdateError, match="TL072"):
        next(KnowledgeBase(RULES).follow([update]))


def test_updates_of_other_relations_are_not_made_anew() -> None:
    update = Update(insert=(("temp", "2026-11-15", 1.0), ("unknown", "2026-11-15")))
    assert fitting(RELATIONS)(update) is update
    assert fitting({"temp": RELATIONS["temp"]})(update) is update


def test_texts_are_what_their_columns_are_declared_as() -> None:
    kb = KnowledgeBase(RULES)
    seen = ["seen", "http://example.org/a", "2026-11-15", "2026-11-15 06:43:00Z", '"chat"@fr']
    list(kb.follow([{"insert": [seen]}]))
    moment = datetime(2026, 11, 15, 6, 43, tzinfo=UTC)
    assert list(kb["seen"]) == [(IRI("http://example.org/a"), date(2026, 11, 15), moment, Literal("chat", None, "fr"))]
    assert next(kb.follow([{"delete": [seen]}])).stats.deleted == 1
    with pytest.raises(UpdateError, match="TL040"):
        next(kb.follow([{"insert": [["seen", "http://example.org/a", "yesterday", "2026-11-15T06:43:00Z", '"chat"@fr']]}]))
