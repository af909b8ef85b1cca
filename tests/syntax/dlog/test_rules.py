"""What is read of RDFox's rule language as our rules: shape and places."""

from __future__ import annotations

import pytest

from tidelog.errors import Diagnostics
from tidelog.source import Source
from tidelog.syntax.dlog.lexing import lex
from tidelog.syntax.dlog.rules import Rules, has_open_predicates
from tidelog.syntax.dlog.statements import Statements, Written
from tidelog.syntax.printer import Printer


def written(text: str) -> Written:
    source = Source(text)
    found = Statements(source, lex(source, Diagnostics())[0], {"": "http://e/"}).statement()
    assert isinstance(found, Written)
    return found


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        (":C[?x] :- :p[?x, ?y] .", False),
        (":C[?x] :- [?x, ?p, ?y] .", True),
        (":C[?x] :- [?x, a, ?c] .", True),
        ("[?x, ?p, ?y] :- :p[?x, ?y], :q[?y, ?p] .", True),
        (":C[?x] :- :D[?x], NOT EXISTS ?p IN ([?x, ?p, :a]) .", True),
        (":C[?x] :- AGGREGATE([?x, ?p, ?y] ON ?x BIND COUNT(?y) AS ?n) .", True),
        ("[:a, :p, :b] .", False),
    ],
)
def test_open_predicates(text: str, is_open: bool) -> None:
    assert has_open_predicates([written(text)]) is is_open


def test_one_rule_for_each_head_and_alternative_with_its_place() -> None:
    text = ":C[?x], :D[?x] :- :p[?x, ?n], FILTER(?n < 1 || ?n > 2) ."
    source = Source(text)
    rules = Rules(source, as_triples=False).statements(written(text))
    printer = Printer({"": "http://e/"})
    assert [printer.statement(rule) for rule in rules] == [
        ":C(?x) :- :p(?x, ?n), ?n < 1.",
        ":C(?x) :- :p(?x, ?n), ?n > 2.",
        ":D(?x) :- :p(?x, ?n), ?n < 1.",
        ":D(?x) :- :p(?x, ?n), ?n > 2.",
    ]
    assert {rule.span for rule in rules} == {(0, len(text) - 2)}


def test_the_rule_for_different_values_is_made_once() -> None:
    text = (
        ":C[?x] :- :D[?x], AGGREGATE(:p[?x, ?y], :q[?y, ?z] ON ?x BIND COUNT(DISTINCT ?z) AS ?n), "
        "FILTER(?n < 1 || ?n > 2), AGGREGATE(:p[?x, ?y], :q[?y, ?z] ON ?x BIND SUM(DISTINCT ?z + 1) AS ?m) ."
    )
    found = [Printer({"": "http://e/"}).statement(one) for one in Rules(Source(text), as_triples=False).statements(written(text))]
    assert found[:2] == [
        "distinct_1(?x, ?z) :- :p(?x, ?y), :q(?y, ?z).",
        "distinct_2(?x, ?value_1) :- :p(?x, ?y), :q(?y, ?z), ?value_1 = ?z + 1.",
    ]
    assert len(found) == 4
