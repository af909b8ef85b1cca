"""`tidelog explain`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.commands import EDGES, RULES, run

from tidelog import KnowledgeBase


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rules.dl").write_text(RULES, encoding="utf-8")
    (tmp_path / "facts").mkdir()
    (tmp_path / "facts" / "edge.csv").write_text(EDGES, encoding="utf-8")
    return tmp_path


def test_a_proof_as_text(folder: Path) -> None:
    status, text, _ = run("explain", folder / "rules.dl", "back(b)", "--facts", folder / "facts", "--quiet")
    assert status == 0
    assert text.splitlines()[:2] == [
        "back(b)   by line 4: back(X) :- path(X, X).",
        "└─ path(b, b)   a chain of 2 facts, by line 3",
    ]


def test_forms_and_files(folder: Path) -> None:
    arguments = "explain", folder / "rules.dl", "path(a, c)", "--facts", folder / "facts", "--quiet"
    assert json.loads(run(*arguments, "--format", "json")[1])["fact"] == "path(a, c)"
    assert run(*arguments, "--format", "svg")[1].startswith("<svg")
    assert run(*arguments, "--format", "html")[1].startswith("<!doctype html>")
    assert run(*arguments, "--out", folder / "why.html")[:2] == (0, f"{folder / 'why.html'}: 4 facts\n")
    assert run(*arguments, "--out", folder / "why.pdf")[0] == 1
    assert "rule instance" in run(*arguments, "--all")[1]


def test_a_fact_that_does_not_hold(folder: Path) -> None:
    status, text, said = run("explain", folder / "rules.dl", "path(c, a)", "--facts", folder / "facts", "--quiet")
    assert (status, text) == (1, "")
    assert "TL098" in said


def test_a_saved_knowledge_base_needs_no_program(folder: Path) -> None:
    with KnowledgeBase.open(folder / "kb", RULES) as kb:
        kb.update(insert=[("edge", "x", "y")])
    assert run("explain", "--open", folder / "kb", "path(x, y)", "--quiet")[:2] == (
        0,
        "path(x, y)   by line 2: path(X, Y) :- edge(X, Y).\n└─ edge(x, y)   explicit\n",
    )


def test_without_a_fact(folder: Path) -> None:
    assert run("explain", folder / "rules.dl")[0] == 2


def test_facts_of_rdf_and_equalities(tmp_path: Path) -> None:
    (tmp_path / "zoo.ttl").write_text(
        "@prefix : <http://zoo/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . :Lion rdfs:subClassOf :Animal .",
        "utf-8",
    )
    (tmp_path / "leo.nt").write_text(
        "<http://zoo/leo> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://zoo/Lion> .\n", "utf-8"
    )
    of = "--ontology", tmp_path / "zoo.ttl", "--rdf", tmp_path / "leo.nt", "--quiet"
    status, text, _ = run("explain", "<http://zoo/Animal>(<http://zoo/leo>)", *of, "--same-as")
    assert (status, "explicit" in text) == (0, True)
    status, text, _ = run("why-not", "<http://zoo/Animal>(<http://zoo/kim>)", *of)
    assert (status, "does not hold" in text) == (0, True)
