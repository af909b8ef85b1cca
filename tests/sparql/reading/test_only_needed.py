"""Which variables patterns keep."""

from __future__ import annotations

import pytest

pytest.importorskip("rdflib")

from tidelog.sparql import algebra
from tidelog.sparql.reading.parsing import question_of


def kept(text: str) -> list[tuple[str, ...] | None]:
    """What each basic graph pattern keeps, from the left."""
    found: list[tuple[str, ...] | None] = []

    def walk(node: object) -> None:
        if isinstance(node, algebra.Bgp):
            found.append(node.kept)
        for name in ("node", "left", "right"):
            if hasattr(node, name):
                walk(getattr(node, name))

    walk(question_of(text, {"ex": "http://example.org/"}).node)
    return found


def test_where_every_solution_counts_everything_is_kept() -> None:
    assert kept("SELECT ?x { ?x ex:p ?y }") == [None]
    assert kept("SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x ex:p ?y }") == [None]
    assert kept("SELECT DISTINCT ?n { { SELECT (COUNT(*) AS ?n) { ?x ex:p ?y } } }") == [None]


def test_below_distinct_and_ask_only_what_somebody_reads() -> None:
    assert kept("SELECT DISTINCT ?x { ?x ex:p ?y }") == [("x",)]
    assert kept("ASK { ?x ex:p ?y }") == [()]
    assert kept("SELECT DISTINCT ?x { ?x ex:p ?y FILTER(?y > 1) }") == [("x", "y")]
    assert kept("SELECT DISTINCT ?x { ?x ex:p ?y OPTIONAL { ?y ex:q ?z } }") == [("x", "y"), ("y",)]
    assert kept("SELECT DISTINCT ?x { ?x ex:p ?y } ORDER BY ?y") == [("x", "y")]
    assert kept("SELECT ?x { ?x ex:p ?y MINUS { ?x ex:q ?z } }") == [None, ("x",)]
