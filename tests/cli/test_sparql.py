"""`tidelog sparql`: queries over programs, files and saved knowledge bases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.commands import run

from tidelog import KnowledgeBase

pytest.importorskip("pyoxigraph")
pytest.importorskip("rdflib")
PREFIX = "@prefix ex: <http://example.org/> . "
RULES = PREFIX + "ex:r(X, Y) :- ex:p(X, Y). ex:r(X, Z) :- ex:r(X, Y), ex:p(Y, Z).\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.ttl"
    path.write_text(PREFIX + "ex:a ex:p ex:b . ex:b ex:p ex:c ; ex:n 5 .", encoding="utf-8")
    (tmp_path / "rules.dl").write_text(RULES, encoding="utf-8")
    return path


def test_tables(data: Path) -> None:
    code, printed, said = run(
        "sparql", data.parent / "rules.dl", "--rdf", data, "SELECT ?x ?n { ex:a ex:r ?x OPTIONAL { ?x ex:n ?n } }"
    )
    assert code == 0, said
    lines = printed.splitlines()
    assert lines[:2] == ["x     n", "----  -"]
    assert sorted(lines[2:4]) == ["ex:b  5", "ex:c"]
    assert lines[4] == "2 answers"


def test_other_results(data: Path) -> None:
    given = ("sparql", data.parent / "rules.dl", "--rdf", data, "--quiet")
    assert run(*given, "ASK { ex:a ex:r ex:c }")[1] == "true\n"
    assert run(*given, "ASK { ex:c ex:r ex:a }")[1] == "false\n"
    assert run(*given, "CONSTRUCT { ?x ex:q ?n } { ?x ex:n ?n }")[1] == (
        '<http://example.org/b> <http://example.org/q> "5"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
    )
    assert run(*given, "SELECT * { ex:a ex:p ex:b }")[1] == "1 answer\n"


def test_json(data: Path) -> None:
    given = ("sparql", "--rdf", data, "--json", "--quiet")
    found = json.loads(run(*given, "SELECT ?n { ?x <http://example.org/n> ?n }")[1])
    assert found["head"] == {"vars": ["n"]}
    assert found["results"]["bindings"][0]["n"]["value"] == "5"
    assert json.loads(run(*given, "ASK { ?x <http://example.org/n> ?n }")[1]) == {"head": {}, "boolean": True}
    assert len(json.loads(run(*given, "CONSTRUCT WHERE { ?x <http://example.org/p> ?y }")[1])["triples"]) == 2
    code, _, said = run(*given, "SELECT {")
    assert (code, json.loads(said)["errors"][0]["code"]) == (1, "TL015")


def test_a_saved_knowledge_base(data: Path) -> None:
    with KnowledgeBase.open(data.parent / "kb", RULES) as kb:
        kb.load_rdf(data)
    code, printed, _ = run("sparql", "--open", data.parent / "kb", "SELECT (COUNT(*) AS ?n) { ?x ex:r ?y }")
    assert (code, printed.splitlines()[2]) == (0, "3")


def test_graphs(data: Path) -> None:
    trig = data.with_suffix(".trig")
    trig.write_text(PREFIX + "ex:g { ex:a ex:p ex:b }", encoding="utf-8")
    (data.parent / "quads.dl").write_text("@relation triple(s, p, o, g) .\n", encoding="utf-8")
    assert run("sparql", data.parent / "quads.dl", "--graphs", "ASK { GRAPH ?g { ?x ?p ?y } }", "--quiet")[1] == "false\n"


def test_what_is_missing(data: Path) -> None:
    assert run("sparql", data.parent / "rules.dl")[0] == 2
    assert run("sparql")[0] == 2
