"""Results in all their forms."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

pytest.importorskip("rdflib")
pytest.importorskip("pyoxigraph")

from tidelog import IRI, KnowledgeBase, TidelogError
from tidelog.sparql.results import SparqlAnswers, SparqlTriples, json_term
from tidelog.values import from_python

TURTLE = """@prefix ex: <http://example.org/> .
ex:a ex:n 1 ; ex:m "x" . ex:b ex:n 2 ; ex:m "y"@en . _:c ex:n 2.5e0 ."""


@pytest.fixture
def kb() -> KnowledgeBase:
    made = KnowledgeBase("")
    made.update_rdf(insert=TURTLE)
    return made


def answers(kb: KnowledgeBase, pattern: str) -> SparqlAnswers:
    found = kb.sparql(f"PREFIX ex: <http://example.org/> SELECT * {{ {pattern} }} ORDER BY ?n")
    assert isinstance(found, SparqlAnswers)
    return found


def test_tuples(kb: KnowledgeBase) -> None:
    found = answers(kb, "?x ex:n ?n OPTIONAL { ?x ex:m ?m FILTER(isLiteral(?m) && LANG(?m) = '') }")
    assert found.variables == ("x", "n", "m")
    assert len(found) == 3
    assert found[:1] == [(IRI("http://example.org/a"), 1, "x")]
    assert [row[2] for row in found] == ["x", None, None]
    assert copy.deepcopy(found) is found
    with pytest.raises(TidelogError, match="TL071"):
        found[1]  # type: ignore[index]


def test_tables(kb: KnowledgeBase) -> None:
    found = answers(kb, "?x ex:n ?n OPTIONAL { ?x ex:m ?m FILTER(LANG(?m) = '') }")
    table = found.to_arrow()
    assert table.column_names == ["x", "n", "m"]
    assert table["m"].to_pylist() == ["x", None, None]
    assert table["n"].to_pylist() == ["1", "2", "2.5"]  # integers and a float: texts
    assert list(found.to_pandas().columns) == ["x", "n", "m"]
    nothing = answers(kb, "?x ex:n ?n OPTIONAL { ?x ex:none ?m }").to_arrow()
    assert nothing["m"].to_pylist() == [None, None, None]


def test_json(kb: KnowledgeBase) -> None:
    found = json.loads(answers(kb, "?x ex:n ?n OPTIONAL { ?x ex:m ?m }").to_json())
    assert found["head"] == {"vars": ["x", "n", "m"]}
    first, second, third = found["results"]["bindings"]
    assert first["x"] == {"type": "uri", "value": "http://example.org/a"}
    assert first["n"] == {"type": "literal", "value": "1", "datatype": "http://www.w3.org/2001/XMLSchema#integer"}
    assert second["m"] == {"type": "literal", "value": "y", "xml:lang": "en"}
    assert third["x"]["type"] == "bnode"
    assert "m" not in third
    assert json_term(from_python(True))["value"] == "true"


def test_what_people_see(kb: KnowledgeBase) -> None:
    shown = repr(answers(kb, "?x ex:n ?n FILTER(?n < 2)"))
    assert shown.splitlines()[0] == "1 answer"
    assert "?x" in shown
    assert "http://example.org/a" in shown


def test_triples(kb: KnowledgeBase, tmp_path: Path) -> None:
    found = kb.sparql("PREFIX ex: <http://example.org/> CONSTRUCT { ?x ex:k ?n } { ?x ex:n ?n FILTER(isIRI(?x)) }")
    assert isinstance(found, SparqlTriples)
    assert repr(found) == "2 triples"
    assert sorted(triple[2] for triple in found) == [1, 2]
    assert found.to_arrow().column_names == ["subject", "predicate", "object"]
    report = found.write(tmp_path / "out.nt")
    assert report.triples == 2
    other = KnowledgeBase("")
    other.load_rdf(tmp_path / "out.nt")
    assert other.count("http://example.org/k") == 2
