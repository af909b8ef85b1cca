"""What operators bind and read."""

from __future__ import annotations

import pytest

pytest.importorskip("rdflib")

from tidelog.sparql.algebra import Bgp, Join, Project, Triple
from tidelog.sparql.reading.parsing import question_of
from tidelog.sparql.scopes import bound, is_independent, join, read_by, scope
from tidelog.syntax.tree import Variable, iri_constant


def node(pattern: str) -> object:
    found = question_of(f"SELECT * {{ {pattern} }}", {"ex": "http://example.org/"}).node
    assert isinstance(found, Project)
    return found.node


@pytest.mark.parametrize(
    ("pattern", "some", "all_of_them"),
    [
        ("?x ex:p ?y", {"x", "y"}, {"x", "y"}),
        ("?x ex:p ?y OPTIONAL { ?y ex:q ?z }", {"x", "y", "z"}, {"x", "y"}),
        ("{ ?x ex:p ?y } UNION { ?x ex:q ?z }", {"x", "y", "z"}, {"x"}),
        ("?x ex:p ?y MINUS { ?x ex:q ?z }", {"x", "y"}, {"x", "y"}),
        ("?x ex:p ?y BIND(?y + 1 AS ?z)", {"x", "y", "z"}, {"x", "y"}),
        ("VALUES (?x ?y) { (1 2) (1 UNDEF) }", {"x", "y"}, {"x"}),
        ("{ SELECT ?x { ?x ex:p ?y } }", {"x"}, {"x"}),
        ("{ SELECT ?x (COUNT(*) AS ?n) { ?x ex:p ?y } GROUP BY ?x }", {"x", "n"}, set()),
    ],
)
def test_what_is_bound(pattern: str, some: set[str], all_of_them: set[str]) -> None:
    found = node(pattern)
    assert scope(found) == some  # type: ignore[arg-type]
    assert bound(found) == all_of_them  # type: ignore[arg-type]


def test_what_is_read() -> None:
    assert read_by(node("?x ex:p ?y FILTER(?z > 1 || EXISTS { ?x ex:q ?w })")) == {"x", "y", "z", "w"}  # type: ignore[arg-type]


def test_patterns_that_do_not_depend_on_what_is_outside() -> None:
    assert is_independent(node("?x ex:p ?y"), {"x"})  # type: ignore[arg-type]
    assert is_independent(node("?x ex:p ?y FILTER(?y > 1)"), {"x"})  # type: ignore[arg-type]
    assert not is_independent(node("?x ex:p ?y FILTER(?z > 1)"), {"x"})  # type: ignore[arg-type]
    assert not is_independent(node("?x ex:p ?y OPTIONAL { ?y ex:q ?z }"), {"z"})  # type: ignore[arg-type]


def test_joins_of_patterns() -> None:
    one = Bgp((Triple(Variable("x"), iri_constant("a:p"), Variable("y")),))
    joined = join(one, one)
    assert isinstance(joined, Bgp)
    assert len(joined.patterns) == 2
    assert join(Bgp(()), one) is not None
    other = join(join(one, node("{ ?x ex:p ?y } UNION { ?x ex:q ?z }")), one)  # type: ignore[arg-type]
    assert isinstance(other, Join)
    assert isinstance(other.left, Bgp)
    assert len(other.left.patterns) == 2
