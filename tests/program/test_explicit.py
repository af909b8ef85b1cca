"""Explicit facts from Python: what is taken, what is refused, all at once."""

from __future__ import annotations

import pytest

from tidelog.errors import TidelogError
from tidelog.program.explicit import as_facts, explicit_facts
from tidelog.program.program import check
from tidelog.reference import materialise
from tidelog.source import Source
from tidelog.values import from_python, integer

PROGRAM = check(Source("@relation temp(name: string, celsius: float) . hot(X) :- temp(X, C), C > 20. known(X) :- seen(X)."))


def test_facts_are_taken_and_kept_to_their_types() -> None:
    given = [("temp", "a", 21), ("temp", "b", 2.5), ("seen", 1), ("seen", "x"), ("other", True, "y"), ("flag",)]
    facts = materialise(PROGRAM, explicit_facts(PROGRAM, given))
    assert facts["temp"] == {(from_python("a"), from_python(21.0)), (from_python("b"), from_python(2.5))}
    assert facts["hot"] == {(from_python("a"),)}
    assert facts["known"] == {(from_python(1),), (from_python("x"),)}
    assert facts["other"] == {(from_python(True), from_python("y"))}
    assert facts["flag"] == {()}


def test_all_problems_come_at_once() -> None:
    given = [("temp", "a"), ("temp", 1, "hot"), ("seen", None), (), ("seen", "fine"), 7]
    with pytest.raises(TidelogError) as caught:
        explicit_facts(PROGRAM, given)  # type: ignore[arg-type]
    assert sorted(d.code for d in caught.value.diagnostics) == ["TL020", "TL040", "TL040", "TL072", "TL072", "TL072"]


def test_a_prefixed_name_is_that_of_the_rules() -> None:
    checked = check(Source("@prefix ex: <http://example.org/> . @relation ex:seen(at: date) . p(X) :- ex:knows(X)."))
    assert explicit_facts(checked, [("ex:knows", 1)]) == [("http://example.org/knows", (integer(1),))]
    with pytest.raises(TidelogError, match="TL020"):
        explicit_facts(checked, [("ex:knows", 1, 2)])
    with pytest.raises(TidelogError, match="TL040"):
        explicit_facts(checked, [("ex:seen", 1)])


@pytest.mark.parametrize("odd", [5, None, object()])
def test_what_cannot_be_iterated_over_is_no_list_of_facts(odd: object) -> None:
    with pytest.raises(TidelogError, match=r"TL071: .* is not a list of facts"):
        as_facts(odd)  # type: ignore[arg-type]


def test_a_name_is_unicode_text() -> None:
    with pytest.raises(TidelogError, match="TL013"):
        explicit_facts(PROGRAM, [("\ud800", 1)])


@pytest.mark.parametrize(
    ("odd", "fix"),
    [
        ("edge(a, b)", "kb.add_rules"),
        (["edge(a, b)", "edge(b, c)"], "kb.add_rules"),
        (("edge", "a", "b"), r"put it into a list: `\[\('edge', 'a', 'b'\)\]`"),
        (["edge", "a", "b"], r"put it into a list: `\[\('edge', 'a', 'b'\)\]`"),
        (b"edge", "give a list of tuples"),
    ],
)
def test_texts_and_single_facts_are_one_error(odd: object, fix: str) -> None:
    with pytest.raises(TidelogError, match=f"TL071.*\n.*{fix}") as caught:
        explicit_facts(PROGRAM, odd)  # type: ignore[arg-type]
    assert len(caught.value.diagnostics) == 1


def test_the_columns_of_a_declared_relation_are_named() -> None:
    with pytest.raises(TidelogError, match="its columns are name, celsius"):
        explicit_facts(PROGRAM, [("temp", "a")])
