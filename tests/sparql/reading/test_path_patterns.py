"""Property paths as patterns."""

from __future__ import annotations

import pytest

pytest.importorskip("rdflib")

from tidelog.sparql import algebra
from tidelog.sparql.reading.parsing import question_of
from tidelog.syntax.tree import Constant, Variable


def node(path: str) -> algebra.Node:
    found = question_of(f"SELECT * {{ ?x {path} ?y }}", {"ex": "http://example.org/"}).node
    assert isinstance(found, algebra.Project)
    return found.node


def triples(path: str) -> list[tuple[str, str, str]]:
    found = node(path)
    assert isinstance(found, algebra.Bgp)
    shown = []
    for pattern in found.patterns:
        assert isinstance(pattern, algebra.Triple)
        names = [term.name if isinstance(term, Variable) else str(term.value.content) for term in pattern.terms]
        shown.append((names[0], names[1], names[2]))
    return shown


def test_a_path_of_fixed_length_is_triples() -> None:
    (only,) = triples("^ex:p")
    assert (only[0], only[2]) == ("y", "x")
    first, second = triples("ex:p/^ex:q")
    assert first[0] == "x"
    assert first[2] == second[2]
    assert second[0] == "y"
    (excluding,) = node("!(ex:p|ex:q)").patterns  # type: ignore[union-attr]
    assert excluding.excluded == {"http://example.org/p", "http://example.org/q"}  # type: ignore[union-attr]


def test_a_choice_is_a_union() -> None:
    assert isinstance(node("ex:p|ex:q"), algebra.Union)
    found = node("ex:p/(ex:q|ex:r)")
    assert isinstance(found, algebra.Join)
    assert isinstance(found.right, algebra.Union)


@pytest.mark.parametrize(("mark", "expected"), [("*", (True, True)), ("+", (False, True)), ("?", (True, False))])
def test_paths_of_any_length(mark: str, expected: tuple[bool, bool]) -> None:
    found = node(f"(ex:p/^ex:q){mark}")
    assert isinstance(found, algebra.Bgp)
    (pattern,) = found.patterns
    assert isinstance(pattern, algebra.Reach)
    assert (pattern.path.is_reflexive, pattern.path.is_closed) == expected
    assert isinstance(pattern.path.path, algebra.Sequence)
    assert not any(isinstance(term, Constant) for term in pattern.terms)
