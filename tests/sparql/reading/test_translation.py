"""From rdflib's algebra to operators, and what has none."""

from __future__ import annotations

import pytest

pytest.importorskip("rdflib")

from tidelog import TidelogError
from tidelog.sparql import algebra
from tidelog.sparql.reading.parsing import question_of
from tidelog.sparql.reading.question import Question

PREFIXES = {"ex": "http://example.org/"}


def question(text: str) -> Question:
    return question_of(text, PREFIXES)


def inner(text: str) -> algebra.Node:
    node = question(text).node
    assert isinstance(node, algebra.Project)
    return node.node


def test_patterns_side_by_side_are_one() -> None:
    node = inner("SELECT * { ?x ex:p ?y . { ?y ex:q ?z } ?z ex:r ?x }")
    assert isinstance(node, algebra.Bgp)
    assert len(node.patterns) == 3


def test_operators() -> None:
    assert isinstance(inner("SELECT * { ?x ex:p ?y OPTIONAL { ?y ex:q ?z FILTER(?z > 1) } }"), algebra.LeftJoin)
    assert isinstance(inner("SELECT * { { ?x ex:p ?y } UNION { ?x ex:q ?y } }"), algebra.Union)
    assert isinstance(inner("SELECT * { ?x ex:p ?y MINUS { ?x ex:q ?y } }"), algebra.Minus)
    assert isinstance(inner("SELECT * { ?x ex:p ?y BIND(1 AS ?z) }"), algebra.Extend)
    assert isinstance(inner("SELECT * { ?x ex:p ?y FILTER(?y = 1) }"), algebra.Filter)
    table = inner("SELECT * { VALUES (?x ?y) { (1 UNDEF) (ex:a 'b') } }")
    assert isinstance(table, algebra.Table)
    assert [value and value.content for value in table.rows[0]] == [1, None]
    assert isinstance(question("SELECT DISTINCT ?x { ?x ex:p ?y } LIMIT 2 OFFSET 1").node, algebra.Slice)
    assert isinstance(inner("SELECT ?x { ?x ex:p ?y } ORDER BY ?y"), algebra.OrderBy)


def test_conditions_inside_of_functions_are_computed_before() -> None:
    node = inner("SELECT * { ?x ex:p ?y FILTER(IF(?y > 1 && EXISTS { ?y ex:q ?z }, true, false)) }")
    assert isinstance(node, algebra.Filter)
    assert len(node.condition.parts) == 1
    assert len(node.condition.exists) == 1
    assert node.condition.names == {"y"}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("SELECT * { SERVICE <http://a/> { ?x ?p ?y } }", "1:12"),
        ("SELECT * FROM <http://a/> { ?x ?p ?y }", "1:10"),
        ("SELECT * { GRAPH ?g { ?x ?p ?y } }", "1:12"),
        ("SELECT (<http://a/f>(?x) AS ?y) { ?x ?p ?z }", "1:"),
        ("SELECT * { ?x !(ex:p|^ex:q) ?y }", "1:"),
        ("SELECT ?x { ?x ex:p ?y } ORDER BY EXISTS { ?x ex:q ?y }", "1:35"),
    ],
)
def test_what_is_not_supported_is_an_error(text: str, place: str) -> None:
    with pytest.raises(TidelogError, match="TL016") as raised:
        question(text)
    assert str(raised.value).startswith(f"<sparql>:{place}")
    assert "fix: " in str(raised.value)


def test_graphs_where_a_variable_would_mean_something_else() -> None:
    for pattern in ("", "OPTIONAL { ?x ex:p ?y }", "{ SELECT ?x { ?x ex:p ?y } }", "?x ex:p ?y MINUS { ?x ex:q ?y }"):
        with pytest.raises(TidelogError, match="TL016"):
            question_of(f"SELECT * {{ GRAPH ?g {{ {pattern} }} }}", PREFIXES, graphs=True)
