"""`tidelog ontology`, `tidelog consistency`, and `--ontology` of other commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.commands import run

from tidelog import KnowledgeBase

pytest.importorskip("pyoxigraph")
PREFIXES = (
    "@prefix : <http://example.org/zoo#> . @prefix owl: <http://www.w3.org/2002/07/owl#> . "
    "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . "
)


@pytest.fixture
def zoo(tmp_path: Path) -> Path:
    path = tmp_path / "zoo.ttl"
    axioms = ":Lion rdfs:subClassOf :Animal , [ owl:unionOf (:Male :Female) ] . :Animal owl:disjointWith :Plant . :leo a :Lion ."
    path.write_text(PREFIXES + axioms, encoding="utf-8")
    (tmp_path / "data.ttl").write_text(PREFIXES + ":elsa a :Lion .", encoding="utf-8")
    (tmp_path / "bad.ttl").write_text(PREFIXES + ":leo a :Plant .", encoding="utf-8")
    return path


def test_ontology(zoo: Path) -> None:
    code, printed, said = run("ontology", zoo)
    assert (code, said) == (0, "")
    assert "% zoo:Lion subClassOf zoo:Animal\nsubclass_Lion_Animal: zoo:Animal(X) :- zoo:Lion(X).\n" in printed
    out = zoo.parent / "rules.dl"
    assert run("ontology", zoo, "--out", out) == (0, f"2 rules, 1 thing outside of OWL 2 RL -> {out}\n", "")
    assert out.read_text(encoding="utf-8") == printed
    assert KnowledgeBase(out).count("zoo:Animal") == 1
    assert run("check", out)[0] == 0


def test_ontology_over_triples(zoo: Path) -> None:
    out = zoo.parent / "owl_rl.dl"
    assert run("ontology", "--owl-rl", "--out", out)[0] == 0
    code, printed, _ = run("run", out, "--ontology", zoo, "--rdf", zoo.parent / "data.ttl", "--relation", "triple")
    assert code == 0
    assert "triple(<http://example.org/zoo#elsa>, rdf:type, <http://example.org/zoo#Animal>).\n" in printed


def test_ontology_wants_a_file_or_the_rules(zoo: Path) -> None:
    assert run("ontology")[0] == 2
    assert run("ontology", zoo, "--owl-rl")[0] == 2
    assert "error TL060: cannot write" in run("ontology", zoo, "--out", zoo / "no")[2]
    assert "error TL074" in run("ontology", zoo, "--equality", "some")[2]
    assert "error TL082" in run("ontology", zoo.parent / "zoo.txt")[2]


def test_run_and_query(zoo: Path) -> None:
    data = zoo.parent / "data.ttl"
    code, printed, said = run("run", "--rdf", data, "--ontology", zoo)
    assert (code, printed) == (0, "% zoo:Animal: 2 facts\nzoo:Animal(zoo:elsa).\nzoo:Animal(zoo:leo).\n% inconsistent: 0 facts\n")
    assert said.splitlines() == [
        f"{zoo}: 2 rules, 1 assertion, 1 thing outside of OWL 2 RL",
        f"{data}: 1 fact of 1 relation",
    ]
    assert run("run", "-q", "--ontology", zoo)[2] == ""
    assert run("query", "zoo:Animal(X)", "-q", "--ontology", zoo)[1] == "X\n-------\nzoo:leo\n1 answer\n"
    assert run("run")[0] == 2


def test_consistency(zoo: Path) -> None:
    assert run("consistency", "--ontology", zoo, "-q") == (0, "consistent: no rule finds a contradiction\n", "")
    code, printed, _ = run("consistency", "--ontology", zoo, "--rdf", zoo.parent / "bad.ttl", "-q")
    assert code == 1
    assert printed == "disjoint_Animal_Plant: zoo:leo\n    zoo:Animal(zoo:leo).\n    zoo:Plant(zoo:leo).\n1 contradiction\n"
    program = zoo.parent / "rules.dl"
    program.write_text("inconsistent(odd, X) :- p(X), X mod 2 = 1. p(1). p(2). p(3).", encoding="utf-8")
    assert run("consistency", program)[1].splitlines()[-1] == "2 contradictions"


def test_json(zoo: Path) -> None:
    found = json.loads(run("ontology", zoo, "--json")[1])
    assert found["rules"][0] == {
        "name": "subclass_Lion_Animal",
        "text": "subclass_Lion_Animal: zoo:Animal(X) :- zoo:Lion(X).",
        "axiom": "zoo:Lion subClassOf zoo:Animal",
    }
    assert (found["assertions"], found["imports"], len(found["outside"])) == (1, [], 1)
    assert found["program"] == run("ontology", zoo)[1]
    out = zoo.parent / "rules.dl"
    assert json.loads(run("ontology", zoo, "--json", "--out", out)[1])["file"] == str(out)
    code, printed, _ = run("consistency", "--ontology", zoo, "--rdf", zoo.parent / "bad.ttl", "-q", "--json")
    (one,) = json.loads(printed)["contradictions"]
    assert (code, one["rule"], one["about"]) == (1, "disjoint_Animal_Plant", {"iri": "http://example.org/zoo#leo"})
    assert one["facts"][1] == ["http://example.org/zoo#Plant", {"iri": "http://example.org/zoo#leo"}]


def test_a_saved_knowledge_base(zoo: Path) -> None:
    with KnowledgeBase.open(zoo.parent / "saved", "p(1).") as kb:
        kb.add_ontology(zoo)
    assert run("consistency", "--open", zoo.parent / "saved", "-q")[0] == 0
    assert "error TL065" in run("run", "--open", zoo.parent / "saved", "--ontology", zoo)[2]
