"""Updates from JSON and dictionaries, and everything that may be wrong with them."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime

import pytest

from tidelog import IRI, KnowledgeBase, Literal, TidelogError
from tidelog.streams.update import Update, UpdateError, as_update, fitting, updates_of
from tidelog.values import from_python

FULL = """{"id": 17, "delete": [["edge", "a", "b"]], "insert": [["edge", "a", "c"], ["flag"]], "upsert": [["temp", "t1", 21.5]],
 "remove_rules": ["r7"], "add_rules": ["q(X) :- p(X)."]}"""


def problems(thing: object, place: str = "") -> list[str]:
    with pytest.raises(TidelogError) as caught:
        as_update(thing, place)
    assert {problem.code for problem in caught.value.diagnostics} == {"TL076"}
    return str(caught.value).splitlines()


def test_an_update_with_everything() -> None:
    update = Update.from_json(FULL, "u.jsonl:1")
    assert update == Update(
        17,
        delete=(("edge", "a", "b"),),
        insert=(("edge", "a", "c"), ("flag",)),
        upsert=(("temp", "t1", 21.5),),
        remove_rules=("r7",),
        add_rules=("q(X) :- p(X).",),
    )
    assert update.place == "u.jsonl:1"
    assert Update.from_json(update.to_json()) == update
    assert json.loads(update.to_json()) == json.loads(FULL)


def test_every_key_is_optional() -> None:
    assert as_update({}) == as_update("{}") == as_update(b"{}") == as_update('{"id": null, "insert": null}') == Update()
    assert Update().to_json() == "{}"
    assert as_update({"id": "x"}).id == "x"


def test_iris_and_literals() -> None:
    line = (
        """{"insert": [["p", {"iri": "http://a.org/x"}, {"value": "chat", "lang": "fr"}], [{"iri": "http://a.org/p"}, true]]}"""
    )
    update = Update.from_json(line)
    assert update.insert == (("p", IRI("http://a.org/x"), Literal("chat", None, "fr")), ("http://a.org/p", True))
    assert Update.from_json(update.to_json()) == update


def test_python_values_in_dictionaries() -> None:
    facts = [("p", date(2026, 11, 15)), ["p", datetime(2026, 11, 15, 6, tzinfo=UTC)], ("p", IRI("x"))]
    update = Update.from_dict({"insert": facts})
    assert update.insert == tuple(map(tuple, facts))
    assert '"type": "http://www.w3.org/2001/XMLSchema#date"' in update.to_json()
    assert Update.from_dict({"insert": iter(facts)}) == update, "anything that iterates"


@pytest.mark.parametrize(
    ("thing", "first", "fix"),
    [
        ("{", "u:3:2: error TL076: this is not JSON: Expecting property name", "write one update a line"),
        ("[1]", "u:3: error TL076: [1] is not an update", "write an object"),
        ("7", "u:3: error TL076: 7 is not an update", "write an object"),
        ('{"inserts": []}', 'u:3: error TL076: an update has no "inserts"', "did you mean `insert`?"),
        ('{"when": 5}', 'u:3: error TL076: an update has no "when"', "the keys are id, delete, insert"),
        ('{"id": true}', "u:3: error TL076: true is not an id", "let it be a string or an integer"),
        ('{"id": [1]}', "u:3: error TL076: [1] is not an id", "let it be a string or an integer"),
        ('{"insert": "p"}', 'u:3: error TL076: `insert` is "p", and not a list of facts', "write a list of facts"),
        ('{"insert": {"p": 1}}', 'u:3: error TL076: `insert` is {"p": 1}, and not a list', "write a list of facts"),
        ('{"insert": [["p", 1], "p"]}', 'u:3: error TL076: "p", fact 2 of `insert`: it is not a fact', "write the name"),
        ('{"upsert": [[]]}', "u:3: error TL076: [], fact 1 of `upsert`: it is not a fact", "write the name"),
        (
            '{"delete": [[1, 2]]}',
            "u:3: error TL076: [1, 2], fact 1 of `delete`: it does not begin with the name",
            "write the name",
        ),
        ('{"delete": [["p", null]]}', 'u:3: error TL076: ["p", null], fact 1 of `delete`: null is not a value', "write the name"),
        ('{"delete": [["p", [1]]]}', 'u:3: error TL076: ["p", [1]], fact 1 of `delete`: an argument is a single', "write the"),
        ('{"add_rules": "p."}', 'u:3: error TL076: `add_rules` is "p.", and not a list of texts', "write"),
        ('{"remove_rules": [1]}', "u:3: error TL076: `remove_rules` is [1], and not a list of texts", "write"),
    ],
)
def test_what_is_wrong(thing: str, first: str, fix: str) -> None:
    lines = problems(thing, "u:3")
    assert lines[0].startswith(first)
    assert lines[1].startswith(f"    fix: {fix}")


def test_nesting_without_end_is_an_error() -> None:
    assert "u:3: error TL076: it is nested too deeply" in problems("[" * 100_000, "u:3")[0]
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert "TL076: a deeply nested list, fact 1" in problems({"insert": [["p", deep]]})[0]


def test_a_line_that_is_too_long() -> None:
    with pytest.raises(TidelogError, match="u:3: error TL070: the line is longer than 10 bytes"):
        Update.from_json(b'{"insert": []}', "u:3", 10)


def test_all_problems_come_at_once_and_long_ones_are_cut() -> None:
    lines = problems({"insert": [[None, "x" * 100], ["p"]], "upserts": []})
    assert [line for line in lines if "TL076" in line] == [
        f'error TL076: [null, "{"x" * 51}…, fact 1 of `insert`: null is not a value',
        'error TL076: an update has no "upserts"',
    ]


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(TidelogError, match="u:3: error TL061: this is not UTF-8 text: byte 2 cannot be decoded"):
        Update.from_json(b"{\xff}", "u:3")


def test_an_error_says_which_update_it_is_in() -> None:
    with pytest.raises(TidelogError) as caught:
        as_update(7)
    problem = caught.value.diagnostics
    assert str(UpdateError(problem, None, 3)).startswith("update 3: error TL076")
    assert str(UpdateError(problem, Update(place="u.jsonl:9"), 3)).startswith("u.jsonl:9: error TL076")
    assert str(UpdateError(problem, Update("x", place="u.jsonl:9"), 3)).startswith("u.jsonl:9 (id x): error TL076")


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


def test_a_key_that_is_there_twice_is_refused() -> None:
    lines = problems('{"insert": [["p", 1]], "insert": [["p", 2]]}', "u.jsonl:3")
    assert lines == ["u.jsonl:3: error TL076: 'insert' is there twice in one object", "    fix: give each key of an object once"]
    assert "'iri' is there twice" in problems('{"insert": [["p", {"iri": "a:b", "iri": "a:c"}]]}')[0]


def test_a_number_that_is_too_large_is_refused() -> None:
    assert problems('{"insert": [["p", 1e400]]}')[0] == "error TL076: 1e400 is larger than any float"


def test_texts_of_prefixed_relations_are_read_as_well() -> None:
    kb = KnowledgeBase("@prefix ex: <http://example.org/> . @relation ex:seen(who: string key, at: date) .")
    for at, name in enumerate(("ex:seen", "<http://example.org/seen>", "http://example.org/seen")):
        list(kb.follow([{"upsert": [[name, "a", f"2026-11-1{at}"]]}]))
        assert list(kb["ex:seen"]) == [("a", date(2026, 11, 10 + at))]


def test_updates_of_an_iterable() -> None:
    assert list(updates_of([{"id": 1}, Update(2), '{"id": 3}'])) == [Update(1), Update(2), Update(3)]
    with pytest.raises(TidelogError, match="TL071: 5 of type int is not a list of updates"):
        updates_of(5)  # type: ignore[arg-type]
