"""Facts and answers as text: which relations, in which order, in which form."""

from __future__ import annotations

import datetime
import json

import pytest

from tidelog import IRI, KnowledgeBase, Literal, TidelogError
from tidelog.report.facts import chosen_relations, show_answers, show_facts

PROGRAM = """
@prefix ex: <http://e/> .
@output out "out.csv" .
out(X) :- ex:p(X).
other(X) :- out(X).
ex:p(1).
"""


@pytest.mark.parametrize(
    ("text", "named", "expected"),
    [
        (PROGRAM, ["other", "ex:p"], ["other", "http://e/p"]),
        (PROGRAM, ["<http://e/p>"], ["http://e/p"]),
        (PROGRAM, None, ["out"]),
        ("a(X) :- b(X). c(X) :- a(X).", [], ["a", "c"]),
        ("a(1). b(2).", None, ["a", "b"]),
    ],
)
def test_chosen_relations(text: str, named: list[str] | None, expected: list[str]) -> None:
    assert chosen_relations(KnowledgeBase(text).program, named) == expected


def test_a_relation_that_is_not_there() -> None:
    with pytest.raises(TidelogError, match=r"(?s)TL073.*did you mean `other`"):
        chosen_relations(KnowledgeBase(PROGRAM).program, ["othr"])


def test_facts_are_in_one_order_and_can_stand_in_a_program() -> None:
    facts = 'ex:p(ex:a, "A b"). ex:p(b, 1.5). ex:p(b, 2). ex:p(10, x). one(1).'
    kb = KnowledgeBase(f"@prefix ex: <http://e/> . {facts} none(X) :- one(X), X > 2.")
    lines = list(show_facts(kb, ["http://e/p", "one", "none"]))
    assert lines[:5] == ["% ex:p: 4 facts", "ex:p(b, 2).", "ex:p(b, 1.5).", "ex:p(10, x).", 'ex:p(ex:a, "A b").']
    assert lines[5:] == ["% one: 1 fact", "one(1).", "% none: 0 facts"]
    again = KnowledgeBase("@prefix ex: <http://e/> .\n" + "\n".join(lines))
    assert list(show_facts(again, ["http://e/p", "one"])) == lines[:7]


def answers(kb: KnowledgeBase, query: str, form: str) -> list[str]:
    return list(show_answers(kb.query(query), kb.program, form))


def test_answers() -> None:
    kb = KnowledgeBase('e(a, 2). e(b, 10). e("c d", 1).')
    assert answers(kb, "e(X, N)", "table") == ["X      N", "-----  --", "a      2", "b      10", '"c d"  1', "3 answers"]
    assert answers(kb, "e(X, 2)", "table") == ["X", "-", "a", "1 answer"]
    assert answers(kb, "e(X, N)", "csv") == ["X,N", "a,2", "b,10", "c d,1"]
    assert answers(kb, "e(X, N)", "tsv") == ["X\tN", "a\t2", "b\t10", "c d\t1"]
    assert answers(kb, "e(X, N), N < 3", "jsonl") == ['{"X": "a", "N": 2}', '{"X": "c d", "N": 1}']


@pytest.mark.parametrize("form", ["table", "csv", "tsv", "jsonl"])
def test_a_query_without_variables_holds_or_does_not(form: str) -> None:
    kb = KnowledgeBase("e(a, 2).")
    assert answers(kb, "e(a, 2)", form) == ["true"]
    assert answers(kb, "e(b, 2)", form) == ["false"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (IRI("http://e/a"), {"iri": "http://e/a"}),
        (Literal("chat", None, "fr"), {"value": "chat", "lang": "fr"}),
        (Literal("5", "http://e/t"), {"value": "5", "type": "http://e/t"}),
        (datetime.date(2026, 11, 15), "2026-11-15"),
        (True, True),
        ("é", "é"),
        (2.5, 2.5),
    ],
    ids=str,
)
def test_values_in_json(value: object, expected: object) -> None:
    kb = KnowledgeBase()
    kb.update(insert=[("p", value)])
    (line,) = answers(kb, "p(X)", "jsonl")
    assert json.loads(line) == {"X": expected}
