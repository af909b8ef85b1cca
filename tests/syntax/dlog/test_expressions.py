"""Expressions of RDFox's rule language as terms, and conditions as alternatives."""

from __future__ import annotations

import pytest

from tidelog.errors import Diagnostics
from tidelog.source import Source
from tidelog.syntax.dlog.expressions import Expressions, alternatives, negated
from tidelog.syntax.dlog.lexing import lex
from tidelog.syntax.printer import Printer
from tidelog.syntax.reading import ClauseError


def reader(text: str) -> Expressions:
    source = Source(text)
    return Expressions(source, lex(source, Diagnostics())[0], {"": "http://e/"})


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("1 + 2 * ?x", "1 + 2 * ?x"),
        ("(1 + 2) * ?x - -?y", "(1 + 2) * ?x - -?y"),
        ("?x / 2 / ?y", "?x / 2.0 / float(?y)"),
        ("MAXFN(?x, 2.5)", "max(?x, 2.5)"),
        ("xsd:integer(STR(?x))", "int(string(?x))"),
        ("ROUND(?x)", "floor(?x + 0.5)"),
        ("substr(?s, ?i, 3)", "substr(?s, ?i - 1, 3)"),
        (":a", "<http://e/a>"),
    ],
)
def test_terms(text: str, printed: str) -> None:
    assert Printer().term(reader(text).expression()) == printed


@pytest.mark.parametrize(
    ("text", "expected", "opposite"),
    [
        ("?x < 3", ["?x < 3"], ["?x >= 3"]),
        ("?x = ?y", ["?x = ?y"], ["?x != ?y"]),
        ("?x = 3", ["?x <= 3, ?x >= 3"], ["min(?x, 3) < max(?x, 3)"]),
        ("?x && ?y = :a", ["?x = true, ?y = <http://e/a>"], ["?x = false", "?y != <http://e/a>"]),
        ("?x < 1 || ?y < 2 && ?z < 3", ["?x < 1", "?y < 2, ?z < 3"], ["?x >= 1, ?y >= 2", "?x >= 1, ?z >= 3"]),
        ('CONTAINS(?x, "a")', ["contains(?x, a)"], ["not contains(?x, a)"]),
        ("true", ["true = true"], ["true = false"]),
    ],
)
def test_conditions(text: str, expected: list[str], opposite: list[str]) -> None:
    condition = reader(text).condition()
    shown = [", ".join(map(Printer().literal, some)) for some in alternatives(condition)]
    assert shown == expected
    assert [", ".join(map(Printer().literal, some)) for some in alternatives(negated(condition))] == opposite
    assert negated(negated(condition)) == condition


@pytest.mark.parametrize("text", ["?x +", "(?x", "FOO(?x)", "IF(?x, 1, 2)", "?x < ?y < ?z", "ABS()", "?x IN 5"])
def test_what_is_no_condition(text: str) -> None:
    def read(found: Expressions) -> None:
        found.condition()
        found.expect("the end")

    with pytest.raises(ClauseError):
        read(reader(text))
