"""`SELECT *`, and what may stand beside aggregates."""

from __future__ import annotations

import pytest

pytest.importorskip("rdflib")

from tidelog import TidelogError
from tidelog.sparql.reading.parsing import question_of


def variables(text: str) -> tuple[str, ...]:
    return question_of(text, {"ex": "http://example.org/"}).variables


def test_everything_that_is_visible_in_the_order_of_the_text() -> None:
    assert variables("SELECT * { ?z ex:p ?a . OPTIONAL { ?a ex:q ?m } }") == ("z", "a", "m")
    assert variables("SELECT * { ?x ex:p ?y FILTER(?hidden > 1) MINUS { ?x ex:p ?gone } }") == ("x", "y")
    assert variables("SELECT * { { SELECT ?s (1 AS ?n) { ?s ex:p ?o } } BIND(2 AS ?b) VALUES ?v { 1 } }") == ("s", "n", "b", "v")
    assert variables("SELECT * { { SELECT * { ?s ex:p ?o } } UNION { ?k ex:q [] } }") == ("s", "o", "k")
    assert variables("SELECT * { _:b ex:p ex:c }") == ()


def test_a_variable_beside_an_aggregate_is_grouped_by() -> None:
    assert variables("SELECT ?x (COUNT(?y) AS ?n) { ?x ex:p ?y } GROUP BY ?x") == ("x", "n")
    assert variables("SELECT ?k (SUM(?y) AS ?n) { ?x ex:p ?y } GROUP BY (STR(?x) AS ?k)") == ("k", "n")
    for text in (
        "SELECT ?y (COUNT(?x) AS ?n) { ?x ex:p ?y }",
        "SELECT (?y + 1 AS ?z) { ?x ex:p ?y } GROUP BY ?x",
        "SELECT ?x { { SELECT ?z (COUNT(*) AS ?n) { ?x ex:p ?z } } ?x ex:p ?n }",
    ):
        with pytest.raises(TidelogError, match=r"TL016.*neither in an aggregate nor what the solutions are grouped by"):
            variables(text)
    with pytest.raises(TidelogError, match=r"TL016.*SELECT \* with GROUP BY"):
        variables("SELECT * { ?x ex:p ?y } GROUP BY ?x")
