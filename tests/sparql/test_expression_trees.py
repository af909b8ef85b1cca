"""Expressions as rdflib parses them."""

from __future__ import annotations

import pytest

pytest.importorskip("rdflib")

from rdflib.plugins.sparql.parser import parseQuery

from tidelog.sparql.expression_trees import is_columnar, is_list, names_read, nodes, variables


def tree(expression: str) -> object:
    return parseQuery(f"SELECT ({expression} AS ?result) {{}}")[1].projection[0].expr


def test_variables() -> None:
    assert set(map(str, variables(tree("?x + STRLEN(?y)")))) == {"x", "y"}
    assert set(map(str, variables(tree("?x + COUNT(?y)"), aggregates=False))) == {"x"}
    assert names_read(tree("CONCAT(?x, 'a')")) == ({"x"}, False)
    assert names_read(tree("CONCAT(?x, STR(RAND()))")) == ({"x"}, True)


def test_nodes() -> None:
    names = [node.name for node in nodes(tree("!(?x = 1)"))]
    assert "UnaryNot" in names
    assert is_list([1])
    assert not is_list("text")
    assert any(map(is_columnar, nodes(tree("?x = 1"))))
