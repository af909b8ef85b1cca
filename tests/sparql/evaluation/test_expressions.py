"""Expressions: conditions by columns, functions by rdflib, conditions inside of functions."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("rdflib")

from tidelog import IRI, KnowledgeBase, Literal
from tidelog.values import XSD


def value(expression: str, **bound: str) -> Any:
    """The value of an expression, with some variables bound."""
    binds = " ".join(f"BIND({text} AS ?{name})" for name, text in bound.items())
    found = KnowledgeBase("").sparql(f"PREFIX ex: <http://a/> SELECT ?result {{ {binds} BIND({expression} AS ?result) }}")
    assert not isinstance(found, bool)
    return found[:1][0][0]  # type: ignore[index]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1 + 2 * 3", 7),
        ("1 / 0", None),
        ("?x + 1", None),
        ("STRLEN('abc')", 3),
        ("CONCAT('a', 'b')", "ab"),
        ("IF(?x = 1, 'yes', 'no')", None),
        ("IF(1 < 2, 'yes', 'no')", "yes"),
        ("IF(ex:a < 2, 'yes', 'no')", None),
        ("COALESCE(?x, 1 < 'a', 'last')", "last"),
        ("IRI('http://b/')", IRI("http://b/")),
        ("STRLANG('a', 'en')", Literal("a", None, "en")),
        ("'x' IN ('y', 'x')", True),
        ("'x' NOT IN ('y', 1)", True),
        ("1 IN (ex:a, 1.0)", True),
        ("ex:a IN ('a'^^ex:t)", False),
        ("'b'^^ex:t IN ('a'^^ex:t)", None),
        ("!bound(?x)", True),
        ("?x || true", True),
        ("?x && false", False),
        ("?x && true", None),
        ("isNumeric(?x)", None),
        ("isNumeric('1'^^ex:t)", False),
        ("isBlank(BNODE())", True),
        ("sameTerm(1, 1.0)", False),
        ("REGEX('Abc', '^a', 'i')", True),
        ("REPLACE('abc', 'b', 'x')", "axc"),
        ("<http://www.w3.org/2001/XMLSchema#integer>('7')", 7),
        ("<http://www.w3.org/2001/XMLSchema#integer>('x')", None),
        ("YEAR('2020-01-01T00:00:00Z'^^<http://www.w3.org/2001/XMLSchema#dateTime>)", 2020),
    ],
)
def test_values(expression: str, expected: object) -> None:
    assert value(expression) == expected


def test_variables_are_read() -> None:
    assert value("?a + ?b", a="1", b="2.5") == Literal("3.5", XSD + "decimal")
    assert value("UCASE(?a)", a="'x'") == "X"
    assert value("?a = ?b", a="1", b="'1'") is False


def test_a_value_for_each_solution() -> None:
    found = KnowledgeBase("").sparql("SELECT ?u { VALUES ?x { 1 2 3 } BIND(UUID() AS ?u) }")
    assert not isinstance(found, bool)
    assert len(set(found)) == 3
    ((now,),) = KnowledgeBase("").sparql("SELECT DISTINCT ?n { VALUES ?x { 1 2 } BIND(NOW() AS ?n) }")  # type: ignore[misc]
    assert now is not None


def test_errors_are_no_answers() -> None:
    found = KnowledgeBase("").sparql("SELECT ?x { VALUES ?x { 1 'a' 2 } FILTER(!(?x + 1 > 2)) }")
    assert not isinstance(found, bool)
    assert list(found) == [(1,)]
